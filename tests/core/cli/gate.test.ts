import { describe, expect, it } from 'vitest';
import type { Decision } from '../../../src/base/decision.js';
import { askForDecision, type GateScreen } from '../../../src/cli/gate.js';

// The dialogue at a gate (protocol.md, A person's word), with a simulated screen on which the test types.

const DECISION: Decision = {
  title: 'run-1 waits for you',
  sections: [{ heading: 'Question', lines: ['Shall it be?'] }],
  answers: [
    { id: 'approve', label: 'go' },
    { id: 'stop', label: 'no' },
  ],
  looks: [{ key: 'p', label: 'the plan', look: async () => '# Plan\u001b[2J\n' }],
};

/** Creates a screen on which these lines are typed; it records what was shown. */
function typing(...lines: string[]): GateScreen & { seen: string[]; wrong: string[] } {
  const [seen, wrong]: [string[], string[]] = [[], []];
  return {
    seen,
    wrong,
    show: ({ title }) => void seen.push(title),
    page: async (text) => void seen.push(text),
    async ask(question, check) {
      seen.push(question);
      for (;;) {
        const line = lines.shift();
        if (line === undefined) throw new Error('nothing more is typed');
        const fault = check(line);
        if (fault === undefined) return line;
        wrong.push(fault);
      }
    },
  };
}

describe('a decision at a terminal', () => {
  it('takes a number or an id', async () => {
    expect(await askForDecision(DECISION, typing('2'))).toBe('stop');
    expect(await askForDecision(DECISION, typing('approve'))).toBe('approve');
  });

  it('is left open by nothing', async () => {
    expect(await askForDecision(DECISION, typing(''))).toBeNull();
  });

  it.each(['0', '3', '-1', '1.0', 'yes', 'constructor', 'x', 'pp'])('asks again after %s', async (line) => {
    const screen = typing(line, '1');
    expect(await askForDecision(DECISION, screen)).toBe('approve');
    expect(screen.wrong).toEqual([expect.stringContaining('There is no such choice.')]);
  });

  it('shows what one wants to look at, without what a terminal would act on, and asks again', async () => {
    const screen = typing('P', '1');
    expect(await askForDecision(DECISION, screen)).toBe('approve');
    const question = 'Your choice (1 to 2; p: the plan; Enter alone: leave it open): ';
    expect(screen.seen).toEqual(['run-1 waits for you', question, '# Plan[2J\n', question]);
  });
});
