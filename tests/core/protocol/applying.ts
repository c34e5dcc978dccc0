import type { PlanContent, PlanTodo } from '../../../src/plan/model/schema.js';
import { applyPlan } from '../../../src/protocol/plan/apply.js';
import type { Execution } from './execution.js';
import { type Outcome, outcome } from './stage.js';

/** Helpers for changing a plan during its execution. */

interface Call {
  dryRun?: boolean;
  reopen?: string[];
}

/** Runs `plan apply` as an agent. */
export function proposes(on: Pick<Execution, 'context' | 'name'>, call: Call = {}): Promise<Outcome> {
  return outcome(applyPlan(on.context, on.name, call));
}

/** Runs `plan apply` as a person at a terminal, who answers with `typed`; `seen` collects the questions. */
export function applies(
  on: Pick<Execution, 'context' | 'name'>,
  call: Call = {},
  {
    typed = 'yes',
    seen = [],
    meanwhile = () => {},
  }: { typed?: string; seen?: string[]; meanwhile?: () => unknown } = {},
): Promise<Outcome> {
  const caller = { kind: 'cli' as const, via: 'test', terminal: true };
  const ask = async (question: string) => {
    seen.push(question);
    await meanwhile();
    return typed;
  };
  return outcome(applyPlan({ ...on.context, caller, ask }, on.name, call));
}

/** Reads the plan from its file. */
export function planOf(on: Pick<Execution, 'text'>): PlanContent {
  return JSON.parse(on.text('plan-content.json') ?? '') as PlanContent;
}

/** Changes the plan in its file, as a person with an editor would. */
export function edit(on: Pick<Execution, 'text' | 'put'>, change: (plan: PlanContent) => PlanContent): void {
  on.put('plan-content.json', JSON.stringify(change(planOf(on)), null, 1));
}

/** Changes todos by their ids; null removes one. */
export function editTodos(
  on: Pick<Execution, 'text' | 'put'>,
  changes: Record<string, Partial<PlanTodo> | null>,
): void {
  edit(on, (plan) => ({
    ...plan,
    todos: plan.todos.flatMap((todo) => {
      const change = changes[todo.id];
      return change === null ? [] : [{ ...todo, ...change }];
    }),
  }));
}

/** Returns the verdicts of an answer, without unchanged todos. */
export function verdictsOf(told: Outcome): Record<string, string> {
  if (!told.ok) throw told.error;
  const { verdicts } = told.json['plan'] as { verdicts: { todo: string; verdict: string }[] };
  return Object.fromEntries(verdicts.map(({ todo, verdict }) => [todo, verdict]));
}

/** Returns the status that `plan apply` reports. */
export function statusOf(told: Outcome): unknown {
  if (!told.ok) throw told.error;
  return (told.json['plan'] as { status: unknown }).status;
}
