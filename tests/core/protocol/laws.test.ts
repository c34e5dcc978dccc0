import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AckInput } from '../../../src/blocks/acknowledgement.js';
import { findChoices } from '../../../src/run/pending-action.js';
import { codeOf, idOf, recipeOf, report, type Stage, stage } from './stage.js';

/** A recipe with one block of every kind that needs no process, with blocks that lead back and with limits. */
const WALK = recipeOf(
  'walk',
  `
  - { id: kind, type: llm, instruction: Choose., choices: [red, blue], save: "dev-cli draft update {name} --section intent" }
  - id: look
    type: subagent
    onError: retry
    agents:
      - { type: code-explorer, id: one, prompt: Look., output: findings/one.md }
      - { type: code-explorer, id: two, prompt: Look., output: findings/two.md }
    onComplete: dev-cli draft import {name}
  - id: talk
    type: llm-loop
    asks: user
    maxRounds: 1
    instruction: Ask.
    save: dev-cli draft update {name}
    sections: [purpose, boundaries]
    exitWhen: draft.boundaries.filled
  - { id: note, type: llm+cli, instruction: Write., write: note.json }
  - id: review
    type: subagent-loop
    maxRounds: 2
    onError: continue
    agents: [{ type: plan-reviewer, id: judge, prompt: Judge., output: "reviews/{round}.md" }]
    exitWhen: 'agents["judge"].verdict == "OKAY"'
    revise: note
  - id: gate
    type: wait-for-user
    maxRounds: 2
    choices: [{ id: on }, { id: again, goto: talk, reason: required }, { id: stop, goto: halt }]
  - { id: last, type: llm, instruction: End. }
`,
);

/** A call or a file change that an agent may try, right or wrong. */
type Move =
  /** Does exactly what the action asks for. */
  | { kind: 'good'; verdict: 'OKAY' | 'REJECT'; pick: number }
  | { kind: 'put'; path: string; text: string }
  | { kind: 'ack'; how: 'bare' | 'data' | 'choice' | 'without' | 'fail' | 'result'; pick: number }
  | { kind: 'late'; pick: number }
  | { kind: 'step'; pick: number }
  | { kind: 'invalidate'; pick: number }
  | { kind: 'draft' }
  | { kind: 'abort' }
  | { kind: 'init'; force: boolean };

const BLOCKS = ['kind', 'look', 'talk', 'note', 'review', 'gate', 'last'];
const pick = fc.nat(20);
const outputs = fc.constantFrom(
  { path: 'findings/one.md', text: report('one') },
  { path: 'findings/two.md', text: report('two') },
  { path: 'findings/two.md', text: 'no front matter' },
  { path: 'note.json', text: '{"a":1}' },
  { path: 'note.json', text: '{"a":2}' },
  { path: 'note.json', text: '{' },
  { path: 'reviews/1.md', text: report('judge', 'verdict: REJECT\n') },
  { path: 'reviews/2.md', text: report('judge', 'verdict: OKAY\n') },
  { path: 'reviews/3.md', text: report('judge', 'verdict: OKAY\n') },
);
const moves: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 24,
    arbitrary: fc
      .tuple(fc.constantFrom('OKAY', 'REJECT'), pick)
      .map(([verdict, at]): Move => ({ kind: 'good', verdict: verdict as 'OKAY' | 'REJECT', pick: at })),
  },
  { weight: 5, arbitrary: outputs.map((file): Move => ({ kind: 'put', ...file })) },
  {
    weight: 12,
    arbitrary: fc
      .tuple(fc.constantFrom('bare', 'data', 'choice', 'without', 'fail', 'result'), pick)
      .map(([how, at]): Move => ({ kind: 'ack', how: how as Extract<Move, { kind: 'ack' }>['how'], pick: at })),
  },
  { weight: 2, arbitrary: pick.map((at): Move => ({ kind: 'late', pick: at })) },
  { weight: 1, arbitrary: pick.map((at): Move => ({ kind: 'step', pick: at })) },
  { weight: 1, arbitrary: pick.map((at): Move => ({ kind: 'invalidate', pick: at })) },
  { weight: 1, arbitrary: fc.constant<Move>({ kind: 'draft' }) },
  { weight: 1, arbitrary: fc.boolean().map((force): Move => ({ kind: 'init', force })) },
);

const DATA = { source: 'file', name: 'data.md', text: '## purpose\n\nWhy.\n\n## boundaries\n\n- none\n' } as const;
const LESS = { source: 'file', name: 'data.md', text: '## purpose\n\nWhy.\n' } as const;

