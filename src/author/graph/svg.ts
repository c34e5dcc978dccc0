import type { Graph, GraphNode, Mark, NodeKind } from './graph.js';
import { type Box, type HaltRoute, type LaneRoute, type Layout, layOut, type Placed } from './layout.js';
import { colour, renderDarkStyle } from './svg-style.js';
import { cutText, measureText, wrapText } from './text.js';

/** Renders a graph as SVG, legible in light and dark surroundings and without styles (graph.md, SVG). */

const FONT =
  'ui-sans-serif,system-ui,-apple-system,&quot;Segoe UI&quot;,&quot;Noto Sans&quot;,Helvetica,Arial,sans-serif';

/** Pixels of a column: about the widest that such a font gives a letter on average. */
const NAME = { size: 13, column: 8.2 };
const SMALL = { size: 11, column: 6 };
const LINE = 15;
const WIDTH = 300;
const PADDING = 12;
const MARGIN = 24;
const COLUMNS = Math.floor((WIDTH - 2 * PADDING) / SMALL.column);
const END = 20;
const LABEL_COLUMNS = 28;

/**
 * @returns a document of its own, with a title, that names no outside resource
 */
export function renderSvg(graph: Graph): string {
  const layout = layOut(graph, {
    box: WIDTH,
    heightOf: (node) => (isEnd(node) ? END : 2 * PADDING + NAME.size + node.facts.length * LINE),
    widthOf: (label) => measureText(cutText(label, LABEL_COLUMNS)) * SMALL.column,
  });
  const legend = renderLegend(graph);
  const width = Math.ceil(Math.max(layout.width, legend.width, 420));
  const head = renderHead(graph, width);
  const height = Math.ceil(head.height + layout.height + legend.height);
  const body = [
    `<rect ${colour('paper')} width="${width}" height="${height}"/>`,
    head.text,
    `<g transform="translate(0 ${head.height})">`,
    ...layout.groups.map(({ what, box }) => renderGroup(what.label, box)),
    ...layout.steps.map((step) => renderStep(step, layout)),
    ...layout.lanes.map((lane) => renderLane(lane, layout)),
    ...layout.halts.map((halt) => renderHalt(halt, layout)),
    ...layout.nodes.map(renderNode),
    '</g>',
    `<g transform="translate(${MARGIN} ${round(head.height + layout.height)})">${legend.text}</g>`,
  ].join('\n');
  const tips = DRAWN.map(renderTip).join('');
  const title = escapeXml(cutText(graph.run === undefined ? graph.name : `${graph.name}, run ${graph.run.name}`, 200));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" font-family="${FONT}" font-size="${SMALL.size}">`,
    `<title>${title}</title>`,
    renderDarkStyle(tips + body),
    `<defs>${tips}</defs>`,
    body,
    '</svg>',
    '',
  ].join('\n');
}

const isEnd = ({ kind }: GraphNode) => kind === 'start' || kind === 'completed' || kind === 'halted';

const round = (value: number) => Math.round(value * 10) / 10;

/** Text as XML holds it; what XML cannot hold at all is gone (documents/foreign.ts cleans it). */
function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}

/** Something drawn, and how high it is. */
interface Part {
  text: string;
  height: number;
}

interface TextOptions {
  colours: string;
  columns: number;
  anchor?: 'start' | 'middle' | 'end';
  size?: number;
  bold?: boolean;
  /** Shows when one points at it, in place of the text. */
  whole?: string | undefined;
}

/** A text, cut; what is cut off shows when one points at it. */
function renderText(
  text: string,
  { x, y }: Pick<Box, 'x' | 'y'>,
  { colours, columns, anchor, size, bold, whole: said = text }: TextOptions,
): string {
  const shown = cutText(text, columns);
  const whole = cutText(said, Number.POSITIVE_INFINITY);
  const attributes = [
    `x="${round(x)}" y="${round(y)}"`,
    colours,
    ...(anchor === undefined ? [] : [`text-anchor="${anchor}"`]),
    ...(size === undefined ? [] : [`font-size="${size}"`]),
    ...(bold === true ? ['font-weight="600"'] : []),
  ].join(' ');
  const tip = shown === whole ? '' : `<title>${escapeXml(whole)}</title>`;
  return `<text ${attributes}>${tip}${escapeXml(shown)}</text>`;
}

function renderHead({ name, description, run }: Graph, width: number): Part {
  const columns = Math.floor((width - 2 * MARGIN) / SMALL.column);
  const lines = run === undefined ? wrapText(description, columns).slice(0, 3) : [`run ${run.name}: ${run.status}`];
  return {
    height: 52 + lines.length * LINE,
    text: [
      renderText(name, { x: MARGIN, y: 34 }, { colours: colour('ink'), columns: 36, size: 17, bold: true }),
      ...lines.map((line, index) =>
        renderText(line, { x: MARGIN, y: 54 + index * LINE }, { colours: colour('quiet'), columns }),
      ),
    ].join('\n'),
  };
}

