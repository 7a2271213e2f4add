/** Message sequence charts: which row an event has, which send belongs to which receive. No drawing here. A receive is matched with
 * the oldest message of that channel with the same fields, which is right for queues, sorted sends and receives from the middle
 * alike, since messages with equal fields cannot be told apart. */
import type { Event, Step } from "./wire";

export interface Row {
  step: number;
  node: number;
  lifeline: number;
  kind: "local" | "send" | "receive" | "hand over" | "create" | "end" | "output" | "fault";
  text: string;
  /** For arrows inside one row, the other lifeline. */
  other?: number;
  /** What the statement read, if it failed. */
  values?: string;
}

export interface Arrow {
  label: string;
  from: { row: number; lifeline: number };
  to: { row: number; lifeline: number } | null;
}

export interface Arranged {
  lifelines: { name: string; from: number; to: number | null; idle: boolean }[];
  rows: Row[];
  arrows: Arrow[];
  /** By step, counted from the first one that was given, its first row; one more at the end. */
  rowOf: number[];
}

export interface Options {
  messages: boolean;
  idle: boolean;
  hidden: string[];
}

export function arrange(actors: string[], steps: Step[], options: Options, alone: string): Arranged {
  const lifelines: Arranged["lifelines"] = [];
  const number = new Map<string, number>();
  const add = (name: string, row: number): number => {
    const known = number.get(name);
    if (known !== undefined) return known;
    number.set(name, lifelines.length);
    lifelines.push({ name, from: row, to: null, idle: true });
    return lifelines.length - 1;
  };
  for (const actor of actors) add(actor, 0);
  const rows: Row[] = [];
  const arrows: Arrow[] = [];
  const rowOf: number[] = [];
  const pending: { channel: string; values: string; arrow: number }[] = [];
  const hidden = new Set(options.hidden);

  const event = (step: Step, it: Event): void => {
    const name = it.actor || alone;
    if (hidden.has(name)) {
      // What a hidden process sends still arrives: its arrows begin at the border.
      for (const message of it.messages) settle(message.channel, message.values, message.kind);
      return;
    }
    const lifeline = add(name, rows.length);
    const base = { step: step.number, node: step.node, lifeline };
    const values = it.operands.map((operand) => `${operand.name} = ${operand.value}`).join(", ");
    let drawn = false;
    const use = (line: number): void => {
      const found = lifelines[line];
      if (found) found.idle = false;
    };
    for (const message of it.messages) {
      const label = `${message.channel}(${message.values})`;
      drawn = true;
      use(lifeline);
      if (message.kind === "sent") {
        pending.push({ channel: message.channel, values: message.values, arrow: arrows.length });
        arrows.push({ label, from: { row: rows.length, lifeline }, to: null });
        rows.push({ ...base, kind: "send", text: it.text });
      } else if (message.kind === "handed over") {
        const other = hidden.has(message.receiver ?? "") ? lifeline : add(message.receiver ?? alone, 0);
        use(other);
        rows.push({ ...base, kind: "hand over", text: label, other });
      } else {
        const found = pending.findIndex((sent) => sent.channel === message.channel && sent.values === message.values);
        const sent = found >= 0 ? pending[found] : undefined;
        if (sent) {
          const arrow = arrows[sent.arrow];
          if (message.kind === "received") {
            if (arrow) arrow.to = { row: rows.length, lifeline };
            pending.splice(found, 1);
          }
        }
        rows.push({ ...base, kind: "receive", text: sent ? it.text : label });
      }
    }
    for (const text of it.output) {
      drawn = true;
      use(lifeline);
      rows.push({ ...base, kind: "output", text });
    }
    for (const created of it.created) {
      drawn = true;
      use(lifeline);
      const other = add(created, rows.length);
      const line = lifelines[other];
      if (line) line.from = rows.length;
      rows.push({ ...base, kind: "create", text: created, other });
    }
    if (!drawn && (!options.messages || values)) {
      use(lifeline);
      rows.push({ ...base, kind: "local", text: it.text, ...(values ? { values } : {}) });
    }
    if (it.ended) {
      const line = lifelines[lifeline];
      if (line) line.to = rows.length;
      if (!options.messages) rows.push({ ...base, kind: "end", text: "ends" });
    }
  };
  const settle = (channel: string, values: string, kind: string): void => {
    if (kind !== "received") return;
    const found = pending.findIndex((sent) => sent.channel === channel && sent.values === values);
    if (found >= 0) pending.splice(found, 1);
  };

  for (const step of steps) {
    rowOf.push(rows.length);
    const events: Event[] = step.events.length
      ? step.events
      : [{ actor: "", text: step.text, place: null, messages: [], output: [], created: [], ended: false, operands: [] }];
    for (const it of events) event(step, it);
    if (step.fault) {
      const name = events[events.length - 1]?.actor || alone;
      rows.push({ step: step.number, node: step.node, lifeline: add(name, rows.length), kind: "fault", text: step.fault });
      const line = lifelines[number.get(name) ?? 0];
      if (line) line.idle = false;
    }
  }
  rowOf.push(rows.length);
  return { lifelines, rows, arrows, rowOf };
}
