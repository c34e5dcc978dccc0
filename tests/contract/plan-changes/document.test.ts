import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { PlanContent } from '../../../src/plan/model/schema.js';
import { type Action, StandIn } from '../../support/agent.mjs';
import { CHANGES } from '../../support/changes.mjs';
import { devCli, runDir, writeProjectFile } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { goldenRuns, unpack } from '../../support/golden.mjs';
import { createProject } from '../../support/project.mjs';
import { acknowledge, DATA_BLOCK, END_BLOCK, PLAN_BLOCK, REVIEW_BLOCK, tiny } from '../../support/tiny.js';

// PLAN.md as the person who decides sees it (documents.md, PLAN.md).

useProject();

const { goal: GOAL } = CHANGES.middle;
const PLAN = CHANGES.middle.plan(0) as PlanContent;
const ONE_REVIEW = `${REVIEW_BLOCK.replace('maxRounds: 2', 'maxRounds: 1')}    onError: continue\n`;
const GATE = `
  - id: approve
    type: wait-for-user
    message: Shall it be carried out?
    artifact: PLAN.md
    choices:
      - { id: 'yes', label: carry it out, goto: next }
      - { id: revise, label: change it, goto: plan, reason: required }
    maxRounds: 3
`;

const planMd = () => readFileSync(join(runDir(project, 'run-1'), 'PLAN.md'), 'utf8');

/** Plans up to the gate; with `rejectFirstReview`, the first review rejects the plan. */
function planAndReview(rejectFirstReview: boolean, plan: PlanContent = PLAN): Action {
  const recipe = tiny(project, 'planning', [PLAN_BLOCK, ONE_REVIEW, GATE, END_BLOCK]);
  writeProjectFile(project, 'goal.txt', GOAL);
  let action = devCli(project, ['init', 'run-1', '--recipe', recipe, '--goal', '@goal.txt']).json.next as Action;
  const agent = new StandIn({ project, scenario: { rejectFirstReview } });
  while (action.block !== 'approve') {
    if (action.block === 'plan') writeProjectFile(project, '.dev/specs/run-1/plan-content.json', JSON.stringify(plan));
    for (const one of action.agents ?? []) agent.subagent(one);
    action = acknowledge(project, action).json.next as Action;
  }
  return action;
}