function renderGroup(label: string, { x, y, width, height }: Box): string {
  return [
    `<rect ${colour('group', 'rim')} x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" rx="12" stroke-dasharray="2 4"/>`,
    renderText(label, { x: x + 14, y: y + 20 }, { colours: colour('quiet'), columns: 60 }),
  ].join('\n');
}

function renderNode({ what, box }: Placed<GraphNode>): string {
  return isEnd(what) ? renderEnd(what, box.x + box.width / 2, box.y + box.height / 2) : renderBox(what, box);
}

/** Ends are circles, each with a sign of its own beside its word. */
function renderEnd({ kind, name }: GraphNode, x: number, y: number): string {
  const circle = `<circle ${colour(kind === 'start' ? 'f-start' : 'box', `k-${kind}`)} cx="${round(x)}" cy="${round(y)}" r="9" stroke-width="2"/>`;
  const signs: Partial<Record<NodeKind, string>> = {
    completed: `<circle ${colour('f-completed')} cx="${round(x)}" cy="${round(y)}" r="4.5"/>`,
    halted: `<path ${colour('k-halted')} d="M${round(x - 3.5)} ${round(y - 3.5)}l7 7m0 -7l-7 7" stroke-width="2" fill="none"/>`,
  };
  const word =
    kind === 'halted'
      ? renderText(name, { x, y: y + 22 }, { colours: colour('f-halted'), columns: 20, anchor: 'middle' })
      : renderText(name, { x: x + 16, y: y + 4 }, { colours: colour(`f-${kind}`), columns: 20 });
  return `<g>${circle}${signs[kind] ?? ''}${word}</g>`;
}

function renderBox(node: GraphNode, { x, y, width, height }: Box): string {
  const [left, top] = [round(x), round(y)];
  const { kind, mark } = node;
  const rim = mark === undefined || mark === 'skipped' ? `k-${kind}` : `r-${mark}`;
  const strength = mark === undefined || mark === 'skipped' ? (kind === 'person' ? 2 : 1.3) : 2.5;
  const dashes = node.optional ? ' stroke-dasharray="6 4"' : '';
  const baseline = top + PADDING + NAME.size - 1;
  const icon = kind === 'person' ? renderPerson(left + PADDING, baseline) : '';
  const indent = kind === 'person' ? 18 : 0;
  const name = cutText(node.name, 26);
  const room = width - 2 * PADDING - indent - measureText(name) * NAME.column;
  const noteColumns = Math.max(6, Math.floor(room / SMALL.column) - 1);
  return [
    '<g>',
    `<rect ${colour('box', rim)} x="${left}" y="${top}" width="${width}" height="${height}" rx="${kind === 'person' ? 16 : 6}" stroke-width="${strength}"${dashes}/>`,
    ...(kind === 'person'
      ? []
      : [`<rect ${colour(`f-${kind}`)} x="${left}" y="${top + 8}" width="4" height="${height - 16}" rx="1.5"/>`]),
    icon,
    renderText(
      node.name,
      { x: left + PADDING + indent, y: baseline },
      { colours: colour('ink'), columns: 26, size: NAME.size, bold: true },
    ),
    renderText(
      node.note,
      { x: left + width - PADDING, y: baseline },
      { colours: colour(`f-${kind}`), columns: noteColumns, anchor: 'end' },
    ),
    ...node.facts.map((fact, index) =>
      renderText(
        fact,
        { x: left + PADDING, y: baseline + 3 + (index + 1) * LINE },
        { colours: colour('quiet'), columns: COLUMNS },
      ),
    ),
    ...(node.repeats ? [renderLoop(left + width, top + height - 18)] : []),
    ...(mark === undefined ? [] : [renderMark(mark, left + width, top)]),
    '</g>',
  ].join('');
}

/** A head above shoulders. */
function renderPerson(x: number, baseline: number): string {
  const middle = x + 6;
  return `<circle ${colour('f-person')} cx="${middle}" cy="${baseline - 9}" r="3.2"/><path ${colour('f-person')} d="M${middle - 6} ${baseline + 1.5}a6 6 0 0 1 12 0z"/>`;
}

/** An arrow from the right side of a box around to itself. */
function renderLoop(right: number, y: number): string {
  return `<path ${colour('back')} d="M${round(right)} ${round(y + 12)}c22 6 22 -24 2 -18" fill="none" stroke-width="1.6" marker-end="url(#back)"/>`;
}

const SIGNS: Readonly<Record<Mark, string>> = {
  done: '✓ done',
  current: '▶ now',
  failed: '✕ failed',
  stale: '↻ stale',
  skipped: '– skipped',
};

/** A word on the upper right corner, so that nobody has to tell colours apart. */
function renderMark(mark: Mark, right: number, top: number): string {
  const width = SIGNS[mark].length * 6.8 + 14;
  const left = right - width - 8;
  return [
    `<rect ${colour(`m-${mark}`)} x="${round(left)}" y="${round(top - 9)}" width="${round(width)}" height="17" rx="8.5"/>`,
    renderText(
      SIGNS[mark],
      { x: left + width / 2, y: top + 3.5 },
      { colours: colour('on-mark'), columns: 20, anchor: 'middle', bold: true },
    ),
  ].join('');
}

