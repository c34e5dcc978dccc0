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
  type Result,
  runPrinted,
  stateOf,
  writeProjectFile,
  writeRecipe,
} from '../../support/cli.js';
import { simpleCrew } from '../../support/crew.mjs';
import { generatePlan, RUN } from '../../support/executing.js';
import { CHECKOUT, createProject, type Project } from '../../support/project.mjs';
import { bareTodo, smallPlan } from '../../support/small.mjs';
import { acknowledge, choose, deliver, writeSections } from '../../support/tiny.js';

let project: Project;
beforeEach(() => {
  project = createProject();
  writeRecipe(project, 'sized', SIZED);
});
afterEach(() => project.remove());

const SIZED = `name: sized
type: sequential
skill: sized
blocks:
  - { id: init, type: cli, command: 'dev-cli init {name} --recipe sized' }
  - id: classify
    type: llm
    instruction: Say what it is and how large.
    choices: [Feature, Bug]
    schema: size
  - id: explore
    type: llm
    when: size != "small"
    instruction: Look around, for a {size} change.
  - id: ask
    type: llm
    when: size == "large"
    instruction: Ask the user.
  - id: gate
    type: wait-for-user
    message: 'Is this {size} plan right?'
    choices:
      - { id: approve, label: yes }
      - { id: bigger, label: bigger than thought, goto: classify, grows: true }
      - { id: split, label: split it, goto: classify, when: size == "large" }
  - { id: last, type: llm, instruction: Done. }
`;

const BACKED = { files: ['src/a.ts'], interfaces: false, data: false, unknowns: [] };

/** Answers the block that classifies. */
function classify(action: Action | undefined, data?: object): Result {
  if (action?.data === undefined) throw new Error(`no data in ${JSON.stringify(action)}`);
  if (data === undefined)
    return devCli(project, ['step', 'complete', 'one', '--action', action.actionId, '--choice', 'Bug']);
  writeProjectFile(project, action.data.write, JSON.stringify(data));
  return choose(project, action, 'Bug');
}

function start(...flags: string[]): Action {
  const { next } = init(project, 'one', '--recipe', 'sized', ...flags);
  if (next === undefined || next === null) throw new Error('no action');
  return next;
}

/** The pending action. */
const pending = () => devCli(project, ['next', 'one']).json as unknown as Action;

const readText = (path: string) => readFileSync(join(project.root, path), 'utf8');

const sizeOf = () => (stateOf(project, 'one') as { size?: object }).size;

describe('the size of the work (recipes.md, Size)', () => {
  it('nothing said: large, as ever', () => {
    const { json } = classify(start());
    expect(json).toMatchObject({
      ok: true,
      next: { block: 'explore', instruction: 'Look around, for a large change.' },
    });
    expect(json.ran).toBeUndefined();
    expect(sizeOf()).toBeUndefined();
  });

  it('a small change that is backed skips what larger ones need', () => {
    const { json } = classify(start(), { size: 'small', because: BACKED });
    expect(json).toMatchObject({ next: { block: 'gate', message: expect.stringContaining('small') } });
    expect(json.ran).toBeUndefined();
    expect(sizeOf()).toEqual({ found: 'small' });
  });

  it.each([
    ['with nine files', { ...BACKED, files: [...'abcdefghi'] }, '9 files'],
    ['with an interface', { ...BACKED, interfaces: true }, 'an interface changes'],
    ['that nobody backs', undefined, 'no file is named'],
  ])('small %s becomes middle, and the answer says why', (_, because, why) => {
    const { json } = classify(start(), { size: 'small', ...(because === undefined ? {} : { because }) });
    expect(json).toMatchObject({
      ran: [{ block: 'classify', ok: true, summary: `size middle, not small: ${why}` }],
      next: { block: 'explore' },
    });
    expect(sizeOf()).toEqual({ found: 'middle', why });
    expect(devCli(project, ['manifest', 'one']).stdout).toContain('size middle');
    expect(devCli(project, ['status', 'one', '--json']).json).toMatchObject({
      size: { value: 'middle', by: 'classified' },
    });
  });

  it("the user's word wins, and the answer says once that they differ", () => {
    const { json } = classify(start('--size', 'small'), { size: 'large' });
    expect(json).toMatchObject({
      ran: [{ summary: 'size small, not large: as the user says' }],
      next: { block: 'gate' },
    });
    expect(devCli(project, ['next', 'one']).stdout).not.toContain('as the user says');
  });

  it('--quick is at most middle, --standard is large', () => {
    expect(classify(start('--quick'), { size: 'large' }).json).toMatchObject({
      ran: [{ summary: 'size middle, not large: as the user says' }],
      next: { block: 'explore' },
    });
    devCli(project, ['abort', 'one', '--reason', 'next case']);
    expect(classify(start('--quick'), { size: 'small', because: BACKED }).json.next).toMatchObject({ block: 'gate' });
    devCli(project, ['abort', 'one', '--reason', 'next case']);
    expect(classify(start('--standard'), { size: 'small', because: BACKED }).json.next).toMatchObject({
      block: 'explore',
    });
    expect(sizeOf()).toMatchObject({ said: 'large', found: 'small' });
  });

  it.each([
    [['--size', 'huge'], 'USAGE'],
    [['--size'], 'USAGE'],
    [['--size', 'large', '--quick'], 'SIZE_REFUSED'],
    [['--size', 'small', '--standard'], 'SIZE_REFUSED'],
  ])('init %j is exit 2, and nothing begins', (flags, code) => {
    const { code: exit, json } = devCli(project, ['init', 'one', '--recipe', 'sized', ...flags]);
    expect([exit, json.error?.code]).toEqual([2, code]);
    expect(devCli(project, ['next', 'one']).json.error?.code).toBe('NO_SUCH_RUN');
  });

  it('a recipe that is the same at any size refuses --size', () => {
    writeRecipe(
      project,
      'plain',
      'name: plain\ntype: sequential\nblocks:\n  - { id: a, type: llm, instruction: Do it. }\n',
    );
    const { code, json } = devCli(project, ['init', 'one', '--recipe', 'plain', '--size', 'small']);
    expect([code, json.error?.code]).toEqual([2, 'SIZE_REFUSED']);
    expect(devCli(project, ['init', 'one', '--recipe', 'execute-quick', '--size', 'small']).json.error?.code).toBe(
      'SIZE_REFUSED',
    );
    expect(devCli(project, ['init', 'one', '--execute', '--size', 'small']).code).toBe(2);
    expect(devCli(project, ['init', 'one', '--recipe', 'plain', '--quick']).code).toBe(0);
  });
});

