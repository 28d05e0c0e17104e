// The plots. Each is a figure whose caption says in words what the picture shows.
import * as Plot from "@observablehq/plot";
import { h } from "./dom.js";
import { binLabels, figure } from "./format.js";

const COMMON = { style: { background: "none", fontSize: "12px" }, marginBottom: 62, marginLeft: 60 };
const compact = new Intl.NumberFormat("en", { notation: "compact" });
const levelColor = (bin) => `var(--level-${bin})`;

// A picture is one thing to a screen reader: the names that Plot gives to its groups become classes.
function named(svg, words) {
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", words);
  for (const group of svg.querySelectorAll("g[aria-label]")) {
    group.classList.add(group.getAttribute("aria-label").replaceAll(" ", "-"));
    group.removeAttribute("aria-label");
  }
  return svg;
}

function figureOf(svg, caption, ...rest) {
  named(svg, caption);
  return h("figure", {}, svg, h("figcaption", {}, caption), ...rest);
}

function dataTable(caption, headings, rows) {
  return h("details", {}, h("summary", {}, caption),
    h("table", {}, h("thead", {}, h("tr", {}, headings.map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, rows.map((row) => h("tr", {}, row.map((text) => h("td", { class: "number" }, text)))))));
}

// How many outputs lie how far from the reference.
export function ratioHistogram(histogram, boundBin) {
  const labels = binLabels(histogram.length, boundBin);
  const bars = histogram.map((count, bin) => ({ count, bin, label: labels[bin] }));
  const total = histogram.reduce((sum, count) => sum + count, 0);
  const over = histogram.slice(boundBin + 1).reduce((sum, count) => sum + count, 0);
  const svg = Plot.plot({
    ...COMMON, width: 640, height: 240,
    x: { domain: labels, label: "distance from the reference, up to … of the bound", tickRotate: -40, tickSize: 0, labelOffset: 56 },
    y: { label: "outputs", grid: true, tickFormat: (n) => compact.format(n), nice: true },
    marks: [Plot.barY(bars, { x: "label", y: "count", fill: (d) => levelColor(d.bin), stroke: "var(--line)", title: (d) => `${d.count} outputs: ${d.label}` }), Plot.ruleY([0])],
    color: { type: "identity" },
  });
  const caption = over ? `${over} of ${total} outputs of all cases are over their bound.` : `All ${total} outputs of all cases are within their bound.`;
  return figureOf(svg, caption, dataTable("The counts", ["up to", "outputs"], bars.map((bar) => [bar.label, bar.count])));
}

function span(part, nParts, length) {
  const first = Math.ceil((part * length) / nParts);
  const last = Math.ceil(((part + 1) * length) / nParts) - 1;
  return first === last ? String(first) : `${first}-${last}`;
}

function cellsOf(map) {
  const nRows = map.cells.length;
  return map.cells.flatMap((letters, row) => [...letters].map((letter, column) => ({
    row, column,
    bin: letter === "." ? -1 : letter.charCodeAt(0) - 97,
    rows: span(row, nRows, map.rows), columns: span(column, letters.length, map.columns),
  })));
}

// The ticks of an axis with many parts: every fourth.
const someOf = (n) => [...Array(n).keys()].filter((i) => n <= 8 || i % 4 === 0);

// Where in the tensor of the worst output the distances are large; a ring is round the worst one.
export function errorMap(verdict, nBins, boundBin) {
  const map = verdict.error_map;
  const labels = binLabels(nBins, boundBin);
  const cells = cellsOf(map);
  const [nRows, nColumns] = [map.cells.length, map.cells[0].length];
  const [row, column] = [Math.floor((verdict.element ?? 0) / map.columns), (verdict.element ?? 0) % map.columns];
  const worst = { row: Math.floor((row * nRows) / map.rows), column: Math.floor((column * nColumns) / map.columns) };
  const say = (cell) => (cell.bin < 0 ? "not decided by the reference" : `up to ${labels[cell.bin]} of the bound`);
  const axis = (label, n, length) => ({ label, tickFormat: (i) => span(i, n, length).split("-")[0], ticks: someOf(n), tickSize: 0, domain: [...Array(n).keys()] });
  const svg = Plot.plot({
    ...COMMON, width: 640, height: Math.max(110, 22 * nRows + 80), padding: 0.06,
    x: { ...axis(`columns of ${map.tensor} (${map.columns})`, nColumns, map.columns), labelOffset: 40 },
    y: axis(`rows (${map.rows})`, nRows, map.rows),
    marks: [
      Plot.cell(cells, { x: "column", y: "row", fill: (d) => (d.bin < 0 ? "var(--level-none)" : levelColor(d.bin)), title: (d) => `rows ${d.rows}, columns ${d.columns}: ${say(d)}` }),
      Plot.cell([worst], { x: "column", y: "row", fill: "none", stroke: "var(--fg)", strokeWidth: 2 }),
    ],
    color: { type: "identity" },
  });
  return figureOf(svg, `The worst output is in row ${row}, column ${column} of ${map.tensor}: ${figure(verdict.worst_ratio ?? 0)} of its bound.`, legend(labels));
}

function legend(labels) {
  const swatch = (bin, text) => h("span", { class: "swatch" }, h("i", { style: `background:${bin < 0 ? "var(--level-none)" : levelColor(bin)}` }), text);
  return h("p", { class: "legend" }, "Up to … of the bound: ", labels.map((label, bin) => swatch(bin, label)), swatch(-1, "not decided"));
}

// Waves a SIMD of one kernel on each chip.
export function occupancyBars(rows, slots) {
  const chips = rows.map((row) => row.kernel.chip);
  const svg = Plot.plot({
    ...COMMON, width: 640, height: 30 * rows.length + 60, marginLeft: 80,
    x: { label: "waves a SIMD", grid: true, domain: [0, Math.max(...chips.map((chip) => slots.get(chip)))] },
    y: { label: null, domain: chips },
    marks: [
      Plot.barX(rows, { y: (d) => d.kernel.chip, x: (d) => slots.get(d.kernel.chip), fill: "var(--track)" }),
      Plot.barX(rows, { y: (d) => d.kernel.chip, x: (d) => d.resources.occupancy, fill: "var(--bar)", title: (d) => `${d.resources.vgprs} VGPRs, ${d.resources.lds} bytes of LDS; held by ${d.resources.limit}` }),
      Plot.ruleX([0]),
    ],
  });
  const words = rows.map((row) => `${row.kernel.chip} ${row.resources.occupancy} of ${slots.get(row.kernel.chip)} (${row.resources.limit})`);
  return figureOf(svg, `Waves a SIMD, of the most that a kernel here has on the chip, and what holds them down: ${words.join(", ")}.`);
}

// One number of each run, oldest first.
export function sparkline(points, what) {
  const finite = points.map((value, run) => ({ run, value })).filter((point) => Number.isFinite(point.value));
  const svg = Plot.plot({
    width: 120, height: 24, margin: 3, style: { background: "none" }, axis: null, x: { domain: [0, points.length - 1] }, y: { zero: true },
    marks: [Plot.lineY(finite, { x: "run", y: "value", stroke: "var(--bar)" }), Plot.dot(finite.slice(-1), { x: "run", y: "value", r: 2.5, fill: "var(--bar)" })],
  });
  return named(svg, `${what} in ${points.length} runs, this one last: ${points.map(figure).join(", ")}`);
}
