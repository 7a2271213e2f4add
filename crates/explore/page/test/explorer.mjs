// The explorer in a real browser: what people do, in one go. Each part says what it does when it fails; screenshots are kept.
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { at, browse, endAll, expect, picture, pictures, position, serve } from "./common.mjs";

const errors = [];
const browser = await browse(errors);
const ready = (page) => page.waitForSelector(".moves .content");
const parts = [];
const part = (name, act) => parts.push([name, act]);

part("Promela: step, back, tree, keys, watches", async () => {
  const server = serve(["explore", "examples/stop-and-wait.pml"]);
  const page = await browser.open(await server.url);
  await ready(page);
  await page.locator(".move[data-move]").first().click();
  await at(page, 1);
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  await page.keyboard.press("Enter");
  await at(page, 2);
  await page.keyboard.press("u");
  await at(page, 1);
  expect((await page.locator(".tried").count()) > 0, "a move that was tried is marked");
  await page.keyboard.press("r");
  await at(page, 2);
  await page.keyboard.press("0");
  await at(page, 0);
  await page.keyboard.press("x");
  await at(page, 1);
  await page.keyboard.press("0");
  await at(page, 0);
  const other = page.locator(".move[data-move]").nth(1);
  if (await other.count()) {
    await other.click();
    await at(page, 1);
  }
  await page.keyboard.press("X");
  await page.waitForFunction(() => Number(document.querySelector("output.position")?.textContent) > 5);
  await page.waitForFunction(() => document.querySelectorAll(".knot").length > 5);
  await page.locator('.knot[data-node="2"] .target').click({ force: true });
  await at(page, 2);
  await page.keyboard.press("/");
  await page.keyboard.type("expected");
  await page.keyboard.press("Escape");
  await page.getByLabel("Watch an expression").fill("len(to_receiver)");
  await page.getByRole("button", { name: "watch", exact: true }).click();
  await page.waitForFunction(() => [...document.querySelectorAll(".watches code")].some((it) => it.textContent === "len(to_receiver)"));
  expect((await page.locator(".watches .wrong").count()) === 0, "a watch has a value");
  expect((await page.locator(".disabled .why").count()) > 0, "a disabled move says why");
  expect((await page.locator(".queue").count()) > 0, "queues are drawn as boxes");
  const link = page.url();
  expect(link.includes("path=") && link.includes("watch="), "the URL holds the session");
  const again = await browser.open(link);
  await at(again, 2);
  expect((await again.locator(".watches code").first().textContent()) === "len(to_receiver)", "a link brings the watches along");
  await again.goto(link.replace(/token=[0-9a-f]+/, "token=00"));
  await again.reload();
  await again.getByLabel("Token").waitFor();
  await again.context().close();
  const nameless = await page.evaluate(() =>
    [...document.querySelectorAll("button, input, select")].filter(
      (it) => !(it.getAttribute("aria-label") || it.textContent?.trim() || it.getAttribute("title") || it.closest("label")),
    ).length,
  );
  expect(nameless === 0, "every control has a name for screen readers");
  await page.keyboard.press("$");
  await picture(page, "promela-1280");
  await page.setViewportSize({ width: 1920, height: 1080 });
  await picture(page, "promela-1920");
  await page.context().close();
  const ended = await server.end();
  expect(ended.code === 0 && ended.milliseconds < 3000, `Ctrl-C ends the server cleanly (${JSON.stringify(ended)})`);
});
// The errors of the part above that are meant: a wrong token is answered with 401, which browsers print.
const meant = (text) => text.includes("401");

part("a graph, a network, machines and a model in Rust", async () => {
  for (const [args, program, name] of [
    [["explore", "examples/buffer.aut"], "elnath", "aut"],
    [["explore", "examples/abp.net"], "elnath", "net"],
    [["explore", "examples/fifo/connect-disconnect.fifo"], "elnath", "fifo"],
    [[], "explore_clock", "rust"],
  ]) {
    const server = serve(args, program);
    const page = await browser.open(await server.url);
    await ready(page);
    for (let step = 1; step <= 4; step += 1) {
      await page.keyboard.press("1");
      await at(page, step);
    }
    await page.keyboard.press("u");
    await at(page, 3);
    expect((await page.locator(".chart .step").count()) === 4, `${name}: the chart has the steps`);
    await picture(page, `model-${name}`);
    await page.context().close();
    await server.end();
  }
});

