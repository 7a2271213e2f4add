/** Layered drawing, in a worker, so that a graph of 300 states never keeps a click waiting. */
import * as dagre from "@dagrejs/dagre";
import type { Placed } from "./server";

export interface Wanted {
  id: number;
  nodes: { width: number; height: number }[];
  edges: { from: number; to: number; width: number }[];
  down: boolean;
}

self.onmessage = (event: MessageEvent<Wanted>): void => {
  const { id, nodes, edges, down } = event.data;
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: down ? "TB" : "LR", nodesep: nodes.length > 40 ? 8 : 18, ranksep: nodes.length > 40 ? 46 : 40, edgesep: 10, marginx: 14, marginy: 14 });
  nodes.forEach((node, at) => graph.setNode(String(at), { ...node }));
  // Nodes come in the order of their distance, and layers follow it: an edge back to an earlier one is laid out the other way round.
  const ends = edges.map((edge) => (edge.from > edge.to ? [edge.to, edge.from] : [edge.from, edge.to]).map(String) as [string, string]);
  edges.forEach((edge, at) =>
    graph.setEdge(ends[at]?.[0] ?? "", ends[at]?.[1] ?? "", { width: edge.width, height: edge.width > 0 ? 14 : 0, labelpos: "c" }, String(at)),
  );
  dagre.layout(graph);
  const size = graph.graph() as { width?: number; height?: number };
  const placed: Placed = {
    width: size.width ?? 100,
    height: size.height ?? 100,
    nodes: nodes.map((_, at) => {
      const node = graph.node(String(at)) as { x: number; y: number; width: number; height: number };
      return { x: node.x, y: node.y, width: node.width, height: node.height };
    }),
    edges: edges.map((edge, at) => {
      const found = graph.edge({ v: ends[at]?.[0] ?? "", w: ends[at]?.[1] ?? "", name: String(at) }) as { points: { x: number; y: number }[] };
      const points = found.points.map((point) => ({ x: point.x, y: point.y }));
      return { points: edge.from > edge.to ? points.reverse() : points };
    }),
  };
  (self as unknown as { postMessage(message: unknown): void }).postMessage({ id, placed });
};
