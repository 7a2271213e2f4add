/** The chart of the run: it grows with every step, and a click anywhere in it takes every pane there. */
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { arrange } from "./chart-layout";
import { chartOptions, current, jump, line, position, shownRun, view } from "./store";
import { hue, short } from "./values";

const ROW = 28;
const LEFT = 58;
/** So many steps before and after the position are drawn. */
const NEAR = 150;

export function Chart(): JSX.Element {
  const { first, actors, steps } = line.value;
  const at = position.value;
  const from = Math.max(0, Math.min(at - first - NEAR, steps.length - 2 * NEAR));
  const to = Math.min(steps.length, from + 2 * NEAR);
  const options = chartOptions.value;
  const alone = current.value?.name ?? "model";
  const names = current.value?.processes ?? [];
  const part = steps.slice(from, to);
  const arranged = useMemo(() => arrange(actors, part, options, alone), [steps, from, to, options, actors]);
  const shown = arranged.lifelines.map((it, number) => ({ ...it, number })).filter((it) => options.idle || !it.idle);
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(600);
  useEffect(() => {
    const seen = new ResizeObserver((entries) => setWidth(Math.floor(entries[0]?.contentRect.width ?? 600)));
    if (box.current) seen.observe(box.current);
    return () => seen.disconnect();
  }, []);
  const lane = Math.max(112, Math.min(260, (width - LEFT - 24) / Math.max(1, shown.length)));
  const x = (lifeline: number): number => {
    const place = shown.findIndex((it) => it.number === lifeline);
    return LEFT + lane * ((place < 0 ? 0 : place) + 0.5);
  };
  const y = (row: number): number => 14 + row * ROW + ROW / 2;
  const full = Math.max(width - 2, LEFT + lane * Math.max(1, shown.length) + 16);
  const height = Math.max(60, arranged.rows.length * ROW + 40);
  const run = shownRun.value;
  const rowsOf = (step: number): [number, number] => {
    const number = step - 1 - first - from;
    return [arranged.rowOf[number] ?? 0, arranged.rowOf[number + 1] ?? 0];
  };
  const here = at > first + from && at <= first + to ? rowsOf(at) : null;
  const loop = run && run.loop !== null && steps.length + first === run.nodes.length - 1 ? run.loop : null;

  useEffect(() => {
    const scroll = box.current;
    if (!scroll) return;
    const top = here ? y(here[0]) : 0;
    if (top < scroll.scrollTop + 60 || top > scroll.scrollTop + scroll.clientHeight - 90) {
      scroll.scrollTo({ top: Math.max(0, top - scroll.clientHeight / 2) });
    }
  }, [at, steps]);

  const keys = (event: KeyboardEvent): void => {
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    event.preventDefault();
    void jump(Math.max(0, at + (event.key === "ArrowUp" ? -1 : 1)));
  };

  return (
    <div class="pane chart" aria-label="Message sequence chart">
      <div class="options">
        <label>
          <input type="checkbox" checked={options.messages} onChange={(e) => (chartOptions.value = { ...options, messages: e.currentTarget.checked })} />
          messages only
        </label>
        <label>
          <input type="checkbox" checked={!options.idle} onChange={(e) => (chartOptions.value = { ...options, idle: !e.currentTarget.checked })} />
          hide idle lifelines
        </label>
        {names.length > 1 ? (
          <details class="choose">
            <summary>processes</summary>
            <div class="popup">
              {names.map((name) => (
                <label key={name}>
                  <input
                    type="checkbox"
                    checked={!options.hidden.includes(name)}
                    onChange={(e) =>
                      (chartOptions.value = {
                        ...options,
                        hidden: e.currentTarget.checked ? options.hidden.filter((it) => it !== name) : [...options.hidden, name],
                      })
                    }
                  />
                  {name}
                </label>
              ))}
            </div>
          </details>
        ) : null}
        <span class="grow" />
        <span class="quiet">
          {steps.length + first === 0 ? "no step yet" : `step ${at} of ${steps.length + first}`}
        </span>
      </div>
      <div class="scroll" ref={box} tabIndex={0} onKeyDown={keys} role="listbox" aria-label="Steps of the run">
        <svg class="lanes" width={full} height={34} role="presentation">
          {shown.map((it) => (
            <g key={it.name} transform={`translate(${x(it.number)} 17)`} style={`--hue:${hue(it.name, names)}`}>
              <rect class="head" x={-lane / 2 + 6} y={-12} width={lane - 12} height={24} rx={6} />
              <text class="headtext" text-anchor="middle" dy="0.35em">
                {short(it.name, Math.floor(lane / 8))}
                <title>{it.name}</title>
              </text>
            </g>
          ))}
        </svg>
        <svg class="body" width={full} height={height} role="img" aria-label={`chart of ${steps.length + first} steps`}>
          <defs>
            <marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerUnits="userSpaceOnUse" markerWidth="11" markerHeight="10" orient="auto-start-reverse">
              <path d="M0 0.8 L10 5 L0 9.2 z" />
            </marker>
          </defs>
          {here ? (
            <rect class="here" x={0} width={full} y={y(here[0]) - ROW / 2} height={Math.max(1, here[1] - here[0]) * ROW} />
          ) : null}
          {shown.map((it) => (
            <line
              key={it.name}
              class="lifeline"
              x1={x(it.number)}
              x2={x(it.number)}
              y1={it.from === 0 ? 0 : y(it.from)}
              y2={it.to === null ? height - 8 : y(it.to)}
              style={`--hue:${hue(it.name, names)}`}
            />
          ))}
          {loop !== null && loop >= first + from ? <Loop from={y(rowsOf(loop + 1)[0])} to={y(arranged.rows.length - 1)} closes={run?.closes ?? true} /> : null}
          {part.map((step) => {
            const [low, high] = rowsOf(step.number);
            return (
              <g
                key={step.number}
                class={step.number > at ? "step beyond" : step.number === at ? "step now" : "step"}
                onClick={() => void jump(step.number)}
                role="option"
                aria-selected={step.number === at}
                aria-label={`step ${step.number}: ${step.text}`}
                data-step={step.number}
              >
                <title>{`${step.number}. ${step.text}`}</title>
                <rect class="hit" x={0} width={full} y={y(low) - ROW / 2} height={Math.max(1, high - low) * ROW} />
                {high > low ? (
                  <text class="number" x={LEFT - 24} y={y(low)} text-anchor="end" dy="0.35em">
                    {step.number}
                  </text>
                ) : null}
                {arranged.rows.slice(low, high).map((row, number) => (
                  <Mark key={number} row={row} x={x} y={y(low + number)} lane={lane} full={full} names={names} lifelines={arranged.lifelines} />
                ))}
              </g>
            );
          })}
          {arranged.arrows.map((arrow, number) => {
            const start = { x: x(arrow.from.lifeline), y: y(arrow.from.row) };
            const beyond = (arranged.rows[arrow.from.row]?.step ?? 0) > at;
            const label = short(arrow.label, 30);
            if (!arrow.to) {
              const lost = { x: start.x + 34, y: start.y };
              return (
                <g key={number} class={beyond ? "arrow lost beyond" : "arrow lost"}>
                  <line x1={start.x} y1={start.y} x2={lost.x} y2={lost.y} marker-end="url(#head)" />
                  <text x={lost.x + 5} y={lost.y} dy="0.35em">
                    {label}
                  </text>
                </g>
              );
            }
            const end = { x: x(arrow.to.lifeline), y: y(arrow.to.row) };
            return (
              <g key={number} class={beyond ? "arrow beyond" : "arrow"}>
                {start.x === end.x ? (
                  <path d={`M${start.x} ${start.y} C ${start.x + 50} ${start.y}, ${end.x + 50} ${end.y}, ${end.x + 3} ${end.y}`} marker-end="url(#head)" />
                ) : (
                  <line x1={start.x} y1={start.y} x2={end.x} y2={end.y} marker-end="url(#head)" />
                )}
                <text x={(start.x + end.x) / 2 + (start.x === end.x ? 44 : 0)} y={(start.y + end.y) / 2 - 9} text-anchor={start.x === end.x ? "start" : "middle"}>
                  {label}
                </text>
              </g>
            );
          })}
          {view.value?.ending.kind !== "open" && view.value?.ending.kind !== "fault" && at === steps.length + first && steps.length > 0 ? (
            <text class={view.value?.ending.error ? "end error" : "end"} x={LEFT} y={height - 12}>
              {short(view.value?.ending.text ?? "", 90)}
            </text>
          ) : null}
        </svg>
        {first + from > 0 ? (
          <button class="earlier" onClick={() => void jump(Math.max(1, first + from))}>
            {first + from} earlier steps are not drawn
          </button>
        ) : null}
        {steps.length === 0 ? <p class="empty">Fire a move: the chart grows with every step. A click in it takes every pane to that step.</p> : null}
      </div>
    </div>
  );
}

