// A table that sorts by the heading that is pressed. Columns: {label, value, cell, numeric}; value gives what is sorted by
// and, without cell, what is shown.
import { h } from "./dom.js";

function compare(a, b) {
  const empty = (value) => value === undefined || value === null || value === "" || Number.isNaN(value);
  if (empty(a) || empty(b)) return empty(a) - empty(b);
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
}

function cellOf(column, row, isHeader) {
  const content = column.cell ? column.cell(row) : String(column.value(row) ?? "");
  const attributes = column.numeric ? { class: "number" } : {};
  return isHeader ? h("th", { ...attributes, scope: "row" }, content) : h("td", attributes, content);
}

export function table({ caption, columns, rows, id }) {
  const body = h("tbody");
  let sorted = -1;
  let direction = 1;
  let current = rows;

  function fill() {
    const shown = sorted < 0 ? current : [...current].sort((a, b) => direction * compare(columns[sorted].value(a), columns[sorted].value(b)));
    body.replaceChildren(...shown.map((row) => h("tr", {}, columns.map((column, i) => cellOf(column, row, i === 0)))));
  }

  function sortBy(index) {
    direction = sorted === index ? -direction : columns[index].numeric ? -1 : 1;
    sorted = index;
    headings.forEach((heading, i) =>
      i === sorted ? heading.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending") : heading.removeAttribute("aria-sort"));
    fill();
  }

  const headings = columns.map((column, i) =>
    h("th", { scope: "col", class: column.numeric ? "number" : null }, h("button", { type: "button", onclick: () => sortBy(i) }, column.label)));
  fill();
  const element = h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": caption, id },
    h("table", {}, h("caption", {}, caption), h("thead", {}, h("tr", {}, headings)), body));
  return { element, show: (some) => ((current = some), fill()) };
}
