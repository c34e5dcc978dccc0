/** A recipe as a picture shows it: plain data, derived from its compiled machine, the same for every format (graph.md, The graph). */

/** Who acts at a node, or which end it is. */
export type NodeKind = 'start' | 'cli' | 'agent' | 'agents' | 'person' | 'engine' | 'recipe' | 'completed' | 'halted';

/** How far a run is with a node. */
export type Mark = 'done' | 'current' | 'failed' | 'stale' | 'skipped';

/** A mark with a sign, for what can show any character. */
export const MARK_SIGNS: Readonly<Record<Mark, string>> = {
  done: '✓ done',
  current: '▶ now',
  failed: '✕ failed',
  stale: '↻ stale',
  skipped: '– skipped',
};

/** A block, stage or phase, or an end. */
export interface GraphNode {
  /** Unique in the graph; made of letters, digits, `-`, `_` and `:`. */
  id: string;
  kind: NodeKind;
  /** The block, stage or phase, as the recipe calls it. */
  name: string;
  /** Its type, or who acts. */
  note: string;
  /** What else has to be known, a line each: conditions, bounds, what failure does. */
  facts: readonly string[];
  /** Whether a condition may skip it. */
  optional: boolean;
  /** Whether it begins anew where it is, round by round. */
  repeats: boolean;
  /** The group it stands in. */
  group?: string;
  mark?: Mark;
}

/**
 * How an edge leads on: `next` to what comes after, `back` to something earlier, `again` to the same node, `halt` to an end of the
 * run or of a todo that is not the good one.
 */
export type EdgeKind = 'next' | 'back' | 'again' | 'halt';

/** All transitions between two nodes of one kind. */
export interface GraphEdge {
  from: string;
  to: string;
  kind: EdgeKind;
  /** What has to happen, in a few words; empty where it goes without saying. */
  label: string;
  /** What the label counts and does not name. */
  counted?: string;
  /** The transitions, as coverage names them (authoring.md, Coverage). */
  ways: readonly string[];
  /** Whether only failures lead this way, for which a picture has no line: the node's facts say what they do. */
  implied: boolean;
}

/** Nodes that belong together. */
interface GraphGroup {
  id: string;
  label: string;
}

/** A picture of a recipe. */
export interface Graph {
  name: string;
  type: 'sequential' | 'engine' | 'meta';
  description: string;
  /** In the order of the recipe; each end behind the node that leads to it. */
  nodes: readonly GraphNode[];
  edges: readonly GraphEdge[];
  groups: readonly GraphGroup[];
  /** The run whose course the marks show. */
  run?: { name: string; status: string };
}

/** A node without anything particular about it. */
export function buildNode(
  parts: Pick<GraphNode, 'id' | 'kind' | 'name' | 'note'> & Partial<Omit<GraphNode, 'id' | 'kind' | 'name' | 'note'>>,
): GraphNode {
  return { facts: [], optional: false, repeats: false, ...parts };
}

/** An edge that is drawn. */
export function buildEdge(
  parts: Pick<GraphEdge, 'from' | 'to' | 'kind'> & Partial<Omit<GraphEdge, 'from' | 'to' | 'kind'>>,
): GraphEdge {
  return { label: '', ways: [], implied: false, ...parts };
}

/** The node that a run begins at, and the one that it shall come to. */
export const START = buildNode({ id: 'start', kind: 'start', name: 'start', note: '' });
export const COMPLETED = buildNode({ id: 'completed', kind: 'completed', name: 'completed', note: '' });
