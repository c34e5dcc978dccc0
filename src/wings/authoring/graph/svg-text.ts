import type { Box } from './layout.js';
import { cutText } from './text.js';

/** Texts of an SVG: how large they are, and how they are written and cut. */

/** Pixels of a column: about the widest that such a font gives a letter on average. */
export const NAME = { size: 13, column: 8.2 };
export const SMALL = { size: 11, column: 6 };
/** Pixels from one line of small text to the next. */
export const LINE = 15;
/** Pixels around all that is drawn. */
export const MARGIN = 24;
/** Most columns of the words on a line. */
export const LABEL_COLUMNS = 28;

/** Rounds to a tenth of a pixel, so that the same picture has the same bytes. */
export const round = (value: number) => Math.round(value * 10) / 10;

/** Text as XML holds it; what XML cannot hold at all is gone (documents/foreign.ts cleans it). */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}

/** How a text looks, and how many columns it may take. */
export interface TextOptions {
  colours: string;
  columns: number;
  anchor?: 'start' | 'middle' | 'end';
  size?: number;
  bold?: boolean;
  /** Shows when one points at it, in place of the text. */
  whole?: string | undefined;
}

/** A text, cut; what is cut off shows when one points at it. */
export function renderText(
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
