import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codeOf, idOf, type Outcome, recipeOf, type Stage, stage } from './stage.js';

/** Builds a phase of two steps, the second of which is a gate. */
const gated = (name: string, more = '') =>
  recipeOf(
    name,
    `  - { id: work, type: llm, instruction: Work. }
  - id: ask
    type: wait-for-user
    message: Go on?
    choices: [go, { id: stop, goto: halt }]
${more}`,
  );
const ONE = recipeOf('one', '  - { id: first, type: llm, instruction: First. }\n');
const TWO = recipeOf('two', '  - { id: second, type: llm, instruction: "Second of {vars.x}." }\n', 'vars: { x: a }\n');
const flow = (phases: string, policy = 'halt', head = '') =>
  `name: flow\ntype: meta\n${head}phases:\n${phases}errorPolicy: { onFail: ${policy} }\n`;
const PHASES = '  - { name: a, recipe: one }\n  - { name: b, recipe: two }\n';

function staged(workflow: string, more: Record<string, string> = {}): Stage {
  return stage({ recipes: { one: ONE, two: TWO, flow: workflow, ...more } });
}

async function ack(run: Stage, more: object = {}): Promise<Outcome> {
  return run.complete({ action: idOf(await run.action()), ...more });
}

async function fail(run: Stage): Promise<Outcome> {
  return ack(run, { fail: true, reason: 'it cannot be done' });
}

async function begun(run: Stage, input = {}): Promise<void> {
  const result = await run.init('flow', input);
  if (!result.ok) throw result.error;
}

async function phases(run: Stage): Promise<string[]> {
  const { workflow } = await run.state();
  return (workflow?.phases ?? []).map(
    ({ name, status, retries }) => `${name} ${status}${retries ? ` ${retries}` : ''}`,
  );
}

describe('phases', () => {
  it('follow each other in one run, each in the commit that ends the one before', async () => {
    const run = staged(flow(PHASES));
    await begun(run);
    expect(await run.state()).toMatchObject({
      recipe: 'flow',
      steps: { first: { status: 'running' } },
      workflow: { currentPhase: 'a', phaseIndex: 0, phases: [{ recipe: 'one' }, { recipe: 'two' }], earlier: [] },
    });
    const first = await run.action();
    const result = await ack(run);
    expect(result.ok && result.json).toMatchObject({ completed: 'first', next: { block: 'second', actionId: 'a2' } });
    expect(await run.state()).toMatchObject({
      steps: { second: { status: 'running' } },
      status: 'live',
      workflow: {
        earlier: [{ phase: 'a', recipe: 'one', steps: { first: { status: 'done' } } }],
        currentPhase: 'b',
        phaseIndex: 1,
        phases: [{ status: 'done' }, { status: 'running' }],
      },
    });
    expect((await run.state()).steps).not.toHaveProperty('first');
    expect(await run.complete({ action: idOf(first) })).toMatchObject({ ok: true, json: { duplicate: true } });
    const last = await ack(run);
    expect(last.ok && last.json.next).toMatchObject({
      action: 'done',
      outcome: 'completed',
      results: { a: 'done', b: 'done' },
      failed: [],
    });
    expect(await phases(run)).toEqual(['a done', 'b done']);
  });

  it('are passed over when their condition is false; where none is left the run is completed', async () => {
    const conditional = flow(
      '  - { name: a, recipe: one, when: "mode.depth == \'quick\'" }\n' +
        '  - { name: b, recipe: two, when: preferences.external_research }\n  - { name: c, recipe: one }\n',
    );
    const run = staged(conditional);
    await begun(run);
    expect(await phases(run)).toEqual(['a skipped', 'b skipped', 'c running']);
    const none = staged(flow('  - { name: a, recipe: one, when: vars.on }\n', 'halt', 'vars: { on: false }\n'));
    const result = await none.init('flow');
    expect(result.ok && result.json.next).toMatchObject({ action: 'done', outcome: 'completed', summary: 'a skipped' });
    const on = staged(flow('  - { name: a, recipe: one, when: vars.on }\n', 'halt', 'vars: { on: false }\n'));
    await begun(on, { set: { on: 'true' } });
    expect(await phases(on)).toEqual(['a running']);
  });

  it('are told by manifest, status and list as one run', async () => {
    const run = staged(flow(PHASES));
    await begun(run);
    await ack(run);
    expect(await run.manifest()).toContain('Phase 2/2 b (two) of flow · a done');
    const text = await run.statusText();
    expect(text).toMatch(/^run-1 {2}flow {2}live/);
    expect(text).toMatch(/✓ a {2}one, 1 of 1 step done\n◐ b {2}two\n {4}◐ second/);
    await ack(run);
    expect(await run.manifest()).toContain('Phases of flow · a done · b done');
  });

  it('are redone after a crash between the commit and its files, as if nothing had happened', async () => {
    const run = staged(flow(PHASES));
    await begun(run);
    const { snapshots, documents } = run.memory;
    const before = { snapshots: new Map(snapshots), documents: new Map(documents) };
    await ack(run);
    const after = { next: await run.next(), image: run.image() };
    const put = <V>(to: Map<string, V>, from: Map<string, V>) => {
      to.clear();
      for (const [key, value] of from) to.set(key, value);
    };
    put(snapshots, before.snapshots);
    put(documents, before.documents);
    expect(await run.next()).toBe(after.next);
    expect(await phases(run)).toEqual(['a done', 'b running']);
    expect((await ack(run)).ok).toBe(true);
  });

  it('go on with the recipes as captured, also when another compiler has to compile them', async () => {
    const run = staged(flow(PHASES, 'halt', 'vars: { x: m }\n'));
    await begun(run, { set: { x: 'told' }, autopilot: false });
    const captured = JSON.parse(run.text('recipe.json') ?? '');
    run.put('recipe.json', JSON.stringify({ ...captured, compiler: 0 }));
    const result = await ack(run);
    expect(result.ok && result.json.next).toMatchObject({ instruction: 'Second of "told".' });
  });
});