function Loop({ from, to, closes }: { from: number; to: number; closes: boolean }): JSX.Element {
  const left = 12;
  return (
    <g class="loop" role="img" aria-label="the steps beside this line are repeated for ever">
      <path d={`M26 ${to} H${left + 6} Q${left} ${to} ${left} ${to - 6} V${from + 6} Q${left} ${from} ${left + 6} ${from} H24`} marker-end="url(#head)" />
      <text transform={`translate(${left - 3} ${(from + to) / 2}) rotate(-90)`} text-anchor="middle">
        {closes ? "for ever" : "again and again"}
      </text>
    </g>
  );
}

function Mark({
  row, x, y, lane, full, names, lifelines,
}: {
  row: import("./chart-layout").Row;
  x: (lifeline: number) => number;
  y: number;
  lane: number;
  full: number;
  names: string[];
  lifelines: { name: string }[];
}): JSX.Element {
  const at = x(row.lifeline);
  const style = `--hue:${hue(lifelines[row.lifeline]?.name ?? "", names)}`;
  const letters = Math.floor(lane / 7.4);
  const text = short(row.values ? `${row.text}   ${row.values}` : row.text, letters);
  switch (row.kind) {
    case "local":
    case "output": {
      const width = Math.min(lane - 8, text.length * 6.7 + 16);
      return (
        <g class={row.kind === "output" ? "mark output" : row.values ? "mark local failed" : "mark local"} style={style}>
          <rect x={at - width / 2} y={y - 10} width={width} height={20} rx={5} />
          <text x={at} y={y} dy="0.35em" text-anchor="middle">
            {row.kind === "output" ? `“${text}”` : text}
          </text>
        </g>
      );
    }
    case "fault":
      return (
        <g class="mark fault" style={style}>
          <path d={`M${at - 6} ${y - 6} L${at + 6} ${y + 6} M${at + 6} ${y - 6} L${at - 6} ${y + 6}`} />
          <text x={at > full / 2 ? at - 12 : at + 12} y={y} dy="0.35em" text-anchor={at > full / 2 ? "end" : "start"}>
            {short(row.text, Math.floor((at > full / 2 ? at - 70 : full - at - 20) / 6.8))}
            <title>{row.text}</title>
          </text>
        </g>
      );
    case "hand over": {
      const other = x(row.other ?? row.lifeline);
      return (
        <g class="mark over" style={style}>
          <line x1={at} x2={other} y1={y + 4} y2={y + 4} marker-end="url(#head)" />
          <text x={(at + other) / 2} y={y - 1} text-anchor="middle">
            {short(row.text, letters + 8)}
          </text>
        </g>
      );
    }
    case "create": {
      const other = x(row.other ?? row.lifeline);
      return (
        <g class="mark create" style={style}>
          <line x1={at} x2={other} y1={y} y2={y} marker-end="url(#head)" />
          <text x={(at + other) / 2} y={y - 5} text-anchor="middle">
            run
          </text>
        </g>
      );
    }
    case "end":
      return (
        <g class="mark ends" style={style}>
          <path d={`M${at - 7} ${y} H${at + 7}`} />
        </g>
      );
    case "send":
    case "receive":
      return (
        <g class="mark dot" style={style}>
          <circle cx={at} cy={y} r={3.5} />
        </g>
      );
  }
}
