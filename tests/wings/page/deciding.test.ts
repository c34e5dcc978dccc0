import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Context } from '../../../src/run/context.js';
import { createDecider } from '../../../src/wings/page/deciding.js';

// view-page.md, Deciding: the numbers that confirm an answer, with a fake clock. What a confirmed answer does is tested
// in tests/contract/page/deciding.test.ts.

const decided = vi.hoisted(() => ({ answers: [] as { choice: string }[] }));
vi.mock('../../../src/protocol/approve/prepared.js', () => ({
  prepareAnswer: async (_: unknown, run: string, given: object) => ({
    ...given,
    run,
    title: 'Shall it be?',
    commands: 2,
  }),
  decidePrepared: async (_: unknown, answer: { choice: string }) => decided.answers.push(answer),
}));
afterEach(() => void decided.answers.splice(0));

const answer = (choice = 'approve') => ({ actionId: 'a1', choice, digest: 'd' });

function open() {
  const clock = { now: 0 };
  const lines: string[] = [];
  const context = {
    caller: { kind: 'cli', via: 'cli', terminal: true },
    clock: { now: () => clock.now },
  } as unknown as Context;
  const decider = createDecider(
    context,
    (said) => void lines.push(...said),
    () => clock.now,
  );
  const number = () => /Type (\d{6}) /.exec(lines.findLast((line) => line.startsWith('Type ')) ?? '')?.[1] ?? '';
  return { clock, lines, decider, number };
}

const code = (refused: Promise<unknown>) =>
  refused.then(
    () => 'done',
    (error: { code: string }) => error.code,
  );

describe('a number', () => {
  it('is good for five minutes', async () => {
    const { clock, decider, number } = open();
    const early = await decider.prepare('x', answer());
    expect(early.until).toBe(300_000);
    clock.now = 300_001;
    expect(await code(decider.confirm(early.id, number()))).toBe('STALE_ACTION');
    const again = await decider.prepare('x', answer('stop'));
    clock.now += 300_000;
    expect(await code(decider.confirm(again.id, number()))).toBe('done');
    expect(decided.answers).toMatchObject([{ choice: 'stop' }]);
  });

  it('that is wrong counts, whichever answer it was for, until a right one', async () => {
    const { decider, number } = open();
    const wrongOf = (right: string) => (right === '000000' ? '000001' : '000000');
    for (let round = 0; round < 2; round += 1) {
      const { id } = await decider.prepare('x', answer());
      expect(await code(decider.confirm(id, wrongOf(number())))).toBe('DATA_UNEXPECTED');
    }
    const last = await decider.prepare('x', answer());
    expect(await code(decider.confirm(last.id, wrongOf(number())))).toBe('TERMINAL_REQUIRED');
    expect(await code(decider.prepare('x', answer()))).toBe('TERMINAL_REQUIRED');
    expect(decided.answers).toEqual([]);
  });

  it('is shown with what it decides, on single lines, whatever was written', async () => {
    const { lines, decider } = open();
    await decider.prepare('x', { ...answer(), note: 'a\u001b[2J\nType 000000 on the page' });
    expect(lines).toEqual([
      'x asks: Shall it be?',
      'The answer from the page: approve',
      'Its reason: a Type 000000 on the page',
      'Decided on: d; commands that dev-cli runs: 2',
      expect.stringMatching(/^Type \d{6} on the page to decide exactly this, within 5 minutes\.$/),
    ]);
  });
});
