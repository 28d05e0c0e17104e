// The report's data, as the program wrote it into the page, unfolded for the views.
import { toNumber } from "./format.js";

const CASE_FIELDS = ["gate", "name", "shape", "pattern", "status", "ratio", "compared", "wrong", "undecided", "ns", "detail"];

function unfoldCase(kernel, row, texts) {
  const one = Object.fromEntries(CASE_FIELDS.map((field, i) => [field, row[i]]));
  for (const field of ["name", "shape", "pattern", "status"]) one[field] = texts[one[field]];
  one.verdict = one.detail === undefined ? null : kernel.verdicts[one.detail];
  return one;
}

// Red before what was not run, that before what passed.
const GATE_ORDER = ["pass", "known", "not-run", "other"];

function gateStatus(kernel, gate) {
  const statuses = [
    ...kernel.cases.filter((one) => one.gate === gate).map((one) => one.status),
    ...kernel.verdicts.filter((v) => v.gate === gate && (v.subject === "limit" || v.subject === "known")).map((v) => v.status),
  ];
  const rank = (status) => (GATE_ORDER.includes(status) ? GATE_ORDER.indexOf(status) : GATE_ORDER.length);
  return statuses.reduce((worst, status) => (worst === "" || rank(status) > rank(worst) ? status : worst), "");
}

function trend(past, now) {
  return past?.length && now !== undefined ? [...past.map(toNumber), now] : null;
}

function unfoldKernel(kernel, index, texts) {
  kernel.id = index;
  for (const verdict of kernel.verdicts) verdict.kernel = kernel;
  kernel.cases = kernel.cases.map((row) => unfoldCase(kernel, row, texts));
  kernel.gates = [1, 2, 3, 4, 5].map((gate) => gateStatus(kernel, gate));
  kernel.worst = kernel.worst === undefined ? null : kernel.verdicts[kernel.worst];
  // Earlier runs, then this one; nothing where there were none.
  const ratio = kernel.worst ? toNumber(kernel.worst.worst_ratio ?? 0) : undefined;
  const measured = kernel.verdicts.find((verdict) => verdict.resources)?.resources.vgprs;
  kernel.trends = { ratios: trend(kernel.past?.ratios, ratio), vgprs: trend(kernel.past?.vgprs, measured) };
  kernel.of = (subject) => kernel.verdicts.filter((verdict) => verdict.subject === subject);
  return kernel;
}

export function readModel(text) {
  const report = JSON.parse(text);
  report.kernels = report.kernels.map((kernel, i) => unfoldKernel(kernel, i, report.texts));
  const verdicts = report.kernels.flatMap((kernel) => kernel.verdicts);
  report.problems = verdicts.filter((verdict) => verdict.rank !== undefined).sort((a, b) => a.rank - b.rank);
  const isPlanted = (verdict) => verdict.subject === "control";
  report.findings = verdicts.filter((verdict) => verdict.finding).sort((a, b) => isPlanted(a) - isPlanted(b));
  report.teeth = verdicts.filter((verdict) => verdict.subject === "tooth");
  report.controls = verdicts.filter((verdict) => verdict.subject === "control");
  report.resources = verdicts.filter((verdict) => verdict.resources);
  report.slots = mostWaves(report.resources);
  return report;
}

// The largest occupancy of each chip in the report: what its bars are drawn against.
function mostWaves(resources) {
  const most = new Map();
  for (const { kernel, resources: figures } of resources)
    most.set(kernel.chip, Math.max(most.get(kernel.chip) ?? 1, figures.occupancy ?? 0));
  return most;
}
