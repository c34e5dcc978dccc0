import type { RecipeGraph } from './graph.js';
import { type Box, type GraphLayout, type HaltRoute, type LaneRoute, layOutGraph } from './layout.js';
import { measureNode, renderEnd, renderNode, renderPerson, WIDTH } from './svg-nodes.js';
import { renderColours, renderDarkStyle } from './svg-style.js';
import { escapeXml, LABEL_COLUMNS, LINE, MARGIN, renderText, roundToTenth, SMALL } from './svg-text.js';
import { cutText, measureLabelText, wrapText } from './text.js';

/** Renders a graph as SVG, legible on light and dark backgrounds and without styles (graph.md, SVG). */

const FONT =
  'ui-sans-serif,system-ui,-apple-system,&quot;Segoe UI&quot;,&quot;Noto Sans&quot;,Helvetica,Arial,sans-serif';

/** @returns a standalone document, with a title, that refers to no outside resource */
export function renderSvg(graph: RecipeGraph): string {
  const layout = layOutGraph(graph, {
    box: WIDTH,
    heightOf: measureNode,
    widthOf: (label) => measureLabelText(cutText(label, LABEL_COLUMNS)) * SMALL.column,
  });
  const legend = renderLegend(graph);
  const width = Math.ceil(Math.max(layout.width, legend.width, 420));
  const head = renderHead(graph, width);
  const height = Math.ceil(head.height + layout.height + legend.height);
  const body = [
    `<rect ${renderColours('paper')} width="${width}" height="${height}"/>`,
    head.text,
    `<g transform="translate(0 ${head.height})">`,
    ...layout.groups.map(({ what, box }) => renderGroup(what.label, box)),
    ...layout.steps.map((step) => renderStep(step, layout)),
    ...layout.lanes.map((lane) => renderLane(lane, layout)),
    ...layout.halts.map((halt) => renderHalt(halt, layout)),
    ...layout.nodes.map(renderNode),
    '</g>',
    `<g transform="translate(${MARGIN} ${roundToTenth(head.height + layout.height)})">${legend.text}</g>`,
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

function renderHead({ name, description, run }: RecipeGraph, width: number): { text: string; height: number } {
  const columns = Math.floor((width - 2 * MARGIN) / SMALL.column);
  const lines = run === undefined ? wrapText(description, columns).slice(0, 3) : [`run ${run.name}: ${run.status}`];
  return {
    height: 52 + lines.length * LINE,
    text: [
      renderText(name, { x: MARGIN, y: 34 }, { colours: renderColours('ink'), columns: 36, size: 17, bold: true }),
      ...lines.map((line, index) =>
        renderText(line, { x: MARGIN, y: 54 + index * LINE }, { colours: renderColours('quiet'), columns }),
      ),
    ].join('\n'),
  };
}

function renderGroup(label: string, { x, y, width, height }: Box): string {
  return [
    `<rect ${renderColours('group', 'rim')} x="${roundToTenth(x)}" y="${roundToTenth(y)}" width="${roundToTenth(width)}" height="${roundToTenth(height)}" rx="12" stroke-dasharray="2 4"/>`,
    renderText(label, { x: x + 14, y: y + 20 }, { colours: renderColours('quiet'), columns: 60 }),
  ].join('\n');
}

/** The drawn legend, and its size. */
interface Legend {
  text: string;
  height: number;
  width: number;
}

/** Renders the signs that occur in a graph, each with its meaning. */
function renderLegend(graph: RecipeGraph): Legend {
  const entries = listLegend(graph);
  const text = entries.map(({ sign, words }, index) => {
    const y = 20 + index * 18;
    return `<g transform="translate(0 ${y})">${sign}${renderText(words, { x: 34, y: 4 }, { colours: renderColours('quiet'), columns: 70 })}</g>`;
  });
  const columns = Math.max(0, ...entries.map(({ words }) => measureLabelText(words)));
  return {
    text: text.join('\n'),
    width: 2 * MARGIN + 34 + columns * SMALL.column,
    height: entries.length === 0 ? 8 : entries.length * 18 + 26,
  };
}

function listLegend({ nodes, edges, type }: RecipeGraph): { sign: string; words: string }[] {
  const line = (kind: Drawn) => renderLine(kind, 'M0 0H22');
  const box = (attributes: string) => `<rect ${attributes} x="1" y="-6" width="22" height="12" rx="4"/>`;
  return [
    ...(nodes.some(({ kind }) => kind === 'person')
      ? [{ sign: `<g transform="translate(6 5)">${renderPerson(0, 0)}</g>`, words: 'a person answers' }]
      : []),
    ...(nodes.some(({ optional }) => optional)
      ? [
          {
            sign: box(`${renderColours('box', 'rim')} stroke-dasharray="5 3"`),
            words: 'skipped unless its condition is true',
          },
        ]
      : []),
    ...(nodes.some(({ repeats }) => repeats) || edges.some(({ kind }) => kind === 'back')
      ? [{ sign: line('back'), words: 'leads back, at most as often as stated' }]
      : []),
    ...(edges.some(({ kind, implied }) => kind === 'halt' && implied)
      ? [
          {
            sign: `<g transform="translate(11 0)"><circle ${renderColours('box', 'k-halted')} r="6" stroke-width="1.6"/><path ${renderColours('k-halted')} d="M-2.5 -2.5l5 5m0 -5l-5 5" stroke-width="1.6"/></g>`,
            words:
              type === 'engine'
                ? 'a permanent failure fails the todo'
                : `a ${type === 'meta' ? 'phase' : 'step'} that fails halts the run, unless it says otherwise`,
          },
        ]
      : []),
  ];
}

/** Kinds of lines: to the next node, back to an earlier one, and to an unsuccessful end. */
const DRAWN = ['next', 'back', 'halt'] as const;
type Drawn = (typeof DRAWN)[number];

/** Renders the arrowhead that all lines of a kind share. */
function renderTip(kind: Drawn): string {
  return `<marker id="${kind}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path ${renderColours(`${kind}-tip`)} d="M0 0.5L8 4L0 7.5z"/></marker>`;
}

/** Renders a line along a path, with its arrowhead. */
function renderLine(kind: Drawn, path: string): string {
  return `<path ${renderColours(kind)} d="${path}" fill="none" stroke-width="1.6" marker-end="url(#${kind})"/>`;
}

/** Draws a line straight down, with its label at the right. */
function renderStep({ edge, from, to }: GraphLayout['steps'][number], { left, right }: GraphLayout): string {
  const x = roundToTenth((left + right) / 2);
  const label =
    edge.label === ''
      ? ''
      : renderText(
          edge.label,
          { x: x + 9, y: (from + to) / 2 + 3 },
          { colours: renderColours('quiet'), columns: LABEL_COLUMNS, whole: edge.counted },
        );
  return renderLine('next', `M${x} ${roundToTenth(from)}V${roundToTenth(to - 1)}`) + label;
}

const BEND = 8;

/** Draws a line to the right, along its lane, and back to the boxes; the label is on the outgoing part. */
function renderLane({ edge, leaves, enters, x }: LaneRoute, { right }: GraphLayout): string {
  const turn = leaves > enters ? -BEND : BEND;
  const path = [
    `M${right} ${roundToTenth(leaves)}H${x - BEND}`,
    `q${BEND} 0 ${BEND} ${turn}`,
    `V${roundToTenth(enters - turn)}`,
    `q0 ${turn} ${-BEND} ${turn}`,
    `H${right + 1}`,
  ].join('');
  const label = renderText(
    edge.label,
    { x: right + 8, y: leaves - 4 },
    { colours: renderColours('back-tip'), columns: LABEL_COLUMNS },
  );
  return renderLine('back', path) + label;
}

/** Draws a line to the left, to a separate end. */
function renderHalt({ edge, node, y }: HaltRoute, { left }: GraphLayout): string {
  const end = left - 40 - measureLabelText(cutText(edge.label, LABEL_COLUMNS)) * SMALL.column;
  return [
    renderLine('halt', `M${left} ${roundToTenth(y)}H${roundToTenth(end + 11)}`),
    renderText(
      edge.label,
      { x: left - 8, y: y - 5 },
      { colours: renderColours('halt-tip'), columns: LABEL_COLUMNS, anchor: 'end' },
    ),
    renderEnd(node, end, y),
  ].join('');
}