async function make(on: Stage, move: Move): Promise<string> {
  const action = await on.action();
  const id = action.action === 'done' ? `a${(await on.state()).lastAction}` : action.actionId;
  switch (move.kind) {
    case 'good':
      return codeOf(await on.complete(await asked(on, move)));
    case 'put':
      on.put(move.path, move.text);
      return 'ok';
    case 'ack':
      return codeOf(
        await on.complete(acknowledgement(move, id, findChoices(action)?.map((choice) => choice.id) ?? [])),
      );
    case 'late':
      return codeOf(await on.complete({ action: `a${move.pick}` }));
    case 'step':
      return codeOf(await on.complete({ step: BLOCKS[move.pick % BLOCKS.length] ?? '' }));
    case 'invalidate':
      return codeOf(await on.invalidate(BLOCKS[move.pick % BLOCKS.length] ?? ''));
    case 'draft':
      return codeOf(await on.document('draft update', { section: 'criteria', data: { ...DATA, text: '- seen' } }));
    case 'abort':
      return codeOf(await on.abort('enough'));
    case 'init':
      return codeOf(await on.init('walk', { goal: 'Add X', force: move.force }));
  }
}

/** Does what the pending action asks for and returns the acknowledgement that it prints. */
async function asked(on: Stage, { verdict, pick: at }: Extract<Move, { kind: 'good' }>): Promise<AckInput> {
  const action = await on.action();
  if (action.action === 'done') return { action: `a${(await on.state()).lastAction}` };
  const id = action.actionId;
  const choices = findChoices(action)?.map((choice) => choice.id) ?? [];
  if (choices.length > 0) return { action: id, choice: choices[at % choices.length] ?? '', note: 'as said' };
  if (action.action === 'dispatch-subagents') {
    for (const agent of action.agents) {
      const path = agent.output?.replace(`.dev/specs/${on.name}/`, '') ?? '';
      on.put(path, report(agent.id, agent.id === 'judge' ? `verdict: ${verdict}\n` : ''));
    }
  }
  if (action.action === 'llm+cli') on.put('note.json', JSON.stringify({ at, id }));
  return action.action === 'llm-loop' ? { action: id, data: at % 4 === 0 ? LESS : DATA } : { action: id };
}

function acknowledgement(move: Extract<Move, { kind: 'ack' }>, action: string, choices: string[]): AckInput {
  switch (move.how) {
    case 'bare':
      return { action };
    case 'data':
      return { action, data: move.pick % 3 === 0 ? LESS : DATA };
    case 'choice':
      return { action, choice: choices[move.pick % Math.max(1, choices.length)] ?? 'none', note: 'as said' };
    case 'without':
      return { action, without: [['one'], ['two'], ['one', 'two'], ['judge']][move.pick % 4] ?? [], reason: 'broke' };
    case 'fail':
      return { action, fail: true, reason: 'cannot' };
    case 'result':
      return { action, result: 'done' };
  }
}

/** Returns the part of the state that an acknowledgement of another action must leave unchanged. */
async function position(on: Stage): Promise<string> {
  const state = await on.state();
  const { pendingAction } = state;
  const { machine, steps } = state;
  return JSON.stringify([machine, pendingAction, steps]);
}

/** Acknowledges every action except the pending one, and actions that never existed. */
async function acknowledgeOthers(on: Stage, invented: string): Promise<void> {
  const action = await on.action();
  const pending = action.action === 'done' ? '' : action.actionId;
  const { lastAction } = await on.state();
  const old = Array.from({ length: lastAction }, (_, n) => `a${n + 1}`).filter((id) => id !== pending);
  for (const id of [...old, `a${lastAction + 1}`, `x${invented}`]) {
    for (const more of [{}, { choice: 'on' }, { data: DATA }, { fail: true, reason: 'no' }]) {
      const answer = await on.complete({ action: id, ...more });
      if (answer.ok) expect(answer.json.duplicate, id).toBe(true);
      else expect(answer.error.code).toBe('STALE_ACTION');
    }
  }
}

const RUNS = { numRuns: 12 };
const sequences = fc.array(moves, { minLength: 5, maxLength: 30 });

