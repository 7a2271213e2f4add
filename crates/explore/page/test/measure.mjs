// What a large model costs in the explorer: the time until it is open, the time from a key to the new position on the screen (200 clicks), and the
// memory of the server after 10,000 steps. `node measure.mjs`; the figures are in docs/explorer.md.
import { readFileSync } from "node:fs";
import { browse, endAll, serve } from "./common.mjs";

const LARGE = ["explore", "bench/models/counters.pml", "-D", "N=7", "-D", "LIMIT=10"];
const resident = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
const errors = [];
const browser = await browse(errors);

const server = serve(LARGE);
const url = await server.url;
const listening = performance.now() - server.begun;
const token = /token=([0-9a-f]+)/.exec(url)[1];
const base = url.replace(/\/#.*/, "");
const page = await browser.open(url);
await page.waitForSelector(".move[data-move]");
console.log(`server ready after ${listening.toFixed(0)} ms, first position on the screen after ${(performance.now() - server.begun).toFixed(0)} ms (with the browser's tab)`);

const times = [];
for (let click = 1; click <= 200; click += 1) {
  const took = await page.evaluate(
    (number) =>
      new Promise((resolve) => {
        const shown = () => Number(document.querySelector("output.position")?.textContent);
        const moves = document.querySelectorAll(".move[data-move]");
        // Where every counter has reached its end, back to the start.
        const wanted = moves.length ? shown() + 1 : 0;
        const button = moves.length ? moves[number % moves.length] : document.querySelector('[aria-label="first position"]');
        const begun = performance.now();
        const seen = new MutationObserver(() => {
          if (shown() === wanted) {
            seen.disconnect();
            requestAnimationFrame(() => resolve(performance.now() - begun));
          }
        });
        seen.observe(document.body, { subtree: true, childList: true, characterData: true });
        button.click();
      }),
    click,
  );
  times.push(took);
}
times.sort((a, b) => a - b);
console.log(`200 clicks: median ${times[100].toFixed(1)} ms, 95 % under ${times[190].toFixed(1)} ms, longest ${times[199].toFixed(1)} ms`);
await page.context().close();

const before = resident(server.pid);
let node = 0;
let number = 7;
const begun = performance.now();
for (let click = 1; click <= 10000; click += 1) {
  number = (number * 1103515245 + 12345) % 2147483648;
  const ask = async (move) =>
    fetch(`${base}/api/step`, { method: "POST", headers: { "x-elnath-token": token, "content-type": "application/json" }, body: JSON.stringify({ node, move }) });
  let answer = await ask(number % 7);
  if (!answer.ok) answer = await ask(0);
  const view = await answer.json();
  // At the end, and now and then, back to an earlier position, so that the tree has branches.
  node = !answer.ok || number % 97 === 0 ? Math.floor(node / 2) : view.node;
  if (click % 2500 === 0) console.log(`after ${click} steps: ${resident(server.pid).toFixed(1)} MiB`);
}
const seconds = (performance.now() - begun) / 1000;
console.log(`before: ${before.toFixed(1)} MiB; 10,000 steps in ${seconds.toFixed(1)} s (${(seconds / 10).toFixed(2)} ms each)`);
await server.end();
await browser.close();
endAll();
if (errors.length) {
  console.log(errors.join("\n"));
  process.exit(1);
}
