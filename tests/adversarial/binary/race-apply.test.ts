import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PlanContent } from '../../../src/plan/model/schema.js';
import { judged } from '../../core/protocol/execution.js';
import { type Document, devCli, journalOf, runDir, writeRecipe } from '../../support/cli.js';
import { callHook } from '../../support/hooks.js';
import { createProject, type Project } from '../../support/project.mjs';
import { numberFrom } from '../../support/seeded.js';
import { pending } from './executed.js';
import { type Dispatch, engineOf, generate, hand, planOf, RUN } from './executing.js';
import { call, replays } from './victims.js';

// living-plan.md, plan apply: several processes at once propose a changed plan, collect results and answer the question
// about the change. Each gets an answer as if the calls had come one after another: a change is asked about once and
// applied once, and no result is lost.

const RACES = numberFrom('DEV_CLI_TEST_EXECUTION_RACES', 1);
const SESSION = 's-1';

const RECIPE = `name: applied
type: engine
skill: execute
config:
  depth: standard
  policies: { verify_enabled: false, code_review_enabled: false, final_verify_enabled: false }
`;

let project: Project;
beforeEach(() => {
  project = createProject({ sample: null });
});
afterEach(() => project.remove());

const before = (): PlanContent =>
  planOf(judged('todo-1'), judged('todo-2'), judged('todo-3', { dependsOn: ['todo-1', 'todo-2'] }));
const after = (): PlanContent => {
  const [first, second, third] = before().todos;
  return planOf(
    first as never,
    second as never,
    { ...(third as object), steps: ['Otherwise'] } as never,
    judged('todo-4'),
  );
};

function begun(): Dispatch {
  writeRecipe(project, 'applied', RECIPE);
  generate(project, before());
  project.env['CLAUDE_CODE_SESSION_ID'] = SESSION;
  const { code, stdout } = devCli(project, ['init', RUN, '--recipe', 'applied']);
  expect(code, stdout).toBe(0);
  writeFileSync(join(runDir(project, RUN), 'plan-content.json'), JSON.stringify(after()));
  return pending(project);
}

interface Told {
  code: number | null;
  json: Document;
}

const together = (...calls: string[][]): Promise<Told[]> =>
  Promise.all(
    calls.map(async (words) => {
      const { code, json } = await call(project, words);
      return { code, json: json ?? {} };
    }),
  );

const count = (type: string): number => journalOf(project, RUN).filter((entry) => entry['type'] === type).length;
const statusOf = ({ json }: Told): unknown => (json['plan'] as { status?: unknown } | undefined)?.status;

/** Returns the problems at the end of the execution. */
function faults(): string[] {
  const { order, todos, proposed } = engineOf(project);
  const attempts = Object.values(todos).reduce((sum, { attempt }) => sum + attempt, 0);
  return [
    ...(count('plan-applied') === 1 ? [] : [`taken up ${count('plan-applied')} times`]),
    // A todo that was in progress when the change was applied takes two attempts, each with a result.
    ...(count('task-done') === attempts ? [] : [`${count('task-done')} results of ${attempts} attempts were taken`]),
    ...(proposed === undefined ? [] : ['still proposed']),
    ...(order.join() === 'todo-1,todo-2,todo-3,todo-4' ? [] : [`the plan is ${order.join()}`]),
    ...order.filter((id) => todos[id]?.status !== 'done').map((id) => `${id} is not done`),
    ...(replays(project, RUN) ? [] : ['the journal does not replay']),
  ];
}

/** Writes the results of a dispatch and collects them. */
async function takeAll(action: Dispatch): Promise<void> {
  for (const task of [...(action.tasks ?? []), ...(action.running ?? [])]) hand(project, task);
  await together(['step', 'complete', RUN, '--action', action.actionId, '--collect']);
}

const APPLY = ['plan', 'apply', RUN];

/** Makes three processes propose the change while another collects the wave's results. */
async function proposeAtOnce(dispatch: Dispatch): Promise<void> {
  for (const task of dispatch.tasks) hand(project, task);
  const collect = ['step', 'complete', RUN, '--action', dispatch.actionId, '--collect'];
  const told = await together(APPLY, collect, APPLY, APPLY);
  expect(told.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  const proposals = told.filter((one) => statusOf(one) === 'proposed');
  expect(proposals).toHaveLength(3);
  expect(proposals.filter(({ json }) => json.duplicate !== true)).toHaveLength(1);
  expect(count('plan-proposed')).toBe(1);
}

/** Makes two processes answer the question while two more propose the change again. */
async function answerAtOnce({ actionId }: Dispatch): Promise<void> {
  callHook(project, 'user-prompt-submit', 'claude', { session_id: SESSION, cwd: project.root, prompt: 'Yes.' });
  const yes = ['step', 'complete', RUN, '--action', actionId, '--choice', 'approve'];
  const answers = await together(yes, APPLY, yes, APPLY);
  for (const { code, json } of answers) expect(code, JSON.stringify(json).slice(0, 500)).toBe(0);
  expect(answers.filter(({ json }) => json['completed'] === 'applyPlan')).toHaveLength(1);
}

describe('a plan that changes', () => {
  it(`is proposed, taken up and carried out once, whoever asks, ${RACES} times (DEV_CLI_TEST_EXECUTION_RACES)`, {
    timeout: 600_000,
  }, async () => {
    for (let race = 0; race < RACES; race += 1) {
      if (race > 0) {
        project.remove();
        project = createProject({ sample: null });
      }
      await proposeAtOnce(begun());
      let questions = 0;
      for (let action = pending(project); action.done !== true; action = pending(project)) {
        if (action.action === 'wait-for-user') {
          questions += 1;
          await answerAtOnce(action);
        } else await takeAll(action);
      }
      expect(questions).toBe(1);
      expect(faults()).toEqual([]);
    }
  });

  it('told by what nobody took up', () => {
    begun();
    expect(faults()).toContain('taken up 0 times');
    expect(faults()).toContain('the plan is todo-1,todo-2,todo-3');
  });
});