describe('a phase that halts', () => {
  it('halts the run, and is reopened at the step', async () => {
    const run = staged(flow(PHASES));
    await begun(run);
    const result = await fail(run);
    expect(result.ok && result.json.next).toMatchObject({
      outcome: 'halted',
      summary: 'phase a halted at first: it cannot be done',
      failed: [{ id: 'a/first', reason: 'it cannot be done' }],
      resume: { command: 'step invalidate', input: { name: 'run-1', step: 'first' } },
    });
    expect(await phases(run)).toEqual(['a failed', 'b pending']);
    expect(codeOf(await run.invalidate('first'))).toBe('ok');
    expect(await phases(run)).toEqual(['a running', 'b pending']);
    await ack(run);
    expect(await phases(run)).toEqual(['a done', 'b running']);
  });

  it('is left behind with a warning under skip_phase', async () => {
    const run = staged(flow(PHASES, 'skip_phase'));
    await begun(run);
    const result = await fail(run);
    const warning = 'phase a halted at first: it cannot be done; the run continued without it';
    expect(result.ok && result.json).toMatchObject({ completed: null, warnings: [warning], next: { block: 'second' } });
    const end = await ack(run);
    expect(end.ok && end.json.next).toMatchObject({
      outcome: 'completed',
      results: { a: 'failed', b: 'done' },
      failed: [{ id: 'a/first' }],
      warnings: [warning],
    });
  });

  it('begins anew under retry_phase, then halts', async () => {
    const run = staged(flow(PHASES, '{ retry_phase: { max: 1 } }'));
    await begun(run);
    const old = await run.action();
    const result = await fail(run);
    expect(result.ok && result.json).toMatchObject({
      warnings: [expect.stringContaining('the phase is restarted (1 of at most 1)')],
      next: { block: 'first', actionId: 'a2' },
    });
    expect(await phases(run)).toEqual(['a running 1', 'b pending']);
    expect(codeOf(await run.complete({ action: idOf(old) }))).toBe('STALE_ACTION');
    const end = await fail(run);
    expect(end.ok && end.json.next).toMatchObject({ outcome: 'halted' });
    await run.invalidate('first');
    await ack(run);
    expect(await phases(run)).toEqual(['a done 1', 'b running']);
  });

  it.each(['skip_phase', '{ retry_phase: { max: 3 } }'])(
    'by the word of a person halts the run, also under %s',
    async (policy) => {
      const run = staged(flow('  - { name: a, recipe: gate }\n  - { name: b, recipe: two }\n', policy), {
        gate: gated('gate'),
      });
      await begun(run);
      await ack(run);
      const result = await ack(run, { choice: 'stop' });
      expect(result.ok && result.json.next).toMatchObject({
        outcome: 'halted',
        summary: 'phase a stopped at ask: stop',
      });
    },
  );

  it('is aborted with its run', async () => {
    const run = staged(flow(PHASES, 'skip_phase'));
    await begun(run);
    await ack(run);
    await run.abort('no longer wanted');
    expect(await run.state()).toMatchObject({
      status: 'aborted',
      workflow: { phases: [{ status: 'done' }, { status: 'failed' }] },
    });
  });

  it('wants a document written anew after a retry', async () => {
    const note = recipeOf(
      'note',
      '  - { id: note, type: llm+cli, instruction: Write., write: note.json }\n  - { id: end, type: llm, instruction: E. }\n',
    );
    const run = staged(flow('  - { name: a, recipe: note }\n', '{ retry_phase: { max: 1 } }'), { note });
    await begun(run);
    run.put('note.json', '{"a":1}');
    await ack(run);
    await fail(run);
    expect(codeOf(await ack(run))).toBe('EVIDENCE_MISSING');
    run.put('note.json', '{"a":2}');
    expect(codeOf(await ack(run))).toBe('ok');
  });
});

