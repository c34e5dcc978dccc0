import { eastAsianWidth } from 'get-east-asian-width';
import { toWholeLine } from '../../../documents/foreign.js';

/** Prepares a recipe's texts for pictures: each becomes one clean line, measured in terminal columns. */

/** A text that was cut within a word loses that word only if more than this fraction of the text then remains. */
const SHORTEST = 0.6;

const widthOf = (character: string) => eastAsianWidth(character.codePointAt(0) ?? 0);

/** Returns the number of columns that a text takes. */
export function measureLabelText(text: string): number {
  return [...text].reduce((sum, character) => sum + widthOf(character), 0);
}

/**
 * Returns a text as one line of at most `columns` columns, cut at a space if one is near the end.
 * @param sign appended if the text was cut
 */
export function cutText(text: string, columns: number, sign = '…'): string {
  const line = toWholeLine(text);
  if (measureLabelText(line) <= columns) return line;
  let kept = '';
  let width = sign.length;
  for (const character of line) {
    width += widthOf(character);
    if (width > columns) break;
    kept += character;
  }
  const blank = line[kept.length] === ' ' ? kept.length : kept.lastIndexOf(' ');
  // If the last space is far from the end, cutting there would lose too much text.
  const words = blank > kept.length * SHORTEST ? kept.slice(0, blank) : kept;
  return `${words.trimEnd()}${sign}`;
}

/** Pads a text with spaces to `columns` columns. */
export function padText(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - measureLabelText(text)));
}

/** Wraps a text at spaces into lines of at most `columns` columns; a longer word gets its own line. */
export function wrapText(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of toWholeLine(text)
    .split(' ')
    .filter((one) => one !== '')) {
    const line = lines.at(-1);
    const longer = line === undefined ? word : `${line} ${word}`;
    if (line !== undefined && measureLabelText(longer) <= columns) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
