// Builds the page: two scripts, a style and the document, which the program carries along. `node build.mjs OUT` writes them there.
import { build } from "esbuild";
import { copyFileSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2] ?? join(here, "..", "built"));
/** Bytes, compressed: what a first visit may cost. */
const BUDGET = 80 * 1024;

mkdirSync(out, { recursive: true });
await build({
  absWorkingDir: here,
  entryPoints: { app: "src/main.tsx", layout: "src/layout-worker.ts" },
  outdir: out,
  bundle: true,
  minify: true,
  charset: "utf8",
  target: "es2022",
  format: "iife",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
});
await build({ absWorkingDir: here, entryPoints: { app: "src/style.css" }, outdir: out, minify: true, charset: "utf8" });
copyFileSync(join(here, "src", "index.html"), join(out, "index.html"));

let sum = 0;
for (const name of readdirSync(out).sort()) {
  const size = gzipSync(readFileSync(join(out, name)), { level: 9 }).length;
  sum += size;
  console.log(`${name}: ${size} bytes compressed`);
}
console.log(`${sum} of ${BUDGET} bytes compressed`);
if (sum > BUDGET) {
  console.error("the page is larger than its budget");
  process.exit(1);
}
