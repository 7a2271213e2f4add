/** The panes beside the chart: moves, state, source, tree of history, automata, the bar of a counterexample. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import {
  attempt, closeRun, current, fire, line, moves, open, position, runs, model, selected, shownRun, showRun, tree, treeTotal, unwatch, view, watch,
  watches,
} from "./store";
import { Shown, hue, plain, short } from "./values";
import type { Part, Run } from "./wire";

const place = (it: { file: string; line: number } | null): string => (it ? `line ${it.line}` : "");

export function Panel({ title, aside, children, name }: { title: string; aside?: ComponentChildren; children: ComponentChildren; name: string }): JSX.Element {
  return (
    <section class={`panel ${name}`} aria-label={title}>
      <header>
        <h2>{title}</h2>
        <span class="grow" />
        {aside}
      </header>
      <div class="content">{children}</div>
    </section>
  );
}

export function Moves({ filter }: { filter: string }): JSX.Element {
  const now = view.value;
  const names = current.value?.processes ?? [];
  const [why, setWhy] = useState(true);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    box.current?.querySelector(".move.selected")?.scrollIntoView({ block: "nearest" });
  }, [selected.value, now]);
  if (!now) return <Panel name="moves" title="Moves">{null}</Panel>;
  const disabled = now.groups.reduce((sum, group) => sum + group.disabled.length, 0);
  let number = -1;
  const fits = (text: string): boolean => !filter || text.toLowerCase().includes(filter.toLowerCase());
  return (
    <Panel
      name="moves"
      title={`Moves (${moves.value.length})`}
      aside={
        disabled ? (
          <label class="quiet">
            <input type="checkbox" checked={why} onChange={(e) => setWhy(e.currentTarget.checked)} /> {disabled} disabled
          </label>
        ) : null
      }
    >
      <div ref={box} role="listbox" aria-label="Moves possible now">
        {now.ending.kind !== "open" ? <p class={now.ending.error ? "ending error" : "ending"}>{now.ending.text}</p> : null}
        {now.again !== null && now.again !== now.node ? (
          <p class="ending again">
            This state was met before on this run:{" "}
            <button class="link" onClick={() => void open(now.again ?? 0)}>
              go there
            </button>
          </p>
        ) : null}
        {now.groups.map((group) => {
          const shownMoves = group.moves.map((move) => ({ move, at: ++number })).filter(({ move }) => fits(move.text) || fits(group.process));
          const shownDisabled = why ? group.disabled.filter((it) => fits(it.text) || fits(group.process)) : [];
          if (shownMoves.length + shownDisabled.length === 0) return null;
          return (
            <div class="group" key={group.process} style={`--hue:${hue(group.process, names)}`}>
              {group.process ? <h3>{group.process}</h3> : null}
              {shownMoves.map(({ move, at }) => (
                <button
                  key={move.number}
                  role="option"
                  aria-selected={selected.value === at}
                  class={`move${selected.value === at ? " selected" : ""}${move.fault ? " fault" : ""}`}
                  data-move={move.number}
                  onClick={() => void fire(move.number)}
                  onMouseEnter={() => (selected.value = at)}
                  title={move.fault ?? `fire: ${move.text}`}
                >
                  <kbd>{at + 1}</kbd>
                  <code>{move.text}</code>
                  {move.tried !== null ? (
                    <span class="tried" title="this was tried here before">
                      ●
                    </span>
                  ) : null}
                  <span class="line">{place(move.place)}</span>
                </button>
              ))}
              {shownDisabled.map((it, n) => (
                <div class="move disabled" key={n} aria-disabled="true">
                  <code>{it.text}</code>
                  <span class="line">{place(it.place)}</span>
                  <span class="why">{it.why}</span>
                </div>
              ))}
            </div>
          );
        })}
      </div>
    </Panel>
  );
}

function Row({ part }: { part: Part }): JSX.Element {
  return (
    <tr class={part.changed ? "changed" : ""}>
      <th scope="row">{part.name}</th>
      <td>
        <Shown value={part.value} />
        {part.changed && part.before && part.value.kind !== "queue" ? <span class="before" title="one step before">{short(plain(part.before), 24)}</span> : null}
      </td>
    </tr>
  );
}

export function State({ filter }: { filter: string }): JSX.Element {
  const now = view.value;
  const [only, setOnly] = useState(false);
  const names = current.value?.processes ?? [];
  if (!now) return <Panel name="state" title="State">{null}</Panel>;
  const owners = [...new Set(now.parts.map((part) => part.owner))];
  const fits = (part: Part): boolean =>
    (!only || part.changed) && (!filter || `${part.owner} ${part.name} ${plain(part.value)}`.toLowerCase().includes(filter.toLowerCase()));
  const count = now.parts.filter((part) => part.changed).length;
  return (
    <Panel
      name="state"
      title="State"
      aside={
        <label class="quiet">
          <input type="checkbox" checked={only} onChange={(e) => setOnly(e.currentTarget.checked)} /> changed only ({count})
        </label>
      }
    >
      <div aria-live="polite">
        {owners.map((owner) => {
          const parts = now.parts.filter((part) => part.owner === owner && fits(part));
          if (parts.length === 0) return null;
          return (
            <table key={owner} class="parts" style={`--hue:${hue(owner, names)}`}>
              <caption>{owner || "shared"}</caption>
              <tbody>
                {parts.map((part, at) => (
                  <Row key={`${part.name}${at}`} part={part} />
                ))}
              </tbody>
            </table>
          );
        })}
      </div>
    </Panel>
  );
}

export function Watches(): JSX.Element {
  const now = view.value;
  const [text, setText] = useState("");
  const can = current.value?.expressions ?? null;
  // What only the picture asks for is not listed.
  const drawn = current.value?.picture?.expressions ?? [];
  const shown = (now?.watches ?? []).filter((it) => watches.value.includes(it.text) || !drawn.includes(it.text));
  const add = (event: Event): void => {
    event.preventDefault();
    void watch(text);
    setText("");
  };
  return (
    <Panel name="watches" title="Watches and propositions">
      {can !== null ? (
        <form onSubmit={add} class="inline">
          <input aria-label="Watch an expression" placeholder={`watch, such as ${can}`} value={text} onInput={(e) => setText(e.currentTarget.value)} />
          <button type="submit">watch</button>
        </form>
      ) : null}
      <table class="parts">
        <tbody>
          {shown.map((it) => (
            <tr key={it.text} class={it.before !== null && it.before !== it.value ? "changed" : ""}>
              <th scope="row">
                <code>{it.text}</code>
              </th>
              <td>
                {it.wrong ? <span class="wrong">{it.wrong}</span> : <span class="value">{it.value}</span>}
                {it.before !== null && it.before !== it.value ? <span class="before">{it.before}</span> : null}
                {watches.value.includes(it.text) ? (
                  <button class="remove" aria-label={`do not watch ${it.text}`} onClick={() => void unwatch(it.text)}>
                    ×
                  </button>
                ) : null}
              </td>
            </tr>
          ))}
          {(now?.truths ?? []).map((it) => (
            <tr key={it.text} class={it.before !== null && it.before !== it.holds ? "changed" : ""}>
              <th scope="row">
                <code>{it.text}</code>
              </th>
              <td title={it.why}>
                <span class={it.holds === null ? "truth" : it.holds ? "truth yes" : "truth no"}>{it.holds === null ? "?" : it.holds ? "true" : "false"}</span>
                {it.why ? <span class="quiet"> {short(it.why, 60)}</span> : null}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length + (now?.truths.length ?? 0) === 0 ? <p class="empty">{can === null ? "The model has no propositions." : "Nothing is watched."}</p> : null}
    </Panel>
  );
}

export function SourcePane(): JSX.Element {
  const sources = current.value?.sources ?? [];
  const now = view.value;
  const names = current.value?.processes ?? [];
  const [chosen, setChosen] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const source = sources[Math.min(chosen, sources.length - 1)];
  const lines = useMemo(() => source?.text.split("\n") ?? [], [source]);
  const here = new Map<number, string[]>();
  for (const location of now?.locations ?? []) {
    if (location.place && location.place.file === source?.file) {
      here.set(location.place.line, [...(here.get(location.place.line) ?? []), location.process]);
    }
  }
  const last = now?.step?.events.map((event) => event.place).filter((it) => it?.file === source?.file) ?? [];
  const fired = new Set(last.map((it) => it?.line));
  const target = last[last.length - 1]?.line ?? [...here.keys()][0];
  useEffect(() => {
    const element = box.current?.querySelector(`[data-line="${target}"]`);
    element?.scrollIntoView({ block: "nearest" });
  }, [target, now?.node]);
  if (!source) return <Panel name="source" title="Source"><p class="empty">This model has no text to show.</p></Panel>;
  return (
    <Panel
      name="source"
      title={sources.length > 1 ? "Source" : source.file}
      aside={
        sources.length > 1 ? (
          <select aria-label="File" value={chosen} onChange={(e) => setChosen(Number(e.currentTarget.value))}>
            {sources.map((it, at) => (
              <option key={it.file} value={at}>
                {it.file}
              </option>
            ))}
          </select>
        ) : null
      }
    >
      <div class="code" ref={box} tabIndex={0} role="region" aria-label="Source text">
        {lines.map((text, at) => {
          const who = here.get(at + 1);
          return (
            <div key={at} data-line={at + 1} class={`codeline${fired.has(at + 1) ? " fired" : ""}${who ? " at" : ""}`}>
              <span class="no">{at + 1}</span>
              <span class="text">{text || " "}</span>
              {who?.map((name) => (
                <span key={name} class="pin" style={`--hue:${hue(name, names)}`}>
                  {name}
                </span>
              ))}
            </div>
          );
        })}
      </div>
    </Panel>
  );
}

/** So many nodes of the tree are drawn: those nearest to the position. */
const DRAWN = 400;

