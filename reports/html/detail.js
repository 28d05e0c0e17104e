// One registration on one chip: its worst case, distances, cases, teeth, controls, resources and findings.
import { errorMap, occupancyBars, ratioHistogram } from "./charts.js";
import { h } from "./dom.js";
import { figure, seconds, toNumber, value9 } from "./format.js";
import { badge, controlsTable, findingCard, kernelLink, resourcesTable, teethTable } from "./sections.js";
import { table } from "./table.js";

function worstOutput(verdict) {
  const facts = [["case", `${verdict.shape} (${verdict.pattern})`], ["output", `${verdict.tensor} element ${verdict.element ?? 0}`], ["got", `${value9(verdict.got)} = ${verdict.got_bits ?? "0x0"}`],
    ["reference", value9(verdict.reference)], ["bound", figure(verdict.bound ?? 0)], ["distance", `${figure(verdict.worst_ratio ?? 0)} of the bound`],
    ["mean distance, signed", figure(verdict.signed_mean ?? 0)]];
  if (verdict.depth_tensor) facts.push(["additions on the longest way", `${verdict.depth_measured ?? 0} of ${verdict.depth_declared} declared (${verdict.depth_parts})`]);
  if (verdict.twin) facts.push(["distance from its twin", `${figure(verdict.twin_ratio ?? 0)} of both bounds (${verdict.twin})`]);
  return h("dl", { class: "facts" }, facts.map(([term, text]) => h("div", {}, h("dt", {}, term), h("dd", {}, text))));
}

// The outputs round the worst one, and what their pattern tells.
function diagnosis({ diagnosis }) {
  if (!diagnosis) return [];
  const is = (one, other) => one.row === other.row && one.column === other.column;
  const mark = (one) => [is(one, diagnosis.worst) && "worst", is(one, diagnosis.first) && "first"].filter(Boolean).join(", ");
  const number = (label, key, show = figure) => ({ label, numeric: true, value: (one) => toNumber(one[key]), cell: (one) => show(one[key]) });
  const outputs = [diagnosis.first, ...diagnosis.near.filter((one) => !is(one, diagnosis.first))];
  return [
    h("h3", {}, "Wrong outputs"),
    diagnosis.guess && h("p", { class: "note" }, `The pattern tells: ${diagnosis.guess}`),
    table({
      caption: `${diagnosis.tensor}, ${diagnosis.format}, ${diagnosis.rows} x ${diagnosis.columns}: the first wrong output and those round the worst`, rows: outputs,
      columns: [number("row", "row"), number("column", "column"), number("got", "got", value9), { label: "bits", value: (one) => one.got_bits }, number("reference", "reference", value9),
        number("bound", "bound"), number("of the bound", "ratio"), number("ulps", "ulps"), { label: "which", value: mark }],
    }).element,
  ];
}

function accuracy(kernel, report) {
  if (!kernel.worst) return [h("p", {}, "Gate 3 compared no output here.")];
  return [worstOutput(kernel.worst), ...diagnosis(kernel.worst), h("h3", {}, "Distances from the reference"), ratioHistogram(kernel.histogram, report.bound_bin),
    kernel.worst.error_map && h("h3", {}, `Where they are large, in the worst case ${kernel.worst.shape} (${kernel.worst.pattern})`),
    kernel.worst.error_map && errorMap(kernel.worst, kernel.histogram.length, report.bound_bin)];
}

function casesTable(kernel) {
  const number = (label, key) => ({ label, numeric: true, value: (one) => one[key] || "" });
  return table({
    caption: kernel.cases.length < kernel.n_cases ? `Cases (${kernel.n_cases - kernel.cases.length} that passed are left out, to keep the file small)` : "Cases",
    rows: kernel.cases,
    columns: [{ label: "shape", value: (one) => one.shape }, { label: "pattern", value: (one) => one.pattern }, number("gate", "gate"), { label: "check", value: (one) => one.name },
      { label: "status", value: (one) => one.status, cell: (one) => badge(one.status) }, number("outputs", "compared"), number("wrong", "wrong"), number("undecided", "undecided"),
      { label: "worst of the bound", numeric: true, value: (one) => toNumber(one.ratio), cell: (one) => figure(one.ratio) },
      { label: "time", numeric: true, value: (one) => one.ns, cell: (one) => seconds(one.ns) }, { label: "why", value: (one) => one.verdict?.reason ?? "" }],
  });
}

// The same registration's rows on all chips of the report.
function resources(kernel, report) {
  const rows = report.resources.filter((verdict) => verdict.kernel.registration === kernel.registration);
  return rows.length ? [h("h3", {}, "Resources"), occupancyBars(rows, report.slots), resourcesTable(rows, report.slots).element] : [];
}

function subject(title, rows, makeTable) {
  return rows.length ? [h("h3", {}, title), makeTable(rows).element] : [];
}

export function detail(kernel, report, close) {
  const others = report.kernels.filter((other) => other.registration === kernel.registration && other !== kernel);
  const findings = kernel.verdicts.filter((verdict) => verdict.finding);
  return [
    h("h2", { tabindex: "-1", id: "detail-title" }, `${kernel.registration} on ${kernel.chip} `, badge(kernel.state)),
    h("p", {}, kernel.file && h("code", {}, `${kernel.file}:${kernel.line}`), others.length ? " Also on " : null, others.flatMap((other) => [kernelLink(other, other.chip), " "]),
      h("button", { type: "button", class: "close", onclick: close }, "Close")),
    ...accuracy(kernel, report),
    kernel.cases.length ? h("h3", {}, "Cases") : null, kernel.cases.length ? casesTable(kernel).element : null,
    ...subject("Teeth", kernel.of("tooth"), teethTable), ...subject("Controls", kernel.of("control"), controlsTable),
    ...resources(kernel, report),
    findings.length ? h("h3", {}, "Findings") : null, ...findings.map(findingCard),
  ];
}