const DRAWN = ['next', 'back', 'halt'] as const;
type Drawn = (typeof DRAWN)[number];

function renderTip(kind: Drawn): string {
  return `<marker id="${kind}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path ${colour(`${kind}-tip`)} d="M0 0.5L8 4L0 7.5z"/></marker>`;
}

function renderLine(kind: Drawn, path: string): string {
  return `<path ${colour(kind)} d="${path}" fill="none" stroke-width="1.6" marker-end="url(#${kind})"/>`;
}

/** Straight down, its label at the right. */
function renderStep({ edge, from, to }: Layout['steps'][number], { left, right }: Layout): string {
  const x = round((left + right) / 2);
  const label =
    edge.label === ''
      ? ''
      : renderText(
          edge.label,
          { x: x + 9, y: (from + to) / 2 + 3 },
          { colours: colour('quiet'), columns: LABEL_COLUMNS, whole: edge.counted },
        );
  return renderLine('next', `M${x} ${round(from)}V${round(to - 1)}`) + label;
}

const BEND = 8;

/** Out to the right, along its lane, and back in; its label on the line that leaves. */
function renderLane({ edge, leaves, enters, x }: LaneRoute, { right }: Layout): string {
  const turn = leaves > enters ? -BEND : BEND;
  const path = [
    `M${right} ${round(leaves)}H${x - BEND}`,
    `q${BEND} 0 ${BEND} ${turn}`,
    `V${round(enters - turn)}`,
    `q0 ${turn} ${-BEND} ${turn}`,
    `H${right + 1}`,
  ].join('');
  const label = renderText(
    edge.label,
    { x: right + 8, y: leaves - 4 },
    { colours: colour('back-tip'), columns: LABEL_COLUMNS },
  );
  return renderLine('back', path) + label;
}

/** Out to the left, to an end of its own. */
function renderHalt({ edge, node, y }: HaltRoute, { left }: Layout): string {
  const end = left - 40 - measureText(cutText(edge.label, LABEL_COLUMNS)) * SMALL.column;
  return [
    renderLine('halt', `M${left} ${round(y)}H${round(end + 11)}`),
    renderText(
      edge.label,
      { x: left - 8, y: y - 5 },
      { colours: colour('halt-tip'), columns: LABEL_COLUMNS, anchor: 'end' },
    ),
    renderEnd(node, end, y),
  ].join('');
}

function renderLegend(graph: Graph): Part & { width: number } {
  const entries = listLegend(graph);
  const text = entries.map(({ sign, words }, index) => {
    const y = 20 + index * 18;
    return `<g transform="translate(0 ${y})">${sign}${renderText(words, { x: 34, y: 4 }, { colours: colour('quiet'), columns: 70 })}</g>`;
  });
  const columns = Math.max(0, ...entries.map(({ words }) => measureText(words)));
  return {
    text: text.join('\n'),
    width: 24 + 34 + columns * SMALL.column + 24,
    height: entries.length === 0 ? 8 : entries.length * 18 + 26,
  };
}

function listLegend({ nodes, edges, type }: Graph): { sign: string; words: string }[] {
  const line = (kind: Drawn) =>
    `<path ${colour(kind)} d="M0 0H22" fill="none" stroke-width="1.6" marker-end="url(#${kind})"/>`;
  const box = (attributes: string) => `<rect ${attributes} x="1" y="-6" width="22" height="12" rx="4"/>`;
  return [
    ...(nodes.some(({ kind }) => kind === 'person')
      ? [{ sign: `<g transform="translate(6 5)">${renderPerson(0, 0)}</g>`, words: 'a person answers' }]
      : []),
    ...(nodes.some(({ optional }) => optional)
      ? [
          {
            sign: box(`${colour('box', 'rim')} stroke-dasharray="5 3"`),
            words: 'left out unless its condition holds',
          },
        ]
      : []),
    ...(nodes.some(({ repeats }) => repeats) || edges.some(({ kind }) => kind === 'back')
      ? [{ sign: line('back'), words: 'leads back, at most as often as it says' }]
      : []),
    ...(edges.some(({ kind, implied }) => kind === 'halt' && implied)
      ? [
          {
            sign: `<g transform="translate(11 0)"><circle ${colour('box', 'k-halted')} r="6" stroke-width="1.6"/><path ${colour('k-halted')} d="M-2.5 -2.5l5 5m0 -5l-5 5" stroke-width="1.6"/></g>`,
            words:
              type === 'engine'
                ? 'what fails for good fails its todo'
                : `a ${type === 'meta' ? 'phase' : 'step'} that fails halts the run, where it says nothing else`,
          },
        ]
      : []),
  ];
}
