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
});
