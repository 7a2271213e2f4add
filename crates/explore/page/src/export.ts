/** "Save as one HTML file": the page, its script and its style in one file, with what the server said about the run that is shown.
 * The file asks nobody: it has no server, and its policy forbids every request. */
import { lastPlaced } from "./graph";
import { type Recording, server } from "./server";
import { attempt, graph, info, line, model, shownRun, tree, view, watches } from "./store";
import type { Step, View } from "./wire";

/** So many positions are saved. */
const MOST = 400;

export async function save(): Promise<void> {
  const now = view.value;
  const known = info.value;
  const of = known?.models[model.value];
  if (!now || !known || !of) return;
  await attempt(async () => {
    const on = [0, ...line.value.steps.map((step) => step.node)];
    const at = Math.max(0, on.indexOf(now.node));
    const first = Math.max(0, Math.min(at - MOST / 2, on.length - MOST));
    const wanted = new Set([0, now.node, ...on.slice(first, first + MOST)]);
    for (const it of tree.value) if (wanted.size < MOST) wanted.add(it.node);
    const views: View[] = [];
    for (const node of wanted) views.push(await server.view(model.value, node, watches.value));
    // A parent that is not in the file cannot be gone back to.
    for (const it of views) if (it.parent !== null && !wanted.has(it.parent)) it.parent = null;
    const lines: Record<number, Step[]> = {};
    const parents = new Map(views.map((it) => [it.node, it]));
    for (const it of views) {
      if (on.includes(it.node)) lines[it.node] = line.value.steps;
      else {
        const steps: Step[] = [];
        for (let step: View | undefined = it; step?.step; step = step.parent === null ? undefined : parents.get(step.parent)) steps.unshift(step.step);
        lines[it.node] = steps;
      }
    }
    const recorded: Recording = {
      info: { ...known, models: [of], compared: null },
      views,
      lines,
      tree: tree.value.filter((it) => wanted.has(it.node)),
      graph: graph.value,
      placed: graph.value ? lastPlaced.value : null,
      model: 0,
      at: now.node,
      runs: shownRun.value ? [shownRun.value] : [],
      saved: new Date().toISOString(),
    };
    const [script, style] = await Promise.all(["/app.js", "/app.css"].map(async (path) => (await fetch(path)).text()));
    const data = JSON.stringify(recorded).replaceAll("<", "\\u003c");
    const policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";
    const html = [
      "<!doctype html>",
      '<html lang="en"><head><meta charset="utf-8">',
      `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
      '<meta name="viewport" content="width=device-width">',
      `<title>${escape(of.name)} - elnath</title>`,
      `<style>${style ?? ""}</style></head><body><div id="app"></div>`,
      `<script type="application/json" id="recording">${data}</script>`,
      `<script>${(script ?? "").replaceAll("</script", "<\\/script")}</script>`,
      "</body></html>",
    ].join("\n");
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([html], { type: "text/html" }));
    link.download = `${of.name.replace(/[^\w.-]+/g, "-")}.html`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  });
}

const escape = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
