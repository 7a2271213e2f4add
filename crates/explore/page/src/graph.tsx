/** The graph around the position, layered, its frontier marked; and the automata of the processes, drawn in the same way. */
import type { JSX } from "preact";
import { signal } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type By, type Drawn, collapse } from "./collapse";
import { place } from "./layout";
import { type Placed, recording, server } from "./server";
import { attempt, current, followPath, graph, isSaved, model, open, view } from "./store";
import { hue, short } from "./values";
import type { Automaton } from "./wire";

/** What was drawn last, for a page that is saved. */
export const lastPlaced = signal<Placed | null>(null);

const STEPS = [30, 60, 120, 300];
/** Up to so many nodes, edges are labelled; in larger pictures those under the pointer. */
const LABELLED = 40;

export function GraphPane(): JSX.Element {
  const now = view.value;
  const [most, setMost] = useState(30);
  const [by, setBy] = useState<By>({ kind: "none" });
  const [follow, setFollow] = useState(true);
  const got = graph.value;

  const load = (node: number, limit: number): void => {
    setMost(limit);
    void attempt(async () => {
      graph.value = await server.graph(model.value, node, limit);
    });
  };
  useEffect(() => {
    if (!now || isSaved) return;
    const inside = got?.nodes.find((it) => it.state === now.state);
    // As long as the position is in the picture and what it leads to is drawn, the picture stays as it is.
    if (!got || (follow && (!inside || !inside.explored))) load(now.node, most);
  }, [now?.node, model.value]);

  const drawn = useMemo<Drawn | null>(() => (got ? collapse(got, by) : null), [got, by]);
  const labels = useMemo(() => [...new Set(got?.edges.map((edge) => edge.label) ?? [])].sort(), [got]);
  const processes = Object.keys(got?.nodes[0]?.keys ?? {});
  const frontier = got?.nodes.filter((it) => !it.explored).length ?? 0;
  const names = current.value?.processes ?? [];

  return (
    <div class="pane graph" aria-label="Graph around the position">
      <div class="options">
        <button disabled={isSaved} onClick={() => now && load(now.node, most)} title="draw the graph around this position">
          centre
        </button>
        <button disabled={isSaved || most >= 300} onClick={() => got && load(got.centre, STEPS.find((it) => it > most) ?? 300)} data-act="expand">
          expand
        </button>
        <label>
          up to{" "}
          <select disabled={isSaved} value={String(most)} onChange={(e) => got && load(got.centre, Number(e.currentTarget.value))}>
            {STEPS.map((it) => (
              <option key={it} value={String(it)}>
                {it}
              </option>
            ))}
          </select>{" "}
          states
        </label>
        <label>
          merge{" "}
          <select
            disabled={isSaved}
            value={by.kind === "process" || by.kind === "label" ? `${by.kind}:${by.name}` : by.kind}
            onChange={(e) => {
              const [kind, ...rest] = e.currentTarget.value.split(":");
              const name = rest.join(":");
              setBy(kind === "process" || kind === "label" ? { kind, name } : kind === "class" ? { kind } : { kind: "none" });
            }}
          >
            <option value="none">nothing</option>
            <option value="class">bisimilar states</option>
            {processes.length ? (
              <optgroup label="by what a process sees">
                {processes.map((it) => (
                  <option key={it} value={`process:${it}`}>
                    {it}
                  </option>
                ))}
              </optgroup>
            ) : null}
            <optgroup label="along steps">
              {labels.slice(0, 100).map((it) => (
                <option key={it} value={`label:${it}`}>
                  {short(it, 40)}
                </option>
              ))}
            </optgroup>
          </select>
        </label>
        <label>
          <input type="checkbox" checked={follow} onChange={(e) => setFollow(e.currentTarget.checked)} /> follow
        </label>
        <span class="grow" />
        <span class="quiet" data-count={got?.nodes.length ?? 0}>
          {got ? `${drawn?.nodes.length ?? 0} nodes, ${got.nodes.length} states${frontier ? `, ${frontier} unexplored` : ", complete"}` : ""}
        </span>
      </div>
      {got && drawn ? (
        <Drawing
          drawn={drawn}
          title={(node) => node.members.slice(0, 5).flatMap((it) => it.lines).slice(0, 24).join("\n")}
          box={(node) => {
            const members = node.members;
            const here = members.some((it) => it.state === now?.state);
            const kinds = [
              here ? "here" : "",
              members.some((it) => it.initial) ? "initial" : "",
              members.every((it) => !it.explored) ? "unexplored" : "",
              members.some((it) => it.tree !== null) ? "visited" : "",
              members.some((it) => it.ending === "deadlock" || it.ending === "fault" || it.ending === "invariant") ? "error" : "",
              members.some((it) => it.ending === "valid end") ? "final" : "",
            ];
            const text = members.length > 1 ? `${short(node.label, 26)} ×${members.length}` : short(node.label, 24);
            return { text, kind: kinds.filter(Boolean).join(" "), second: members.every((it) => !it.explored) ? "unexplored" : "" };
          }}
          click={(node) => {
            const member = node.members.find((it) => it.explored) ?? node.members[0];
            if (!member) return;
            if (member.tree !== null) void open(member.tree);
            else void followPath(member.path);
          }}
          edge={(edge) => ({ text: edge.count > 1 ? `${short(edge.label, 18)} ×${edge.count}` : short(edge.label, 22), hue: hue(edge.process, names), title: edge.label })}
        />
      ) : (
        <p class="empty">The graph is drawn for the position.</p>
      )}
    </div>
  );
}

