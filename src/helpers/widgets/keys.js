// Keys of the annotation page. A key is found by the title of the button that it stands for.
(() => {
  const held = "annotationKeys";
  if (window[held]) {
    window.removeEventListener("keydown", window[held].keydown, true);
    window.removeEventListener("pointerdown", window[held].pointerdown, true);
  }
  const pageOf = event => event.target instanceof Element ? event.target.closest(".annotation") : null;
  const play = page => page.querySelectorAll("video").forEach(video => {
    video.currentTime = 0;
    video.play();
  });

  const keydown = event => {
    const page = pageOf(event);
    if (!page || event.ctrlKey || event.altKey || event.metaKey) return;
    // JupyterLab's own letters add, cut and delete cells; within the page they must not.
    event.stopImmediatePropagation();
    if (event.repeat) return;
    const arrows = { ArrowRight: ".annotation-next", ArrowLeft: ".annotation-back" };
    const isVideo = event.target instanceof HTMLVideoElement;
    let found = null;
    if (event.key in arrows) found = isVideo ? null : page.querySelector(arrows[event.key]);
    else if (event.key === "u") found = page.querySelector(".annotation-undo");
    else if (event.key === "p") play(page);
    else if (/^[0-9yn]$/.test(event.key))
      found = page.querySelector(`.annotation-current button[title="Key ${event.key}"]`);
    if (!found || found.offsetParent === null) return;
    event.preventDefault();
    found.click();
  };

  // A click on words gives the page the keys too.
  const pointerdown = event => {
    const page = pageOf(event);
    if (page) page.tabIndex = -1;
  };

  window[held] = { keydown, pointerdown };
  window.addEventListener("keydown", keydown, true);
  window.addEventListener("pointerdown", pointerdown, true);
})();
