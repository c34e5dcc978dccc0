import type { GraphEdge, RecipeGraph } from './graph.js';

/** The lane of an edge that leads back, beside the column of boxes. */
export interface Lane {
  edge: GraphEdge;
  /** The number of the lane; 0 is the innermost, next to the boxes. */
  column: number;
}

/**
 * Assigns each edge that leads back the innermost column without an overlapping edge, short edges first, so that few
 * lines cross.
 * @param most the maximum number of columns; an edge that fits into none of them gets no lane
 */
export function assignLanes({ nodes, edges }: RecipeGraph, most: number): Lane[] {
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