describe('steps of two phases with one name', () => {
  const TWICE = '  - { name: a, recipe: gate }\n  - { name: b, recipe: other }\n';
  const recipes = { gate: gated('gate'), other: gated('other') };

  it('are told apart: gates, acknowledgements, --step', async () => {
    const run = staged(flow(TWICE), recipes);
    await begun(run);
    await ack(run);
    const gate = await run.action();
    await ack(run, { choice: 'go' });
    expect((await run.state()).gates).toEqual({});
    expect(codeOf(await run.complete({ step: 'work' }))).toBe('STALE_ACTION');
    await ack(run);
    expect(codeOf(await run.invalidate('work'))).toBe('ok');
    expect(await run.complete({ action: idOf(gate), choice: 'go' })).toMatchObject({
      ok: true,
      json: { duplicate: true },
    });
    await ack(run);
    const end = await ack(run, { choice: 'go' });
    expect(end.ok && end.json.next).toMatchObject({ results: { 'a/ask': 'go', 'b/ask': 'go' } });
  });

  it('of another phase are refused, or were done before', async () => {
    const run = staged(flow(`${PHASES}  - { name: c, recipe: gate }\n`), recipes);
    await begun(run);
    expect(codeOf(await run.invalidate('second'))).toBe('NOT_REACHED');
    expect(codeOf(await run.complete({ step: 'ask', choice: 'go' }))).toBe('NOT_REACHED');
    await ack(run);
    expect(codeOf(await run.invalidate('first'))).toBe('PHASE_ENDED');
    expect(codeOf(await run.invalidate('nothing'))).toBe('UNKNOWN_BLOCK');
    expect(await run.complete({ step: 'first' })).toMatchObject({ ok: true, json: { duplicate: true } });
  });
});

