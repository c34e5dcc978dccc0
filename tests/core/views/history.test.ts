import { describe, expect, it } from 'vitest';
import { showHistory } from '../../../src/protocol/questions/history.js';
import type { Entry } from '../../../src/store/store.js';
import { createHistoryBuilder } from '../../../src/views/history.js';
import type { ActionItem, HistoryItem, RunHistory } from '../../../src/views/history-items.js';

/** storage.md, History: the history is built from entries alone, without the snapshot. */

const AGENT = { kind: 'agent', via: 'cli', harness: 'some-harness', session: 's1' } as const;
const HUMAN = { kind: 'human', via: 'cli' } as const;

/** Creates entries one second apart, all of one run unless their data says otherwise. */
function entries(...facts: (Partial<Entry> & { type: string })[]): Entry[] {
  return facts.map((fact, i) => ({
    v: 3,
    seq: i + 1,
    at: new Date(Date.UTC(2026, 0, 1) + i * 1000).toISOString(),
    by: AGENT,
    patch: [],
    files: [],
    crc: '',
    ...fact,
    data: { runId: 'r1', ...fact.data },
  }));
}

function told(all: Entry[]): RunHistory[] {
  const historian = createHistoryBuilder();
  for (const entry of all) historian.take(entry);
  return historian.runs();
}

function itemsOf(all: Entry[]): HistoryItem[] {
  return told(all).flatMap(({ items }) => items);
}

/** Creates a context whose store has one run with these entries. */
function contextOf(all: Entry[]): Parameters<typeof showHistory>[0] {
  const store = {
    read: async () => ({ snapshot: {} }),
    scan: async (_: string, __: object, visit: (entry: Entry) => boolean) => ({ torn: !all.every(visit) }),
  };
  return { store, clock: { now: () => 0 } } as unknown as Parameters<typeof showHistory>[0];
}

const INIT = {
  type: 'init',
  data: { recipe: 'r', recipeHash: 'h', goal: 'g', mode: {}, cliVersion: '1' },
};
const issued = (actionId: string, block = 'b', more: object = {}) => ({
  type: 'issued',
  data: { actionId, block, action: 'llm', cause: 'enter', round: 1, ...more },
});

