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
  graph.setGraph({ rankdir: down ? "TB" : "LR", nodesep: 18, ranksep: 44, edgesep: 10, marginx: 14, marginy: 14 });
  nodes.forEach((node, at) => graph.setNode(String(at), { ...node }));
  edges.forEach((edge, at) =>
    graph.setEdge(String(edge.from), String(edge.to), { width: edge.width, height: 14, labelpos: "c" }, String(at)),
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
      const found = graph.edge({ v: String(edge.from), w: String(edge.to), name: String(at) }) as { points: { x: number; y: number }[] };
      return { points: found.points.map((point) => ({ x: point.x, y: point.y })) };
    }),
  };
  (self as unknown as { postMessage(message: unknown): void }).postMessage({ id, placed });
};
