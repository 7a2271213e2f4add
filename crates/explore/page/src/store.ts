/** What the page knows, as signals, and what can be done. One position at a time: each tab has its own, and the tree of history is
 * the server's, so that tabs show one history. */
import { batch, computed, effect, signal } from "@preact/signals";
import { ServerError, recording, server, setToken } from "./server";
import type { CheckDone, Game, Graph, Info, Progress, Run, Step, TreeNode, View, Walk } from "./wire";

export const info = signal<Info | null>(null);
export const model = signal(0);
export const view = signal<View | null>(null);
/** The run that is shown: from the start to its tip, which may lie beyond the position. */
export const line = signal<{ first: number; actors: string[]; steps: Step[] }>({ first: 0, actors: [], steps: [] });
export const tree = signal<TreeNode[]>([]);
export const treeTotal = signal(0);
export const watches = signal<string[]>([]);
export const runs = signal<Run[][]>([]);
export const shownRun = signal<Run | null>(null);
export const failure = signal<{ text: string; help?: string } | null>(null);
export const busy = signal(false);
export const selected = signal(0);
export const tokenWrong = signal(false);
export const note = signal("");
export const theme = signal<"light" | "dark" | "auto">("auto");
export const pane = signal<Pane>("chart");
export const graph = signal<Graph | null>(null);
export const checking = signal<{ job: number; progress: Progress | null; what: string } | null>(null);
export const checked = signal<CheckDone[]>([]);
export const walk = signal<Walk | null>(null);
export const walking = signal<number | null>(null);
export const game = signal<Game | null>(null);
export const chartOptions = signal({ messages: false, idle: true, hidden: [] as string[] });

export type Pane = "chart" | "graph" | "automata" | "walk" | "check" | "picture" | "game";

export const current = computed(() => info.value?.models[model.value] ?? null);
export const isSaved = recording !== null;

/** The steps up to the position, and those beyond it. */
export const position = computed(() => view.value?.length ?? 0);

/** All moves in the order in which they are listed. */
export const moves = computed(() => view.value?.groups.flatMap((group) => group.moves) ?? []);

/** The URL holds the session: the token, the model, the choices, the pane and the watches. */
function writeUrl(): void {
  if (isSaved || !view.value || !info.value) return;
  const parts = new URLSearchParams();
  parts.set("token", tokenOf());
  if (model.value) parts.set("model", String(model.value));
  if (view.value.path) parts.set("path", view.value.path);
  parts.set("pane", pane.value);
  for (const watch of watches.value) parts.append("watch", watch);
  const next = `#${parts.toString()}`;
  if (next !== location.hash) history.replaceState(null, "", next);
}

function urlParts(): URLSearchParams {
  return new URLSearchParams(location.hash.slice(1));
}

const tokenOf = (): string => urlParts().get("token") ?? "";

export async function attempt<T>(what: () => Promise<T>): Promise<T | undefined> {
  try {
    const result = await what();
    failure.value = null;
    return result;
  } catch (wrong) {
    if (wrong instanceof ServerError) {
      if (wrong.status === 401) tokenWrong.value = true;
      failure.value = { text: wrong.failure.error, ...(wrong.failure.help ? { help: wrong.failure.help } : {}) };
    } else {
      failure.value = { text: String(wrong) };
    }
    return undefined;
  }
}

/** One request after the other: the last click wins, and none overtakes another. */
let queue: Promise<unknown> = Promise.resolve();
function inTurn<T>(what: () => Promise<T>): Promise<T | undefined> {
  const mine = queue.then(() => {
    busy.value = true;
    return attempt(what).finally(() => (busy.value = false));
  });
  queue = mine;
  return mine;
}

export async function begin(): Promise<void> {
  const parts = urlParts();
  setToken(parts.get("token") ?? "");
  const wanted = parts.get("pane");
  const got = await attempt(() => server.info());
  if (!got) return;
  tokenWrong.value = false;
  batch(() => {
    info.value = got;
    runs.value = got.models.map((it) => it.runs);
    model.value = Math.min(Number(parts.get("model") ?? 0), got.models.length - 1);
    watches.value = parts.getAll("watch");
    if (wanted) pane.value = wanted as Pane;
    else if (got.compared) pane.value = "game";
  });
  if (recording) {
    model.value = recording.model;
    graph.value = recording.graph;
    runs.value = [recording.runs];
    await open(recording.at);
  } else {
    const path = parts.get("path");
    if (path) await go(() => server.follow(model.value, 0, path, watches.value));
    if (!view.value) await open(got.models[model.value]?.open ?? 0);
  }
  const run = runs.value[model.value]?.find((it) => it.nodes.includes(view.value?.node ?? -1));
  if (run) shownRun.value = run;
}

/** Shows a position, and the run it is on. */
async function arrive(next: View): Promise<void> {
  const before = view.value;
  const steps = line.value.steps;
  const at = next.length - line.value.first;
  const onLine =
    next.length === line.value.first
      ? before !== null && (steps.length === 0 || steps[0] !== undefined) && rootOf() === next.node
      : steps[at - 1]?.node === next.node;
  batch(() => {
    view.value = next;
    selected.value = 0;
    note.value = "";
  });
  if (onLine) {
    // The run goes on beyond the position: nothing to fetch.
  } else if (before && next.parent === before.node && next.step && before.length - line.value.first <= steps.length) {
    line.value = { ...line.value, steps: [...steps.slice(0, before.length - line.value.first), next.step] };
    if (line.value.actors.length === 0) await fetchLine(next.node);
  } else {
    await fetchLine(next.node);
  }
  await refreshTree(next);
  writeUrl();
}

function rootOf(): number {
  return line.value.first === 0 ? 0 : -1;
}

