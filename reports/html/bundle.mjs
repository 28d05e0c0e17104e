// Bundles the page into one file that loads nothing: node bundle.mjs FOLDER_OF_PACKAGES OUT.html
// What is left is the mark @REPORT@, where the program puts a report's data.
import { createRequire } from "node:module";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const [packages, out] = process.argv.slice(2).map((path) => resolve(path));
const here = dirname(fileURLToPath(import.meta.url));
const { buildSync, transformSync } = createRequire(join(packages, "x.js"))("esbuild");
const source = (name) => readFileSync(join(here, name), "utf8");

const bundle = buildSync({
  entryPoints: [join(here, "main.js")], bundle: true, minify: true, write: false, format: "iife", target: "es2021", charset: "ascii",
  nodePaths: [packages], legalComments: "none", logLevel: "warning", metafile: true,
});
const script = bundle.outputFiles[0].text.replaceAll("</script", "<\\/script");
const style = transformSync(source("page.css").replaceAll("@DARK@", source("dark.css")), { loader: "css", minify: true }).code;

// The licences of the packages that are in it, each text once.
function licences() {
  const names = new Set(Object.keys(bundle.metafile.inputs).map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]).filter(Boolean));
  const byText = new Map();
  for (const name of [...names].sort()) {
    const file = readdirSync(join(packages, name)).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file ? readFileSync(join(packages, name, file), "utf8").trim() : "";
    byText.set(text, [...(byText.get(text) ?? []), name]);
  }
  return [...byText].map(([text, who]) => `${who.join(", ")}:\n${text}`).join("\n\n").replaceAll("--", "- -");
}

const parts = { "@LICENCES@": licences(), "@STYLE@": style, "@SCRIPT@": script };
let page = source("page.html");
for (const [mark, text] of Object.entries(parts)) page = page.replace(mark, () => text.trim());
mkdirSync(dirname(out), { recursive: true });
writeFileSync(out, page);
