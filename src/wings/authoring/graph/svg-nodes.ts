import { type GraphNode, MARK_SIGNS, type Mark, type NodeKind } from './graph.js';
import type { Box, Positioned } from './layout.js';
import { renderColours } from './svg-style.js';
import { LINE, NAME, renderText, roundToTenth, SMALL } from './svg-text.js';
import { cutText, measureLabelText, wrapText } from './text.js';

/** Draws the boxes and ends of an SVG. */

/** Width of a box in pixels. */
export const WIDTH = 300;
const PADDING = 12;
const END = 20;
const COLUMNS = Math.floor((WIDTH - 2 * PADDING) / SMALL.column);

/** Returns the height of a node. */
export function measureNode(node: GraphNode): number {
  return isEnd(node) ? END : 2 * PADDING + NAME.size + listLines(node).length * LINE;
}

const isEnd = ({ kind }: GraphNode) => kind === 'start' || kind === 'completed' || kind === 'halted';

/** Renders a node at its position: an end as a circle, anything else as a box. */
export function renderNode({ what, box }: Positioned<GraphNode>): string {
  return isEnd(what) ? renderEnd(what, box.x + box.width / 2, box.y + box.height / 2) : renderBox(what, box);
}

/** Renders an end: a circle with its own sign, beside its word. */
export function renderEnd({ kind, name }: GraphNode, x: number, y: number): string {
  const circle = `<circle ${renderColours(kind === 'start' ? 'f-start' : 'box', `k-${kind}`)} cx="${roundToTenth(x)}" cy="${roundToTenth(y)}" r="9" stroke-width="2"/>`;
  const signs: Partial<Record<NodeKind, string>> = {
    completed: `<circle ${renderColours('f-completed')} cx="${roundToTenth(x)}" cy="${roundToTenth(y)}" r="4.5"/>`,
    halted: `<path ${renderColours('k-halted')} d="M${roundToTenth(x - 3.5)} ${roundToTenth(y - 3.5)}l7 7m0 -7l-7 7" stroke-width="2" fill="none"/>`,
  };
  const word =
    kind === 'halted'
      ? renderText(name, { x, y: y + 22 }, { colours: renderColours('f-halted'), columns: 20, anchor: 'middle' })
      : renderText(name, { x: x + 16, y: y + 4 }, { colours: renderColours(`f-${kind}`), columns: 20 });
  return `<g>${circle}${signs[kind] ?? ''}${word}</g>`;
}

/** Breaks a node's facts into lines. A fact that fills two lines gets two; any other gets one, cut if too long. */
function listLines({ facts }: GraphNode): string[] {
  return facts.flatMap((fact) => {
    const lines = wrapText(fact, COLUMNS);
    return lines.length === 2 && lines.every((line) => measureLabelText(line) <= COLUMNS) ? lines : [fact];
  });
}

function renderBox(node: GraphNode, { x, y, width, height }: Box): string {
  const [left, top] = [roundToTenth(x), roundToTenth(y)];
  const { kind, mark } = node;
  const rim = mark === undefined || mark === 'skipped' ? `k-${kind}` : `r-${mark}`;
  const strength = mark === undefined || mark === 'skipped' ? (kind === 'person' ? 2 : 1.3) : 2.5;
  const dashes = node.optional ? ' stroke-dasharray="6 4"' : '';
  const baseline = top + PADDING + NAME.size - 1;
  const icon = kind === 'person' ? renderPerson(left + PADDING, baseline) : '';
  const indent = kind === 'person' ? 18 : 0;
  const name = cutText(node.name, 26);
  const room = width - 2 * PADDING - indent - measureLabelText(name) * NAME.column;
  const noteColumns = Math.max(6, Math.floor(room / SMALL.column) - 1);
  return [
    '<g>',
    `<rect ${renderColours('box', rim)} x="${left}" y="${top}" width="${width}" height="${height}" rx="${kind === 'person' ? 16 : 6}" stroke-width="${strength}"${dashes}/>`,
    ...(kind === 'person'
      ? []
      : [
          `<rect ${renderColours(`f-${kind}`)} x="${left}" y="${top + 8}" width="4" height="${height - 16}" rx="1.5"/>`,
        ]),
    icon,
    renderText(
      node.name,
      { x: left + PADDING + indent, y: baseline },
      { colours: renderColours('ink'), columns: 26, size: NAME.size, bold: true },
    ),
    renderText(
      node.note,
      { x: left + width - PADDING, y: baseline },
      { colours: renderColours(`f-${kind}`), columns: noteColumns, anchor: 'end' },
    ),
    ...listLines(node).map((line, index) =>
      renderText(
        line,
        { x: left + PADDING, y: baseline + 3 + (index + 1) * LINE },
        { colours: renderColours('quiet'), columns: COLUMNS },
      ),
    ),
    ...(node.repeats ? [renderLoop(left + width, top + height - 18)] : []),
    ...(mark === undefined ? [] : [renderMark(mark, left + width, top)]),
    '</g>',
  ].join('');
}

/** Draws the sign of a person: a head above shoulders. */
export function renderPerson(x: number, baseline: number): string {
  const middle = x + 6;
  return `<circle ${renderColours('f-person')} cx="${middle}" cy="${baseline - 9}" r="3.2"/><path ${renderColours('f-person')} d="M${middle - 6} ${baseline + 1.5}a6 6 0 0 1 12 0z"/>`;
}

/** Draws an arrow from the right side of a box back to itself. */
function renderLoop(right: number, y: number): string {
  return `<path ${renderColours('back')} d="M${roundToTenth(right)} ${roundToTenth(y + 12)}c22 6 22 -24 2 -18" fill="none" stroke-width="1.6" marker-end="url(#back)"/>`;
}

/** Writes the mark as a word on the upper right corner, so that nobody has to rely on colours. */
function renderMark(mark: Mark, right: number, top: number): string {
  const width = MARK_SIGNS[mark].length * 6.8 + 14;
  const left = right - width - 8;
  return [
    `<rect ${renderColours(`m-${mark}`)} x="${roundToTenth(left)}" y="${roundToTenth(top - 9)}" width="${roundToTenth(width)}" height="17" rx="8.5"/>`,
    renderText(
      MARK_SIGNS[mark],
      { x: left + width / 2, y: top + 3.5 },
      { colours: renderColours('on-mark'), columns: 20, anchor: 'middle', bold: true },
    ),
  ].join('');
}