part("a lasso is scrubbed, and its loop is closed", async () => {
  const server = serve(["check", "examples/explorer/elevator.pml", "--only", "served", "--explore"]);
  const page = await browser.open(await server.url);
  await ready(page);
  await page.locator(".bar .arc").waitFor({ state: "attached" });
  expect((await page.locator(".chart .loop").count()) === 1, "the loop is beside the lifelines");
  const range = page.locator(".scrub input");
  const last = Number(await range.getAttribute("max"));
  expect((await position(page)) === last, "it opens at the end of the counterexample");
  for (const step of [0, Math.floor(last / 2), last]) {
    await range.fill(String(step));
    await at(page, step);
  }
  await page.keyboard.press("r");
  await page.waitForFunction((end) => Number(document.querySelector("output.position")?.textContent) < end, last);
  await page.locator('.chart .step[data-step="3"] .hit').click({ force: true });
  await at(page, 3);
  await picture(page, "lasso");
  await page.keyboard.press("p");
  await page.locator(".picture svg").waitFor();
  expect(!(await page.locator(".picture").innerHTML()).includes("{{"), "placeholders are filled");
  expect(!(await page.locator(".picture").textContent()).includes("?"), "every expression of the picture has a value");
  await picture(page, "picture-elevator");
  await page.keyboard.press("c");
  await page.getByRole("button", { name: "save as one HTML file" }).waitFor();
  const saved = join(pictures, "saved.html");
  rmSync(saved, { force: true });
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator('[data-act="save"]').click()]);
  await download.saveAs(saved);
  await page.context().close();
  await server.end();
  // Opened from disk, when nobody serves any more, and without a network.
  const copy = await browser.open(pathToFileURL(saved).href, { offline: true });
  await at(copy, 3);
  await copy.keyboard.press("u");
  await at(copy, 2);
  await copy.keyboard.press("r");
  await at(copy, 3);
  await copy.keyboard.press("$");
  await at(copy, last);
  expect((await copy.locator(".chart .loop").count()) === 1, "the loop is in the saved page");
  await copy.locator('.chart .step[data-step="2"] .hit').click({ force: true });
  await at(copy, 2);
  expect(readFileSync(saved, "utf8").includes("default-src 'none'"), "the saved page has a policy");
  await picture(copy, "saved");
  await copy.context().close();
});

part("the graph is expanded and merged", async () => {
  const server = serve(["explore", "examples/explorer/forks.pml"]);
  const page = await browser.open(await server.url);
  await ready(page);
  await page.keyboard.press("1");
  await at(page, 1);
  await page.keyboard.press("g");
  await page.locator(".node.here").waitFor();
  const count = () => page.locator(".graph [data-count]").getAttribute("data-count").then(Number);
  const few = await count();
  expect((await page.locator(".node.unexplored").count()) > 0, "the frontier is marked");
  expect((await page.locator(".node .second").first().textContent()) === "unexplored", "in words");
  await page.locator('[data-act="expand"]').click();
  await page.waitForFunction((before) => Number(document.querySelector("[data-count]")?.getAttribute("data-count")) > before, few);
  await page.waitForTimeout(700);
  await picture(page, "graph");
  await page.locator(".graph .options select").nth(1).selectOption("class");
  await page.waitForTimeout(500);
  await page.locator(".graph .options select").nth(1).selectOption({ index: 2 });
  await page.waitForTimeout(500);
  await picture(page, "graph-merged");
  await page.locator(".graph .options select").nth(1).selectOption("none");
  await page.waitForTimeout(700);
  await page.locator(".node.visited:not(.here), .node:not(.here):not(.unexplored)").first().dispatchEvent("click");
  await page.waitForFunction(() => document.querySelector("output.position")?.textContent !== "1");
  await page.keyboard.press("a");
  await page.locator(".node.here").first().waitFor();
  await picture(page, "automata");
  await page.keyboard.press("p");
  await page.locator(".picture svg").waitFor();
  await picture(page, "picture-forks");
  await page.keyboard.press("w");
  await page.locator('[data-act="walk"]').click();
  await page.locator(".levels rect").first().waitFor();
  await page.getByText("all states were met").waitFor();
  await picture(page, "walk");
  await page.keyboard.press("v");
  await page.locator('[data-act="check"]').click();
  await page.locator(".verdict.fails").first().waitFor();
  await page.locator('[data-act="show-run"]').first().click();
  await page.locator(".bar .scrub").waitFor();
  await page.locator(".ending.error").waitFor();
  await page.locator(".knot.here.deadlock").waitFor();
  await picture(page, "deadlock");
  await page.context().close();
  await server.end();
});

