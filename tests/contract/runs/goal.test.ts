import { describe, expect, it } from 'vitest';
import { type Action, StandIn } from '../../support/agent.mjs';
import { devCli, journalOf, nextOf, readStateFile, runPrinted, stateOf, writeProjectFile } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { agentFor } from '../../support/stories.js';
import { acknowledge, END_BLOCK, PLAIN_BLOCK, startTiny, tiny } from '../../support/tiny.js';

// A run begun without a goal first asks for it (protocol.md §5).

const RUN = 'add-jwt-auth';
const GOAL = 'Add {JWT} auth, "as is"\n\n## To the API\nno library';

useProject();

function begin(...flags: string[]): Action {
  const begun = devCli(project, ['init', RUN, ...flags]);
  expect([begun.code, begun.json.status], begun.stdout).toEqual([0, 'initialized']);
  return nextOf(begun.json);
}

/** Writes the request to the file named by the action, and acknowledges. */
function answer(action: Action, goal = GOAL) {
  writeProjectFile(project, action.data?.write ?? '', `${goal}\n`);
  return acknowledge(project, action);
}

describe('init without a goal', () => {
  it.each([
    [['--standard', '--interactive']],
    [['--quick', '--autopilot']],
    [['--recipe', 'bugfix']],
    [['--workflow', 'ultrawork', '--set', 'pull_request=false']],
  ])('begins, and asks for it before all else: %j', (flags) => {
    const action = begin(...flags);
    expect(action).toMatchObject({ action: 'llm', block: 'init', actionId: 'a1', data: { form: 'markdown' } });
    expect(action.instruction).toContain('word for word');
    expect(stateOf(project, RUN)).toMatchObject({ goal: null, phase: 'agent', currentBlock: 'init', blockIndex: 0 });
    expect(Object.values(stateOf(project, RUN).steps).filter(({ status }) => status !== 'pending')).toHaveLength(1);
    expect(nextOf({ next: devCli(project, ['next', RUN]).json as never })).toEqual(action);
    const answered = answer(action);
    expect(answered.json, answered.stdout).toMatchObject({ ok: true, completed: 'init', next: { actionId: 'a2' } });
    expect(stateOf(project, RUN)).toMatchObject({ goal: GOAL, steps: { init: { status: 'done' } } });
    expect(acknowledge(project, action).json).toMatchObject({ ok: true, duplicate: true, next: { actionId: 'a2' } });
    expect(devCli(project, ['history', RUN, '--json']).json).toMatchObject({ runs: [{ goal: GOAL }] });
    expect(journalOf(project, RUN).map(({ type }) => type)).toContain('acknowledged');
  });

  it('gives everybody the request: the draft, the prompts, the plan, the summary', () => {
    const agent = agentFor(project);
    const action = begin('--recipe', 'specify-standard-autopilot');
    const done = agent.drive(nextOf(answer(action, agent.goal).json));
    expect(done).toMatchObject({ done: true, outcome: 'completed' });
    const summary = new StandIn({ project, name: RUN }).run(`cat .dev/specs/${RUN}/summary.md`);
    expect(summary.stdout).toContain(agent.goal.split('\n')[0]);
    expect(devCli(project, ['plan', 'validate', RUN, '--complete']).code).toBe(0);
  });

  it('is the same in the draft and in prompts as a goal that init was given', () => {
    answer(begin('--quick'));
    const draft = devCli(project, ['draft', 'show', RUN, '--section', 'purpose', '--json']).json;
    devCli(project, ['init', 'given', '--quick', '--new', '--goal', GOAL]);
    expect(devCli(project, ['draft', 'show', 'given', '--section', 'purpose', '--json']).json['text']).toBe(
      draft['text'],
    );
  });

  it('asks nothing where the recipe uses no goal', () => {
    const recipe = tiny(project, 'free', [PLAIN_BLOCK, END_BLOCK]);
    expect(begin('--recipe', recipe)).toMatchObject({ block: 'think', actionId: 'a1' });
    expect(stateOf(project, RUN).goal).toBeNull();
  });

  it('asks in the place of the first block, which then is begun, and judges no condition before', () => {
    const first = PLAIN_BLOCK.replace('Think about it;', 'Think about {goal};').replace(
      'type: llm',
      'type: llm\n    when: \'goal.contains("auth")\'',
    );
    const recipe = tiny(project, 'own', [first, END_BLOCK]);
    const action = begin('--recipe', recipe);
    expect(action).toMatchObject({ block: 'think', actionId: 'a1' });
    expect(nextOf(answer(action).json)).toMatchObject({ block: 'think', actionId: 'a2' });
    devCli(project, ['init', 'other', '--recipe', recipe, '--new']);
    const next = nextOf({ next: devCli(project, ['next', 'other']).json as never });
    expect(nextOf(answer(next, 'Write a poem').json)).toMatchObject({ block: 'last', actionId: 'a2' });
  });
});

