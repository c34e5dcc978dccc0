import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CapturedRecipe } from '../../../src/recipe/captured.js';
import type { Entry } from '../../../src/store/store.js';
import { createTimelineBuilder, sortRows, type Timeline } from '../../../src/views/timeline.js';
import type { TimelineRow } from '../../../src/views/timeline-rows.js';
import { createClock } from '../../../src/views/timeline-work.js';
import { readEntries } from '../../support/entries.js';
import { goldenRuns } from '../../support/golden.mjs';

/** view.md, One model: the timeline of a run. */

const MISSING = () => ({ kind: 'missing' }) as const;

interface Journal {
  entries: Entry[];
  captured: CapturedRecipe | null;
}

/** The golden runs, each read once. */
const GOLDEN = new Map(
  goldenRuns().map(({ title, load }) => {
    const run = load();
    const text = (file: string) => run.files[`.dev/specs/${run.name}/${file}`] ?? '';
    const journal = {
      entries: readEntries(Buffer.from(text('events.jsonl'))),
      captured: JSON.parse(text('recipe.json')),
    };
    return [title.replace(/^.*\//, ''), { ...(journal as Journal), state: JSON.parse(text('state.json')) }];
  }),
);

const lastInstant = (entries: readonly Entry[]) => Date.parse(entries.at(-1)?.at ?? '');

function build({ entries, captured }: Journal, { runId, now }: { runId?: string; now: number }): Timeline | null {
  const builder = createTimelineBuilder(runId);
  for (const entry of entries) builder.take(entry);
  return builder.build({ captured, now, facts: MISSING });
}

function timelineOf({ entries, captured }: Journal, more: { runId?: string; now?: number } = {}): Timeline {
  const built = build({ entries, captured }, { now: lastInstant(entries), ...more });
  if (built === null) throw new Error('no run');
  return built;
}

function golden(title: string): Journal & { state: { status: string } } {
  const found = GOLDEN.get(title);
  if (found === undefined) throw new Error(`no golden run ${title}`);
  return found;
}

/** Computes how long the run lasted, independently of the timeline. */
function lengthOf(entries: readonly Entry[], now = 0): number {
  let sum = now;
  for (const [index, { at }] of entries.entries()) {
    const before = entries[index - 1];
    if (before !== undefined) sum += Math.max(0, Date.parse(at) - Date.parse(before.at));
  }
  return sum;
}

const sum = ({ split }: Timeline) => split.agent + split.commands + split.you + split.idle;

/** Renders each row as a line with its segments: who did what, and how it ended. */
function told({ rows }: Timeline): string[] {
  return rows.map(({ id, kind, state, wave, attempts, commit, why, segments }) => {
    const parts = segments.map(({ who, what, ok, to }) => {
      const end = to === null ? 'open' : ok === null ? 'void' : ok ? 'ok' : 'bad';
      return `${who} ${what} ${end}`;
    });
    const facts = [
      state,
      ...(wave === null ? [] : [`wave ${wave}`]),
      `x${attempts}`,
      ...(commit === null ? [] : ['commit']),
    ];
    return `${kind} ${id}: ${facts.join(' ')}${why === null ? '' : ` (${why})`}; ${parts.join(', ')}`;
  });
}

describe('golden runs', () => {
  it.each([...GOLDEN.keys()])('%s: the split is its length, and every segment has one', (title) => {
    const { entries, captured, state } = golden(title);
    const built = timelineOf({ entries, captured }, { now: lastInstant(entries) + 5000 });
    expect(built.runs.at(-1)?.status).toBe(state.status);
    expect(sum(built)).toBe(lengthOf(entries, state.status === 'live' ? 5000 : 0));
    const segments = built.rows.flatMap((row) => row.segments);
    expect(segments.length).toBeGreaterThan(0);
    for (const { from, to } of segments) expect(to ?? from).toBeGreaterThanOrEqual(from);
    // A live run has a segment that has not ended; an ended run has none.
    expect(segments.some(({ to }) => to === null)).toBe(state.status === 'live');
    expect(new Set(built.rows.map(({ id }) => id)).size).toBe(built.rows.length);
  });

  it('have a model for every prefix, in which only a commit whose end is missing does not count', () => {
    const titles = fc.constantFrom(...GOLDEN.keys());
    fc.assert(
      fc.property(titles, fc.double({ min: 0, max: 1, noNaN: true }), (title, share) => {
        const { entries, captured } = golden(title);
        const part = entries.slice(0, 1 + Math.floor(share * (entries.length - 1)));
        const now = lastInstant(part);
        const built = build({ entries: part, captured }, { now });
        const whole = part.slice(0, part.findLastIndex(({ more }) => more !== true) + 1);
        expect(built === null).toBe(whole.length === 0);
        if (built !== null) expect(sum(built)).toBe(lengthOf(whole) + Math.max(0, now - lastInstant(whole)));
      }),
      { numRuns: 150 },
    );
  });

  it('tells an execution: gate, workers, a retry, a judge, a person, an added todo, fixes', () => {
    expect(told(timelineOf(golden('execute-standard.completed')))).toEqual([
      'stage approveCommands: done x1; you question ok',
      'todo todo-1: done wave 0 x1 commit; agent worker ok, commands test -f made/todo-1.txt ok, commands commit ok',
      'todo todo-2: done wave 1 x2 commit (exit 1); agent worker ok, commands grep -q "attempt 2" made/todo-2.txt bad, agent worker ok, commands grep -q "attempt 2" made/todo-2.txt ok, commands commit ok',
      'todo todo-3: done wave 1 x1 commit; agent worker ok, agent verify ok, you question ok, commands commit ok',
      'todo todo-3-d1: done wave 2 x1 commit; agent worker ok, agent verify ok, commands commit ok',
      'todo fix-r1-1: done wave 3 x1 commit; agent worker ok, commands grep -q "attempt 2" made/todo-2.txt ok, agent verify ok, commands commit ok',
      'stage residualCommit: skipped x1; commands commit ok, commands commit ok',
      'stage codeReview: done x2 (One finding.); agent codeReview bad, agent codeReview ok',
      'stage finalVerify: done x1; commands test -f made/todo-1.txt ok, commands grep -q "attempt 2" made/todo-2.txt ok',
      'stage stateComplete: skipped x0; ',
      'stage report: done x0; ',
    ]);
  });

  it('tells planning: an interview is yours, a plan that went back is written and judged again', () => {
    expect(
      told(timelineOf(golden('specify-quick-interactive.after-revise'))).filter((line) => !line.endsWith('; ')),
    ).toEqual([
      'step classify-intent: done x1; agent work ok',
      'step explore-lite: done x1; agent agents ok',
      'step interview: done x2 (missing criteria); you work bad, you work, round 2 ok',
      'step decision-confirm: done x1; you question ok',
      'step analyze-lite: done x1; agent agents ok',
      'step generate-plan: running x2; agent work ok, agent work, round 2 open',
      'step review: stale x1; agent agents ok',
      'step approve-plan: stale x1; you question ok',
    ]);
  });

  it('tells a workflow: steps by their phase, a phase that was skipped, todos', () => {
    const lines = told(timelineOf(golden('ultrawork.completed')));
    expect(lines).toContain('step plan/approve-plan: done x1; you question ok');
    expect(lines).toContain('step plan/summary: done x1; commands plan summary ok');
    expect(lines).toContain('step pr/describe: skipped x0; ');
    expect(lines.find((line) => line.startsWith('todo todo-3:'))).toBe(
      'todo todo-3: done wave 1 x1 commit; agent worker ok, agent verify ok, you question ok, commands commit ok',
    );
  });

  it('tells of a worker that gave up, of a command that runs, and of a person who is asked', () => {
    const halted = told(timelineOf(golden('execute-quick.halted')));
    expect(halted[1]).toBe('todo todo-2: failed wave 1 x1 (The service that this needs is down.); agent worker bad');
    const running = timelineOf(golden('external-command.interrupted')).rows.find(({ state }) => state === 'running');
    expect(running?.segments).toMatchObject([{ who: 'commands', to: null, what: 'sleep 3' }]);
    const asked = timelineOf(golden('execute-standard.human-pending'));
    expect(asked.rows.find(({ state }) => state === 'waiting')?.id).toBe('todo-3');
    expect(asked.gates.at(-1)).toMatchObject({
      question: expect.stringContaining('judge todo-3'),
      choice: null,
      by: null,
    });
  });

  it('names the gates: what was asked, who chose, on which digest, with which reason', () => {
    const { gates } = timelineOf(golden('specify-quick-interactive.after-revise'));
    expect(gates).toMatchObject([
      { choice: 'confirm', by: { kind: 'agent' }, digest: null, note: null },
      {
        seq: 21,
        question: expect.stringContaining('Shall this plan be carried out'),
        choice: 'revise',
        by: { kind: 'human' },
        digest: expect.stringMatching(/^f06b90fc/),
        note: expect.stringContaining('Authorization header'),
      },
    ]);
  });

  it('names what each segment was given and what came of it', () => {
    const [, first] = timelineOf(golden('execute-standard.completed')).rows;
    expect(first?.segments.map(({ documents }) => documents)).toEqual([
      [
        { seq: 6, path: 'actions/a2/prompt.md' },
        { seq: 7, path: 'actions/a2/result.json' },
      ],
      [{ seq: 10, path: 'actions/a4/ac-1/command.log' }],
      [],
    ]);
  });

  it('takes the titles of steps from the recipe that the run captured', () => {
    const { entries, captured } = golden('specify-quick-autopilot.completed');
    const titled = structuredClone(captured) as CapturedRecipe;
    const review = titled.recipe.blocks.find(({ id }) => id === 'review');
    if (review !== undefined) review.title = 'A second pair of eyes';
    const titles = timelineOf({ entries, captured: titled }).rows.map(({ id, title }) => [id, title]);
    expect(titles).toContainEqual(['review', 'A second pair of eyes']);
    // The steps are listed even without the recipe.
    const bare = timelineOf({ entries, captured: null }).rows.map(({ id }) => id);
    expect(bare.sort()).toEqual(titles.map(([id]) => id).sort());
  });
});

/** Creates entries one second apart, of run r1 unless their data says otherwise. Each without `more` ends a commit. */
function made(...facts: (Partial<Entry> & { type: string })[]): Journal {
  const entries = facts.map((fact, i): Entry => {
    const at = new Date(Date.UTC(2026, 0, 1) + i * 1000).toISOString();
    const base = {
      v: 3 as const,
      seq: i + 1,
      at,
      by: { kind: 'agent' as const, via: 'cli' },
      patch: [],
      files: [],
      crc: '',
    };
    return { ...base, ...fact, data: { runId: 'r1', ...fact.data } };
  });
  return { entries, captured: null };
}

const INIT = { type: 'init', data: { recipe: 'r', recipeHash: 'h', goal: 'g', mode: {}, cliVersion: '1' } };
const issued = (actionId: string, block = 'b', more: object = {}) => ({
  type: 'issued',
  data: { actionId, block, action: 'llm', cause: 'enter', round: 1, ...more },
});
const dispatched = (...tasks: [string, string][]) => ({
  type: 'dispatched',
  data: {
    actionId: 'a9',
    block: 'e',
    tasks: tasks.map(([actionId, todoId]) => ({ actionId, todoId, substep: 'worker', attempt: 1 })),
  },
});
const ENDED = { type: 'ended', data: { outcome: 'aborted' } };

describe('segments', () => {
  it('end when an action is overtaken, withdrawn with its block, or the run is aborted', () => {
    const invalidated = { type: 'invalidated', data: { block: 'b', stale: [] } };
    const overtaken = timelineOf(made(INIT, issued('a1'), invalidated, issued('a2'), ENDED));
    expect(told(overtaken)).toEqual(['step b: done x2; agent work void, agent work void']);
    expect(overtaken.split).toEqual({ agent: 2000, commands: 0, you: 0, idle: 2000 });
    expect(told(timelineOf(made(INIT, dispatched(['a1', 't1']), ENDED)))).toEqual([
      'step t1: done x1; agent worker void',
    ]);
  });

  it('of dev-cli itself are its own, whoever has called: a person at a gate is not at work afterwards', () => {
    const by = { kind: 'human', via: 'cli' } as const;
    const built = timelineOf(
      made(
        INIT,
        issued('a1', 'gate', { action: 'wait-for-user' }),
        { type: 'acknowledged', by, more: true, data: { actionId: 'a1', block: 'gate', choice: 'go' } },
        { type: 'ran', by, more: true, data: { block: 'sum', command: 'plan summary', ok: true, summary: 's' } },
        { ...issued('a2', 'e', { action: 'running', cause: 'job' }), by },
        { type: 'committed', data: { key: 'k', todoId: 't1', outcome: 'made', commit: 'c', paths: [] } },
        ENDED,
      ),
    );
    expect(told(built)).toEqual([
      'step gate: done x1; you question ok',
      'step sum: done x1; commands plan summary ok',
      'step e: done x1; commands job ok',
    ]);
  });

  it('count each instant once: an agent before a command before you, and nobody', () => {
    const { split } = timelineOf(
      made(
        INIT,
        dispatched(['a1', 't1'], ['a2', 't2']),
        {
          type: 'command-started',
          data: { key: 'k', block: 'e', actionId: 'a1', argv: ['x'], shell: false, id: 'ac', todoId: 't1' },
        },
        {
          type: 'task-done',
          data: {
            actionId: 'a1',
            todoId: 't1',
            substep: 'worker',
            attempt: 1,
            status: 'DONE',
            summary: '',
            evidence: {},
          },
        },
        { type: 'task-failed', data: { actionId: 'a2', todoId: 't2', substep: 'worker', attempt: 1, reason: 'r' } },
        {
          type: 'command-finished',
          data: { key: 'k', block: 'e', argv: ['x'], exit: 0, outcome: 'exit 0', log: 'l', id: 'ac' },
        },
        { type: 'human', data: { what: 'w' } },
        issued('a3', 'gate', { action: 'wait-for-user' }),
        ENDED,
      ),
    );
    // Two agents that work at the same time, for two and three seconds, count as three seconds, not five.
    expect(split).toEqual({ agent: 3000, commands: 1000, you: 1000, idle: 3000 });
  });

  it('are those of the run that is asked for, of a name that had several; one commit may end the first', () => {
    const second = { runId: 'r2' };
    const journal = made(
      INIT,
      issued('a1'),
      { ...ENDED, more: true },
      { ...INIT, more: true, data: { ...INIT.data, ...second } },
      { ...issued('a2', 'c'), data: { ...issued('a2', 'c').data, ...second } },
    );
    expect(timelineOf(journal).runs.map(({ runId, status }) => [runId, status])).toEqual([
      ['r1', 'aborted'],
      ['r2', 'live'],
    ]);
    expect(told(timelineOf(journal))).toEqual(['step c: running x1; agent work open']);
    expect(told(timelineOf(journal, { runId: 'r1' }))).toEqual(['step b: done x1; agent work void']);
    expect(build(journal, { runId: 'r3', now: 0 })).toBeNull();
  });
});

describe('any clocks', () => {
  // Within this range, sums of times are exact.
  const instants = fc.date({ min: new Date(0), max: new Date('2200-01-01'), noInvalidDate: true });
  const clocks = fc.array(
    fc.oneof(
      instants.map((date) => date.toISOString()),
      fc.constantFrom('', 'no date', '2026-11-27T10:00:00.000Z'),
    ),
    { minLength: 1, maxLength: 40 },
  );
  const journals = fc.constantFrom(...[...GOLDEN.keys()].filter((title) => title.startsWith('execute')));

  it('change no row and no order, and the split still adds up', () => {
    fc.assert(
      fc.property(journals, clocks, instants, (title, instants, now) => {
        const { entries, captured } = golden(title);
        const shaken = entries.map((entry, i) => ({ ...entry, at: instants[i % instants.length] ?? '' }));
        const built = timelineOf({ entries: shaken, captured }, { now: now.getTime() });
        expect(told(built)).toEqual(told(timelineOf({ entries, captured })));
        const clock = createClock();
        for (const entry of shaken) clock.tick(entry);
        const times = shaken.map(({ seq }) => clock.get(seq) ?? 0);
        expect(times).toEqual([...times].sort((a, b) => a - b));
        const last = lastInstant(shaken);
        const since = built.runs.at(-1)?.status === 'live' ? Math.max(0, now.getTime() - last) || 0 : 0;
        expect(sum(built)).toBe((times.at(-1) ?? 0) - (times[0] ?? 0) + since);
        for (const part of Object.values(built.split)) expect(part).toBeGreaterThanOrEqual(0);
        for (const { segments } of built.rows) {
          expect(segments.map(({ seq }) => seq)).toEqual(segments.map(({ seq }) => seq).sort((a, b) => a - b));
          for (const { from, to } of segments) expect(to ?? from).toBeGreaterThanOrEqual(from);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('take nothing away when they are put back', () => {
    const { entries } = made(INIT, issued('a1'), issued('a2'), ENDED);
    const back = entries.map((entry, i) => ({
      ...entry,
      at: ['12:00:00', '12:00:10', '11:00:00', '11:00:20'].map((at) => `2026-01-01T${at}Z`)[i] ?? '',
    }));
    expect(timelineOf({ entries: back, captured: null }).split).toEqual({
      agent: 20_000,
      commands: 0,
      you: 0,
      idle: 10_000,
    });
  });
});

describe('waves', () => {
  /** Returns the waves of an execution with these todos; `added` ones are not part of the plan. */
  function wavesOf(
    todos: { id: string; dependsOn?: string[]; parent?: string | null; added?: boolean }[],
  ): Map<string, number | null> {
    const rows = todos.map(({ id, dependsOn = [], parent = null, added }) => [
      id,
      { id, title: id, status: 'pending', attempt: 0, dependsOn, parent, ...(added ? { body: {} } : {}) },
    ]);
    const engine = {
      order: todos.map(({ id }) => id),
      todos: Object.fromEntries(rows),
      finalize: {},
      at: null,
      evidence: [],
      tasks: {},
    };
    const state = { steps: {}, engine, commands: {}, pendingAction: null, workflow: null };
    const journal = made({ ...INIT, patch: [{ op: 'add', path: '', value: JSON.parse(JSON.stringify(state)) }] });
    return new Map(timelineOf(journal).rows.map(({ id, wave }) => [id, wave]));
  }

  it('are the depth in the graph; an added todo without a dependency stands behind its parent, else last', () => {
    const waves = wavesOf([
      { id: 'a' },
      { id: 'b', dependsOn: ['a', 'gone'] },
      { id: 'b-d1', parent: 'b', added: true },
      { id: 'c', dependsOn: ['a'] },
      { id: 'fix', added: true },
      { id: 'late', dependsOn: ['a'], parent: 'c', added: true },
    ]);
    expect(Object.fromEntries(waves)).toEqual({ a: 0, b: 1, 'b-d1': 2, c: 1, fix: 3, late: 1 });
  });

  it('put every todo behind all that it depends on, in whatever order they stand', () => {
    const graph = fc.array(fc.array(fc.nat(20), { maxLength: 3 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(graph, fc.boolean(), (edges, backward) => {
        const todos = edges.map((to, i) => ({
          id: `t${i}`,
          dependsOn: to.filter((one) => one < i).map((one) => `t${one}`),
        }));
        const waves = wavesOf(backward ? todos.toReversed() : todos);
        for (const { id, dependsOn } of todos)
          expect(waves.get(id)).toBe(Math.max(-1, ...dependsOn.map((one) => waves.get(one) ?? 0)) + 1);
      }),
    );
  });

  it('are defined in a circle, and in a chain of 10,000 that stands the wrong way round', () => {
    expect(
      [
        ...wavesOf([
          { id: 'a', dependsOn: ['b'] },
          { id: 'b', dependsOn: ['a'] },
        ]).values(),
      ].sort(),
    ).toEqual([0, 1]);
    const chain = Array.from({ length: 10_000 }, (_, i) => ({ id: `t${i}`, dependsOn: i === 0 ? [] : [`t${i - 1}`] }));
    expect(wavesOf(chain.toReversed()).get('t9999')).toBe(9999);
  });
});

describe('the order for a person', () => {
  const row = (id: string, state: TimelineRow['state'], to?: number): TimelineRow => {
    const segment = { from: 0, to: to ?? 0, who: 'agent' as const, what: 'w', ok: true, seq: 1, documents: [] };
    const bare = { title: id, kind: 'todo' as const, after: [], wave: 0, attempts: 1, commit: null, why: null };
    return { ...bare, id, state, segments: to === undefined ? [] : [segment] };
  };

  it('is: failed, waiting, at work, to be redone, the next five, done from the newest, the rest', () => {
    const rows = [
      row('d1', 'done', 5),
      row('s', 'skipped'),
      row('d2', 'done', 9),
      ...[1, 2, 3, 4, 5, 6].map((n) => row(`p${n}`, 'pending')),
      row('r', 'stale', 3),
      row('w', 'running', 3),
      row('q', 'waiting', 3),
      row('f', 'failed', 3),
    ];
    expect(
      sortRows(rows)
        .map(({ id }) => id)
        .join(' '),
    ).toBe('f q w r p1 p2 p3 p4 p5 d2 d1 p6 s');
  });

  it('loses no row and repeats none', () => {
    const states = fc.constantFrom<TimelineRow['state']>(
      'done',
      'skipped',
      'pending',
      'stale',
      'running',
      'waiting',
      'failed',
    );
    fc.assert(
      fc.property(fc.array(states), (all) => {
        const rows = all.map((state, i) => row(`t${i}`, state));
        expect(
          sortRows(rows)
            .map(({ id }) => id)
            .sort(),
        ).toEqual(rows.map(({ id }) => id).sort());
      }),
    );
  });
});
