import type { GraphEdge, GraphNode, RecipeGraph } from './graph.js';
import { assignLanes } from './lanes.js';

/**
 * Computes positions in a picture. A recipe is a chain with edges that lead back: its boxes form one column. To its
 * left are the unsuccessful ends, to its right the edges that lead back, each in its own lane. A general layout
 * library would not keep the column straight.
 */

/** A rectangle by its upper left corner, in pixels. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A node or group with its position. */
export interface Positioned<T> {
  what: T;
  box: Box;
}

/**
 * An edge back: leaves a box at the height `leaves`, runs vertically at `x`, and enters a box at the height `enters`.
 */
export interface LaneRoute {
  edge: GraphEdge;
  leaves: number;
  enters: number;
  x: number;
}

/** An end to the left of the box that leads to it. */
export interface HaltRoute {
  edge: GraphEdge;
  node: GraphNode;
  y: number;
}

/** A picture, laid out. */
export interface GraphLayout {
  width: number;
  height: number;
  /** Left and right side of the column of boxes. */
  left: number;
  right: number;
  nodes: readonly Positioned<GraphNode>[];
  /** Edges to the next node, with the heights where they begin and end. */
  steps: readonly { edge: GraphEdge; from: number; to: number }[];
  lanes: readonly LaneRoute[];
  halts: readonly HaltRoute[];
  groups: readonly Positioned<RecipeGraph['groups'][number]>[];
}

/** The sizes of texts and boxes that a layout is computed from. */
export interface Sizes {
  /** The width of boxes. */
  box: number;
  heightOf: (node: GraphNode) => number;
  widthOf: (label: string) => number;
}

const MARGIN = 24;
const GAP = 36;
const GROUP = { side: 16, top: 30, bottom: 14 };
const LANE = 22;
/** Distance between the edges back that leave the same box; equal to the line height of the box's text. */
const PORT = 15;
const FIRST_PORT = 30;
const LAST_PORT = 7;
/** Where an edge back enters a box; the labels of edges that leave the same box keep clear of that line. */
const ENTRY = 16;
const PORT_BELOW_ENTRY = ENTRY + 22;
const HALT = 84;

/** Lays out a graph. */
export function layOutGraph(graph: RecipeGraph, { box, heightOf, widthOf }: Sizes): GraphLayout {
  const column = graph.nodes.filter(({ kind }) => kind !== 'halted');
  const drawn = graph.edges.filter(({ implied }) => !implied);
  const back = drawn.filter(({ kind }) => kind === 'back');
  const halting = drawn.filter(({ kind }) => kind === 'halt');
  const leftOf = (edges: readonly GraphEdge[]) => Math.max(0, ...edges.map(({ label }) => widthOf(label)));
  const indent = graph.groups.length > 0 ? GROUP.side : 0;
  const left = MARGIN + indent + (halting.length === 0 ? 0 : HALT + leftOf(halting));
  const right = left + box;
  const lanes = assignLanes(graph, back.length);
  // Innermost lane first, so that edges to outer lanes leave below the others and do not cross them.
  const ports = (id: string) => lanes.filter(({ edge }) => edge.from === id).sort((a, b) => a.column - b.column);
  const firstPort = (id: string) => (lanes.some(({ edge }) => edge.to === id) ? PORT_BELOW_ENTRY : FIRST_PORT);

  const nodes: Positioned<GraphNode>[] = [];
  let y = MARGIN / 2;
  for (const [index, node] of column.entries()) {
    const before = column[index - 1];
    if (index > 0) y += GAP;
    if (node.group !== before?.group)
      y += (before?.group === undefined ? 0 : GROUP.bottom) + (node.group === undefined ? 0 : GROUP.top);
    const count = ports(node.id).length;
    const height = Math.max(heightOf(node), count === 0 ? 0 : firstPort(node.id) + (count - 1) * PORT + LAST_PORT);
    nodes.push({ what: node, box: { x: left, y, width: box, height } });
    y += height;
  }

  const boxes = new Map(nodes.map(({ what, box: at }) => [what.id, at]));
  const at = (id: string): Box => boxes.get(id) ?? { x: left, y: 0, width: box, height: 0 };
  const beside = right + 18 + leftOf(back);
  const routes = lanes.map(
    (lane): LaneRoute => ({
      edge: lane.edge,
      leaves: at(lane.edge.from).y + firstPort(lane.edge.from) + ports(lane.edge.from).indexOf(lane) * PORT,
      enters: at(lane.edge.to).y + ENTRY,
      x: beside + LANE * lane.column,
    }),
  );
  return {
    width: Math.max(right + MARGIN + indent, ...routes.map(({ x }) => x + MARGIN)),
    height: y + MARGIN / 2,
    left,
    right,
    nodes,
    steps: drawn
      .filter(({ kind }) => kind === 'next')
      .map((edge) => ({ edge, from: at(edge.from).y + at(edge.from).height, to: at(edge.to).y })),
    lanes: routes,
    halts: halting.flatMap((edge) => {
      const node = graph.nodes.find(({ id }) => id === edge.to);
      return node === undefined ? [] : [{ edge, node, y: at(edge.from).y + at(edge.from).height / 2 }];
    }),
    groups: graph.groups.map((what) => {
      const own = nodes.filter((one) => one.what.group === what.id).map((one) => one.box);
      return { what, box: frame(own, lanes.length === 0 ? right + GROUP.side : beside - 8) };
    }),
  };
}

/** Computes the frame of a group around its boxes, from the margin to `right`. */
function frame(boxes: readonly Box[], right: number): Box {
  const top = Math.min(...boxes.map(({ y }) => y)) - GROUP.top;
  const bottom = Math.max(...boxes.map(({ y, height }) => y + height)) + GROUP.bottom;
  return { x: MARGIN, y: top, width: right - MARGIN, height: bottom - top };
}
