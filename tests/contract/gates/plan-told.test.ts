import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PlanContent } from '../../../src/plan/model/schema.js';
import {
  begin,
  type Dispatch,
  doAll,
  document,
  engineOf,
  hand,
  making,
  planOf,
  RUN,
  type Task,
  waited,
  worker,
} from '../../adversarial/binary/executing.js';
import { aCommand } from '../../core/plan/fixture.js';
import { devCli, nextOf, runDir, runPrinted, writeProjectFile, writeRecipe } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { findTerminal, NO_TERMINAL } from '../../support/terminal.mjs';
import { part } from '../../support/told.js';

// living-plan.md, plan apply: a person's change to a running plan reaches every later agent.

const terminal = findTerminal();

useProject({ sample: null });

const REVIEWED = 'name: reviewed\ntype: engine\nskill: execute\nconfig: { depth: standard }\n';

/** Three parts, each a requirement with its todo; each todo depends on the previous one. */
const PLAN: PlanContent = {
  ...planOf(
    making('todo-1', [], { acceptance: [proof('r-1')], serves: ['r-1'] }),
    making('todo-2', [], { acceptance: [proof('r-2')], serves: ['r-2'], dependsOn: ['todo-1'] }),
    making('todo-3', [], {
      title: 'Describe examples',
      acceptance: [proof('r-3')],
      serves: ['r-3'],
      dependsOn: ['todo-2'],
    }),
    making('todo-4', [], {
      title: 'Tell of all parts',
      acceptance: [aCommand('ac-1', ['true']), { id: 'as-1', kind: 'assertion', text: 'It tells of each part.' }],
      dependsOn: ['todo-2', 'todo-3'],
    }),
  ),
  requirements: ['1', '2', '3'].map((id) => ({
    id: `r-${id}`,
    quote: 'JWT',
    from: 'request',
    text: `Part ${id} is there`,
  })),
};

function proof(requirement: string) {
  return { ...aCommand('ac-1', ['test', '-f', `made/todo-${requirement.slice(2)}.txt`]), proves: [requirement] };
}

const content = () => join(runDir(project, RUN), 'plan-content.json');

/** Changes plan-content.json, and has a person apply it. */
function changed(change: (plan: PlanContent) => PlanContent): void {
  const plan = JSON.parse(readFileSync(content(), 'utf8')) as PlanContent;
  writeFileSync(content(), JSON.stringify(change(plan), null, 2));
  if (terminal === null) throw new Error(NO_TERMINAL);
  const told = terminal(`dev-cli plan apply ${RUN}`, { cwd: project.root, env: project.env, answers: ['yes'] });
  expect(told.exit, told.output).toBe(0);
}

/** Removes part 3 from the plan. */
function withoutPart3({ todos, requirements = [], ...plan }: PlanContent): PlanContent {
  return {
    ...plan,
    requirements: requirements.filter(({ id }) => id !== 'r-3'),
    todos: todos
      .filter(({ id }) => id !== 'todo-3')
      .map((todo) => ({ ...todo, dependsOn: todo.dependsOn.filter((id) => id !== 'todo-3') })),
  };
}

function begun(): Dispatch {
  writeRecipe(project, 'reviewed', REVIEWED);
  return begin(project, PLAN, { recipe: 'reviewed' });
}

/** Does all tasks that are handed out, and collects their prompts by todo and stage. */
function collect(first: Dispatch): Map<string, string> {
  const prompts = new Map<string, string>();
  let action = first;
  for (let calls = 0; calls < 20; calls += 1) {
    if (action.action === 'running') action = waited(project) as Dispatch;
    if (action.action !== 'engine-dispatch') return prompts;
    for (const task of action.tasks) {
      prompts.set(`${task.todoId ?? 'run'} ${task.substep}`, promptOf(task));
      hand(project, task, resultOf(task));
    }
    const { code, stdout, json } = runPrinted(project, action.ack ?? '');
    expect(code, stdout).toBe(0);
    action = nextOf(json) as Dispatch;
  }
  throw new Error('no end');
}

