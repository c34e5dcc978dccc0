/**
 * A recipe as a picture shows it: plain data derived from its compiled machine, the same for every format (graph.md,
 * The graph).
 */

/** Who acts at a node, or which kind of end it is. */
export type NodeKind = 'start' | 'cli' | 'agent' | 'agents' | 'person' | 'engine' | 'recipe' | 'completed' | 'halted';

/** The state of a node in a run. */
export type Mark = 'done' | 'current' | 'failed' | 'stale' | 'skipped';

/** Labels of the marks with symbols, for formats that can display any character. */
export const MARK_SIGNS: Readonly<Record<Mark, string>> = {
  done: '✓ done',
  current: '▶ now',
  failed: '✕ failed',
  stale: '↻ stale',
  skipped: '– skipped',
};

/** A block, stage, phase or end. */
export interface GraphNode {
  /** Unique in the graph; made of letters, digits, `-`, `_` and `:`. */
  id: string;
  kind: NodeKind;
  /** The name that the recipe gives the block, stage or phase. */
  name: string;
  /** The type of the block or phase, or who acts at the node. */
  note: string;
  /** More facts, one line each: conditions, bounds, the effect of a failure. */
  facts: readonly string[];
  /** Whether a condition can skip the node. */
  optional: boolean;
  /** Whether the node repeats in place, round by round. */
  repeats: boolean;
  /** The id of the group that the node belongs to. */
  group?: string;
  mark?: Mark;
}

/**
 * Where an edge leads: `next` to the next node, `back` to an earlier one, `again` to the same one, `halt` to an
 * unsuccessful end of the run or of a todo.
 */
export type EdgeKind = 'next' | 'back' | 'again' | 'halt';

/** All transitions of one kind between two nodes. */
export interface GraphEdge {
  from: string;
  to: string;
  kind: EdgeKind;
  /** What has to happen, in a few words; empty if that is obvious. */
  label: string;
  /** The full list if the label only gives a number. */
  counted?: string;
  /** The transitions, by their names in coverage (authoring.md, Coverage). */
  ways: readonly string[];
  /**
   * True if only failures lead to this end; pictures then draw no line, because the node's facts say what a failure
   * does.
   */
  implied: boolean;
}

/** Nodes that belong together. */
interface GraphGroup {
  id: string;
  label: string;
}

/** A picture of a recipe. */
export interface RecipeGraph {
  name: string;
  type: 'sequential' | 'engine' | 'meta';
  description: string;
  /** In the order of the recipe; each unsuccessful end after the node that leads to it. */
  nodes: readonly GraphNode[];
  edges: readonly GraphEdge[];
  groups: readonly GraphGroup[];
  /** The run that the marks belong to. */
  run?: { name: string; status: string };
}

/** Builds a node, with defaults for the optional properties. */
export function buildNode(
  parts: Pick<GraphNode, 'id' | 'kind' | 'name' | 'note'> & Partial<Omit<GraphNode, 'id' | 'kind' | 'name' | 'note'>>,
): GraphNode {
  return { facts: [], optional: false, repeats: false, ...parts };
}

/** Builds an edge, with defaults for the optional properties. */
export function buildEdge(
  parts: Pick<GraphEdge, 'from' | 'to' | 'kind'> & Partial<Omit<GraphEdge, 'from' | 'to' | 'kind'>>,
): GraphEdge {
  return { label: '', ways: [], implied: false, ...parts };
}

/** The node where a run begins, and its successful end. */
export const START = buildNode({ id: 'start', kind: 'start', name: 'start', note: '' });
export const COMPLETED = buildNode({ id: 'completed', kind: 'completed', name: 'completed', note: '' });