interface DrawingProps {
  drawn: Drawn;
  box: (node: Drawn["nodes"][number]) => { text: string; kind: string; second: string };
  title: (node: Drawn["nodes"][number]) => string;
  click: (node: Drawn["nodes"][number]) => void;
  edge: (edge: Drawn["edges"][number]) => { text: string; hue: number; title: string };
}

/** A layered drawing that can be dragged and zoomed. */
function Drawing({ drawn, box, title, click, edge }: DrawingProps): JSX.Element {
  const [placed, setPlaced] = useState<{ of: Drawn; at: Placed } | null>(null);
  const [frame, setFrame] = useState<{ x: number; y: number; scale: number } | null>(null);
  const area = useRef<HTMLDivElement>(null);
  const drag = useRef<{ x: number; y: number } | null>(null);

  useEffect(() => {
    let stale = false;
    const nodes = drawn.nodes.map((node) => {
      const it = box(node);
      return { width: Math.max(34, Math.max(it.text.length, it.second.length) * 6.9 + 18), height: it.second ? 38 : 26 };
    });
    // Room for labels only where they can be read: in a large picture they would push everything apart.
    const roomy = drawn.nodes.length <= LABELLED;
    const edges = drawn.edges.map((it) => ({ from: it.from, to: it.to, width: roomy ? edge(it).text.length * 5.8 + 4 : 0 }));
    const room = area.current?.getBoundingClientRect();
    const fit = (at: Placed): number => Math.min((room?.width ?? 800) / at.width, (room?.height ?? 500) / at.height);
    const drawnBest = async (): Promise<Placed> => {
      if (recording?.placed) return recording.placed;
      // From top to bottom, unless that is much narrower than the room there is.
      const tall = await place({ nodes, edges, down: true });
      if (fit(tall) > 0.8 || nodes.length > 150) return tall;
      const wide = await place({ nodes, edges, down: false });
      return fit(wide) > fit(tall) ? wide : tall;
    };
    void drawnBest()
      .then((at) => {
        if (stale) return;
        setPlaced({ of: drawn, at });
        lastPlaced.value = at;
        setFrame(null);
      })
      .catch(() => undefined);
    return () => {
      stale = true;
    };
  }, [drawn]);

  const fitted = (): { x: number; y: number; scale: number } => {
    const at = placed?.at;
    const size = area.current?.getBoundingClientRect();
    if (!at || !size || size.width === 0) return { x: 0, y: 0, scale: 1 };
    const scale = Math.min(1.15, Math.max(0.2, Math.min((size.width - 16) / at.width, (size.height - 16) / at.height)));
    const here = placed.of.nodes.findIndex((node) => box(node).kind.includes("here"));
    const centre = at.nodes[here];
    const fits = at.width * scale <= size.width && at.height * scale <= size.height;
    if (fits || !centre) return { x: (size.width - at.width * scale) / 2, y: Math.max(8, (size.height - at.height * scale) / 2), scale };
    const better = Math.max(scale, 0.6);
    return { x: size.width / 2 - centre.x * better, y: size.height / 3 - centre.y * better, scale: better };
  };
  const now = frame ?? fitted();
  const zoom = (factor: number, x?: number, y?: number): void => {
    const size = area.current?.getBoundingClientRect();
    const px = x ?? (size?.width ?? 0) / 2;
    const py = y ?? (size?.height ?? 0) / 2;
    const scale = Math.min(3, Math.max(0.08, now.scale * factor));
    const ratio = scale / now.scale;
    setFrame({ x: px - (px - now.x) * ratio, y: py - (py - now.y) * ratio, scale });
  };

  return (
    <div
      class="drawing"
      ref={area}
      onWheel={(e) => {
        e.preventDefault();
        const size = e.currentTarget.getBoundingClientRect();
        zoom(e.deltaY < 0 ? 1.12 : 1 / 1.12, e.clientX - size.left, e.clientY - size.top);
      }}
      onPointerDown={(e) => {
        drag.current = { x: e.clientX - now.x, y: e.clientY - now.y };
      }}
      onPointerMove={(e) => {
        if (drag.current && e.buttons) setFrame({ ...now, x: e.clientX - drag.current.x, y: e.clientY - drag.current.y });
      }}
      onPointerUp={() => {
        drag.current = null;
      }}
    >
      <div class="zoom">
        <button aria-label="larger" onClick={() => zoom(1.25)}>+</button>
        <button aria-label="smaller" onClick={() => zoom(0.8)}>−</button>
        <button aria-label="fit the drawing" onClick={() => setFrame(null)}>fit</button>
      </div>
      {placed ? (
        <svg width="100%" height="100%" role="img" aria-label={`graph with ${placed.of.nodes.length} nodes and ${placed.of.edges.length} edges`}>
          <defs>
            <marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse">
              <path d="M0 1 L10 5 L0 9 z" />
            </marker>
          </defs>
          <g transform={`translate(${now.x} ${now.y}) scale(${now.scale})`}>
            {placed.of.edges.map((it, at) => {
              const points = placed.at.edges[at]?.points ?? [];
              const style = edge(it);
              const mid = points[Math.floor(points.length / 2)];
              return (
                <g key={at} class={it.fault ? "edge fault" : "edge"} style={`--hue:${style.hue}`}>
                  <title>{style.title}</title>
                  <path d={curve(points)} marker-end="url(#arrow)" />
                  {mid ? (
                    <text class={placed.of.nodes.length <= LABELLED && now.scale > 0.4 ? "" : "hidden"} x={mid.x} y={mid.y} text-anchor="middle" dy="0.35em">
                      {style.text}
                    </text>
                  ) : null}
                </g>
              );
            })}
            {placed.of.nodes.map((node, at) => {
              const where = placed.at.nodes[at];
              if (!where) return null;
              const it = box(node);
              return (
                <g
                  key={at}
                  class={`node ${it.kind}`}
                  transform={`translate(${where.x} ${where.y})`}
                  onClick={() => click(node)}
                  onKeyDown={(e) => {
                    if (e.key === "Enter") click(node);
                  }}
                  role="button"
                  tabIndex={0}
                  aria-label={`${it.text} ${it.kind}`}
                >
                  <title>{title(node)}</title>
                  <rect x={-where.width / 2} y={-where.height / 2} width={where.width} height={where.height} rx={8} />
                  <text text-anchor="middle" y={it.second ? -7 : 0} dy="0.35em">
                    {it.text}
                  </text>
                  {it.second ? (
                    <text class="second" text-anchor="middle" y={9} dy="0.35em">
                      {it.second}
                    </text>
                  ) : null}
                </g>
              );
            })}
          </g>
        </svg>
      ) : (
        <p class="empty">drawing …</p>
      )}
    </div>
  );
}