async function fetchLine(node: number): Promise<void> {
  const run = shownRun.value;
  // A position on a run that is shown keeps the rest of that run.
  const tip = run && run.nodes.includes(node) ? (run.nodes[run.nodes.length - 1] ?? node) : node;
  const got = await server.line(model.value, tip);
  line.value = got;
}

async function refreshTree(next: View): Promise<void> {
  if (isSaved) {
    if (tree.value.length === 0) {
      const got = await server.tree(model.value);
      tree.value = got.nodes;
      treeTotal.value = got.total;
    }
    return;
  }
  if (tree.value.some((it) => it.node === next.node)) return;
  const last = tree.value[tree.value.length - 1];
  if (last && next.parent !== null && next.step && next.node === last.node + 1 && tree.value.length < 2000) {
    const made: TreeNode = {
      node: next.node,
      parent: next.parent,
      number: next.length,
      text: next.step.text,
      process: next.step.events[0]?.actor ?? "",
      ending: next.ending.kind,
    };
    tree.value = [...tree.value, made];
    treeTotal.value += 1;
    return;
  }
  const got = await server.tree(model.value);
  tree.value = got.nodes;
  treeTotal.value = got.total;
}

function go(what: () => Promise<View>): Promise<void> {
  return inTurn(async () => arrive(await what())).then(() => undefined);
}

export const open = (node: number): Promise<void> => go(() => server.view(model.value, node, watches.value));

export function fire(move: number): Promise<void> {
  return go(() => {
    const from = view.value;
    if (!from) throw new ServerError({ error: "there is no position yet" }, 0);
    return server.step(model.value, from.node, move, watches.value);
  });
}

export async function back(): Promise<void> {
  const parent = view.value?.parent;
  if (parent !== null && parent !== undefined) await open(parent);
}

/** Along the run that is shown; at the end of a lasso, to where its loop begins. */
export async function forth(): Promise<void> {
  const at = view.value;
  if (!at) return;
  const next = line.value.steps[at.length - line.value.first];
  if (next) return open(next.node);
  const run = shownRun.value;
  if (run && run.loop !== null && run.nodes[run.nodes.length - 1] === at.node) {
    const start = run.nodes[run.loop + 1] ?? run.nodes[run.loop];
    if (start !== undefined) return open(start);
  }
  // Where nothing is known of the rest, the only move is as good as an answer.
  const only = moves.value[0];
  if (only && moves.value.length === 1) await fire(only.number);
}

export const toStart = (): Promise<void> => open(0);

export async function toEnd(): Promise<void> {
  const last = line.value.steps[line.value.steps.length - 1];
  if (last) await open(last.node);
}

/** Of the run that is shown: the position after so many steps. */
export async function jump(steps: number): Promise<void> {
  if (steps === 0) return open(0);
  const step = line.value.steps[steps - 1 - line.value.first];
  if (step) await open(step.node);
}

export const random = (steps: number): Promise<void> =>
  go(() => server.random(model.value, view.value?.node ?? 0, steps, seed(), watches.value));

export const other = (): Promise<void> => go(() => server.other(model.value, view.value?.node ?? 0, watches.value));

export async function until(expression: string): Promise<void> {
  await inTurn(async () => {
    const got = await server.until(model.value, view.value?.node ?? 0, expression, seed(), watches.value);
    await arrive(got);
    if (got.note) note.value = got.note;
  });
}

export const followPath = (path: number[]): Promise<void> =>
  go(() => server.follow(model.value, graph.value?.centre ?? 0, path.join("."), watches.value));

let count = 0;
/** Chance has a seed: the same clicks give the same runs. */
function seed(): number {
  count += 1;
  return count;
}

export async function watch(text: string): Promise<void> {
  const trimmed = text.trim();
  if (!trimmed || watches.value.includes(trimmed)) return;
  watches.value = [...watches.value, trimmed];
  await open(view.value?.node ?? 0);
}

export async function unwatch(text: string): Promise<void> {
  watches.value = watches.value.filter((it) => it !== text);
  await open(view.value?.node ?? 0);
}

export async function showRun(run: Run, end = true): Promise<void> {
  shownRun.value = run;
  line.value = { first: 0, actors: [], steps: [] };
  const node = end ? run.nodes[run.nodes.length - 1] : run.nodes[0];
  if (node !== undefined) await open(node);
}

export function closeRun(): void {
  shownRun.value = null;
}

export async function switchModel(to: number): Promise<void> {
  batch(() => {
    model.value = to;
    view.value = null;
    line.value = { first: 0, actors: [], steps: [] };
    tree.value = [];
    graph.value = null;
    walk.value = null;
    shownRun.value = null;
  });
  await open(info.value?.models[to]?.open ?? 0);
}

/** The settings of a browser that may refuse to keep any. */
const settings = {
  get(name: string): string | null {
    try {
      return localStorage.getItem(`elnath.${name}`);
    } catch {
      return null;
    }
  },
  set(name: string, value: string): void {
    try {
      localStorage.setItem(`elnath.${name}`, value);
    } catch {
      // A page that was saved is opened from disk, where nothing is kept: the choice lasts as long as the page.
    }
  },
};

export function keepSettings(): void {
  const kept = settings.get("theme");
  if (kept === "light" || kept === "dark") theme.value = kept;
  effect(() => {
    const dark = theme.value === "dark" || (theme.value === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
    document.documentElement.dataset["theme"] = dark ? "dark" : "light";
    settings.set("theme", theme.value);
  });
  effect(() => {
    pane.value;
    writeUrl();
  });
}

export function useToken(text: string): Promise<void> {
  const found = /token=([0-9a-f]+)/.exec(text)?.[1] ?? text.trim();
  const parts = urlParts();
  parts.set("token", found);
  history.replaceState(null, "", `#${parts.toString()}`);
  return begin();
}
