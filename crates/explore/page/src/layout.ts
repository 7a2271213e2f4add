/** Asks the worker where the nodes of a graph are. */
import { type Placed, recording } from "./server";
import type { Wanted } from "./layout-worker";

let worker: Worker | null = null;
let count = 0;
const waiting = new Map<number, (placed: Placed) => void>();

export function place(wanted: Omit<Wanted, "id">): Promise<Placed> {
  // A page that was saved has no second script: it brings the places along.
  if (recording) return recording.placed ? Promise.resolve(recording.placed) : Promise.reject(new Error("no layout was saved"));
  if (!worker) {
    worker = new Worker("/layout.js");
    worker.onmessage = (event: MessageEvent<{ id: number; placed: Placed }>) => {
      waiting.get(event.data.id)?.(event.data.placed);
      waiting.delete(event.data.id);
    };
  }
  count += 1;
  const id = count;
  return new Promise((resolve) => {
    waiting.set(id, resolve);
    worker?.postMessage({ ...wanted, id });
  });
}