describe('init of a workflow', () => {
  it('resumes it whatever phase is at work, and refuses another recipe', async () => {
    const run = staged(flow(PHASES));
    await begun(run);
    await ack(run);
    expect(await run.init('flow')).toMatchObject({ ok: true, json: { status: 'resumed' } });
    expect(codeOf(await run.init('two'))).toBe('RUN_EXISTS');
    expect(codeOf(await run.init('one', { force: true }))).toBe('ok');
    expect((await run.state()).workflow).toBeNull();
  });

  it('settles the mode of each phase: flags, the workflow, then what the recipe states', async () => {
    const open =
      'name: open-mode\ntype: sequential\nskill: x\nblocks:\n  - { id: s, type: llm, instruction: "{mode.depth} {mode.interaction}" }\n';
    const modes = flow(
      '  - { name: a, recipe: open-mode }\n  - { name: b, recipe: one }\n',
      'halt',
      'mode: { interaction: autopilot }\n',
    );
    const run = staged(modes, { 'open-mode': open });
    expect(codeOf(await run.init('flow', { interactive: true }))).toBe('MODE_CONTRADICTION');
    expect(codeOf(await run.init('flow', { standard: true }))).toBe('MODE_CONTRADICTION');
    await begun(run, { quick: true });
    expect(await run.action()).toMatchObject({ instruction: 'quick autopilot' });
    await ack(run);
    expect((await run.state()).mode).toEqual({ depth: 'quick', interaction: 'interactive' });
  });

  it('wants the goal when any phase does, and a plan when nothing before the execution writes one', async () => {
    const goal = recipeOf('goal', '  - { id: g, type: llm, instruction: "{goal}" }\n');
    const asked = staged(flow('  - { name: a, recipe: one }\n  - { name: b, recipe: goal }\n'), { goal });
    expect(codeOf(await asked.init('flow'))).toBe('ok');
    expect(await asked.action()).toMatchObject({ block: 'first', data: { form: 'markdown' } });
    const execution = flow('  - { name: a, recipe: one }\n  - { name: b, recipe: execute-standard }\n');
    expect(codeOf(await staged(execution).init('flow', { goal: 'X' }))).toBe('PLAN_MISSING');
  });

  it('records whether pull requests are opened', async () => {
    const run = staged(
      flow('  - { name: a, recipe: one }\n  - { name: pr, recipe: two, when: preferences.pull_request }\n'),
    );
    await begun(run);
    expect((await run.state()).preferences).toMatchObject({ pull_request: false });
    const wanted = staged(flow('  - { name: pr, recipe: two, when: preferences.pull_request }\n'));
    await begun(wanted, { set: { pull_request: 'true' } });
    expect(await phases(wanted)).toEqual(['pr running']);
  });

  it('is refused for a recipe that is none', async () => {
    const run = staged(flow(PHASES));
    expect(codeOf(await run.init('one', { recipe: undefined, workflow: 'one' } as object))).toBe('USAGE');
  });

  it('passes values on to the phases that declare them, and refuses others', async () => {
    const run = staged(flow(PHASES, 'halt', 'vars: { x: m, own: 1 }\n'));
    expect(codeOf(await run.init('flow', { set: { y: '1' } }))).toBe('UNKNOWN_PREFERENCE');
    await begun(run, { set: { own: '2' } });
    expect((await run.state()).vars).toEqual({});
    await ack(run);
    expect((await run.state()).vars).toEqual({ x: 'm' });
  });
});

/** Acknowledges until the run has ended: answers gates with `go`; `fails` decides whether other steps fail. */
async function walked(run: Stage, most: number, fails: Iterator<boolean>): Promise<void> {
  for (let left = most; left >= 0; left -= 1) {
    const action = await run.action();
    if (action.action === 'done') return;
    const choice = action.action === 'wait-for-user' ? { choice: 'go' } : {};
    const failing = action.action === 'llm' && fails.next().value === true;
    const result = failing ? await fail(run) : await ack(run, choice);
    if (!result.ok) throw result.error;
  }
}

describe('every workflow', () => {
  it('ends, whatever fails, under every policy', async () => {
    const policies = ['halt', 'skip_phase', '{ retry_phase: { max: 1 } }', '{ retry_phase: { max: 3 } }'];
    const recipes = fc.array(fc.constantFrom('one', 'two', 'gate'), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(
        recipes,
        fc.constantFrom(...policies),
        fc.infiniteStream(fc.boolean()),
        async (names, policy, fails) => {
          const list = names.map((recipe, index) => `  - { name: p${index}, recipe: ${recipe} }\n`).join('');
          const run = staged(flow(list, policy), { gate: gated('gate') });
          await begun(run);
          // Each phase has at most two steps, and begins at most four times.
          await walked(run, names.length * 2 * 4, fails);
          const { status, workflow } = await run.state();
          expect(['completed', 'halted']).toContain(status);
          const rows = (workflow?.phases ?? []).map(({ status: row }) => row);
          if (status === 'completed') expect(rows.every((row) => row === 'done' || row === 'failed')).toBe(true);
          else expect(rows.filter((row) => row === 'failed')).toHaveLength(1);
          if (policy === 'skip_phase') expect(status).toBe('completed');
        },
      ),
      { numRuns: 25 },
    );
  });
});
