import { describe, expect, it } from 'vitest';
import { DevCliError } from '../../../src/base/errors.js';
import { type CountedEntry, createCostCounter, readCost, renderCost } from '../../../src/run/cost.js';

// documents.md, Cost: how the cost is computed from a journal's entries.

const RUN = '20260101T000000Z-aaaaaa';
const second = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString();
const entry = (
  seconds: number,
  type: string,
  {
    kind = 'agent',
    files = [] as string[],
    more = false,
    ...data
  }: Record<string, unknown> & { files?: string[]; more?: boolean; kind?: string } = {},
) =>
  ({
    at: second(seconds),
    type,
    by: { kind, via: 'cli' },
    data: { runId: RUN, ...data },
    files: files.map((path) => ({ path, before: null, after: 'x' })),
    ...(more ? { more: true } : {}),
  }) as CountedEntry;
const file = (size: number) => ({ kind: 'file', size, mtimeMs: 0, ctimeMs: 0, inode: 0 }) as const;

function count(
  entries: CountedEntry[],
  facts: Parameters<ReturnType<typeof createCostCounter>['count']>[0] = () => file(500),
) {
  const counter = createCostCounter(RUN);
  for (const one of entries) counter.take(one);
  return counter.count(facts);
}

describe('what a run has cost', () => {
  it('counts a commit of an agent as one call, however many entries it has', () => {
    const begun = [entry(0, 'init', { more: true }), entry(0, 'issued', { actionId: 'a1', action: 'llm' })];
    const done = [entry(9, 'acknowledged', { more: true }), entry(9, 'issued', { actionId: 'a2', action: 'llm' })];
    expect(count([...begun, ...done])).toEqual({
      calls: 2,
      prompts: 0,
      promptBytes: 0,
      milliseconds: 9000,
      gateMilliseconds: 0,
    });
  });

  it('adds up the last word on each subagent, which is no call', () => {
    const spent = (seconds: number, agent: string, tokens: number) =>
      entry(seconds, 'spent', { kind: 'hook', agent, tokens });
    const cost = count([entry(0, 'init'), spent(1, 'a', 900), spent(2, 'b', 84_000), spent(3, 'a', 1100)]);
    expect(cost).toMatchObject({ calls: 1, subagentTokens: 85_100 });
    expect(renderCost(cost)).toBe('1 call by agents, 85,100 tokens of subagents, 3 s');
  });

  it('leaves out people, hooks, other runs, and what a call recorded that had begun before', () => {
    const calls = [
      entry(0, 'init'),
      entry(1, 'acknowledged', { kind: 'human' }),
      entry(2, 'written', { kind: 'hook' }),
      entry(3, 'command-finished', { more: true }),
      entry(3, 'issued', { actionId: 'a3', action: 'running' }),
      entry(4, 'committed'),
      entry(9, 'init', { runId: 'another' }),
    ];
    expect(count(calls)).toMatchObject({ calls: 1, milliseconds: 4000 });
    // A call may begin with a recovery; whether the call counts depends on the entries that follow.
    expect(count([entry(0, 'recovered', { more: true }), entry(0, 'acknowledged')])).toMatchObject({ calls: 1 });
    expect(count([entry(0, 'recovered', { more: true }), entry(0, 'committed')])).toMatchObject({ calls: 0 });
  });

  it('counts a check once, however many commands it started, and a job that goes on not at all', () => {
    const start = (seconds: number, action: string, check: string) =>
      entry(seconds, 'command-started', { actionId: action, key: `${RUN}:${action}/check-${check}` });
    const checks = [start(1, 'a2', 'ac-1-1'), entry(2, 'command-finished'), start(2, 'a2', 'ac-2-1')];
    expect(count([entry(0, 'init'), ...checks])).toMatchObject({ calls: 2 });
    expect(count([...checks, start(3, 'a2', 'ac-1-2'), start(4, 'a3', 'ac-1-1')])).toMatchObject({ calls: 3 });
    // The entry `stage` is not a call of its own: it records an update of the pull request while another call waits.
    expect(count([entry(0, 'init'), entry(1, 'stage', { stage: 'stateComplete' })])).toMatchObject({ calls: 1 });
  });

  it('counts the prompts of what was issued, and no bytes where one is gone', () => {
    const entries = [
      entry(0, 'acknowledged', { more: true, files: [] }),
      entry(0, 'dispatched', {
        tasks: [{ actionId: 'a7' }, { actionId: 'a8' }],
        files: [
          'actions/a7/prompt.md',
          'actions/a8/prompt.md',
          'actions/a6/result.md',
          'actions/a7/data.json',
          'PLAN.md',
        ],
      }),
    ];
    expect(count(entries)).toMatchObject({ prompts: 2, promptBytes: 1000 });
    const gone = count(entries, (path) => (path.includes('a8') ? { kind: 'missing' } : file(500)));
    expect(gone.prompts).toBe(2);
    expect(gone).not.toHaveProperty('promptBytes');
    expect(renderCost(gone)).toBe('1 call by agents, 2 prompts, 0 s');
  });

  it('adds up how long gates stood open; one that still does has not counted', () => {
    const cost = count([
      entry(0, 'issued', { actionId: 'a1', action: 'wait-for-user' }),
      entry(30, 'human', { kind: 'hook' }),
      entry(61, 'acknowledged', { kind: 'human', more: true }),
      entry(61, 'issued', { actionId: 'a2', action: 'llm' }),
      entry(70, 'issued', { actionId: 'a3', action: 'wait-for-user' }),
      entry(80, 'ended', { kind: 'human' }),
      entry(90, 'issued', { actionId: 'a4', action: 'wait-for-user' }),
    ]);
    expect(cost).toMatchObject({ gateMilliseconds: 71_000, milliseconds: 90_000 });
    expect(renderCost(cost)).toBe('3 calls by agents, 1m30s, 1m11s of them at gates');
  });

  it('is not known where the journal cannot be read', () => {
    const scan = () => {
      throw new DevCliError('JOURNAL_CORRUPT', 'torn');
    };
    const past = { scan, contents: () => new Map() };
    expect(readCost({ runId: RUN, past, files: { facts: () => file(1) } })).toBeUndefined();
  });
});
