// Starts elnath and a browser, and notes what goes wrong in either.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..", "..");
export const pictures = process.env.EXPLORER_PICTURES ?? join(root, "target", "explorer");
const target = join(root, "target", "release");
mkdirSync(pictures, { recursive: true });

const started = new Set();

/** Runs elnath, or an example, until it has printed the address of its page. */
export function serve(args, program = "elnath") {
  const path = program === "elnath" ? (process.env.ELNATH ?? join(target, "elnath")) : join(target, "examples", program);
  if (!existsSync(path)) throw new Error(`${path} is not built`);
  const begun = performance.now();
  const child = spawn(path, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  started.add(child);
  let said = "";
  const url = new Promise((resolve, reject) => {
    const hear = (bytes) => {
      said += bytes;
      const found = /http:\/\/127\.0\.0\.1:\d+\/#token=[0-9a-f]+/.exec(said);
      if (found) resolve(found[0]);
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.on("exit", (code) => reject(new Error(`elnath ${args.join(" ")} ended with ${code}:\n${said}`)));
    setTimeout(() => reject(new Error(`elnath ${args.join(" ")} prints no address:\n${said}`)), 60000).unref();
  });
  const end = () =>
    new Promise((resolve) => {
      started.delete(child);
      const asked = performance.now();
      child.removeAllListeners("exit");
      child.on("exit", (code, signal) => resolve({ code, signal, milliseconds: performance.now() - asked }));
      child.kill("SIGINT");
    });
  return { url, end, pid: child.pid, begun };
}

export async function browse(errors) {
  const path = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
  const browser = await chromium.launch({ executablePath: path, args: ["--no-sandbox", "--disable-gpu"] });
  const open = async (url, options = {}) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, acceptDownloads: true, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(20000);
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") errors.push(`${url}: ${message.text()}`);
    });
    page.on("pageerror", (error) => errors.push(`${url}: ${error}`));
    page.on("requestfailed", (request) => {
      // A stream that was read to its end, or that the page has left, is no error.
      if (!request.url().includes("/api/events")) errors.push(`${url}: ${request.url()} ${request.failure()?.errorText}`);
    });
    // While the page is worked on: its parts from a folder instead of those that the program carries.
    const built = process.env.EXPLORER_BUILT;
    if (built) await context.route(/\/(app\.js|app\.css|layout\.js)$/, (route) => route.fulfill({ path: join(built, new URL(route.request().url()).pathname) }));
    await page.goto(url);
    return page;
  };
  return { open, close: () => browser.close() };
}

export function endAll() {
  for (const child of started) child.kill("SIGKILL");
}

export const expect = (holds, what) => {
  if (!holds) throw new Error(`expected: ${what}`);
};
export const position = async (page) => Number(await page.locator("output.position").textContent());
export const at = (page, number) =>
  page.waitForFunction((wanted) => document.querySelector("output.position")?.textContent === String(wanted), number);
export const picture = (page, name) => page.screenshot({ path: join(pictures, `${name}.png`) });
