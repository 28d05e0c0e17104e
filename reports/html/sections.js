// The tables of the page. Each takes rows of the model and gives a table that filters can be shown through.
import { h } from "./dom.js";
import { figure, seconds, toneOf, toNumber } from "./format.js";
import { sparkline } from "./charts.js";
import { table } from "./table.js";

export function badge(status) {
  return h("span", { class: `badge ${toneOf(status)}` }, status);
}

export function kernelLink(kernel, text = kernel.registration) {
  return h("a", { class: "word", href: `#${encodeURIComponent(kernel.registration)}@${kernel.chip}` }, text);
}

// A bar beside its number; the number is what is read out.
export function bar(share, text, tone = "") {
  return h("span", { class: "bar" }, h("span", { class: "track", "aria-hidden": "true" }, h("i", { class: tone, style: `width:${Math.round(100 * Math.min(1, Math.max(0, share)))}%` })), text);
}

const word = (text) => h("span", { class: "word" }, text);
const registration = { label: "registration", value: (v) => v.kernel.registration, cell: (v) => kernelLink(v.kernel) };
const chip = { label: "chip", value: (v) => v.kernel.chip, cell: (v) => word(v.kernel.chip) };
const status = { label: "status", value: (v) => v.status, cell: (v) => badge(v.status) };
const name = { label: "name", value: (v) => v.name ?? "", cell: (v) => word(v.name ?? "") };
const caseOf = (v) => [v.shape, v.pattern && `(${v.pattern})`].filter(Boolean).join(" ");
const place = { label: "case", value: caseOf, cell: (v) => word(caseOf(v)) };
const why = { label: "why", value: (v) => v.reason ?? "", cell: (v) => h("span", { class: "prose" }, v.reason ?? "") };

// A column of sparklines; none where no row has a past.
function trendColumn(rows, label, what, pointsOf) {
  const change = (points) => (points ? points[points.length - 1] - points[points.length - 2] : "");
  const column = { label, numeric: true, value: (row) => change(pointsOf(row)), cell: (row) => (pointsOf(row) ? sparkline(pointsOf(row), what) : "-") };
  return rows.some(pointsOf) ? [column] : [];
}

function ratioBar(ratio) {
  const number = toNumber(ratio);
  return number === undefined ? "" : bar(number, figure(ratio), number > 1 ? "bad" : "");
}

export function chipsTable(report) {
  const number = (label, key) => ({ label, numeric: true, value: (row) => row[key] ?? 0 });
  return table({
    caption: "Chips", rows: report.counts,
    columns: [{ label: "chip", value: (row) => row.chip }, number("kernels", "kernels"), number("pass", "pass"), number("fail", "fail"), number("known findings", "known"),
      number("controls", "controls"), number("red as planted", "red"), number("missed", "missed"), number("limits", "limits"), number("limit problems", "limit_problems"),
      number("gates run", "gates_run"), number("modelled", "gates_modelled"), number("not run", "gates_not_run"),
      { label: "time", numeric: true, value: (row) => row.gates_ns ?? 0, cell: (row) => seconds(row.gates_ns) }],
  });
}

export function problemsTable(report) {
  const gate = { label: "gate", numeric: true, value: (v) => v.gate ?? "" };
  return table({
    caption: `Problems, worst first${report.n_problems > report.problems.length ? ` (${report.n_problems - report.problems.length} more are in the log)` : ""}`, rows: report.problems,
    columns: [registration, chip, status, gate, name, place, why, { label: "repeat it", value: (v) => v.repeat ?? "", cell: (v) => h("code", {}, v.repeat ?? "") }],
  });
}

