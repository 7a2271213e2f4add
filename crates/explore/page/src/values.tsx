/** Values of a state: queues are drawn as boxes, everything else is text. */
import type { JSX } from "preact";
import type { Value } from "./wire";

export function plain(value: Value): string {
  switch (value.kind) {
    case "plain":
      return value.text;
    case "queue":
      return `[${value.items.join(", ")}]`;
    case "list":
      return `[${value.items.map(plain).join(", ")}]`;
    case "record":
      return `{${value.fields.map((field) => `${field.name}: ${plain(field.value)}`).join(", ")}}`;
  }
}

/** So many messages of a queue are drawn; of a longer one the first and the last. */
const DRAWN = 14;

export function Queue({ items, capacity }: { items: string[]; capacity: number | null }): JSX.Element {
  const shown = items.length <= DRAWN ? items : [...items.slice(0, DRAWN - 2), null, items[items.length - 1] ?? ""];
  const free = capacity === null ? 0 : Math.min(capacity - items.length, Math.max(0, DRAWN - items.length));
  const label = `queue with ${items.length} of ${capacity ?? "any number of"} messages: ${items.join("; ") || "empty"}`;
  return (
    <span class="queue" role="img" aria-label={label} title={label}>
      {shown.map((item, at) =>
        item === null ? (
          <span key={at} class="box more">
            …{items.length - DRAWN + 1}
          </span>
        ) : (
          <span key={at} class={at === 0 ? "box first" : "box"}>
            {item}
          </span>
        ),
      )}
      {Array.from({ length: free }, (_, at) => (
        <span key={`free${at}`} class="box free" />
      ))}
      {capacity === null ? <span class="box open">∞</span> : null}
      {capacity !== null && capacity > 0 && items.length >= capacity ? <span class="full">full</span> : null}
    </span>
  );
}

export function Shown({ value }: { value: Value }): JSX.Element {
  switch (value.kind) {
    case "plain":
      return <span class="value">{value.text}</span>;
    case "queue":
      return <Queue items={value.items} capacity={value.capacity} />;
    case "list":
      return (
        <span class="value list">
          {value.items.map((item, at) => (
            <span key={at} class="item" title={`[${at}]`}>
              <Shown value={item} />
            </span>
          ))}
        </span>
      );
    case "record":
      return (
        <span class="value record">
          {value.fields.map((field) => (
            <span key={field.name} class="item">
              <i>{field.name}</i> <Shown value={field.value} />
            </span>
          ))}
        </span>
      );
  }
}

/** A colour for a process: the same in the chart, the graph and the moves. */
export function hue(name: string, names: string[]): number {
  const at = names.indexOf(name);
  if (at >= 0) return (210 + at * 137.5) % 360;
  let sum = 7;
  for (const letter of name) sum = (sum * 31 + letter.charCodeAt(0)) % 360;
  return sum;
}

export function short(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
