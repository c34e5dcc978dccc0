import type { HaltRoute, LaneRoute, Layout } from './layout.js';
import { renderEnd } from './svg-nodes.js';
import { colour } from './svg-style.js';
import { LABEL_COLUMNS, renderText, round, SMALL } from './svg-text.js';
import { cutText, measureText } from './text.js';

/** The lines of an SVG: to what comes next, back, and to ends. */

export const DRAWN = ['next', 'back', 'halt'] as const;
export type Drawn = (typeof DRAWN)[number];

/** Renders the tip that all lines of a kind refer to. */
export function renderTip(kind: Drawn): string {
  return `<marker id="${kind}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path ${colour(`${kind}-tip`)} d="M0 0.5L8 4L0 7.5z"/></marker>`;
}

/** Renders a line along a path, with its tip. */
export function renderLine(kind: Drawn, path: string): string {
  return `<path ${colour(kind)} d="${path}" fill="none" stroke-width="1.6" marker-end="url(#${kind})"/>`;
}

/** Straight down, its label at the right. */
export function renderStep({ edge, from, to }: Layout['steps'][number], { left, right }: Layout): string {
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
export function renderLane({ edge, leaves, enters, x }: LaneRoute, { right }: Layout): string {
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
export function renderHalt({ edge, node, y }: HaltRoute, { left }: Layout): string {
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
