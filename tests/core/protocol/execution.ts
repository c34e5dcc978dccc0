import type { PlanContent, PlanTodo } from '../../../src/plan/model/schema.js';
import type { InitInput } from '../../../src/protocol/init/prepare.js';
import type { Action, EngineDispatchAction, GateAction } from '../../../src/run/action.js';
import { aPlan, aTodo } from '../plan/fixture.js';
import { type Outcome, type Stage, stage } from './stage.js';

/** Executions on a store in memory. There is no repository, so no git commits are made, and agents judge the todos. */

export const ENGINE = (policies = '', handlers = '') => `
name: carry-out
type: engine
skill: execute
config:
  depth: standard
  policies: { max_fix_rounds: 1${policies.includes('max_retries') ? '' : ', max_retries: 1'}${policies} }
${handlers}`;

/** Builds a todo that an agent judges. */
export function judged(id: string, change: Partial<PlanTodo> = {}): PlanTodo {
  return aTodo(id, { acceptance: [{ id: 'as-1', kind: 'assertion', text: `${id} is right` }], ...change });
}

/** Builds a plan of five todos: 1 → 2,3,4 → 5. */
export function fiveTodos(): PlanContent {
  const middle = ['todo-2', 'todo-3', 'todo-4'].map((id) => judged(id, { dependsOn: ['todo-1'] }));
  return aPlan({
    todos: [judged('todo-1'), ...middle, judged('todo-5', { dependsOn: ['todo-2', 'todo-3', 'todo-4'] })],
  });
}

export interface Execution extends Stage {
  started: Outcome;
  /** Returns the action ids of the open tasks, by `todo/substep`. */
  out(): Promise<Record<string, string>>;
  dispatch(): Promise<EngineDispatchAction>;
  gate(): Promise<GateAction>;
  result(actionId: string, result: object | string): void;
  collect(): Promise<Outcome>;
  /** Hands in results and collects them until no task is open. `answer` may return a result other than success. */
  goOn(answer?: (todo: string | null, substep: string, attempt: number) => object | undefined): Promise<Action>;
}

export async function execution(
  plan: PlanContent,
  options: { input?: InitInput; recipe?: string; terminal?: boolean } = {},
): Promise<Execution> {
  const on = stage({ recipes: { 'carry-out': options.recipe ?? ENGINE() }, terminal: options.terminal ?? false });
  const data = { source: 'inline' as const, text: JSON.stringify(plan) };
  const generated = await on.document('plan generate', { data });
  if (!generated.ok) throw generated.error;
  return executing(on, await on.init('carry-out', options.input ?? {}));
}

export function executing(on: Stage, started: Outcome): Execution {
  const dispatch = async () => {
    const action = await on.action();
    if (action.action !== 'engine-dispatch') throw new Error(`not a dispatch: ${JSON.stringify(action)}`);
    return action;
  };
  const result = (actionId: string, value: object | string) =>
    on.put(`actions/${actionId}/result.json`, typeof value === 'string' ? value : JSON.stringify(value));
  const collect = async () => on.complete({ action: (await dispatch()).actionId, collect: true });
  return {
    ...on,
    started,
    dispatch,
    result,
    collect,
    async out() {
      const { tasks, running = [] } = await dispatch();
      return Object.fromEntries(
        [...tasks, ...running].map(({ actionId, todoId, substep }) => [`${todoId}/${substep}`, actionId]),
      );
    },
    async gate() {
      const action = await on.action();
      if (action.action !== 'wait-for-user') throw new Error(`not a gate: ${JSON.stringify(action)}`);
      return action;
    },
    async goOn(answer = () => undefined) {
      for (let action = await on.action(); action.action === 'engine-dispatch'; action = await on.action()) {
        for (const { actionId, todoId, substep, attempt } of [...action.tasks, ...action.running]) {
          result(actionId, answer(todoId, substep, attempt) ?? well(substep));
        }
        const taken = await collect();
        if (!taken.ok) throw taken.error;
      }
      return on.action();
    },
  };
}

function well(substep: string): object {
  if (substep === 'worker') return worker();
  return substep === 'codeReview' ? { verdict: 'SHIP', issues: [], summary: 'Good.' } : verified(['as-1']);
}

export function worker(change: object = {}): object {
  return { status: 'DONE', outputs: {}, filesChanged: [], learnings: [], issues: [], summary: 'Did it.', ...change };
}

export function verified(ids: string[], change: object = {}): object {
  return {
    status: 'VERIFIED',
    criteria: ids.map((id) => ({ id, pass: true, evidence: 'seen' })),
    mustNotDoViolations: [],
    sideEffects: [],
    environmentError: null,
    suggestedAdaptation: null,
    summary: 'Holds.',
    ...change,
  };
}

export function failing(id: string, evidence: string): object {
  return verified([], { status: 'FAILED', criteria: [{ id, pass: false, evidence }] });
}
