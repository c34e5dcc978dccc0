import { eastAsianWidth } from 'get-east-asian-width';
import type { Size } from '../base/screen.js';

/** A part of the screen that is redrawn in place. No mode of the terminal is changed, so none has to be restored. */
export interface RedrawnBlock {
  /** The output that puts `text` in the place of the text before. */
  draw(text: string): string;
  /** The output that puts a line above the text, where it stays; of any length. */
  above(line: string): string;
  /** The output that shows the last text whole; empty if it had room. */
  rest(): string;
}

/**
 * Creates a block that has drawn nothing yet.
 * @param screen called at every drawing, because a window may change its size
 */
export function createBlock(screen: () => Size): RedrawnBlock {
  let drawn = 0;
  let shown: readonly string[] = [];
  let whole: string[] = [];
  let left = 0;
  const over = (lines: readonly string[]): string => {
    const back = drawn === 0 ? '' : `\u001b[${drawn}A\r`;
    drawn = lines.length;
    shown = lines;
    return `${back}${lines.map((line) => `${line}\u001b[K\n`).join('')}\u001b[J`;
  };
  return {
    draw(text) {
      const { columns, rows } = screen();
      whole = text.split('\n').map((line) => fitLine(line, Math.max(20, columns - 1)));
      const room = Math.max(4, rows - 1);
      left = whole.length > room ? whole.length - room + 1 : 0;
      return over(left === 0 ? whole : [...whole.slice(0, room - 1), `… ${left} more lines`]);
    },
    above(line) {
      if (drawn === 0) return `${line}\n`;
      const kept = shown;
      const output = over([line, ...kept]);
      shown = kept;
      drawn = kept.length;
      return output;
    },
    rest() {
      return left === 0 ? '' : over(whole);
    },
  };
}

/** Cuts a line so that no terminal wraps it: the lines could not be counted back otherwise. */
function fitLine(line: string, columns: number): string {
  let width = 0;
  let kept = '';
  for (const character of line) {
    width += eastAsianWidth(character.codePointAt(0) ?? 0);
    if (width > columns) return kept;
    kept += character;
  }
  return kept;
}