part("a check is started and stopped, and what it found is kept", async () => {
  const server = serve(["explore", "bench/models/counters.pml", "-D", "N=8"]);
  const page = await browser.open(await server.url);
  await ready(page);
  await page.keyboard.press("v");
  await page.locator('[data-act="check"]').click();
  await page.getByText(/states, .* transitions, depth/).first().waitFor();
  await page.waitForTimeout(600);
  await picture(page, "check-running");
  await page.keyboard.press("1");
  await at(page, 1);
  await page.locator('[data-act="stop"]').click();
  await page.locator(".result .verdict").first().waitFor();
  expect((await page.locator(".result").first().textContent()).includes("stopped"), "it says that it was stopped");
  await picture(page, "check-stopped");
  await page.context().close();
  await server.end();
});

part("a comparison is played and won by either side", async () => {
  const broken = ["compare", "examples/abp-broken.pml", "examples/buffer.aut", "--relation", "tau-star-a", "--hide-all-but", "(put|get).*", "--explore"];
  let server = serve(broken);
  let page = await browser.open(await server.url);
  await page.locator('[data-act="attack"]').click();
  await page.locator("[data-play]").first().waitFor();
  for (let round = 0; round < 20 && (await page.locator('.status[data-winner=""]').count()); round += 1) {
    await page.locator('[data-act="hint"]').click();
    await page.locator(".hinted").first().waitFor();
    if (round === 1) await picture(page, "game");
    const rounds = await page.locator(".rounds li").count();
    await page.locator(".hinted").first().click();
    await page.waitForFunction((before) => document.querySelectorAll(".rounds li").length > before, rounds);
  }
  await page.locator('.status[data-winner="you"]').waitFor();
  expect((await page.locator(".formula code").textContent()).includes("true"), "the formula is complete");
  await picture(page, "game-won");
  await page.locator('[data-act="defend"]').click();
  await page.locator('.status[data-winner=""]').waitFor();
  await page.locator('[data-act="strategy"]').click();
  await page.locator(".strategy li").first().waitFor();
  for (let round = 0; round < 20 && (await page.locator('.status[data-winner=""]').count()); round += 1) {
    const rounds = await page.locator(".rounds li").count();
    await page.locator("[data-play]").first().click();
    await page.waitForFunction((before) => document.querySelectorAll(".rounds li").length > before, rounds);
  }
  await page.locator('.status[data-winner="elnath"]').waitFor();
  await picture(page, "game-lost");
  await page.context().close();
  await server.end();
  server = serve(["compare", "examples/abp.net", "examples/abp/service.aut", "--relation", "branching", "--explore"]);
  page = await browser.open(await server.url);
  await page.locator('[data-act="attack"]').click();
  await page.getByText("The defender can always answer").waitFor();
  for (let round = 0; round < 60 && (await page.locator('.status[data-winner=""]').count()); round += 1) {
    const rounds = await page.locator(".rounds li").count();
    await page.locator("[data-play]").first().click();
    await page.waitForFunction((before) => document.querySelectorAll(".rounds li").length > before, rounds);
  }
  await page.locator('.status[data-winner="elnath"]').waitFor();
  for (const relation of await page.getByLabel("Relation").locator("option").allTextContents()) {
    await page.getByLabel("Relation").selectOption(relation);
    await page.locator('[data-act="attack"]').click();
    await page.locator('[data-play="0"]').click();
    await page.locator(".rounds li").first().waitFor();
    expect((await page.locator(".failure").count()) === 0, `${relation} can be played`);
  }
  await page.context().close();
  await server.end();
});

part("dark mode", async () => {
  const server = serve(["check", "examples/stop-and-wait.pml", "--explore"]);
  const page = await browser.open(await server.url, { colorScheme: "dark", viewport: { width: 1920, height: 1080 } });
  await ready(page);
  const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await back();
  await picture(page, "dark-1920");
  await page.setViewportSize({ width: 1280, height: 800 });
  await picture(page, "dark-1280");
  await page.locator('[data-act="theme"]').click();
  expect((await back()) !== dark, "the other theme has other colours");
  await picture(page, "light-1280");
  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor();
  await picture(page, "keys");
  await page.context().close();
  await server.end();
});

let failed = 0;
for (const [name, act] of parts) {
  if (process.argv[2] && !name.includes(process.argv[2])) continue;
  const begun = performance.now();
  try {
    await act();
    console.log(`ok    ${name} (${((performance.now() - begun) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed += 1;
    console.log(`FAILS ${name}: ${error.stack}`);
  }
}
await browser.close();
endAll();
const wrong = errors.filter((text) => !meant(text));
if (wrong.length) console.log(`in the console:\n  ${wrong.join("\n  ")}`);
console.log(`${parts.length} parts, ${failed} failed, ${wrong.length} errors in the console; screenshots in ${pictures}`);
process.exit(failed || wrong.length ? 1 : 0);
