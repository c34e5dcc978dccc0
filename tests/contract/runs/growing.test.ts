import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDraft } from '../../../src/documents/draft.js';
import { updateDraft } from '../../../src/documents/draft-edit.js';
import { type Action, StandIn } from '../../support/agent.mjs';
import {
  devCli,
  devCliAsync,
  init,
  journalOf,
  runPrinted,
  stateOf,
  writeProjectFile,
  writeRecipe,
} from '../../support/cli.js';
import { simpleCrew } from '../../support/crew.mjs';
import { generatePlan, RUN } from '../../support/executing.js';
import { goldenRuns, unpack } from '../../support/golden.mjs';
import { createProject, type Project } from '../../support/project.mjs';
import { BACKED, classifyAs, startSized, writeSized } from '../../support/sized.js';
import { bareTodo, smallPlan } from '../../support/small.mjs';
import { acknowledge, choose } from '../../support/tiny.js';

let project: Project;
beforeEach(() => {
  project = createProject();
  writeSized(project);
});
afterEach(() => project.remove());

const classify = (action: Action | undefined, data?: object) => classifyAs(project, action, data);
const start = (...flags: string[]) => startSized(project, ...flags);
/** Returns the pending action. */
const pending = () => devCli(project, ['next', 'one']).json as unknown as Action;
const readText = (path: string) => readFileSync(join(project.root, path), 'utf8');
const sizeOf = () => (stateOf(project, 'one') as { size?: object }).size;

