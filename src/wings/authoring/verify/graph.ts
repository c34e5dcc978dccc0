import type { Move } from './moves.js';
import type { KnownPlace } from './standings.js';
import type { Chosen, KnownWorld } from './world.js';

/** A state: where the machine rests, and what is known there. */
export interface ExploredState {
  standing: KnownPlace;
  world: KnownWorld;
  /** The edge by which the state was first found, the last one of a shortest path; -1 for an initial state. */
  via: number;
  /** For an initial state: the values that were chosen before the first block. */
  begun: readonly Chosen[];
}

/** A transition. */
export interface ExploredTransition {
  from: number;
  to: number;
  move: Move;
  chosen: readonly Chosen[];
  /** How often it is taken in a row: once, unless it stands for all rounds of a loop before the last. */
  times: number;
}

/** All states and transitions that an exploration has reached. */
export interface StateGraph {
  nodes: ExploredState[];
  edges: ExploredTransition[];
  /**
   * How many nodes and edges `work` moves alone reach (see `Move.kind`), without redone blocks and results that no
   * script decides. They come first in `nodes` and `edges`.
   */
  work: { nodes: number; edges: number };
  /** Number of transitions, including those that several states share and `edges` stores only once. */
  transitions: number;
  /** Whether everything was explored; false if the limit of states was reached. */
  whole: boolean;
}

/** Lists the edges of a shortest path to a node. */
export function findWay({ nodes, edges }: StateGraph, node: number): ExploredTransition[] {
  const way: ExploredTransition[] = [];
  for (let at = nodes[node]; at !== undefined && at.via >= 0; ) {
    const edge = edges[at.via];
    if (edge === undefined) break;
    way.push(edge);
    at = nodes[edge.from];
  }
  return way.reverse();
}