export function Tree(): JSX.Element {
  const nodes = tree.value;
  const now = view.value;
  const box = useRef<HTMLDivElement>(null);
  const placed = useMemo(() => {
    const near = nodes.length > DRAWN ? nodes.filter((it) => Math.abs(it.node - (now?.node ?? 0)) < DRAWN / 2) : nodes;
    const children = new Map<number, number[]>();
    const known = new Set(near.map((it) => it.node));
    for (const it of near) if (it.parent !== null && known.has(it.parent)) children.set(it.parent, [...(children.get(it.parent) ?? []), it.node]);
    const lane = new Map<number, number>();
    let lanes = 0;
    // A branch goes on in the lane of its parent; each further child of a node opens a lane of its own.
    for (const it of near) {
      if (it.parent === null || !known.has(it.parent)) {
        lane.set(it.node, lanes++);
        continue;
      }
      const siblings = children.get(it.parent) ?? [];
      lane.set(it.node, siblings[0] === it.node ? (lane.get(it.parent) ?? 0) : lanes++);
    }
    const least = Math.min(...near.map((it) => it.number), Infinity);
    return { near, lane, lanes, least: Number.isFinite(least) ? least : 0 };
  }, [nodes, nodes.length > DRAWN ? now?.node : 0]);
  const onPath = new Set([0, ...line.value.steps.slice(0, Math.max(0, position.value - line.value.first)).map((it) => it.node)]);
  const x = (node: number): number => 14 + (placed.lane.get(node) ?? 0) * 18;
  const y = (number: number): number => 12 + (number - placed.least) * 18;
  const height = Math.max(30, ...placed.near.map((it) => y(it.number) + 14));
  const width = 28 + placed.lanes * 18;
  useEffect(() => {
    const scroll = box.current;
    if (!scroll || !now) return;
    const top = y(now.length);
    if (top < scroll.scrollTop + 20 || top > scroll.scrollTop + scroll.clientHeight - 30) scroll.scrollTo({ top: top - scroll.clientHeight / 2 });
    const left = x(now.node);
    if (left < scroll.scrollLeft || left > scroll.scrollLeft + scroll.clientWidth - 20) scroll.scrollTo({ left: left - scroll.clientWidth / 2 });
  }, [now?.node, nodes]);
  const names = current.value?.processes ?? [];
  return (
    <Panel name="tree" title="History" aside={<span class="quiet" title="every position that was visited: nothing tried is lost">{treeTotal.value} {treeTotal.value === 1 ? "position" : "positions"}</span>}>
      <div class="scroll" ref={box}>
        <svg width={width} height={height} role="tree" aria-label="Tree of all positions that were visited">
          {placed.near.map((it) =>
            it.parent !== null && placed.lane.has(it.parent) ? (
              <path
                key={it.node}
                class={onPath.has(it.node) ? "branch on" : "branch"}
                d={`M${x(it.parent)} ${y(it.number - 1)} ${x(it.parent) === x(it.node) ? "" : `C ${x(it.parent)} ${y(it.number)}, ${x(it.node)} ${y(it.number - 1)},`} ${x(it.parent) === x(it.node) ? "L" : ""}${x(it.node)} ${y(it.number)}`}
              />
            ) : null,
          )}
          {placed.near.map((it) => (
            <g
              key={it.node}
              class={`knot${it.node === now?.node ? " here" : ""}${onPath.has(it.node) ? " on" : ""} ${it.ending.replace(" ", "-")}`}
              style={`--hue:${hue(it.process, names)}`}
              role="treeitem"
              aria-label={`step ${it.number}: ${it.text}`}
              aria-selected={it.node === now?.node}
              data-node={it.node}
              onClick={() => void open(it.node)}
            >
              <title>{it.number === 0 ? "initial state" : `${it.number}. ${it.process ? `${it.process}: ` : ""}${it.text}`}</title>
              <circle class="target" cx={x(it.node)} cy={y(it.number)} r={9} />
              <circle class="dot" cx={x(it.node)} cy={y(it.number)} r={it.node === now?.node ? 6 : 4} />
            </g>
          ))}
        </svg>
      </div>
    </Panel>
  );
}

