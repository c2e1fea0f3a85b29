// The theme gives some parts no name, and others a name or a role that does not fit what one sees.
document.addEventListener("DOMContentLoaded", () => {
  for (const summary of document.querySelectorAll(".bd-sidenav summary")) {
    const above = summary.closest("li").querySelector("a");
    summary.setAttribute("aria-label", `Pages below: ${above.textContent.trim()}`);
  }
  // Their text, which says more than their label, becomes their name.
  for (const named of document.querySelectorAll(".search-button-field, details.hide > summary")) {
    named.removeAttribute("aria-label");
  }
  for (const entry of document.querySelectorAll(".citation-list > .citation")) {
    entry.setAttribute("role", "listitem");
  }
  // On a phone they scroll sideways (book.css), which must work by keyboard too.
  for (const table of document.querySelectorAll(".bd-article table.table")) {
    table.tabIndex = 0;
  }
  // A long address may break, or its column leaves the page.
  for (const cell of document.querySelectorAll(".shown-table td")) {
    cell.classList.toggle("long-word", /\S{40}/.test(cell.textContent));
  }
});
window.addEventListener("load", async () => {
  await window.MathJax?.startup?.promise;
  // A table or a formula that is wider than its place scrolls.
  const watched = new ResizeObserver((changed) => {
    for (const { target } of changed) {
      const scrolls = target.scrollWidth > target.clientWidth || target.scrollHeight > target.clientHeight;
      target.toggleAttribute("tabindex", scrolls);
      if (scrolls) target.tabIndex = 0;
      target.classList.toggle("scrolls", scrolls);
    }
  });
  for (const wide of document.querySelectorAll(".shown-table, mjx-container[display='true']")) watched.observe(wide);
});
