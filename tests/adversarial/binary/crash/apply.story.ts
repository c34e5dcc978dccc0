import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PlanContent } from '../../../../src/plan/model/schema.js';
import { aPlan } from '../../../core/plan/fixture.js';
import { judged, worker } from '../../../core/protocol/execution.js';
import type { Action, StandIn } from '../../../support/agent.mjs';
import { callHook } from '../../../support/hooks.js';
import type { Project } from '../../../support/project.mjs';
import type { Step, Story } from './story.js';

const RUN = 'work';
const OTHER = 'planned';
const CONTENT = `.dev/specs/${RUN}/plan-content.json`;
const SESSION = 's-1';

/** A recipe that runs no command and makes no commit, because the names of git's objects would differ each time. */
const RECIPE = `name: applied
type: engine
skill: execute
config:
  depth: standard
  policies: { verify_enabled: false, code_review_enabled: false, final_verify_enabled: false }
`;

const PLAN: PlanContent = aPlan({
  todos: [
    judged('todo-1'),
    judged('todo-2', { dependsOn: ['todo-1'] }),
    judged('todo-3', { dependsOn: ['todo-1'] }),
    judged('todo-4', { dependsOn: ['todo-2'] }),
  ],
});

/** An execution whose plan changes: an agent proposes a change, a person decides in the chat, and the run continues. */
export const APPLY: Story = {
  name: 'plan apply',
  set(root) {
    const home = join(root, '.dev/recipes');
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'applied.yaml'), RECIPE);
  },
  steps: [
    {
      title: 'plan generate',
      run: RUN,
      prepare: (agent) => agent.write('a-plan.json', JSON.stringify(PLAN)),
      args: () => ['plan', 'generate', RUN, '--data', '@a-plan.json'],
    },
    {
      title: 'init',
      run: RUN,
      args: () => ['init', RUN, '--recipe', 'applied'],
      env: { CLAUDE_CODE_SESSION_ID: SESSION },
    },
    step('the first todo', { prepare: hand, args: collect }),
    step('plan apply, which proposes', { prepare: change(1), args: apply }),
    step('results, and the question', { prepare: hand, args: collect }),
    step('a person says yes', { prepare: hear, args: (action) => choose(action, 'approve') }),
    step('plan apply, which proposes again', { prepare: change(2), args: apply }),
    step('results, and the question again', { prepare: hand, args: collect }),
    step('a person says no', {
      prepare: hear,
      args: (action) => [...choose(action, 'reject'), '--note', 'It is good as it is'],
    }),
    step('hold', { args: () => ['hold', RUN, '--reason', 'Not yet.'] }),
    step('the last todos, while held', { prepare: hand, args: collect }),
    step('release', { args: () => ['release', RUN] }),
    {
      title: 'plan generate (without an execution)',
      run: OTHER,
      prepare: (agent) => agent.write('a-plan.json', JSON.stringify(PLAN)),
      args: () => ['plan', 'generate', OTHER, '--data', '@a-plan.json'],
    },
    {
      title: 'init (a run that plans)',
      run: OTHER,
      args: () => ['init', OTHER, '--recipe', 'specify-quick-autopilot', '--goal', 'A sketch', '--new'],
    },
    {
      title: 'plan apply, which writes both files',
      run: OTHER,
      prepare: (agent) => {
        const path = `.dev/specs/${OTHER}/plan-content.json`;
        agent.write(path, JSON.stringify({ ...PLAN, todos: PLAN.todos.slice(0, 2) }));
      },
      args: () => ['plan', 'apply', OTHER],
    },
  ],
};

function step(title: string, rest: Omit<Step, 'title' | 'run'>): Step {
  return { title, run: RUN, ...rest };
}

function apply(): string[] {
  return ['plan', 'apply', RUN];
}

function collect({ ack }: Action): string[] {
  if (ack === undefined) throw new Error('nothing to acknowledge');
  return ack.split(' ').slice(1);
}

function choose({ actionId }: Action, choice: string): string[] {
  return ['step', 'complete', RUN, '--action', actionId, '--choice', choice];
}

/** Writes the results of all tasks that are handed out. */
function hand(agent: StandIn, action: Action): void {
  const { tasks = [], running = [] } = action as unknown as Record<'tasks' | 'running', { output: string }[]>;
  for (const { output } of [...tasks, ...running]) agent.write(output, JSON.stringify(worker()));
}

/** Changes a todo that is done, one that has not begun, and the plan's list of todos. Repeating it changes nothing. */
function change(revision: number): NonNullable<Step['prepare']> {
  return (agent) => {
    const path = join((agent.project as Project).root, CONTENT);
    const plan = JSON.parse(readFileSync(path, 'utf8')) as PlanContent;
    const steps = [`As it reads in revision ${revision}`];
    const kept = plan.todos.filter(({ id }) => id !== 'todo-3' && id !== `new-${revision}`);
    const todos = kept.map((todo) => (['todo-1', 'todo-4'].includes(todo.id) ? { ...todo, steps } : todo));
    agent.write(
      CONTENT,
      JSON.stringify({ ...plan, todos: [...todos, judged(`new-${revision}`, { dependsOn: ['todo-4'] })] }),
    );
  };
}

/** The user says something in the session, and the harness's hook reports it. */
function hear({ project }: StandIn): void {
  const of = project as Project;
  if (!existsSync(join(of.root, CONTENT))) throw new Error('no plan');
  callHook(of, 'user-prompt-submit', 'claude', { session_id: SESSION, cwd: of.root, prompt: 'Yes, do that.' });
}