describe('whatever an agent does', () => {
  let on: Stage;
  const start = async () => {
    on = stage({ recipes: { walk: WALK } });
    expect(codeOf(await on.init('walk', { goal: 'Add X' }))).toBe('ok');
  };
  beforeEach(start);

  it('replay rebuilds state.json byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(sequences, async (sequence) => {
        await start();
        for (const move of sequence) {
          await make(on, move);
          expect((await on.store.replay(on.name)).equal).toBe(true);
        }
      }),
      RUNS,
    );
  });

  it('next is the same until the action is acknowledged, and writes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(sequences, async (sequence) => {
        await start();
        for (const move of sequence) {
          const before = await on.action();
          const shown = await on.next();
          const image = on.image();
          expect(await on.next()).toBe(shown);
          expect(on.image()).toBe(image);
          await make(on, move);
          const after = await on.action();
          const same = before.action !== 'done' && after.action !== 'done' && before.actionId === after.actionId;
          if (same) expect(await on.next()).toBe(shown);
        }
      }),
      RUNS,
    );
  });

  it('a call that is refused without partial evidence changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(sequences, async (sequence) => {
        await start();
        for (const move of sequence) {
          const [image, { seq: before }] = [on.image(), await on.state()];
          const code = await make(on, move);
          if (code === 'ok' || code === 'EVIDENCE_MISSING' || code === 'EVIDENCE_INVALID') continue;
          // Entries `recovered` do not count: even a call that is refused may first restore a torn document.
          const committed = (await on.store.journal(on.name)).filter(({ seq }) => seq > before);
          expect(committed.filter(({ type }) => type !== 'recovered')).toEqual([]);
          // `INPUT_CHANGED` is left out: after it, the files that the agent wrote for the acknowledgement stay.
          if (committed.length === 0 && code !== 'INPUT_CHANGED') expect(on.image()).toBe(image);
        }
      }),
      RUNS,
    );
  });

  it('a doubled, late or invented acknowledgement never moves the run', async () => {
    await fc.assert(
      fc.asyncProperty(sequences, fc.string({ maxLength: 8 }), async (sequence, invented) => {
        await start();
        for (const move of sequence) {
          await make(on, move);
          const where = await position(on);
          await acknowledgeOthers(on, invented);
          expect(await position(on)).toBe(where);
        }
      }),
      { numRuns: 4 },
    );
  });

  it('evidence that was accepted stays accepted while its action is pending', async () => {
    await fc.assert(
      fc.asyncProperty(sequences, async (sequence) => {
        await start();
        for (const move of sequence) {
          const before = await on.state();
          await make(on, move);
          const after = await on.state();
          const id = (state: typeof before) =>
            state.pendingAction?.action === 'dispatch-subagents' ? state.pendingAction.actionId : '';
          if (id(before) === '' || id(before) !== id(after)) continue;
          for (const [agent, known] of Object.entries(before.agents)) {
            if (known.status !== 'done') continue;
            expect(after.agents[agent]?.status).toBe('done');
            expect(after.agents[agent]?.outputHash).toBe(known.outputHash);
          }
        }
      }),
      RUNS,
    );
  });

  it('ids of actions go up over all runs of the name and are never handed out twice', async () => {
    await fc.assert(
      fc.asyncProperty(sequences, async (sequence) => {
        await start();
        for (const move of sequence) await make(on, move);
        const issued = (await on.store.journal(on.name))
          .filter((entry) => entry.type === 'issued')
          .map((entry) => Number(String(entry.data['actionId']).slice(1)));
        expect(issued).toEqual([...new Set(issued)].sort((a, b) => a - b));
      }),
      RUNS,
    );
  });

  it('the sequences above reach every block and every way a run can end', async () => {
    const seen = new Set<string>();
    for (const sequence of fc.sample(sequences, { numRuns: 30, seed: 7 })) {
      await start();
      for (const move of sequence) {
        await make(on, move);
        const action = await on.action();
        seen.add(action.action === 'done' ? action.outcome : `${action.block} ${action.action}`);
      }
    }
    expect([...seen].sort()).toEqual(
      expect.arrayContaining([...BLOCKS.map((id) => expect.stringMatching(`^${id} `)), 'completed', 'halted']),
    );
    expect([...seen]).toContain('talk wait-for-user');
  });

  it('every entry tells by itself what happened, and belongs to a run', async () => {
    await fc.assert(
      fc.asyncProperty(sequences, async (sequence) => {
        await start();
        for (const move of sequence) await make(on, move);
        const entries = await on.store.journal(on.name);
        entries.forEach((entry, index) => {
          expect(entry.seq).toBe(index + 1);
          expect(entry.data['runId']).toMatch(/^\d{8}T\d{6}Z-a+$/);
        });
      }),
      RUNS,
    );
  });
});

describe('a retry', () => {
  it('starts only the agents that failed, and keeps what the others delivered', async () => {
    const on = stage({ recipes: { walk: WALK } });
    await on.init('walk', { goal: 'Add X' });
    await on.complete({ action: 'a1', choice: 'red' });
    on.put('findings/one.md', report('one'));
    const answer = await on.complete({ action: 'a2', without: ['two'], reason: 'crashed' });
    expect(codeOf(answer)).toBe('ok');
    const action = await on.action();
    if (action.action !== 'dispatch-subagents') throw new Error(action.action);
    expect(action.agents.map(({ id }) => id)).toEqual(['two']);
    expect((await on.state()).agents['one']?.status).toBe('done');
    expect(codeOf(await on.complete({ action: 'a2' }))).toBe('ok');
    expect(idOf(await on.action())).toBe('a3');
  });
});
