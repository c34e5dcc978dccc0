import type { GraphEdge, GraphNode, Mark, RecipeGraph } from './graph.js';
import { assignLanes, type Lane } from './lanes.js';
import { cutText, measureLabelText, padText, wrapText } from './text.js';

/** Default width of the picture in columns. Lanes, at the right, hold the edges that lead back; boxes have the rest. */
const COLUMNS = 80;
/** Bounds of the width: a narrower picture is unreadable, and a wider one has lines that are too long. */
const FEWEST = 40;
const MOST = 120;
/** Minimum columns that the lanes leave to a box. */
const BOX = 36;
const LANE = 3;
const MOST_LANES = 8;
const ENDS: readonly GraphNode['kind'][] = ['start', 'completed', 'halted'];

const WORDS: Readonly<Record<Mark, string>> = {
  done: '[done]',
  current: '[NOW]',
  failed: '[FAILED]',
  stale: '[stale]',
  skipped: '[skipped]',
};

/** ASCII for our own non-ASCII signs, so that every terminal and font shows them. */
const PLAIN: readonly (readonly [RegExp, string])[] = [
  [/≤ /g, 'up to '],
  [/(\d)×/g, '$1x'],
  [/›/g, '>'],
  [/…/g, '...'],
  [/[“”]/g, '"'],
];

function cut(text: string, columns: number): string {
  const plain = PLAIN.reduce((line, [sign, word]) => line.replace(sign, word), text);
  return cutText(plain, columns, '...');
}

/**
 * Renders a graph as text: boxes in a column, and lanes at their right for edges that lead back (graph.md, Formats).
 * @param columns the width of the terminal for which the picture is drawn
 */
export function renderAscii(graph: RecipeGraph, columns = COLUMNS): string {
  const all = Math.min(MOST, Math.max(FEWEST, columns));
  const spine = graph.nodes.filter(({ kind }) => kind !== 'halted');
  const lanes = assignLanes(graph, Math.min(MOST_LANES, Math.floor((all - 2 - BOX) / LANE)));
  const used = Math.max(0, ...lanes.map(({ column }) => column + 1));
  const width = all - 2 - used * LANE;
  const rows: Row[] = spine.flatMap((node, index) => {
    const group = node.group !== spine[index - 1]?.group ? graph.groups.find(({ id }) => id === node.group) : undefined;
    const leaves = node.group === undefined && spine[index - 1]?.group !== undefined;
    const label = graph.edges.find(
      ({ kind, to, from }) => kind === 'next' && to === node.id && from !== node.id,
    )?.label;
    return [
      ...(index === 0 ? [] : renderArrow(label ?? '', width)),
      ...(group === undefined ? [] : [{ text: cut(`== ${group.label} ==`, width) }]),
      ...(leaves ? [{ text: '== all of the run ==' }] : []),
      ...renderNode(node, graph.edges, width, (id) => graph.nodes.find((one) => one.id === id)?.name ?? id),
    ];
  });
  drawLanes(rows, lanes, width);
  const head = [
    cut(graph.name, all),
    ...(graph.run === undefined
      ? wrapText(graph.description, all).map((line) => cut(line, all))
      : [cut(`run ${graph.run.name}: ${graph.run.status}`, all)]),
  ];
  return `${[...head, '', ...rows.map(({ text }) => text.trimEnd())].join('\n')}\n`;
}

interface Row {
  text: string;
  /** The id of the node whose box begins here; lanes end at this line. */
  enters?: string;
  /** The edge that leaves from this line. */
  leaves?: GraphEdge;
}

function renderArrow(label: string, width: number): Row[] {
  const stem = ' '.repeat(4);
  return [{ text: `${stem}|${label === '' ? '' : ` ${cut(label, width - 8)}`}` }, { text: `${stem}v` }];
}

function renderNode(
  node: GraphNode,
  edges: readonly GraphEdge[],
  width: number,
  nameOf: (id: string) => string,
): Row[] {
  if (ENDS.includes(node.kind)) return [{ text: `   (${node.name})`, enters: node.id }];
  const inside = width - 4;
  const [side, rim] = node.optional ? [':', '.'] : ['|', '-'];
  const row = (text: string, more: Partial<Row> = {}): Row => ({
    text: `${side} ${padText(text, inside)} ${side}`,
    ...more,
  });
  const line = (text: string, more?: Partial<Row>) => row(cut(text, inside), more);
  const border = (): Row => ({ text: `+${rim.repeat(width - 2)}+` });
  const mark = node.mark === undefined ? '' : `${WORDS[node.mark]} `;
  const left = cut(`${mark}${node.kind === 'person' ? '(o) ' : ''}${node.name}`, inside - 2);
  const right = cut(node.note, Math.max(0, inside - measureLabelText(left) - 2));
  const own = edges.filter(({ from }) => from === node.id);
  return [
    border(),
    row(`${left}${' '.repeat(Math.max(1, inside - measureLabelText(left) - measureLabelText(right)))}${right}`, {
      enters: node.id,
    }),
    ...node.facts.map((fact) => line(fact)),
    ...own
      .filter(({ kind, implied }) => kind === 'back' || (kind === 'halt' && !implied))
      .map((edge) =>
        edge.kind === 'back'
          ? line(`${edge.label}: back to ${nameOf(edge.to)}`, { leaves: edge })
          : line(`${edge.label}: ${nameOf(edge.to)}`),
      ),
    border(),
  ];
}

/** Draws each lane from the line of text where it begins to the line where it ends. */
function drawLanes(rows: Row[], lanes: readonly Lane[], width: number): void {
  const canvas = rows.map(() => [] as string[]);
  const put = (row: number, column: number, character: string) => {
    const line = canvas[row];
    const present = line?.[column];
    if (line === undefined) return;
    // A vertical line overrides a horizontal one, and a corner overrides both.
    if (present === '+' || (present === '|' && character === '-')) return;
    line[column] = character;
  };
  for (const { edge, column } of lanes) {
    const from = rows.findIndex(({ leaves }) => leaves === edge);
    const to = rows.findIndex(({ enters }) => enters === edge.to);
    const lane = (column + 1) * LANE - 1;
    for (let at = 0; at < lane; at += 1) {
      put(from, at, '-');
      put(to, at, at === 0 ? '<' : '-');
    }
    for (let row = Math.min(from, to) + 1; row < Math.max(from, to); row += 1) put(row, lane, '|');
    put(from, lane, '+');
    put(to, lane, '+');
  }
  rows.forEach((row, index) => {
    const line = canvas[index] ?? [];
    const drawn = Array.from({ length: line.length }, (_, at) => line[at] ?? ' ').join('');
    if (drawn !== '') row.text = padText(row.text, width) + drawn;
  });
}
