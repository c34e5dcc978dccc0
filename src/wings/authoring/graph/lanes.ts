import type { Graph, GraphEdge } from './graph.js';

/** An edge that leads back, beside the column of boxes. */
export interface Lane {
  edge: GraphEdge;
  /** From 0, the innermost. */
  column: number;
}

/**
 * Gives each edge that leads back the innermost column in which no other one is beside it, short ones first, so that few lines
 * cross.
 * @param most columns there are; an edge for which none is left has no lane
 */
export function assignLanes({ nodes, edges }: Graph, most: number): Lane[] {
  const order = new Map(nodes.map(({ id }, index) => [id, index]));
  const reach = ({ from, to }: GraphEdge) => {
    const [a = 0, b = 0] = [order.get(from), order.get(to)];
    return { top: Math.min(a, b), bottom: Math.max(a, b) };
  };
  const back = edges.filter(({ kind }) => kind === 'back').map((edge) => ({ edge, ...reach(edge) }));
  const taken: { column: number; top: number; bottom: number }[] = [];
  return back
    .toSorted((a, b) => a.bottom - a.top - (b.bottom - b.top))
    .flatMap(({ edge, top, bottom }) => {
      const beside = taken.filter((other) => other.top <= bottom && top <= other.bottom);
      const columns = new Set(beside.map(({ column }) => column));
      const column = Array.from({ length: most }, (_, index) => index).find((index) => !columns.has(index));
      if (column === undefined) return [];
      taken.push({ column, top, bottom });
      return [{ edge, column }];
    });
}
