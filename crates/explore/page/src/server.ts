/** The server, or a record of what it said: a page that was saved has no server and answers from what is in it. */
import type {
  CheckDone, Failure, Game, Graph, Info, Progress, Run, Step, TreeNode, View, Walk,
} from "./wire";

/** What a saved page holds. */
export interface Recording {
  info: Info;
  views: View[];
  lines: Record<number, Step[]>;
  tree: TreeNode[];
  graph: Graph | null;
  placed: Placed | null;
  model: number;
  at: number;
  runs: Run[];
  saved: string;
}

/** Where the nodes of a graph are. */
export interface Placed {
  width: number;
  height: number;
  nodes: { x: number; y: number; width: number; height: number }[];
  edges: { points: { x: number; y: number }[] }[];
}

const record = document.getElementById("recording");
export const recording: Recording | null =
  record?.textContent && record.textContent.trim() ? (JSON.parse(record.textContent) as Recording) : null;

let token = "";

export function setToken(value: string): void {
  token = value;
}

export class ServerError extends Error {
  constructor(readonly failure: Failure, readonly status: number) {
    super(failure.error);
  }
}

async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
  let answer: Response;
  try {
    answer = await fetch(path, {
      method,
      headers: {
        "x-elnath-token": token,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      cache: "no-store",
    });
  } catch {
    throw new ServerError({ error: "elnath does not answer: has it ended?", help: "start it again and reload" }, 0);
  }
  const text = await answer.text();
  if (!answer.ok) {
    let failure: Failure = { error: `${answer.status} ${answer.statusText}` };
    try {
      failure = JSON.parse(text) as Failure;
    } catch {
      // Not every refusal is one of ours: what the status says is enough.
    }
    throw new ServerError(failure, answer.status);
  }
  return JSON.parse(text) as T;
}

const query = (values: Record<string, string | number | undefined>): string =>
  Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join("&");

const NOT_SAVED = "this page was saved: what was not looked at then needs elnath";

function saved<T>(found: T | undefined | null): Promise<T> {
  return found === undefined || found === null
    ? Promise.reject(new ServerError({ error: NOT_SAVED }, 0))
    : Promise.resolve(found);
}

/** What can be asked. `model` is 0, or 1 for the right one of a comparison. */
export const server = {
  info: (): Promise<Info> => (recording ? saved(recording.info) : ask("GET", "/api/info")),

  view: (model: number, node: number, watches: string[]): Promise<View> =>
    recording
      ? saved(recording.views.find((view) => view.node === node))
      : ask("POST", "/api/view", { model, node, watches }),

  step: (model: number, node: number, move: number, watches: string[]): Promise<View> => {
    if (!recording) return ask("POST", "/api/step", { model, node, move, watches });
    const from = recording.views.find((view) => view.node === node);
    const tried = from?.groups.flatMap((group) => group.moves).find((it) => it.number === move)?.tried;
    return saved(recording.views.find((view) => view.node === tried));
  },

  /** Follows choices from a node. */
  follow: (model: number, node: number, path: string, watches: string[]): Promise<View> =>
    recording ? saved<View>(null) : ask("POST", "/api/follow", { model, node, path, watches }),

  random: (model: number, node: number, steps: number, seed: number, watches: string[]): Promise<View> =>
    recording ? saved<View>(null) : ask("POST", "/api/random", { model, node, steps, seed, watches }),

  /** Another continuation than those that were tried. */
  other: (model: number, node: number, watches: string[]): Promise<View> =>
    recording ? saved<View>(null) : ask("POST", "/api/other", { model, node, watches }),

  until: (model: number, node: number, expression: string, seed: number, watches: string[]): Promise<View & { note?: string }> =>
    recording ? saved<View>(null) : ask("POST", "/api/until", { model, node, expression, seed, watches }),

  line: (model: number, node: number): Promise<{ first: number; actors: string[]; steps: Step[] }> => {
    if (!recording) return ask("GET", `/api/line?${query({ model, node })}`);
    const steps = recording.lines[node];
    return steps ? saved({ first: 0, actors: recording.info.models[model]?.processes ?? [], steps }) : saved<never>(null);
  },

  tree: (model: number): Promise<{ nodes: TreeNode[]; total: number }> =>
    recording
      ? saved({ nodes: recording.tree, total: recording.tree.length })
      : ask("GET", `/api/tree?${query({ model })}`),

  graph: (model: number, node: number, most: number): Promise<Graph> =>
    recording ? saved(recording.graph) : ask("GET", `/api/graph?${query({ model, node, most })}`),

  startCheck: (model: number, what: { properties?: string[]; ltl?: string; seconds: number }): Promise<{ job: number }> =>
    recording ? saved<never>(null) : ask("POST", "/api/check", { model, ...what }),

  startWalk: (model: number, states: number): Promise<{ job: number }> =>
    recording ? saved<never>(null) : ask("POST", "/api/walk", { model, states }),

  stop: (job: number): Promise<object> => ask("POST", "/api/stop", { job }),

  startGame: (relation: string, direction: string, attacker: string, left: number | null, right: number | null): Promise<Game> =>
    recording ? saved<never>(null) : ask("POST", "/api/game", { relation, direction, attacker, left, right }),

  play: (game: number, move: number | "undo" | "hint" | "strategy"): Promise<Game> =>
    ask("POST", "/api/play", { game, move }),
};

/** The progress of a job, event by event. An EventSource cannot send the token as a header, so that the stream is read by hand. */
export async function follow(
  job: number,
  tell: { progress?: (progress: Progress) => void; walk?: (walk: Walk) => void; done?: (done: CheckDone) => void; failed: (failure: Failure) => void },
): Promise<void> {
  const answer = await fetch(`/api/events?job=${job}`, { headers: { "x-elnath-token": token }, cache: "no-store" });
  if (!answer.ok || !answer.body) {
    tell.failed({ error: `the progress cannot be read (${answer.status})` });
    return;
  }
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += value;
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const lines = text.slice(0, end).split("\n");
      text = text.slice(end + 2);
      const kind = lines.find((line) => line.startsWith("event:"))?.slice(6).trim();
      const data = lines.filter((line) => line.startsWith("data:")).map((line) => line.slice(5)).join("\n");
      if (!kind || !data) continue;
      const read = JSON.parse(data) as never;
      if (kind === "progress") tell.progress?.(read);
      else if (kind === "walk") tell.walk?.(read);
      else if (kind === "done") tell.done?.(read);
      else if (kind === "failed") tell.failed(read);
    }
  }
}