export function kernelsTable(report) {
  const gates = ["bytes", "classes", "bound", "sums", "limits"].map((title, i) => ({
    label: `${i + 1} ${title}`, value: (kernel) => kernel.gates[i], cell: (kernel) => (kernel.gates[i] ? badge(kernel.gates[i]) : "-"),
  }));
  const trend = trendColumn(report.kernels, "worst ratio, run by run", "worst of the bound", (kernel) => kernel.trends.ratios);
  return table({
    caption: "Registrations", rows: report.kernels, id: "kernels",
    columns: [
      { label: "registration", value: (kernel) => kernel.registration, cell: (kernel) => kernelLink(kernel) },
      { label: "chip", value: (kernel) => kernel.chip, cell: (kernel) => word(kernel.chip) },
      { label: "state", value: (kernel) => kernel.state, cell: (kernel) => badge(kernel.state) },
      ...gates,
      { label: "worst of the bound", numeric: true, value: (kernel) => toNumber(kernel.worst?.worst_ratio), cell: (kernel) => ratioBar(kernel.worst?.worst_ratio) },
      ...trend,
      { label: "results", numeric: true, value: (kernel) => kernel.n_cases },
      { label: "time", numeric: true, value: (kernel) => kernel.ns ?? 0, cell: (kernel) => seconds(kernel.ns) },
    ],
  });
}

const factor = { label: "caught by a factor of", numeric: true, value: (v) => toNumber(v.worst_ratio), cell: (v) => figure(v.worst_ratio) };

export function teethTable(rows) {
  return table({
    caption: "Teeth: wrong arithmetic that a gate must catch", rows,
    columns: [registration, name, status, { label: "caught by gate", numeric: true, value: (v) => v.gate ?? "" }, place, factor, why],
  });
}

export function controlsTable(rows) {
  return table({
    caption: "Controls: planted faults that must turn red", rows,
    columns: [registration, chip, name, status, { label: "at gate", numeric: true, value: (v) => v.gate ?? "" }, place, why],
  });
}

export function resourcesTable(rows, slots) {
  const count = (label, key) => ({ label, numeric: true, value: (v) => v.resources[key] ?? "" });
  return table({
    caption: "Resources of the compiled kernels", rows,
    columns: [{ label: "kernel", value: (v) => v.kernel.registration, cell: (v) => kernelLink(v.kernel) }, chip, status, why,
      { label: "waves a SIMD", numeric: true, value: (v) => v.resources.occupancy ?? 0, cell: (v) => bar(v.resources.occupancy / slots.get(v.kernel.chip), `${v.resources.occupancy} of ${slots.get(v.kernel.chip)}`) },
      { label: "held by", value: (v) => v.resources.limit ?? "" }, count("VGPRs", "vgprs"), ...trendColumn(rows, "VGPRs, run by run", "VGPRs", (v) => v.kernel.trends.vgprs), count("AGPRs", "agprs"), count("SGPRs", "sgprs"), count("LDS", "lds"),
      count("scratch", "private"), count("VGPR spills", "vspills"), count("SGPR spills", "sspills"), count("bound", "bound"), count("code", "code")],
  });
}

function placeOf(party) {
  return `${party.kernel}+0x${party.offset.toString(16)} workgroup ${party.workgroup.join(",")}${party.wave === undefined ? "" : ` wave ${party.wave}`}${party.lane === undefined ? "" : ` lane ${party.lane}`}`;
}

function listing(label, listed) {
  return listed && h("figure", { class: "listing" }, h("figcaption", {}, label),
    h("pre", { tabindex: "0", "aria-label": label }, listed.lines.map((line, i) => (i === listed.at ? h("mark", {}, `${line}\n`) : `${line}\n`))));
}

function party(title, where) {
  const source = where.file && `${where.file}:${where.line}`;
  const alone = where.instruction && { lines: [where.instruction], at: 0 };
  return h("div", {}, h("h4", {}, title), h("p", {}, placeOf(where), source && h("span", {}, " at ", h("code", {}, source))),
    listing("Instructions", where.disassembly ?? alone), listing("Source", where.source));
}

export function findingCard(verdict) {
  const finding = verdict.finding;
  return h("article", { class: "finding" },
    h("h3", {}, h("span", { class: `badge ${verdict.subject === "control" ? "quiet" : "bad"}` }, finding.kind), " ", kernelLink(verdict.kernel), ` ${verdict.kernel.chip} ${verdict.name ?? ""} ${verdict.shape ?? ""}`,
      verdict.subject === "control" ? " (planted)" : ""),
    h("p", {}, finding.message), party("Where", finding.at), finding.other && party("The other party", finding.other));
}