function resultOf({ substep, todoId }: Task): object {
  if (substep === 'codeReview') return { verdict: 'SHIP', issues: [], summary: 'Good.' };
  const criteria = [{ id: 'as-1', pass: true, evidence: 'Read it.' }];
  const judged = { mustNotDoViolations: [], sideEffects: [], environmentError: null, suggestedAdaptation: null };
  if (substep === 'verify') return { status: 'VERIFIED', criteria, ...judged, summary: 'Holds.' };
  writeProjectFile(project, `made/${todoId}.txt`, `${todoId}\n`);
  return worker({ filesChanged: [`made/${todoId}.txt`] });
}

const promptOf = ({ promptFile }: Task) => readFileSync(join(project.root, promptFile), 'utf8');
const next = () => devCli(project, ['next', RUN]).json as unknown as Dispatch;

/** Returns the text directly after the request. */
const behindRequest = (prompt: string) =>
  prompt.split('## The request\n')[1]?.split('\n```\n')[1]?.split('\n## ')[0] ?? '';

describe.skipIf(terminal === null)('what a person has changed', () => {
  it('stands behind the request in every later prompt', () => {
    const first = begun();
    const [task] = first.tasks;
    if (task === undefined) throw new Error('no task');
    expect(behindRequest(promptOf(task)).trim()).toBe('');
    doAll(project, first);
    waited(project);
    changed((plan) => {
      const less = withoutPart3(plan);
      return {
        ...less,
        todos: [
          ...less.todos.map((todo) => (todo.id === 'todo-2' ? { ...todo, title: 'Part 2, otherwise' } : todo)),
          making('todo-5', [['true']], { title: 'A part that came later', dependsOn: ['todo-2'] }),
        ],
      };
    });
    const prompts = collect(next());
    expect([...prompts.keys()]).toEqual(
      expect.arrayContaining(['todo-4 worker', 'todo-4 verify', 'todo-5 worker', 'run codeReview']),
    );
    for (const [of, prompt] of prompts) {
      expect(behindRequest(prompt).trim().split('\n'), of).toEqual([
        'A person has changed the plan since the work began. Where the request says otherwise, this holds; what is withdrawn is not wanted any more:',
        '',
        '- withdrawn: todo-3: Describe examples',
        '- withdrawn: r-3: Part 3 is there',
        '- changed: todo-2: Part 2, otherwise',
        '- added: todo-5: A part that came later',
      ]);
    }
  });

  it('stands in the report, near the top and among the requirements', () => {
    doAll(project, begun());
    waited(project);
    changed((plan) => ({ ...withoutPart3(plan), objectives: { ...plan.objectives, core: 'Requests carry a word' } }));
    collect(next());
    const report = document(project, 'report.md');
    const at = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/.source;
    expect(part(report, 'Changed on the way')).toEqual([
      expect.stringMatching(
        new RegExp(`^withdrawn by a person, ${at}: todo-3 \\(Describe examples\\), r-3 \\(Part 3 is there\\)$`),
      ),
    ]);
    expect(report.indexOf('## Changed on the way')).toBeLessThan(report.indexOf('## Done'));
    expect(report).toMatch(new RegExp(`^\\| r-3 \\| Part 3 is there \\| – \\| withdrawn by a person, ${at} \\|$`, 'm'));
    const way = part(report, 'On the way').join('\n');
    expect(way).toMatch(
      new RegExp(`^${at}: changed: taken up: todo-4; withdrawn: todo-3; Objective: ~ Requests carry a `),
    );
    expect(way).toContain('[-token-]{+word+}; Requirements: - r-3: Part 3 is there');
  });

  it('is told in the report even where no todo says otherwise', () => {
    doAll(project, begun());
    waited(project);
    changed((plan) => ({ ...plan, objectives: { ...plan.objectives, mustNotDo: ['Break the tests'] } }));
    collect(next());
    expect(part(document(project, 'report.md'), 'On the way').join('\n')).toMatch(
      /^\S+Z: changed: Must not be done: \+ Break the tests$/,
    );
  });

  it('and taken back again is told no more', () => {
    doAll(project, begun());
    waited(project);
    changed((plan) => ({ ...plan, todos: [...plan.todos, making('todo-9', [['true']])] }));
    expect(engineOf(project).changed).toHaveLength(1);
    changed((plan) => ({ ...plan, todos: plan.todos.filter(({ id }) => id !== 'todo-9') }));
    expect(engineOf(project).changed).toBeUndefined();
  });
});