describe('the example of recipes.md, Size', () => {
  it('holds up, and does what the page says', () => {
    const page = readFileSync(join(CHECKOUT, 'docs/spec/recipes.md'), 'utf8');
    const [, blocks = ''] = /### Size[\s\S]*?```yaml\n([\s\S]*?)```/.exec(page) ?? [];
    writeRecipe(project, 'example', `name: example\ntype: sequential\nblocks:\n${blocks}`);
    const lint = devCli(project, ['recipe', 'lint', '.dev/recipes/example.yaml', '--json']);
    expect(lint.json).toMatchObject({ ok: true, files: [{ problems: [] }] });
    const first = init(project, 'one', '--recipe', 'example').next as unknown as Action;
    const gate = classify(first, { size: 'small', because: BACKED }).json.next as unknown as Action;
    expect(choose(project, gate, 'bigger').json.next).toMatchObject({ block: 'classify' });
    expect(classify(pending()).json.next).toMatchObject({ instruction: 'Look for what a middle change touches.' });
  });
});

describe('choices on a condition (recipes.md, Choices)', () => {
  const ids = (action: Action | null | undefined) => action?.choices?.map(({ id }) => id);

  it('are offered only where it holds; one that grows only below large', () => {
    const gate = classify(start(), { size: 'small', because: BACKED }).json.next as unknown as Action;
    expect(ids(gate)).toEqual(['approve', 'bigger']);
    const split = devCli(project, ['step', 'complete', 'one', '--action', gate.actionId, '--choice', 'split']);
    expect(split.json.error?.code).toBe('UNKNOWN_CHOICE');
    const again = choose(project, gate, 'bigger').json;
    expect(again).toMatchObject({
      ran: [{ block: 'gate', summary: 'size middle, as the user says' }],
      next: { block: 'classify' },
    });
    const explore = classify(again.next as unknown as Action, { size: 'small', because: BACKED }).json;
    expect(explore).toMatchObject({
      ran: [{ summary: 'size middle, not small: as the user says' }],
      next: { block: 'explore' },
    });
    const second = acknowledge(project, explore.next as unknown as Action).json.next as unknown as Action;
    const third = choose(project, second, 'bigger').json.next as unknown as Action;
    acknowledge(project, classify(third).json.next as unknown as Action);
    const large = acknowledge(project, pending()).json.next as unknown as Action;
    expect(ids(large)).toEqual(['approve', 'split']);
  });
});

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
      { code: 'SIZE_REFUSED', message: 'The work of "one" is middle by now, and does not become small.' },
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

  /** Carries the plan out as far as it goes. */
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
    const agent = new StandIn({ project, name: RUN, crew: blocked, scenario: { plan: plan('small') } });
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

