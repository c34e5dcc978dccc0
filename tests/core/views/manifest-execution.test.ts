import { describe, expect, it } from 'vitest';
import type { PlanTodo } from '../../../src/plan/model/schema.js';
import type { Action, EngineDispatchAction } from '../../../src/run/action.js';
import { aPlan } from '../plan/fixture.js';
import { ENGINE, type Execution, executing, failing, judged, verified, worker } from '../protocol/execution.js';
import { stage } from '../protocol/stage.js';

/**
 * An execution's manifest contains everything that an agent needs, in 1,500 tokens, however large the plan is
 * (protocol.md §5).
 */

const TOKENS = 1500;
const tokens = (text: string) => Math.ceil(text.length / 4);

const LONG = 'A title as long as a careless planner makes it, with every detail that the body holds as well, '.repeat(
  2,
);

/** Returns todos with long texts. Some have high risk. Each depends on the todo 32 places before it. */
function wordy(count: number): PlanTodo[] {
  return Array.from({ length: count }, (_, n) =>
    judged(`todo-with-a-long-name-${n + 1}`, {
      title: `${n + 1}: ${LONG}`.slice(0, 190),
      risk: n % 7 === 0 ? 'high' : 'low',
      dependsOn: n < 32 ? [] : [`todo-with-a-long-name-${n - 31}`],
      mustNotDo: ['touch anything else'],
    }),
  );
}

async function begun(recipe: string, todos: PlanTodo[], recipes: Record<string, string> = {}): Promise<Execution> {
  const on = stage({ recipes, terminal: true });
  const text = JSON.stringify(aPlan({ todos }));
  const generated = await on.document('plan generate', { data: { source: 'inline', text } });
  if (!generated.ok) throw generated.error;
  return executing(on, await on.init(recipe, { goal: LONG.repeat(5) }));
}

/** Carries out up to `steps` actions, and calls `look` before each. */
async function walked(on: Execution, steps: number, look: (action: Action) => Promise<void>): Promise<Action> {
  for (let left = steps; left > 0; left -= 1) {
    const action = await on.action();
    await look(action);
    if (action.action === 'done') return action;
    if (action.action === 'wait-for-user') await on.complete({ action: action.actionId, choice: 'approve' });
    else if (action.action === 'engine-dispatch') await answered(on, action);
    else throw new Error(`not foreseen: ${action.action}`);
  }
  return on.action();
}

/** Hands in results for the first half of the tasks; the others stay open. */
async function answered(on: Execution, { tasks, running = [] }: EngineDispatchAction): Promise<void> {
  const out = [...tasks, ...running];
  for (const { actionId, todoId, substep } of out.slice(0, Math.max(1, Math.ceil(out.length / 2)))) {
    const red = substep === 'verify' && todoId?.endsWith('3') === true;
    const judgement = red ? failing('as-1', LONG) : verified(substep === 'verify' ? ['as-1'] : []);
    const review = { verdict: 'SHIP', issues: [], summary: LONG };
    const work = worker({ summary: LONG, learnings: [LONG], issues: [LONG] });
    on.result(actionId, substep === 'worker' ? work : substep === 'codeReview' ? review : judgement);
  }
  const taken = await on.collect();
  if (!taken.ok) throw taken.error;
}

async function isWhole(on: Execution, action: Action): Promise<void> {
  const manifest = await on.manifest();
  expect(tokens(manifest), `manifest at ${action.action}`).toBeLessThanOrEqual(TOKENS);
  expect(manifest).toMatch(/Todos: \d+\/\d+ done/);
  if (action.action === 'done') return;
  expect(manifest).toContain(action.action === 'wait-for-user' ? '"answer":"dev-cli approve run-1"' : '--collect');
  if (action.action !== 'engine-dispatch') return;
  const [first] = action.tasks;
  if (first !== undefined) expect(manifest).toContain(first.promptFile);
}

describe.each(['execute-quick', 'execute-standard', 'execute-hardened'])('the manifest of %s', (recipe) => {
  it('has room for every step of a small plan', { timeout: 60_000 }, async () => {
    const on = await begun(recipe, wordy(9));
    const done = await walked(on, 200, (action) => isWhole(on, action));
    expect(done.action).toBe('done');
  });

  it('has room for 200 todos', { timeout: 60_000 }, async () => {
    const on = await begun(recipe, wordy(200));
    await walked(on, 12, (action) => isWhole(on, action));
    expect(await on.manifest()).toMatch(/Todos: \d+\/200 done, \d+ at work/);
  });
});

describe('with 200 todos and as many out at once as a recipe may allow', () => {
  it('manifest and next stay within bounds to the end, and say what they leave out', { timeout: 120_000 }, async () => {
    const on = await begun('carry-out', wordy(200), { 'carry-out': ENGINE(', parallel_limit: 32, max_retries: 0') });
    let most = 0;
    const done = await walked(on, 400, async (action) => {
      await isWhole(on, action);
      if (action.action !== 'engine-dispatch') return;
      const { running = [], runningMore = 0, tasks } = JSON.parse(await on.next()) as EngineDispatchAction;
      expect(running.length).toBeLessThanOrEqual(8);
      expect(running.length + runningMore).toBe(action.running.length);
      expect(tasks).toHaveLength(action.tasks.length);
      most = Math.max(most, tasks.length + running.length + runningMore);
      const manifest = await on.manifest();
      if (action.tasks.length > 8) {
        expect(manifest).toMatch(/\d+ of \d+ tasks are omitted here; start them all: dev-cli next run-1/);
      }
    });
    expect(most).toBe(32);
    expect(done).toMatchObject({ action: 'done', outcome: 'halted' });
    expect((done as Action & { failed: unknown[] }).failed.length).toBeLessThanOrEqual(20);
    expect(await on.manifest()).toMatch(/Todos: .* failed, \d+ blocked by them · todo-with-a-long-name-3: /);
  });
});