function curve(points: { x: number; y: number }[]): string {
  const [first, ...rest] = points;
  if (!first) return "";
  if (rest.length < 2) return `M${first.x} ${first.y} ${rest.map((it) => `L${it.x} ${it.y}`).join(" ")}`;
  let text = `M${first.x} ${first.y}`;
  for (let at = 0; at < rest.length - 1; at += 1) {
    const here = rest[at];
    const next = rest[at + 1];
    if (!here || !next) continue;
    const end = at === rest.length - 2 ? next : { x: (here.x + next.x) / 2, y: (here.y + next.y) / 2 };
    text += ` Q${here.x} ${here.y} ${end.x} ${end.y}`;
  }
  return text;
}

/** The automata of the processes, the location of each lit. */
export function AutomataPane(): JSX.Element {
  const automata = current.value?.automata ?? [];
  const now = view.value;
  const names = current.value?.processes ?? [];
  const [chosen, setChosen] = useState<number | null>(null);
  if (automata.length === 0) return <p class="empty">This model has no processes with locations: the graph shows its states.</p>;
  const moved = now?.locations.find((it) => it.process === now.step?.events[0]?.actor)?.automaton;
  const shown = chosen ?? moved ?? 0;
  const automaton = automata[shown] ?? automata[0];
  return (
    <div class="pane graph" aria-label="Process automata">
      <div class="options" role="tablist">
        {automata.map((it, at) => (
          <button key={it.name} role="tab" aria-selected={at === shown} class={at === shown ? "chosen" : ""} onClick={() => setChosen(at)}>
            {it.name}
          </button>
        ))}
        {chosen !== null ? <button onClick={() => setChosen(null)}>follow</button> : null}
        <span class="grow" />
        {(now?.locations ?? [])
          .filter((it) => it.automaton === shown)
          .map((it) => (
            <span key={it.process} class="pin" style={`--hue:${hue(it.process, names)}`}>
              {it.process}
            </span>
          ))}
      </div>
      {automaton ? <One key={shown} automaton={automaton} number={shown} /> : null}
    </div>
  );
}