describe('the size in a workflow (recipes.md, Size)', () => {
  it('reaches the planning phase, and goes on from phase to phase', () => {
    writeRecipe(
      project,
      'after',
      `name: after
type: sequential
blocks:
  - { id: told, type: llm, instruction: 'It was {size}.' }
`,
    );
    writeProjectFile(
      project,
      '.dev/workflows/both.yaml',
      `name: both
type: meta
phases:
  - { name: plan, recipe: sized }
  - { name: then, recipe: after }
`,
    );
    const first = init(project, 'one', '--workflow', 'both', '--size', 'middle').next as unknown as Action;
    const explore = classify(first, { size: 'small', because: BACKED }).json;
    expect(explore.next).toMatchObject({ block: 'explore', instruction: 'Look around, for a middle change.' });
    const grown = devCli(project, ['init', 'one', '--size', 'large']).json;
    expect(grown).toMatchObject({ status: 'resumed', next: { block: 'classify' } });
    acknowledge(project, classify(pending()).json.next as unknown as Action);
    acknowledge(project, pending());
    choose(project, pending(), 'approve');
    expect(acknowledge(project, pending()).json.next).toMatchObject({ block: 'told', instruction: 'It was large.' });
    const { code, json } = devCli(project, ['init', 'one', '--size', 'small']);
    expect([code, json.error?.code]).toEqual([2, 'SIZE_REFUSED']);
  });
});

describe('what skipped blocks would have written (recipes.md, Instructions; documents.md, draft validate)', () => {
  const READING = `name: reading
type: sequential
skill: specify
mode: { depth: quick, interaction: interactive }
blocks:
  - { id: classify, type: llm, instruction: Say it., choices: [Bug], schema: size, sections: [intent] }
  - id: explore
    type: subagent
    when: size != "small"
    agents:
      - { type: code-explorer, id: near, prompt: Look., output: findings/near.md }
      - { type: code-explorer, id: far, prompt: Look far., output: findings/far.md, when: size == "large" }
    onComplete: dev-cli draft import {name}
  - id: ask
    type: llm-loop
    instruction: Ask the user.
    asks: user
    sections: [boundaries]
    exitCheck: dev-cli draft validate {name}
  - id: judge
    type: subagent
    read: [findings/near.md, findings/far.md, DRAFT.md]
    agents:
      - { type: gap-analyzer, id: gap, prompt: Judge., output: analysis/gap.md, readsFrom: [findings/near.md, findings/far.md] }
`;
  const REPORT = '---\nagent: near\ntimestamp: 2026-01-01T00:00:00Z\nsummary: Old.\n---\n\nOld.\n';
  const OLD = ['near', 'far'].map((id) => `.dev/specs/one/findings/${id}.md`);
  const promptOf = (action: Action) => readText(action.agents?.[0]?.promptFile ?? '');

  /** Up to the block that reads, with reports that lie there from earlier. */
  function upToJudge(size: 'small' | 'middle'): Action {
    writeRecipe(project, 'reading', READING);
    for (const path of OLD) writeProjectFile(project, path, REPORT);
    const first = init(project, 'one', '--recipe', 'reading', '--goal', 'Mend it').next as unknown as Action;
    let action = classify(first, { size, because: BACKED }).json.next as unknown as Action;
    if (action.block === 'explore') {
      expect(action.agents?.map(({ id }) => id)).toEqual(['near']);
      deliver(project, action);
      action = acknowledge(project, action).json.next as unknown as Action;
    }
    expect(action).toMatchObject({ block: 'ask', data: { need: { boundaries: expect.any(String) } } });
    writeSections(project, action, { boundaries: 'Only that.' });
    return acknowledge(project, action).json.next as unknown as Action;
  }

  it('is not read, also where an earlier run left a file of that name, and is not demanded', () => {
    const judge = upToJudge('small');
    expect(judge).toMatchObject({ block: 'judge', read: ['.dev/specs/one/DRAFT.md'] });
    expect(promptOf(judge)).not.toContain('findings/');
    expect(devCli(project, ['draft', 'validate', 'one']).json).toMatchObject({ ready: true, missing: [] });
    expect(devCli(project, ['manifest', 'one']).stdout).toContain('nothing missing');
  });

  it('of a block that ran only what its agents did not write is left out', () => {
    const judge = upToJudge('middle');
    expect(judge.read).toEqual(['.dev/specs/one/findings/near.md', '.dev/specs/one/DRAFT.md']);
    expect(promptOf(judge)).toContain('findings/near.md');
    expect(promptOf(judge)).not.toContain('findings/far.md');
  });

  it('a section is demanded as long as a block that writes it was not skipped', () => {
    writeRecipe(project, 'reading', READING);
    const first = init(project, 'one', '--recipe', 'reading', '--goal', 'Mend it').next as unknown as Action;
    classify(first, { size: 'middle' });
    const { code, json } = devCli(project, ['draft', 'validate', 'one']);
    expect([code, json]).toMatchObject([3, { missing: ['findings'] }]);
  });
});
