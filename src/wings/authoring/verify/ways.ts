import { BLOCK_KINDS } from '../../../machine/block-kinds.js';
import type { ExploredTransition, StateGraph } from './graph.js';
import type { ExplorationSubject } from './subject.js';

/** The edges of a graph, except those of `own` moves (see `Move.kind`), which can happen at any time. */
export interface Ways {
  /** By state: the numbers of the edges that leave it. */
  out: readonly (readonly number[])[];
  /** An edge that closes a cycle; null if there is none. */
  cycle: number | null;
}

/** Collects the edges of a graph without `own` moves, and searches them for a cycle. */
export function findWays(graph: StateGraph): Ways {
  const out = listOut(graph.nodes.length, graph.edges);
  return { out, cycle: findCycle(graph, out) };
}

/** Finds an edge that closes a cycle without `own` moves: such a loop has no bound. */
function findCycle({ nodes, edges }: StateGraph, out: Ways['out']): number | null {
  const state = new Uint8Array(nodes.length);
  for (let start = 0; start < nodes.length; start += 1) {
    if (state[start] !== 0) continue;
    const stack = [{ at: start, next: 0 }];
    state[start] = 1;
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const number = out[top.at]?.[top.next];
      top.next += 1;
      if (number === undefined) {
        state[top.at] = 2;
        stack.pop();
        continue;
      }
      const to = edges[number]?.to ?? 0;
      if (state[to] === 1) return number;
      if (state[to] === 0) {
        state[to] = 1;
        stack.push({ at: to, next: 0 });
      }
    }
  }
  return null;
}

/** Lists for each state the numbers of its edges without `own` moves. */
function listOut(nodes: number, edges: readonly ExploredTransition[]): number[][] {
  const out: number[][] = Array.from({ length: nodes }, () => []);
  for (const [number, { from, move }] of edges.entries()) if (move.kind !== 'own') out[from]?.push(number);
  return out;
}

/**
 * Counts the actions that the longest path hands to an agent or a person. Redone steps, rounds that fill in something
 * and rounds that the user grants do not count. Returns null if a loop has no bound.
 */
export function countMostActions(
  { recipe }: ExplorationSubject,
  { nodes, edges }: StateGraph,
  { out, cycle }: Ways,
): number | null {
  if (cycle !== null) return null;
  const most = new Array<number>(nodes.length).fill(-1);
  const isAsked = (at: number, edge: ExploredTransition | undefined) => {
    const { block } = nodes[at]?.standing.place ?? {};
    const kind = recipe.blocks[block ?? -1]?.kind;
    const by = kind && BLOCK_KINDS[kind].by;
    return by !== undefined && by !== 'cli' && by !== 'engine' && edge?.move.passed !== true;
  };
  for (let start = 0; start < nodes.length; start += 1) {
    const stack = [start];
    for (let at = stack.at(-1); at !== undefined; at = stack.at(-1)) {
      const ways = out[at] ?? [];
      const open = ways.map((number) => edges[number]?.to ?? 0).filter((to) => most[to] === -1);
      if (most[at] === -1 && open.length > 0) {
        stack.push(...open);
        continue;
      }
      stack.pop();
      if (most[at] !== -1) continue;
      most[at] = ways.reduce((longest, number) => {
        const edge = edges[number];
        return Math.max(longest, (most[edge?.to ?? 0] ?? 0) + (isAsked(at, edge) ? (edge?.times ?? 1) : 0));
      }, 0);
    }
  }
  return Math.max(0, ...most.slice(0, 1), ...nodes.flatMap(({ via }, at) => (via < 0 ? [most[at] ?? 0] : [])));
}