describe('PLAN.md', () => {
  it('shows whose plan it is, what was asked, and what of that nothing covers', () => {
    planAndReview(false);
    const text = planMd();
    expect(text).toMatch(/^# Plan: run-1 \(middle\)\n/);
    expect(text).toContain(`\n## Request\n\`\`\`text\n${GOAL}\n\`\`\`\n`);
    expect(text).toContain('\n## Words of the request that no requirement covers\n- Let clients remove to-dos.\n\n');
    expect(devCli(project, ['plan', 'validate', 'run-1']).json).toMatchObject({ valid: true, edited: false });
    expect(devCli(project, ['plan', 'summary', 'run-1']).json).toMatchObject({
      ok: true,
      summary: expect.stringMatching(/^4 requirements, 2 todos /),
    });
  });

  it('is edited once anything in it is, what was asked included', () => {
    planAndReview(false);
    const text = planMd();
    for (const [said, instead] of [
      [GOAL, `${GOAL} Or not.`],
      ['- Let clients remove to-dos.\n', ''],
      ['# Plan: run-1', '# Plan: run-2'],
    ] as const) {
      writeProjectFile(project, '.dev/specs/run-1/PLAN.md', text.replace(said, instead));
      expect(devCli(project, ['plan', 'validate', 'run-1']).json, said).toMatchObject({ edited: true });
    }
  });

  it('stays the same whoever generates it again, and whatever the goal of a later run of the name', () => {
    planAndReview(false);
    const text = planMd();
    expect(devCli(project, ['plan', 'generate', 'run-1']).code).toBe(0);
    expect(planMd()).toBe(text);
  });
});

describe('the gate about it', () => {
  it('says what was known only after it was written', () => {
    const { message } = planAndReview(false);
    expect(message).toContain('Shall it be carried out?\n\nReview, round 1: OKAY\n');
    expect(message).toContain('\nPLAN.md names words of the request that no requirement covers.\n');
    expect(message).toContain('\nExecution will run these commands:\n- node --test');
  });

  it('says of a plan that was edited since the review that it was', () => {
    planAndReview(false);
    const add = [
      'plan',
      'add',
      'run-1',
      '--title',
      'One more',
      '--run',
      'node --test more',
      '--files',
      'more.js',
      '--after',
      'todo-2',
    ];
    const added = devCli(project, add);
    expect(added.code, added.stdout).toBe(0);
    const asked = devCli(project, ['step', 'invalidate', 'run-1', '--step', 'approve']).json.next as Action;
    expect(asked.message).toContain('\n\nReview, round 1, before the plan was edited: OKAY\n');
  });

  it('says why the reviewer did not agree', () => {
    const requirements = PLAN.requirements?.map((each) => ({ ...each, quote: GOAL }));
    const { message } = planAndReview(true, { ...PLAN, ...(requirements === undefined ? {} : { requirements }) });
    expect(message).toMatch(/\n\nReview, round 1: REJECT: \S.+\n\nExecution will run/);
  });
});

describe('a PLAN.md of an earlier release', () => {
  const run = goldenRuns()
    .find(({ title }) => title === '0.2.0/specify-standard-interactive.completed')
    ?.load();

  it('is not edited, follows from its plan, and is executed', () => {
    if (run === undefined) throw new Error('no such golden run');
    const place = createProject({ sample: null, git: false, replay: false });
    try {
      unpack(place.root, run);
      expect(devCli(place, ['plan', 'validate', run.name]).json).toMatchObject({ valid: true, edited: false });
      expect(devCli(place, ['plan', 'summary', run.name]).code).toBe(0);
      const { code, json } = devCli(place, ['init', run.name, '--execute']);
      expect([code, json.error?.code]).toEqual([0, undefined]);
    } finally {
      place.remove();
    }
  });
});

describe('what a plan leaves out of its context', () => {
  const { context: _, ...rest } = PLAN;
  const content = () =>
    JSON.parse(readFileSync(join(runDir(project, 'run-1'), 'plan-content.json'), 'utf8')) as PlanContent;
  const contextOf = (context: object): PlanContent['context'] => {
    const file = writeProjectFile(project, '.dev/plan.json', JSON.stringify({ ...rest, context }));
    const generated = devCli(project, ['plan', 'generate', 'run-1', '--data', `@${file}`]);
    expect(generated.code, generated.stdout).toBe(0);
    expect(devCli(project, ['plan', 'validate', 'run-1']).json).toMatchObject({ valid: true, edited: false });
    return content().context;
  };
  const save = (section: string, text: string, ...more: string[]) =>
    expect(
      devCli(project, ['draft', 'update', 'run-1', '--section', section, '--data', JSON.stringify(text), ...more]).code,
    ).toBe(0);

  beforeEach(() => {
    const recipe = tiny(project, 'drafted', [DATA_BLOCK, PLAN_BLOCK]);
    writeProjectFile(project, 'goal.txt', GOAL);
    expect(devCli(project, ['init', 'run-1', '--recipe', recipe, '--goal', '@goal.txt']).code).toBe(0);
    save('boundaries', '- The client stays (user)\n- No new dependency (assumed)\n- Node 20');
    save('decisions', '- 404 where there is none,\n  as elsewhere (user)\n- Plain SQL (agent)');
    save('findings', '- [code-explorer](findings/code-explorer.md): routes in src/app.js:12\n- a hint of my own');
  });

  const SAID = ['The client stays', '404 where there is none, as elsewhere'];
  const FOUND = ['code-explorer: routes in src/app.js:12', 'a hint of my own'];

  it('is what the user said and what was found, from DRAFT.md; what nobody said is not taken for it', () => {
    expect(contextOf({})).toEqual({ interviewSummary: SAID, researchFindings: FOUND });
    const shown = planMd().replace(/`/g, '');
    expect(shown).toContain('- interview:\n  - The client stays\n  - 404 where there is none, as elsewhere\n');
    expect(shown).toContain('- research:\n  - code-explorer: routes in src/app.js:12\n');
    expect(shown).not.toMatch(/No new dependency|Plain SQL/);
  });

  it('stays as it is stated, and follows the draft where it only repeats it', () => {
    const mine = { interviewSummary: 'Nothing was asked.', researchFindings: [], assumptions: 'One client' };
    expect(contextOf(mine)).toEqual(mine);
    const first = contextOf({ assumptions: ['One client'] });
    save('decisions', '- Ask before it is deleted (user)', '--append');
    expect(contextOf(first)).toEqual({ ...first, interviewSummary: [...SAID, 'Ask before it is deleted'] });
  });

  it('is left out where there is no draft, and can be written into PLAN.md later', () => {
    const file = writeProjectFile(project, '.dev/plan.json', JSON.stringify({ ...rest, context: {} }));
    expect(devCli(project, ['plan', 'generate', 'alone', '--data', `@${file}`]).code).toBe(0);
    const path = join(runDir(project, 'alone'), 'PLAN.md');
    const before = readFileSync(path, 'utf8');
    expect(before).not.toContain('## Context');
    expect(devCli(project, ['plan', 'apply', 'alone', '--dry-run']).json).toMatchObject({
      plan: { status: 'unchanged' },
    });
    writeProjectFile(project, '.dev/specs/alone/PLAN.md', `${before}\n## Context\n- research: src/app.js:12\n`);
    expect(devCli(project, ['plan', 'apply', 'alone']).json).toMatchObject({ ok: true });
    const { context } = JSON.parse(readFileSync(join(runDir(project, 'alone'), 'plan-content.json'), 'utf8'));
    expect(context).toEqual({ researchFindings: ['src/app.js:12'] });
  });
});