/** The bar of a run: a mark for each step, the loop closed by an arc, and a slider over all of it. */
export function Bar(): JSX.Element | null {
  const known = runs.value[model.value] ?? [];
  const run = shownRun.value;
  if (known.length === 0) return null;
  return (
    <div class="bar" role="region" aria-label="Counterexample">
      <select
        aria-label="Run"
        value={run ? String(known.indexOf(run)) : "-1"}
        onChange={(e) => {
          const chosen = known[Number(e.currentTarget.value)];
          if (chosen) void attempt(() => showRun(chosen));
          else closeRun();
        }}
      >
        <option value="-1">no run chosen</option>
        {known.map((it, at) => (
          <option key={at} value={String(at)}>
            {short(it.name, 40)}
          </option>
        ))}
      </select>
      {run ? <Scrub run={run} /> : <span class="quiet">{known.length} {known.length === 1 ? "run" : "runs"} known</span>}
      {run ? <span class={run.error ? "verdict fails" : "verdict"} title={run.text}>{short(run.text, 70)}</span> : null}
    </div>
  );
}

function Scrub({ run }: { run: Run }): JSX.Element {
  const last = run.nodes.length - 1;
  const at = Math.max(0, Math.min(last, position.value));
  const onRun = run.nodes[at] === view.value?.node;
  const width = 1000;
  const x = (step: number): number => 12 + (last === 0 ? 0 : (step / last) * (width - 24));
  const ticks = last <= 200 ? Array.from({ length: last + 1 }, (_, step) => step) : [];
  return (
    <div class="scrub">
      <svg viewBox={`0 0 ${width} 40`} preserveAspectRatio="none" aria-hidden="true">
        <line class="rail" x1={x(0)} x2={x(last)} y1={30} y2={30} />
        {run.loop !== null ? (
          <path class={run.closes ? "arc" : "arc open"} d={`M${x(last)} 30 C ${x(last)} 0, ${x(run.loop)} 0, ${x(run.loop)} 27`} />
        ) : null}
        {run.loop !== null ? <path class="tip" d={`M${x(run.loop) - 7} 19 L${x(run.loop)} 28 L${x(run.loop) + 7} 19`} /> : null}
        {ticks.map((step) => (
          <line key={step} class={step === at && onRun ? "tick now" : "tick"} x1={x(step)} x2={x(step)} y1={step === at && onRun ? 20 : 26} y2={step === at && onRun ? 40 : 34} />
        ))}
      </svg>
      <input
        type="range"
        min={0}
        max={last}
        value={at}
        aria-label={`Step of the run, ${at} of ${last}${run.loop !== null ? `; the steps from ${run.loop + 1} on are repeated` : ""}`}
        onInput={(e) => {
          const node = run.nodes[Number(e.currentTarget.value)];
          if (node !== undefined && node !== view.value?.node) void open(node);
        }}
      />
      <span class="quiet">
        {at}/{last}
        {run.loop !== null ? ` ↺ ${run.loop + 1}` : ""}
      </span>
    </div>
  );
}

