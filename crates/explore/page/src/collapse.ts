/** Smaller pictures of a graph: states merged by what one process sees, by the steps with one label, or by what they can do
 * (strong bisimulation of the part that is drawn; a state that is not explored is a class of its own). */
import type { Graph, GraphNode } from "./wire";

export interface Drawn {
  nodes: { id: number; members: GraphNode[]; label: string }[];
  edges: { from: number; to: number; label: string; process: string; fault: boolean; count: number }[];
}

export type By = { kind: "none" } | { kind: "process"; name: string } | { kind: "label"; name: string } | { kind: "class" };

export function collapse(graph: Graph, by: By): Drawn {
  const of = classes(graph, by);
  const number = new Map<number | string, number>();
  const nodes: Drawn["nodes"] = [];
  graph.nodes.forEach((node, at) => {
    const key = of[at] ?? at;
    let found = number.get(key);
    if (found === undefined) {
      found = nodes.length;
      number.set(key, found);
      nodes.push({ id: found, members: [], label: by.kind === "process" ? (node.keys[by.name] ?? node.label) : node.label });
    }
    nodes[found]?.members.push(node);
  });
  const place = new Map(graph.nodes.map((node, at) => [node.id, number.get(of[at] ?? at) ?? 0]));
  const edges = new Map<string, Drawn["edges"][number]>();
  for (const edge of graph.edges) {
    const from = place.get(edge.from) ?? 0;
    const to = place.get(edge.to) ?? 0;
    if (from === to && by.kind === "label" && edge.label === by.name) continue;
    if (from === to && by.kind === "process" && edge.process !== by.name) continue;
    const key = `${from} ${to} ${edge.label}`;
    const known = edges.get(key);
    if (known) known.count += 1;
    else edges.set(key, { from, to, label: edge.label, process: edge.process, fault: edge.fault, count: 1 });
  }
  return { nodes, edges: [...edges.values()] };
}

function classes(graph: Graph, by: By): (number | string)[] {
  switch (by.kind) {
    case "none":
      return graph.nodes.map((_, at) => at);
    case "process":
      return graph.nodes.map((node) => node.keys[by.name] ?? "");
    case "label": {
      const place = new Map(graph.nodes.map((node, at) => [node.id, at]));
      const up = graph.nodes.map((_, at) => at);
      const find = (at: number): number => {
        let root = at;
        while ((up[root] ?? root) !== root) root = up[root] ?? root;
        return root;
      };
      for (const edge of graph.edges) {
        if (edge.label === by.name) up[find(place.get(edge.to) ?? 0)] = find(place.get(edge.from) ?? 0);
      }
      return graph.nodes.map((_, at) => find(at));
    }
    case "class": {
      const place = new Map(graph.nodes.map((node, at) => [node.id, at]));
      const out: { label: string; to: number }[][] = graph.nodes.map(() => []);
      for (const edge of graph.edges) out[place.get(edge.from) ?? 0]?.push({ label: edge.label, to: place.get(edge.to) ?? 0 });
      let of: number[] = graph.nodes.map((node, at) => (node.explored ? 0 : at + 1));
      for (let count = 0; ; ) {
        const numbers = new Map<string, number>();
        const next = graph.nodes.map((node, at) => {
          const steps = [...new Set((out[at] ?? []).map((edge) => `${edge.label}→${of[edge.to]}`))].sort().join("|");
          const signature = `${node.explored ? "" : at}#${of[at]}#${steps}`;
          const known = numbers.get(signature);
          if (known !== undefined) return known;
          numbers.set(signature, numbers.size);
          return numbers.size - 1;
        });
        of = next;
        if (numbers.size === count) return of;
        count = numbers.size;
      }
    }
  }
}