describe('growing (recipes.md, Size)', () => {
  const grow = (...args: string[]) => devCli(project, ['init', 'one', ...args]);
  const entries = () => journalOf(project, 'one').map(({ type }) => type);
  const steps = () => Object.entries(stateOf(project, 'one').steps).map(([id, { status }]) => `${id} ${status}`);

  it('a live plan is redone from the block that classifies; documents stay, and the answer says so', () => {
    classify(start(), { size: 'small', because: BACKED });
    writeProjectFile(project, '.dev/specs/one/findings/a.md', 'found');
    const { code, json } = grow('--size', 'middle');
    expect([code, json]).toMatchObject([
      0,
      {
        status: 'resumed',
        ran: [{ block: 'classify', ok: true, summary: 'size middle, as the user says: redone from classify' }],
        next: { block: 'classify' },
      },
    ]);
    expect(sizeOf()).toEqual({ said: 'middle' });
    expect(readText('.dev/specs/one/findings/a.md')).toBe('found');
    expect(classify(pending(), { size: 'small', because: BACKED }).json.next).toMatchObject({ block: 'explore' });
  });

  it('again: the run as it stands, and nothing is recorded', () => {
    classify(start(), { size: 'small', because: BACKED });
    grow('--size', 'middle');
    const before = entries();
    const { json } = grow('--size', 'middle');
    expect(json).toMatchObject({
      ok: true,
      status: 'resumed',
      next: { block: 'classify', actionId: pending().actionId },
    });
    expect(json.ran).toBeUndefined();
    expect(entries()).toEqual(before);
  });

  it('a halted plan goes on with it', () => {
    const { next } = classify(start(), { size: 'middle' }).json;
    devCli(project, ['step', 'fail', 'one', '--action', next?.actionId ?? '', '--reason', 'too much']);
    expect(stateOf(project, 'one').status).toBe('halted');
    expect(grow('--size', 'large').json).toMatchObject({ status: 'resumed', next: { block: 'classify' } });
    expect(stateOf(project, 'one').status).toBe('live');
  });

  it('never to less than what is at work; before anything is done to any', () => {
    start('--size', 'large');
    expect(grow('--size', 'small').json).toMatchObject({ ok: true, next: { block: 'classify' } });
    expect(classify(pending()).json.next).toMatchObject({ block: 'gate' });
    grow('--size', 'middle');
    const { code, json } = grow('--size', 'small');
    expect([code, json.error]).toMatchObject([
      2,
      { code: 'SIZE_REFUSED', message: 'The work of "one" is already middle; it cannot become small.' },
    ]);
    expect(steps()).toContain('gate stale');
  });

  it('what was found counts as the word of the user once the user has said the same', () => {
    classify(start(), { size: 'middle' });
    expect(grow('--size', 'middle').json).toMatchObject({
      ran: [{ summary: 'size middle, as the user says' }],
      next: { block: 'explore' },
    });
    expect(sizeOf()).toEqual({ said: 'middle', found: 'middle' });
  });

  it('an ended run: planning begins anew, with the old goal unless another is given', () => {
    classify(start('--goal', 'Mend it'), { size: 'small', because: BACKED });
    choose(project, pending(), 'approve');
    acknowledge(project, pending());
    expect(stateOf(project, 'one').status).toBe('completed');
    writeProjectFile(project, '.dev/specs/one/notes.md', 'kept');
    expect(grow('--size', 'middle').json).toMatchObject({ status: 'initialized', next: { block: 'classify' } });
    expect(stateOf(project, 'one')).toMatchObject({ recipe: 'sized', goal: 'Mend it', status: 'live' });
    expect(readText('.dev/specs/one/notes.md')).toBe('kept');
    devCli(project, ['abort', 'one', '--reason', 'another']);
    grow('--recipe', 'sized', '--size', 'small', '--goal', 'Something else');
    expect(stateOf(project, 'one').goal).toBe('Something else');
  });

  it('a run of which no block says how large it is keeps its size, and says how to begin anew', () => {
    writeRecipe(
      project,
      'fixed',
      `name: fixed
type: sequential
blocks:
  - { id: a, type: llm, instruction: Do it. }
  - { id: b, type: llm, when: size != "small", instruction: Do more. }
`,
    );
    grow('--recipe', 'fixed', '--size', 'small');
    expect(grow('--size', 'small').json).toMatchObject({ ok: true, status: 'resumed' });
    const { code, json } = grow('--size', 'middle');
    expect([code, json.error]).toMatchObject([2, { code: 'SIZE_REFUSED', fix: expect.stringContaining('--force') }]);
    expect(grow('--force', '--size', 'middle').json).toMatchObject({ ok: true, status: 'initialized' });
  });

  it('two at once: one grows, the other finds it grown', async () => {
    classify(start(), { size: 'small', because: BACKED });
    const answers = await Promise.all([1, 2, 3].map(() => devCliAsync(project, ['init', 'one', '--size', 'middle'])));
    expect(answers.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(answers.filter(({ json }) => json.ran !== undefined)).toHaveLength(1);
    expect(new Set(answers.map(({ json }) => json.next?.actionId)).size).toBe(1);
    expect(entries().filter((type) => type === 'invalidated')).toHaveLength(1);
  });
});

describe('growing out of an execution (recipes.md, Size)', () => {
  const grow = (...args: string[]) => devCli(project, ['init', RUN, ...args]);
  const todo = (id: string) =>
    bareTodo(id, { acceptance: [{ id: 'ac-1', kind: 'command', run: ['test', '-f', `made/${id}.txt`] }] });
  const plan = (size?: string) => ({
    ...smallPlan(),
    ...(size === undefined ? {} : { size }),
    todos: [todo('todo-1')],
  });
  const BLOCKED = { status: 'BLOCKED', outputs: {}, filesChanged: [], learnings: [], issues: [] };
  const result = { ...BLOCKED, summary: 'Three modules are concerned.', reason: 'three modules are concerned' };
  const blocked = simpleCrew({ worker: () => ({ files: {}, result }) });

  /** Executes the plan until the run is done. */
  function execute(content: object, crew = blocked, flags = '--autopilot'): Action {
    generatePlan(project, content);
    const agent = new StandIn({ project, name: RUN, crew });
    return agent.drive(agent.execute(`--execute ${flags}`));
  }

  it('a BLOCKED todo of a small plan: `instead` plans the same work anew, larger', () => {
    const done = execute(plan('small')) as Action & { instead?: string; instruction: string };
    expect(done).toMatchObject({ outcome: 'halted', instead: `dev-cli init ${RUN} --size middle` });
    expect(done.instruction).toContain('`instead`');
    writeProjectFile(project, `.dev/specs/${RUN}/DRAFT.md`, 'no draft at all');
    expect(runPrinted(project, done.instead ?? '').json).toMatchObject({
      status: 'initialized',
      next: { block: 'classify-intent' },
    });
    expect(stateOf(project, RUN)).toMatchObject({
      recipe: 'specify-standard-autopilot',
      goal: 'Add JWT auth',
      size: { said: 'middle' },
    });
    expect(readText(`.dev/specs/${RUN}/plan-content.json`)).toContain('"small"');
    expect(runPrinted(project, done.instead ?? '').json).toMatchObject({
      status: 'resumed',
      next: { actionId: pendingOf() },
    });
    expect(journalOf(project, RUN).filter(({ type }) => type === 'init')).toHaveLength(2);
  });

  const pendingOf = () => (devCli(project, ['next', RUN]).json as unknown as Action).actionId;

  it.each([undefined, 'middle'])('a BLOCKED todo of a plan of size %s: no such hint', (size) => {
    expect(execute(plan(size))).not.toHaveProperty('instead');
  });

  it('a small plan that halted for another reason: no hint, but growing goes', () => {
    const failing = simpleCrew({ worker: (task, root) => ({ ...simpleCrew().worker(task, root), files: {} }) });
    expect(execute(plan('small'), failing)).not.toHaveProperty('instead');
    expect(grow('--size', 'middle', '--goal', 'Add it, larger').json).toMatchObject({ status: 'initialized' });
    expect(stateOf(project, RUN).goal).toBe('Add it, larger');
  });

  it('its draft goes on with the same goal, and is put aside for another', () => {
    const text = updateDraft(createDraft(RUN), { boundaries: 'Only the header.' });
    for (const [goal, kept] of [
      [[], true],
      [['--goal', 'Other work'], false],
    ] as const) {
      execute(plan('small'));
      writeProjectFile(project, `.dev/specs/${RUN}/DRAFT.md`, text);
      expect(grow('--size', 'middle', ...goal).json).toMatchObject({ status: 'initialized' });
      expect(readText(`.dev/specs/${RUN}/DRAFT.md`).includes('Only the header.')).toBe(kept);
      devCli(project, ['abort', RUN, '--reason', 'next case']);
    }
  });

  it('two at once: one plans anew, the others find it planning', async () => {
    execute(plan('small'));
    const answers = await Promise.all([1, 2, 3].map(() => devCliAsync(project, ['init', RUN, '--size', 'middle'])));
    expect(answers.map(({ json }) => json.status).sort()).toEqual(['initialized', 'resumed', 'resumed']);
    expect(journalOf(project, RUN).filter(({ type }) => type === 'init')).toHaveLength(2);
  });

  it('a workflow whose execution halted begins anew with its planning', () => {
    const agent = new StandIn({
      project,
      name: RUN,
      goal: 'Mend it',
      crew: blocked,
      scenario: { plan: plan('small') },
    });
    const first = init(
      project,
      RUN,
      '--workflow',
      'ultrawork-autopilot',
      '--set',
      'pull_request=false',
      '--goal',
      'Mend it',
    );
    const done = agent.drive(first.next as unknown as Action) as Action & { instead?: string };
    expect(done).toMatchObject({ outcome: 'halted', instead: `dev-cli init ${RUN} --size middle` });
    expect(runPrinted(project, done.instead ?? '').json).toMatchObject({
      status: 'initialized',
      next: { block: 'classify-intent' },
    });
    expect(stateOf(project, RUN)).toMatchObject({ recipe: 'ultrawork-autopilot', goal: 'Mend it' });
  });

  it('never to less than the plan at work', () => {
    execute(plan('middle'));
    const { code, json } = grow('--size', 'small');
    expect([code, json.error?.code]).toEqual([2, 'SIZE_REFUSED']);
    expect(stateOf(project, RUN).status).toBe('halted');
  });

  it('while its todos go on it is refused, with what to do; once one has failed it gives way, live as it is', () => {
    generatePlan(project, { ...plan('middle'), todos: [todo('todo-1'), todo('todo-2')] });
    const first = init(project, RUN, '--execute', '--autopilot').next as unknown as Action;
    const { code, json } = grow('--size', 'large');
    expect([code, json.error]).toMatchObject([4, { code: 'RUN_EXISTS', fix: expect.stringContaining('--force') }]);
    const [task] = first.tasks ?? [];
    writeProjectFile(project, task?.output ?? '', JSON.stringify(result));
    const live = runPrinted(project, first.ack ?? '').json;
    expect(live.next).toMatchObject({ action: 'engine-dispatch', running: [{ todoId: 'todo-2' }] });
    expect(grow('--size', 'large').json).toMatchObject({ status: 'initialized', next: { block: 'classify-intent' } });
    expect(journalOf(project, RUN).filter(({ type }) => type === 'ended')).toMatchObject([
      { data: { outcome: 'aborted' } },
    ]);
  });
});

describe('runs from before there were sizes (tests/golden)', () => {
  const kept = (moment: string) => {
    const run = goldenRuns()
      .find(({ title }) => title === `0.2.0/${moment}`)
      ?.load();
    if (run === undefined) throw new Error(`no golden run ${moment}`);
    unpack(project.root, run);
    return run;
  };

  beforeEach(() => {
    project.remove();
    project = createProject({ sample: null, git: false });
  });

  it('a live plan keeps its size, which is large, and goes on as it was', () => {
    const { name, next } = kept('specify-quick-interactive.gate-pending');
    const { code, json } = devCli(project, ['init', name, '--size', 'middle']);
    expect([code, json.error]).toMatchObject([2, { code: 'SIZE_REFUSED', message: expect.stringContaining('large') }]);
    expect(devCli(project, ['init', name, '--size', 'large']).json).toMatchObject({ ok: true, status: 'resumed' });
    expect(devCli(project, ['next', name]).json).toEqual(next);
  });

  it.each(['specify-standard-autopilot.completed', 'execute-standard.halted'])(
    '%s: planned anew at any size',
    (file) => {
      const { name } = kept(file);
      const { json } = devCli(project, ['init', name, '--size', 'small']);
      expect(json).toMatchObject({ status: 'initialized', next: { block: 'classify-intent' } });
      expect(stateOf(project, name)).toMatchObject({ goal: expect.stringContaining(' '), size: { said: 'small' } });
    },
  );
});