export function Picture(): JSX.Element {
  const picture = current.value?.picture;
  const box = useRef<HTMLDivElement>(null);
  const now = view.value;
  useEffect(() => {
    if (!picture || !box.current) return;
    const values = new Map((now?.watches ?? []).map((it) => [it.text, it.value ?? it.wrong ?? ""]));
    // Placeholders are filled in the document that was parsed, never in its text: a value cannot become an element.
    const parsed = new DOMParser().parseFromString(picture.svg, "image/svg+xml").documentElement;
    fill(parsed, values);
    const copy = document.importNode(parsed, true);
    copy.removeAttribute("width");
    copy.removeAttribute("height");
    box.current.replaceChildren(copy);
  }, [picture, now]);
  if (!picture) return <p class="empty">There is no picture: put MODEL.anim.svg beside the model.</p>;
  return <div class="pane picture" ref={box} role="img" aria-label="Picture of the state" />;
}

const ALLOWED = new Set([
  "svg", "g", "rect", "circle", "ellipse", "line", "polyline", "polygon", "path", "text", "tspan", "title", "desc", "defs", "lineargradient",
  "radialgradient", "stop", "marker", "use", "symbol", "clippath", "mask", "pattern",
]);

function fill(element: Element, values: Map<string, string>): void {
  for (const child of [...element.children]) {
    if (ALLOWED.has(child.localName.toLowerCase())) fill(child, values);
    else child.remove();
  }
  const filled = (text: string): string => text.replace(/\{\{(.*?)\}\}/g, (_, name: string) => values.get(name.trim()) ?? "?");
  // In an attribute, such as an opacity, true is 1 and false 0.
  const number = (text: string): string =>
    text.replace(/\{\{(.*?)\}\}/g, (_, name: string) => {
      const value = values.get(name.trim()) ?? "0";
      return value === "true" ? "1" : value === "false" ? "0" : value;
    });
  for (const attribute of [...element.attributes]) {
    const name = attribute.localName.toLowerCase();
    const outside = name === "href" && !attribute.value.startsWith("#");
    // Styles go through the object model, which the policy of the page allows, and not through an attribute, which it forbids.
    if (name.startsWith("on") || outside) element.removeAttributeNode(attribute);
    else if (name === "style") {
      element.removeAttributeNode(attribute);
      for (const [property, value] of number(attribute.value).split(";").map((it) => it.split(":")))
        if (property && value && !value.includes("url(")) (element as SVGElement).style.setProperty(property.trim(), value.trim());
    } else if (attribute.value.includes("{{")) element.setAttributeNS(attribute.namespaceURI, attribute.name, number(attribute.value));
  }
  for (const child of element.childNodes) if (child.nodeType === Node.TEXT_NODE && child.nodeValue?.includes("{{")) child.nodeValue = filled(child.nodeValue);
}
