import { eastAsianWidth } from 'get-east-asian-width';
import type { TerminalSize } from '../base/screen.js';

/** A part of the terminal that is redrawn in place. It changes no terminal mode, so none has to be restored. */
export interface RedrawnBlock {
  /** Returns the output that replaces the previous text with `text`. */
  draw(text: string): string;
  /** Returns the output that inserts a permanent line, of any length, above the text. */
  above(line: string): string;
  /** Returns the output that shows the last text in full; empty if the text was not cut. */
  rest(): string;
}

/**
 * Creates a block that has drawn nothing yet.
 * @param screen returns the terminal's size; called at every drawing, because a window may be resized
 */
export function createBlock(screen: () => TerminalSize): RedrawnBlock {
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

/** Cuts a line so that the terminal does not wrap it, which would make the number of drawn lines wrong. */
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
