/** What the server sends and takes: the schema of docs/explorer.md as types. The server is stateless about tabs: every request
 * names the position it is about, a node of the tree of history. */

/** A value of a state. */
export type Value =
  | { kind: "plain"; text: string }
  | { kind: "queue"; items: string[]; capacity: number | null }
  | { kind: "list"; items: Value[] }
  | { kind: "record"; fields: { name: string; value: Value }[] };

/** A thing that a state consists of. `before` is its value one step earlier, if that was another. */
export interface Part {
  owner: string;
  name: string;
  value: Value;
  before?: Value | null;
  changed: boolean;
}

export interface Place {
  file: string;
  line: number;
}

export interface Message {
  channel: string;
  values: string;
  kind: "sent" | "received" | "copied" | "handed over";
  receiver?: string;
}

export interface Operand {
  name: string;
  value: string;
}

/** One statement of a step. */
export interface Event {
  actor: string;
  text: string;
  place: Place | null;
  messages: Message[];
  output: string[];
  created: string[];
  ended: boolean;
  operands: Operand[];
}

/** A step of a run: it leads to `node`. */
export interface Step {
  node: number;
  number: number;
  text: string;
  events: Event[];
  fault: string | null;
}

export interface Move {
  number: number;
  text: string;
  place: Place | null;
  /** The node it leads to, if it was tried here before. */
  tried: number | null;
  /** What it would change, if it is a fault. */
  fault: string | null;
}

export interface Disabled {
  text: string;
  place: Place | null;
  why: string;
}

export interface Group {
  process: string;
  moves: Move[];
  disabled: Disabled[];
}

export interface Watch {
  text: string;
  value: string | null;
  before: string | null;
  wrong: string | null;
}

/** A proposition or subformula. */
export interface Truth {
  text: string;
  holds: boolean | null;
  before: boolean | null;
  why: string;
}

export interface Ending {
  kind: "open" | "deadlock" | "valid end" | "fault" | "invariant";
  text: string;
  error: boolean;
}

/** Where a process is. */
export interface Location {
  process: string;
  place: Place | null;
  /** Its automaton, and the location in it. */
  automaton: number | null;
  at: number | null;
}

/** A position: everything the panes show. */
export interface View {
  node: number;
  parent: number | null;
  length: number;
  /** The choices from the start, for the URL. */
  path: string;
  /** A name of the state: equal states have equal ones. */
  state: string;
  step: Step | null;
  parts: Part[];
  locations: Location[];
  groups: Group[];
  watches: Watch[];
  truths: Truth[];
  ending: Ending;
  /** The node on the way here with the same state, if there is one. */
  again: number | null;
}

/** A node of the tree of history. */
export interface TreeNode {
  node: number;
  parent: number | null;
  number: number;
  text: string;
  process: string;
  ending: Ending["kind"];
}

/** A run with a name: a counterexample, a trail. */
export interface Run {
  name: string;
  text: string;
  /** From the initial state to the last one. */
  nodes: number[];
  /** The step, from 0, with which a cycle begins. */
  loop: number | null;
  /** In the step before the loop closes again: whether the last state is the one where the loop begins. */
  closes: boolean;
  error: boolean;
}

export interface Source {
  file: string;
  text: string;
}

export interface Automaton {
  name: string;
  states: { id: number; label: string; line: number | null }[];
  edges: { from: number; to: number; text: string; line: number | null }[];
  initial: number;
}

export interface Picture {
  svg: string;
  expressions: string[];
}

export interface Compared {
  names: [string, string];
  relation: string;
  direction: "equivalence" | "preorder";
  relations: string[];
}

/** A model that can be walked. */
export interface Model {
  name: string;
  file: string;
  language: string;
  sources: Source[];
  processes: string[];
  properties: { name: string; text: string }[];
  /** Whether formulas of linear time can be asked about. */
  formulas: boolean;
  automata: Automaton[];
  picture: Picture | null;
  runs: Run[];
  /** Where to begin. */
  open: number;
  /** What a watch expression may look like, if there are any. */
  expressions: string | null;
}

export interface Info {
  schema: 1;
  elnath: string;
  models: Model[];
  compared: Compared | null;
}

export interface GraphNode {
  id: number;
  state: string;
  label: string;
  lines: string[];
  /** The choices that lead here from the position the graph was made for. */
  path: number[];
  explored: boolean;
  ending: Ending["kind"];
  initial: boolean;
  /** By process, what is to be merged by it. */
  keys: Record<string, string>;
  /** The node of the tree, if it has been there. */
  tree: number | null;
}

export interface GraphEdge {
  from: number;
  to: number;
  label: string;
  process: string;
  fault: boolean;
}

export interface Graph {
  centre: number;
  nodes: GraphNode[];
  edges: GraphEdge[];
  /** Whether it was cut off. */
  more: boolean;
}

/** What a job reports while it runs and when it is done. */
export interface Progress {
  states: number;
  transitions: number;
  depth: number;
  bytes: number;
  seconds: number;
  what: string;
}

export interface Verdict {
  name: string;
  kind: string;
  text: string;
  verdict: "holds" | "fails" | "unknown";
  summary: string;
  coverage: string;
  run: Run | null;
}

export interface CheckDone {
  verdicts: Verdict[];
  states: number;
  transitions: number;
  depth: number;
  seconds: number;
  stopped: boolean;
  messages: string[];
}

export interface Walk {
  levels: number[];
  actions: { text: string; process: string; level: number }[];
  states: number;
  transitions: number;
  done: boolean;
  why: string;
  seconds: number;
}

export interface GameMove {
  number: number;
  side: 0 | 1;
  label: string;
  text: string;
  /** What it needs of the other, in words. */
  note: string;
}

export interface GameRound {
  by: "attacker" | "defender";
  who: "you" | "elnath";
  text: string;
  states: [string, string];
}

export interface Game {
  id: number;
  relation: string;
  direction: "equivalence" | "preorder";
  attacker: "you" | "elnath";
  /** Who is to move; nobody if it is over. */
  turn: "you" | "elnath" | null;
  phase: "begin" | "attack" | "answer" | "dispute" | "over";
  names: [string, string];
  states: [string, string];
  parts: [Part[], Part[]];
  /** What may be done now. */
  moves: GameMove[];
  rounds: GameRound[];
  /** The formula that grows: what has been shown so far, with a hole. */
  formula: string;
  /** Who wins from here if both play well. */
  wins: "attacker" | "defender" | null;
  /** After how many rounds at most, if the attacker wins. */
  within: number | null;
  winner: "you" | "elnath" | null;
  why: string;
  /** The best move, for those who ask. */
  hint: number | null;
  strategy: string[];
}

export interface Failure {
  error: string;
  help?: string;
}