describe('an action', () => {
  it('is told once, from its issue to who acknowledged it and on what', () => {
    const [action] = itemsOf(
      entries(
        INIT,
        { ...issued('a1'), patch: [{ op: 'add', path: '', value: { agents: { x: { output: 'f.md' } } } }] },
        {
          type: 'acknowledged',
          by: HUMAN,
          data: { actionId: 'a1', block: 'b', choice: 'yes', note: 'fine', digest: 'd', evidence: { 'f.md': 'd' } },
          files: [{ path: 'f.md', before: 'd', after: 'd' }],
          patch: [
            { op: 'add', path: '/agents/x/verdict', value: 'OKAY' },
            { op: 'replace', path: '/somewhere/else', value: 1 },
          ],
        },
      ),
    );
    expect(action).toEqual({
      kind: 'action',
      seq: 2,
      at: '2026-01-01T00:00:01.000Z',
      actionId: 'a1',
      block: 'b',
      action: 'llm',
      cause: 'enter',
      round: 1,
      result: 'done',
      endSeq: 3,
      endAt: '2026-01-01T00:00:02.000Z',
      seconds: 1,
      by: HUMAN,
      choice: 'yes',
      note: 'fine',
      digest: 'd',
      document: 'f.md',
      evidence: [{ path: 'f.md', sha256: 'd', agent: 'x', verdict: 'OKAY' }],
      refused: [],
      without: [],
    });
  });

  it('keeps what was refused, who was given up, and the rounds that did not pass', () => {
    const [first, second] = itemsOf(
      entries(
        INIT,
        issued('a1'),
        { type: 'accepted', data: { actionId: 'a1', block: 'b', evidence: { 'f.md': 'd' }, selfReported: ['z'] } },
        { type: 'sources-refused', data: { actionId: 'a1', paths: ['src/x'] } },
        { type: 'given-up', data: { actionId: 'a1', block: 'b', agents: ['y'], reason: 'no tests' } },
        { type: 'round', data: { actionId: 'a1', block: 'b', round: 1, saved: ['s'], missing: ['m'] } },
        issued('a2', 'b', { cause: 'round', round: 2 }),
      ),
    ) as [ActionItem, ActionItem];
    expect(first).toMatchObject({ result: 'not passed', saved: ['s'], missing: ['m'], seconds: 4 });
    expect(first.refused).toMatchObject([
      { evidence: [{ path: 'f.md' }], selfReported: ['z'] },
      { sources: ['src/x'] },
    ]);
    expect(first.without).toEqual([{ agents: ['y'], reason: 'no tests', by: AGENT }]);
    expect(second).toMatchObject({ result: 'pending', round: 2, cause: 'round', by: null });
  });

  it('takes the verdict of a round from the round: its agents may have been sent out again in the same commit', () => {
    const round = { block: 'b', round: 1, agent: 'x', verdict: 'REJECT', summary: 'thin', output: '1.md' };
    const [, action] = itemsOf(
      entries(
        { ...INIT, patch: [{ op: 'add', path: '', value: { reviews: [], agents: { x: { output: '1.md' } } } }] },
        issued('a0', 'z'),
        issued('a1'),
        {
          type: 'round',
          more: true,
          data: { actionId: 'a1', block: 'b', round: 1, saved: [], missing: [], evidence: { '1.md': 'd' } },
        },
        {
          ...issued('a2'),
          patch: [
            { op: 'add', path: '/reviews/0', value: round },
            { op: 'replace', path: '/agents/x', value: { output: '2.md' } },
          ],
        },
      ),
    );
    expect(action).toMatchObject({ evidence: [{ path: '1.md', agent: 'x', verdict: 'REJECT', summary: 'thin' }] });
  });

  it('shows a command with its exit and its log, done or failed', () => {
    const finished = (exit: number, key: string) => ({
      type: 'command-finished',
      data: { key, block: 'b', argv: ['npm', 'test'], exit, outcome: `exit ${exit}`, log: 'l' },
    });
    const items = itemsOf(entries(INIT, issued('a1'), finished(1, 'r1:a1'), issued('a2'), finished(0, 'r1:a2')));
    expect(items.map((item) => item.kind === 'action' && [item.result, item.command?.exit])).toEqual([
      ['failed', 1],
      ['done', 0],
    ]);
  });

  it('that something else made void was overtaken', () => {
    const items = itemsOf(
      entries(INIT, issued('a1'), { type: 'invalidated', data: { block: 'b', stale: ['b', 'c'] } }, issued('a2'), {
        type: 'ended',
        data: { outcome: 'aborted', reason: 'why' },
      }),
    );
    expect(items.map((item) => (item.kind === 'action' ? item.result : item.kind))).toEqual([
      'dropped',
      'invalidated',
      'dropped',
      'ended',
    ]);
  });
});

describe('the runs of a journal', () => {
  it('are told apart, also when one is ended in the commit that begins the next', () => {
    const runs = told(
      entries(
        INIT,
        issued('a1'),
        { type: 'ended', more: true, data: { outcome: 'aborted', reason: 'forced' } },
        { ...INIT, more: true, data: { ...INIT.data, runId: 'r2' } },
        { ...issued('a2'), data: { ...issued('a2').data, runId: 'r2' } },
      ),
    );
    expect(runs).toMatchObject([
      { runId: 'r1', status: 'aborted', first: 1, last: 3 },
      { runId: 'r2', status: 'live', first: 4, last: 5, items: [{ actionId: 'a2' }] },
    ]);
  });

  it('tell each warning once, and what a newer version wrote as it is', () => {
    const items = itemsOf(
      entries(
        { ...INIT, patch: [{ op: 'add', path: '', value: { warnings: [] } }] },
        { ...issued('a1'), patch: [{ op: 'add', path: '/warnings/0', value: 'careful' }] },
        { type: 'from-the-future', data: { block: 'b' } },
      ),
    );
    expect(items.slice(1)).toMatchObject([
      { kind: 'warning', text: 'careful' },
      { kind: 'other', type: 'from-the-future', block: 'b' },
    ]);
  });

  it('reopen a run that had ended', () => {
    const [run] = told(entries(INIT, issued('a1'), { type: 'ended', data: { outcome: 'halted' } }, issued('a2')));
    expect(run?.status).toBe('live');
  });
});

