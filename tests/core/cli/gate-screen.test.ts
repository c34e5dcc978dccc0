import { eastAsianWidth } from 'get-east-asian-width';
import { describe, expect, it } from 'vitest';
import type { Decision } from '../../../src/base/decision.js';
import { createGateScreen } from '../../../src/cli/gate-screen.js';

// The facts of a decision on terminals of any width: no word is broken, and no foreign text can look like a line that
// dev-cli has written.

const COMMAND = '  "node --test --test-name-pattern three test/slug.test.js"';
const decision = (...lines: string[]): Decision => ({
  title: 'run-1 waits for you',
  sections: [{ heading: 'Question', lines }],
  answers: [{ id: 'mend', label: 'this is the bug; mend it' }],
  looks: [],
});

/** Shows a decision on a terminal that is `columns` wide. */
async function show(columns: number, shown: Decision): Promise<string[]> {
  let text = '';
  const write = (more: string) => {
    text += more;
    return true;
  };
  (await createGateScreen({ env: { TERM: 'dumb' }, columns, rows: 24, inWords: false, write })).show(shown);
  return text.split('\n');
}

const widthOf = (line: string) => [...line].reduce((sum, one) => sum + eastAsianWidth(one.codePointAt(0) ?? 0), 0);

describe('the screen of a gate', () => {
  it.each([20, 33, 80])('keeps to %i columns and breaks at blanks', async (columns) => {
    const lines = await show(
      columns,
      decision('Is this the bug, and may it be mended this way?', '標題 也 很 長 '.repeat(9)),
    );
    expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(columns);
    expect(lines.join(' ').split(/\s+/)).toEqual(expect.arrayContaining(['bug,', 'mended', 'this', 'way?']));
  });

  it('shows what goes on further in than its line', async () => {
    const lines = await show(30, decision(`${'x'.repeat(26)} A yes runs nothing.`, COMMAND));
    const at = lines.findIndex((line) => line.includes('A yes'));
    expect(lines[at]).toMatch(/^ {2}/);
    const command = lines.slice(lines.findIndex((line) => line.includes('"node')));
    expect(command.slice(0, 3).every((line) => line.startsWith('  '))).toBe(true);
    expect(command.slice(1, 3).every((line) => line.startsWith('    '))).toBe(true);
  });

  it('takes a list of the question for one, and no second sign', async () => {
    expect(await show(80, decision('May they run?', '- npm test', COMMAND))).toEqual(
      expect.arrayContaining(['- May they run?', '- npm test', COMMAND]),
    );
  });

  it('leaves lines whole where the width is not known', async () => {
    const long = 'word '.repeat(60).trim();
    expect(await show(0, decision(long))).toContain(`- ${long}`);
  });

  it('follows a window that is resized', async () => {
    let text = '';
    const terminal = {
      env: {},
      columns: 0,
      rows: 24,
      inWords: false,
      write: (more: string) => {
        text += more;
        return true;
      },
    };
    const screen = await createGateScreen(terminal);
    terminal.columns = 25;
    screen.show(decision('Is this the bug, and may it be mended?'));
    expect(text).toContain('- Is this the bug, and\n  may it be mended?');
  });
});
