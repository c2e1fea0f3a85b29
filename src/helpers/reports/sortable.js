for (const table of document.querySelectorAll("table.sortable:not([data-ready])")) {
  table.dataset.ready = "yes";
  const headers = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  const value = (row, column) => row.cells[column].dataset.value ?? row.cells[column].textContent.trim();
  headers.forEach((header, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    header.append(button);
    button.addEventListener("click", () => {
      const rows = [...body.rows];
      const known = rows.filter((row) => value(row, column) !== "");
      const numeric = known.every((row) => Number.isFinite(Number(value(row, column))));
      const was = header.getAttribute("aria-sort");
      const down = was ? was === "ascending" : numeric;
      const compare = (one, two) => numeric
        ? Number(value(one, column)) - Number(value(two, column))
        : value(one, column).localeCompare(value(two, column));
      known.sort((one, two) => (down ? -1 : 1) * compare(one, two));
      body.append(...known, ...rows.filter((row) => !known.includes(row)));
      for (const other of headers) other.removeAttribute("aria-sort");
      header.setAttribute("aria-sort", down ? "descending" : "ascending");
    });
  });
}
