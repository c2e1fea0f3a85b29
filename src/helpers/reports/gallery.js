for (const gallery of document.querySelectorAll(".gallery:not([data-ready])")) {
  gallery.dataset.ready = "yes";
  const controls = gallery.querySelector(".gallery-controls");
  if (!controls) continue;
  const boxes = [...controls.querySelectorAll("select")];
  const cards = [...gallery.querySelectorAll(".clip-card")];
  const count = gallery.querySelector(".gallery-count");
  const everything = count.textContent;
  const fits = (card, box) =>
    !box.value || card.dataset[box.dataset.filter].split("|").includes(box.value);
  const filter = () => {
    const seen = cards.filter((card) => (card.hidden = !boxes.every((box) => fits(card, box))) === false);
    count.textContent = seen.length === cards.length ? everything
      : `${seen.length} of the ${cards.length} clips on this page, chosen out of ${count.dataset.found}`;
  };
  controls.addEventListener("submit", (event) => event.preventDefault());
  controls.addEventListener("change", filter);
  controls.querySelector("button").addEventListener("click", () => {
    for (const box of boxes) box.value = "";
    filter();
  });
  controls.hidden = false;
}