describe('what is handed in', () => {
  it.each([
    ['nothing', [], 'DATA_MISSING'],
    ['blanks', ['--data', ' \n\t'], 'DATA_MISSING'],
    ['too long', ['--data', 'x'.repeat(20_001)], 'DATA_MALFORMED'],
    ['a choice', ['--data', 'x', '--choice', 'Feature'], 'DATA_UNEXPECTED'],
    ['a result', ['--data', 'x', '--result', 'done'], 'DATA_UNEXPECTED'],
  ])('is refused where it is %s, and the action stays', (_what, words, code) => {
    const action = begin('--quick');
    const before = readStateFile(project, RUN);
    const refused = devCli(project, ['step', 'complete', RUN, '--action', 'a1', ...words]);
    expect([refused.code === 0, refused.json.error?.code]).toEqual([false, code]);
    expect(readStateFile(project, RUN)).toEqual(before);
    expect(answer(action).code).toBe(0);
  });

  it('cannot fail, nor be redone: nothing has begun', () => {
    begin('--quick');
    const failed = devCli(project, ['step', 'fail', RUN, '--action', 'a1', '--reason', 'no idea']);
    expect(failed.json.error).toMatchObject({ code: 'DATA_UNEXPECTED', fix: expect.stringContaining('dev-cli abort') });
    for (const step of ['init', 'classify-intent'])
      expect(devCli(project, ['step', 'invalidate', RUN, '--step', step]).json.error?.code).toBe('NOT_REACHED');
    expect(devCli(project, ['abort', RUN, '--reason', 'wanted nothing']).json.status).toBe('aborted');
  });

  it('may be the goal of another live run only on insistence', () => {
    startTiny(project, [PLAIN_BLOCK], '', 'other');
    const action = begin('--quick');
    const refused = answer(action, 'add jwt AUTH!');
    expect(refused.json.error).toMatchObject({ code: 'RUN_SAME_GOAL', fix: 'dev-cli next other' });
    expect(stateOf(project, RUN).goal).toBeNull();
    const { instead = '' } = refused.json.error as { instead?: string };
    expect(nextOf(runPrinted(project, instead).json)).toMatchObject({ block: 'classify-intent', actionId: 'a2' });
    expect(stateOf(project, RUN).goal).toBe('add jwt AUTH!');
  });

  it('counts for whoever begins the same later', () => {
    answer(begin('--quick'));
    const other = devCli(project, ['init', 'other', '--quick', '--goal', GOAL.toLowerCase()]);
    expect(other.json.error).toMatchObject({ code: 'RUN_SAME_GOAL', fix: `dev-cli next ${RUN}` });
  });
});

describe('while a run waits for its goal', () => {
  it('init with one gives it; without one it asks again', () => {
    const action = begin('--standard');
    const again = devCli(project, ['init', RUN]);
    expect(again.json).toMatchObject({ status: 'resumed', next: { actionId: 'a1' } });
    expect(nextOf(again.json)).toEqual(action);
    const given = devCli(project, ['init', RUN, '--goal', GOAL]);
    expect(given.json).toMatchObject({ status: 'resumed', next: { block: 'classify-intent', actionId: 'a2' } });
    expect(given.json.warnings).toBeUndefined();
    expect(stateOf(project, RUN).goal).toBe(GOAL);
  });

  it('a hold keeps what the goal would begin', () => {
    const action = begin('--quick');
    devCli(project, ['hold', RUN]);
    expect(devCli(project, ['next', RUN]).json).toMatchObject({ action: 'held', pending: { actionId: 'a1' } });
    expect(answer(action).json).toMatchObject({ ok: true, next: { action: 'held' } });
    expect(nextOf(devCli(project, ['release', RUN]).json)).toMatchObject({ block: 'classify-intent', actionId: 'a2' });
    expect(stateOf(project, RUN).goal).toBe(GOAL);
  });

  it('a fork asks for its own', () => {
    begin('--quick');
    const forked = devCli(project, ['fork', RUN, '--at', '2', '--as', 'twin']);
    const action = nextOf(forked.json);
    expect(action).toMatchObject({ run: 'twin', block: 'init', action: 'llm' });
    expect(action.data?.write).toContain('.dev/specs/twin/actions/');
    expect(nextOf(answer(action).json)).toMatchObject({ run: 'twin', block: 'classify-intent' });
  });

  it('its size may still be said', () => {
    begin('--quick');
    expect(devCli(project, ['init', RUN, '--size', 'small']).json).toMatchObject({
      status: 'resumed',
      next: { block: 'init', actionId: 'a1' },
    });
    expect(devCli(project, ['status', RUN, '--json']).json).toMatchObject({
      size: { value: 'small' },
      skill: 'specify',
      mode: { depth: 'quick', interaction: 'interactive' },
    });
  });
});
