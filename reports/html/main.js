// Puts the page together from the report's data, and keeps filters, address and focus in step.
import { detail } from "./detail.js";
import { h, replace } from "./dom.js";
import { RED } from "./format.js";
import { readModel } from "./model.js";
import { chipsTable, controlsTable, findingCard, kernelsTable, problemsTable, resourcesTable, teethTable } from "./sections.js";

const report = readModel(document.getElementById("report-data").textContent);
const byId = (id) => document.getElementById(id);

function summary() {
  const environment = report.environment;
  const facts = [["program", environment.hipcontract], ["commit", environment.commit], ["compiler", environment.compiler], ["toolchain", environment.toolchain], ["device", environment.device],
    ["chips", environment.chips], ["scope", environment.scope], ["seed", environment.seed], ["runs of each case", environment.runs], ["checks", environment.checks]].filter(([, text]) => text !== undefined);
  const kernels = new Set(report.kernels.filter((kernel) => !kernel.has_limits_only).map((kernel) => kernel.registration)).size;
  const verdict = { 0: ["holds", "good"], 1: ["does not hold", "bad"], 2: ["was not judged: a registration or a file is wrong", "bad"], 3: ["was not judged: the environment lacks something", "bad"],
    4: ["was not judged to its end", "bad"] }[report.exit] ?? [`ended with status ${report.exit}`, "bad"];
  const count = (n, one, many) => `${n} ${n === 1 ? one : many}`;
  replace(byId("verdict"), h("p", { class: `verdict ${verdict[1]}` }, `The contract ${verdict[0]}.`),
    h("p", {}, [`${count(kernels, "registration", "registrations")} on ${count(report.counts.length, "chip", "chips")}`, count(report.n_problems, "problem", "problems"),
      `${report.controls.filter((one) => one.status === "red").length} of ${count(report.controls.length, "control", "controls")} red as planted`,
      `${count(report.findings.filter((one) => one.subject !== "control").length, "finding", "findings")} of the sanitizer besides planted ones`].join("; ") + "."),
    report.notes.map((note) => h("p", { class: "note" }, note)),
    h("dl", { class: "facts" }, facts.map(([term, text]) => h("div", {}, h("dt", {}, term), h("dd", {}, String(text))))));
}

// What the filter's three fields choose, for rows of any table.
function chooser() {
  const text = byId("filter-text").value.trim().toLowerCase();
  const chip = byId("filter-chip").value;
  const state = byId("filter-state").value;
  const words = (row) => [row.registration ?? row.kernel.registration, row.name, row.reason].filter(Boolean).join(" ").toLowerCase();
  const inState = (status) => state === "" || status === state || (state === "red" && RED.has(status));
  return (row) => words(row).includes(text) && (chip === "" || (row.chip ?? row.kernel.chip) === chip) && inState(row.state ?? row.status);
}

const views = [];
function view(id, rows, makeTable) {
  const section = byId(id);
  if (rows.length === 0) {
    section.append(h("p", {}, "None."));
    return;
  }
  const made = makeTable(rows);
  section.append(made.element);
  views.push({ rows, show: made.show });
}

function findingsView(rows) {
  const element = h("div", { id: "finding-cards" });
  const show = (some) => element.replaceChildren(...some.map(findingCard));
  show(rows);
  return { element, show };
}

function applyFilter() {
  const chosen = chooser();
  for (const { rows, show } of views) show(rows.filter(chosen));
  const n = report.kernels.filter(chosen).length;
  byId("filter-count").textContent = `${n} of ${report.kernels.length} rows of registrations`;
}

function fillFilter() {
  const option = (value, text = value) => h("option", { value }, text);
  byId("filter-chip").append(...report.counts.map((row) => option(row.chip)));
  const states = new Set(report.kernels.map((kernel) => kernel.state));
  byId("filter-state").append(option("red", "red, of any kind"), ...[...states].sort().map((state) => option(state)));
  for (const id of ["filter-text", "filter-chip", "filter-state"]) byId(id).addEventListener("input", applyFilter);
  byId("filter").addEventListener("submit", (event) => event.preventDefault());
  byId("filter").addEventListener("reset", () => setTimeout(applyFilter));
  applyFilter();
}

// The registration that the address names: #NAME@CHIP.
function named() {
  const [, name, chip] = /^#(.+)@([^@]+)$/.exec(location.hash) ?? [];
  return name && report.kernels.find((kernel) => kernel.registration === decodeURIComponent(name) && kernel.chip === chip);
}

// The link that opened it, to which the focus goes back.
let opener = null;
function showDetail() {
  const kernel = named();
  const section = byId("detail");
  section.hidden = !kernel;
  replace(section, kernel ? detail(kernel, report, closeDetail) : []);
  if (!kernel) return;
  byId("detail-title").focus();
  section.scrollIntoView();
}

function closeDetail() {
  history.pushState(null, "", "#");
  showDetail();
  const same = opener && [...document.querySelectorAll("#registrations a")].find((link) => link.hash === opener.hash);
  (opener?.isConnected ? opener : same ?? byId("filter-text")).focus();
}

// Light, dark, or as the system has it, kept as long as the page is open.
function themeButton() {
  const button = byId("theme");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (document.documentElement.dataset.theme ?? (dark.matches ? "dark" : "light")) === "dark";
  const say = () => (button.textContent = isDark() ? "Light colours" : "Dark colours");
  button.addEventListener("click", () => ((document.documentElement.dataset.theme = isDark() ? "light" : "dark"), say()));
  dark.addEventListener("change", say);
  say();
}

summary();
byId("chips").append(chipsTable(report).element);
view("problems", report.problems, () => problemsTable(report));
view("registrations", report.kernels, () => kernelsTable(report));
view("teeth", report.teeth, teethTable);
view("controls", report.controls, controlsTable);
view("resources", report.resources, (rows) => resourcesTable(rows, report.slots));
view("findings", report.findings, findingsView);
fillFilter();
themeButton();
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href*='@']");
  if (link && !byId("detail").contains(link)) opener = link;
});
document.addEventListener("keydown", (event) => event.key === "Escape" && !byId("detail").hidden && closeDetail());
addEventListener("hashchange", showDetail);
showDetail();
