import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBlock } from '../../../src/cli/block.js';

/** Simulates the parts of a terminal that createBlock uses: a cursor, wrapped lines, and two ways to erase. */
function terminal(columns: number) {
  const lines: string[] = [''];
  let row = 0;
  let written = '';
  const put = (character: string): void => {
    if (written.length >= columns) newline();
    written += character;
    lines[row] = written;
  };
  const newline = (): void => {
    row += 1;
    written = '';
    if (row === lines.length) lines.push('');
  };
  return {
    lines,
    write(text: string): void {
      for (const [piece] of text.matchAll(/\u001b\[\d*[A-Z]|.|\n/gu)) {
        if (piece.startsWith('\u001b')) {
          if (piece.endsWith('A')) row = Math.max(0, row - Number(piece.slice(2, -1)));
          else {
            lines[row] = written;
            if (piece.endsWith('J')) lines.splice(row + 1);
          }
        } else if (piece === '\n') newline();
        else if (piece === '\r') written = '';
        else put(piece);
      }
    },
  };
}

describe('a block on a terminal', () => {
  const line = fc.string({ maxLength: 30 }).map((text) => text.replace(/[^ -~]/g, '.'));
  const text = fc.array(line, { minLength: 1, maxLength: 12 }).map((lines) => lines.join('\n'));

  it('keeps the lines put above it, of whatever length, and stands below them', () => {
    const columns = 40;
    fc.assert(
      fc.property(
        fc.array(fc.tuple(text, fc.array(line, { maxLength: 3 })), { minLength: 1, maxLength: 5 }),
        (steps) => {
          const screen = terminal(columns);
          const block = createBlock(() => ({ columns, rows: 50 }));
          const long = 'x'.repeat(columns + 5);
          for (const [one, above] of steps) {
            screen.write(block.draw(one));
            for (const notice of [...above, long]) screen.write(block.above(notice));
          }
          const notices = steps.flatMap(([, above]) => [...above, 'x'.repeat(columns), 'x'.repeat(5)]);
          expect(screen.lines).toEqual([...notices, ...(steps.at(-1)?.[0].split('\n') ?? []), '']);
        },
      ),
    );
  });

  it('stands where the one before stood, whatever their lengths', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 6 }), (texts) => {
        const screen = terminal(40);
        const block = createBlock(() => ({ columns: 40, rows: 50 }));
        for (const one of texts) screen.write(block.draw(one));
        expect(screen.lines.join('\n')).toBe(`${texts.at(-1)}\n`);
        expect(block.rest()).toBe('');
      }),
    );
  });

  it('leaves out what has no room, and gives it at the end', () => {
    const screen = terminal(30);
    const block = createBlock(() => ({ columns: 30, rows: 6 }));
    const lines = Array.from({ length: 20 }, (_, n) => `line ${n} ${'x'.repeat(60)}`);
    screen.write(block.draw('short'));
    screen.write(block.draw(lines.join('\n')));
    expect(screen.lines).toHaveLength(6);
    expect(screen.lines[4]).toBe('… 16 more lines');
    expect(screen.lines[0]).toBe(lines[0]?.slice(0, 29));
    screen.write(block.rest());
    expect(screen.lines).toEqual([...lines.map((one) => one.slice(0, 29)), '']);
  });

  it('counts what takes two columns as two', () => {
    const block = createBlock(() => ({ columns: 21, rows: 6 }));
    expect(block.draw('語'.repeat(30))).toContain(`${'語'.repeat(10)}\u001b[K`);
  });
});
