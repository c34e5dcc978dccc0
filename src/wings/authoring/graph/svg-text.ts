import type { Box } from './layout.js';
import { cutText } from './text.js';

/** Texts of an SVG: their sizes, and how they are rendered and cut. */

/** Font sizes, and pixels per column: roughly the average letter width of the widest font in use. */
export const NAME = { size: 13, column: 8.2 };
export const SMALL = { size: 11, column: 6 };
/** Line height of small text in pixels. */
export const LINE = 15;
/** Pixels around the picture. */
export const MARGIN = 24;
/** Maximum columns of an edge's label. */
export const LABEL_COLUMNS = 28;

/** Rounds to a tenth of a pixel, so that the same picture has the same bytes. */
export const roundToTenth = (value: number) => Math.round(value * 10) / 10;

/** Escapes text for XML; characters that XML cannot hold were removed before (documents/foreign.ts cleans it). */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}

/** The appearance of a text, and its maximum columns. */
export interface TextOptions {
  colours: string;
  columns: number;
  anchor?: 'start' | 'middle' | 'end';
  size?: number;
  bold?: boolean;
  /** The tooltip, if it differs from the text. */
  whole?: string | undefined;
}

/** Renders a text, cut to its maximum columns; if it was cut, a tooltip shows all of it. */
export function renderText(
  text: string,
  { x, y }: Pick<Box, 'x' | 'y'>,
  { colours, columns, anchor, size, bold, whole: said = text }: TextOptions,
): string {
  const shown = cutText(text, columns);
  const whole = cutText(said, Number.POSITIVE_INFINITY);
  const attributes = [
    `x="${roundToTenth(x)}" y="${roundToTenth(y)}"`,
    colours,
    ...(anchor === undefined ? [] : [`text-anchor="${anchor}"`]),
    ...(size === undefined ? [] : [`font-size="${size}"`]),
    ...(bold === true ? ['font-weight="600"'] : []),
  ].join(' ');
  const tip = shown === whole ? '' : `<title>${escapeXml(whole)}</title>`;
  return `<text ${attributes}>${tip}${escapeXml(shown)}</text>`;
}