describe('entries that are intact and still none of ours', () => {
  const whole = { op: 'add', path: '', value: { agents: { x: { output: 'f.md' } }, warnings: [], reviews: [] } };
  const good = entries(
    { ...INIT, patch: [whole] },
    issued('a1'),
    { type: 'accepted', data: { actionId: 'a1', block: 'b', evidence: { 'f.md': 'd' } } },
    { type: 'acknowledged', data: { actionId: 'a1', block: 'b', choice: 'yes', evidence: { 'f.md': 'd' } } },
    { type: 'ended', data: { outcome: 'completed' } },
  );
  const VALUES = [null, 7, 'x', [], {}, [null], { a: 1 }];
  const TYPES = [
    'init',
    'round',
    'command-finished',
    'given-up',
    'human',
    'recovered',
    'invalidated',
    '__proto__',
    'constructor',
  ];
  const PATCHES = [
    [null],
    [{}],
    [{ op: 'add' }],
    [{ op: 'remove', path: '/agents/none/x' }],
    [{ op: 'replace', path: '/agents', value: 7 }],
    [{ op: 'add', path: '', value: [] }],
    [{ op: 'add', path: '/agents/__proto__/x', value: 1 }],
    [{ op: 'move', from: '/x', path: '/agents/y' }],
    [{ op: 'test', path: '/agents', value: 1 }],
  ] as Entry['patch'][];
  const changes: ((entry: Entry) => Entry[])[] = [
    ({ data, ...entry }) =>
      ['runId', ...Object.keys(data)].flatMap((key) =>
        VALUES.map((value): Entry => ({ ...entry, data: { ...data, [key]: value } })),
      ),
    (entry) => [
      { ...entry, data: {} },
      { ...entry, at: 'then' },
      { ...entry, by: {} as Entry['by'] },
    ],
    (entry) => TYPES.map((type) => ({ ...entry, type })),
    (entry) => PATCHES.map((patch) => ({ ...entry, patch })),
  ];

  it('are told as they are, or named: never a defect of dev-cli', async () => {
    const outcomes = { told: 0, named: 0 };
    for (const [i, entry] of good.entries()) {
      for (const changed of changes.flatMap((change) => change(entry))) {
        const journal = good.with(i, changed);
        const named = await telling(journal).then(
          () => null,
          (error: unknown) => error,
        );
        if (named !== null) expect(named, JSON.stringify(changed)).toMatchObject({ code: 'JOURNAL_CORRUPT' });
        outcomes[named === null ? 'told' : 'named'] += 1;
      }
    }
    expect(Math.min(outcomes.told, outcomes.named)).toBeGreaterThan(20);
  });

  async function telling(journal: Entry[]): Promise<void> {
    const answer = await showHistory(contextOf(journal), 'run-1', {});
    expect(answer.text?.(() => '')).toEqual(expect.any(String));
  }
});

describe('a journal of 100,000 entries', () => {
  it('is told without a second pass over what was told', async () => {
    const many = entries(
      { ...INIT, patch: [{ op: 'add', path: '', value: { agents: {}, warnings: [], reviews: [] } }] },
      ...Array.from({ length: 99_999 }, (_, i) =>
        i % 2 === 0 ? issued(`a${i}`) : { type: 'acknowledged', data: { actionId: `a${i - 1}`, block: 'b' } },
      ),
    );
    const answer = await showHistory(contextOf(many), 'run-1', {});
    expect((answer.json as { runs: RunHistory[] }).runs[0]?.items.length).toBe(50_000);
    const text = answer.text?.(() => '') ?? '';
    expect(text.split('\n').length).toBeLessThan(120);
    expect(text).toContain('49900 earlier items are left out');
  });
});
