import type { Move } from './moves.js';
import type { KnownStanding } from './standings.js';
import type { Chosen, KnownWorld } from './world.js';

/** A state: where the machine rests, and what is known there. */
export interface Node {
  standing: KnownStanding;
  world: KnownWorld;
  /** The edge by which it was found first, on a shortest way; -1 for a beginning. */
  via: number;
  /** What chance chose before the first block. */
  begun: readonly Chosen[];
}

/** A transition. */
export interface Edge {
  from: number;
  to: number;
  move: Move;
  chosen: readonly Chosen[];
  /** How often it is taken: the rounds of a loop that leave one are taken together. */
  times: number;
}

/** All that can be reached. */
export interface Graph {
  nodes: Node[];
  edges: Edge[];
  /** How many nodes and edges the work itself reaches, without invalidates and what no script decides: the first ones. */
  work: { nodes: number; edges: number };
  /** Transitions, those too that states have in common and `edges` holds once. */
  transitions: number;
  /** Whether everything was explored; false at the limit of states. */
  whole: boolean;
}

/** Lists the edges that lead to a node on a shortest way. */
export function findWay({ nodes, edges }: Graph, node: number): Edge[] {
  const way: Edge[] = [];
  for (let at = nodes[node]; at !== undefined && at.via >= 0; ) {
    const edge = edges[at.via];
    if (edge === undefined) break;
    way.push(edge);
    at = nodes[edge.from];
  }
  return way.reverse();
}