function One({ automaton, number }: { automaton: Automaton; number: number }): JSX.Element {
  const now = view.value;
  const drawn = useMemo<Drawn>(() => {
    const at = new Map(automaton.states.map((state, place) => [state.id, place]));
    return {
      nodes: automaton.states.map((state, place) => ({ id: place, members: [], label: state.label })),
      edges: automaton.edges.map((edge) => ({ from: at.get(edge.from) ?? 0, to: at.get(edge.to) ?? 0, label: edge.text, process: "", fault: false, count: 1 })),
    };
  }, [automaton]);
  if (isSaved) return <p class="empty">The automata are drawn by elnath: this page was saved.</p>;
  return (
    <Drawing
      drawn={drawn}
      title={(node) => automaton.states[node.id]?.label ?? ""}
      click={() => undefined}
      box={(node) => {
        const state = automaton.states[node.id];
        const here = (now?.locations ?? []).filter((it) => it.automaton === number && it.at === state?.id).map((it) => it.process);
        const who = here.length ? ` ◂ ${here.join(", ")}` : "";
        return { text: short(`${state?.label ?? ""}${who}`, 40), kind: `${here.length ? "here" : ""}${state?.id === automaton.initial ? " initial" : ""}`, second: "" };
      }}
      edge={(edge) => ({ text: short(edge.label, 26), hue: 215, title: edge.label })}
    />
  );
}
