// Looks at an HTML report in headless Chromium and prints TAP. node report.mjs FOLDER_OF_PACKAGES REPORT.html FOLDER_FOR_SCREENSHOTS
// The report is of two chips, with a red registration whose first name is softmax_rows, with planted findings, and with one earlier
// run of softmax_rows on gfx1151, which passed.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [packages, report, screenshots] = process.argv.slice(2).map((path) => resolve(path));
const require = createRequire(join(packages, "x.js"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const url = pathToFileURL(report).href;
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const heard = [];

// A page of its own; what its console says, what fails in it and what it asks for is kept.
async function open(hash = "", colorScheme = "light") {
  const page = await browser.newPage({ viewport: { width: 1400, height: 1000 }, colorScheme, offline: true });
  page.setDefaultTimeout(60000);
  page.on("console", (message) => heard.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => heard.push(`error: ${error.message}`));
  page.on("request", (request) => /^(file|data):/.test(request.url()) && request.url().split("#")[0] === url || request.url() === "data:," || heard.push(`request: ${request.url()}`));
  await page.goto(url + hash);
  return page;
}

const rowsOf = (page, id) => page.locator(`#${id} tbody tr`);
const textsOf = async (page, id, column) => (await page.locator(`#${id} tbody tr > :nth-child(${column})`).allTextContents());

async function summarySaysWhatTheRunCameTo() {
  const page = await open();
  assert.match(await page.locator("#verdict").innerText(), /does not hold/);
  assert.match(await page.locator("#verdict").innerText(), /chips\s+gfx1151,gfx90a/);
  assert.deepEqual(await textsOf(page, "chips", 1), ["gfx1151", "gfx90a"]);
  for (const id of ["problems", "registrations", "teeth", "controls", "resources"]) assert.ok(await rowsOf(page, id).count() > 0, id);
}

async function problemsComeWorstFirstWithTheirCommand() {
  const page = await open();
  const first = rowsOf(page, "problems").first();
  assert.match(await first.innerText(), /softmax_rows/);
  assert.match(await first.locator("code").innerText(), /^hipcontract run softmax_rows .*--shape /);
}

async function filterNarrowsEveryTable() {
  const page = await open();
  const all = await rowsOf(page, "registrations").count();
  await page.getByRole("combobox", { name: "Chip" }).selectOption("gfx90a");
  assert.ok(await rowsOf(page, "registrations").count() < all);
  assert.deepEqual([...new Set(await textsOf(page, "resources", 2))], ["gfx90a"]);
  await page.getByRole("searchbox").fill("softmax");
  assert.deepEqual(await textsOf(page, "registrations", 1), ["softmax_rows"]);
  assert.match(await page.getByRole("status").innerText(), new RegExp(`^1 of ${all} `));
  await page.getByRole("combobox", { name: "State" }).selectOption("pass");
  assert.equal(await rowsOf(page, "registrations").count(), 0);
  await page.getByRole("button", { name: "Clear" }).click();
  await page.waitForFunction((n) => document.querySelectorAll("#registrations tbody tr").length === n, all);
}

async function headingsSort() {
  const page = await open();
  const heading = page.locator("#resources th", { hasText: /^code$/ });
  await heading.getByRole("button").press("Enter");
  assert.equal(await heading.getAttribute("aria-sort"), "descending");
  const column = (await page.locator("#resources thead th").allTextContents()).indexOf("code") + 1;
  const codes = (await textsOf(page, "resources", column)).map(Number);
  assert.deepEqual(codes, [...codes].sort((a, b) => b - a));
  await heading.getByRole("button").press("Enter");
  assert.equal(await heading.getAttribute("aria-sort"), "ascending");
}

async function keyboardOpensAndClosesARegistration() {
  const page = await open();
  const link = rowsOf(page, "registrations").first().getByRole("link");
  const name = await link.innerText();
  await link.focus();
  await page.keyboard.press("Enter");
  await page.locator("#detail-title:focus").waitFor();
  assert.match(await page.locator(":focus").innerText(), new RegExp(`^${name} on gfx`));
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("#detail").isHidden(), true);
  assert.equal(await page.locator(":focus").innerText(), name);
}

async function plotsShowTheRegistrationsNumbers() {
  const page = await open("#softmax_rows@gfx1151");
  const data = JSON.parse(await page.locator("#report-data").textContent());
  const kernel = data.kernels.find((one) => one.registration === "softmax_rows" && one.chip === "gfx1151");
  const worst = kernel.verdicts[kernel.worst];
  const total = kernel.histogram.reduce((sum, count) => sum + count, 0);
  const over = kernel.histogram.slice(data.bound_bin + 1).reduce((sum, count) => sum + count, 0);
  assert.ok(over > 0);
  const [bars, map] = [page.getByRole("img", { name: `${over} of ${total} outputs` }), page.getByRole("img", { name: "The worst output is in row" })];
  assert.equal(await bars.locator("g.bar rect").count(), kernel.histogram.length);
  const heights = await bars.locator("g.bar rect").evaluateAll((rects) => rects.map((rect) => Number(rect.getAttribute("height"))));
  const scale = Math.max(...heights) / Math.max(...kernel.histogram);
  kernel.histogram.forEach((count, bin) => assert.ok(Math.abs(heights[bin] - count * scale) < 0.5, `bar ${bin}`));
  assert.equal(await map.locator("g.cell rect").count(), worst.error_map.cells.join("").length + 1);
  assert.ok(await page.locator("#detail").getByText("waves a SIMD").count() > 0);
}

async function wrongOutputsAreShown() {
  const page = await open("#softmax_rows@gfx1151");
  const outputs = page.getByRole("group", { name: "the first wrong output and those round the worst" });
  const worst = await outputs.locator("tr", { hasText: "worst" }).locator("th, td").allTextContents();
  const [, , got, , reference, bound, ratio] = worst.map(Number);
  assert.ok(Math.abs(Math.abs(got - reference) / bound / ratio - 1) < 0.01, worst.join(" "));
}

async function linesShowEarlierRuns() {
  const page = await open();
  const row = rowsOf(page, "registrations").filter({ hasText: "softmax_rows" }).filter({ hasText: "gfx1151" });
  const ratios = await row.getByRole("img").getAttribute("aria-label");
  const [, before, now] = /^worst of the bound in 2 runs, this one last: (\S+), (\S+)$/.exec(ratios);
  assert.ok(Number(before) <= 1 && Number(now) > 1, ratios);
  const other = rowsOf(page, "registrations").filter({ hasText: "softmax_rows" }).filter({ hasText: "gfx90a" });
  assert.equal(await other.getByRole("img").count(), 0);
  assert.equal(await page.locator("#resources").getByRole("img", { name: "VGPRs in 2 runs" }).count(), 1);
}

async function findingsShowTheirInstructionsAndSource() {
  const page = await open();
  const card = page.locator(".finding").first();
  const [instruction, source] = [card.getByLabel("Instructions").first(), card.getByLabel("Source").first()];
  assert.match(await instruction.locator("mark").innerText(), /^\+0x[0-9a-f]+ \S+/);
  assert.ok((await instruction.innerText()).trim().split("\n").length > 1);
  assert.ok((await source.innerText()).trim().length > 0);
}

async function themesDiffer() {
  const page = await open();
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  await page.getByRole("button", { name: "Dark colours" }).click();
  assert.notEqual(await background(), light);
  const dark = await open("", "dark");
  assert.equal(await dark.evaluate(() => getComputedStyle(document.body).backgroundColor), await background());
}

// axe-core's rules, contrast among them, with a registration open.
async function nothingBarsAReader(colorScheme) {
  const page = await open("#softmax_rows@gfx1151", colorScheme);
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  assert.deepEqual(violations.map((one) => `${one.id}: ${one.nodes.length} times, ${one.nodes[0].html.slice(0, 200)}`), []);
  await page.screenshot({ path: join(screenshots, `registration-${colorScheme}.png`) });
  await page.goto(url);
  await page.screenshot({ path: join(screenshots, `summary-${colorScheme}.png`) });
}

async function nothingWasHeard() {
  assert.deepEqual(heard, []);
}

const tests = [
  ["the summary says what the run came to", summarySaysWhatTheRunCameTo],
  ["problems come worst first, with the command that repeats them", problemsComeWorstFirstWithTheirCommand],
  ["the filter narrows every table", filterNarrowsEveryTable],
  ["headings sort, by keyboard too", headingsSort],
  ["the keyboard opens a registration and closes it, with the focus", keyboardOpensAndClosesARegistration],
  ["plots show the registration's numbers", plotsShowTheRegistrationsNumbers],
  ["the worst output and those round it are shown", wrongOutputsAreShown],
  ["lines show earlier runs, where there were any", linesShowEarlierRuns],
  ["findings show their instructions and source", findingsShowTheirInstructionsAndSource],
  ["light and dark differ, by choice and by the system's wish", themesDiffer],
  ["nothing bars a reader, in light", () => nothingBarsAReader("light")],
  ["nothing bars a reader, in dark", () => nothingBarsAReader("dark")],
  ["no page said, asked for or failed in anything", nothingWasHeard],
];
for (const [i, [name, test]] of tests.entries()) {
  try {
    await test();
    console.log(`ok ${i + 1} - ${name}`);
  } catch (error) {
    console.log(`not ok ${i + 1} - ${name}\n${String(error.stack).replace(/^/gm, "  # ")}`);
  }
}
console.log(`1..${tests.length}`);
await browser.close();
