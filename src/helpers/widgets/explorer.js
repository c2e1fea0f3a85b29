// Keys of the explorer: arrows go on and back, p loads the video.
(() => {
  const held = "explorerKeys";
  if (window[held]) {
    window.removeEventListener("keydown", window[held].keydown, true);
    window.removeEventListener("pointerdown", window[held].pointerdown, true);
  }
  const pageOf = event => event.target instanceof Element ? event.target.closest(".explorer") : null;
  // What uses the arrows itself: menus, numbers, the video's controls, tables that scroll.
  const own = "select, input, video, pre, .report-scroll";

  const keydown = event => {
    const page = pageOf(event);
    if (!page || event.ctrlKey || event.altKey || event.metaKey) return;
    // JupyterLab's own letters add, cut and delete cells; within the page they must not.
    event.stopImmediatePropagation();
    const buttons = { ArrowRight: ".explorer-next", ArrowLeft: ".explorer-back", p: ".explorer-load" };
    if (!(event.key in buttons) || event.repeat || event.target.closest(own)) return;
    event.preventDefault();
    page.querySelector(buttons[event.key]).click();
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
