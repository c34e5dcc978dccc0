import { findReferences, listDependencies } from '../plan-graph.js';
import type { PlanContent, PlanTodo } from '../plan-schema.js';

/** Changes of a plan by whole todos (living-plan.md, Changes by one todo). */

/** Where a todo is to stand. */
export type TodoPlace = 'first' | 'last' | { before: string } | { after: string };

/** A plan without one of its todos, or what still needs it. */
export type Dropped =
  | { kind: 'dropped'; plan: PlanContent }
  | { kind: 'needed'; faults: readonly { target: string; problem: string; expected: string }[] };

/** Returns the plan with its todos in another order; what depends on what stays. The ids are those of todos of the plan. */
export function moveTodo(plan: PlanContent, id: string, place: TodoPlace): PlanContent {
  const moved = plan.todos.filter((todo) => todo.id === id);
  const others = plan.todos.filter((todo) => todo.id !== id);
  return { ...plan, todos: others.toSpliced(findIndex(others, place), 0, ...moved) };
}

function findIndex(todos: readonly PlanTodo[], place: TodoPlace): number {
  if (place === 'first') return 0;
  if (place === 'last') return todos.length;
  return 'before' in place
    ? todos.findIndex(({ id }) => id === place.before)
    : todos.findIndex(({ id }) => id === place.after) + 1;
}

/**
 * Takes a todo out of a plan. What came after it comes after what it came after; commit messages for it go with it.
 * @param id of a todo of the plan
 */
export function dropTodo(plan: PlanContent, id: string): Dropped {
  const dropped = plan.todos.find((todo) => todo.id === id);
  if (dropped === undefined) return { kind: 'dropped', plan };
  const others = plan.todos.filter((todo) => todo !== dropped);
  const faults = [...listValueUses(others, id), ...listLostRequirements(plan, dropped, others)];
  if (faults.length > 0) return { kind: 'needed', faults };
  const inherited = listDependencies(dropped);
  const { commits, ...rest } = plan;
  const kept = commits?.filter(({ afterTodo }) => afterTodo !== id) ?? [];
  const isEmptied = kept.length === 0 && commits?.length !== 0;
  return {
    kind: 'dropped',
    plan: {
      ...rest,
      todos: others.map((todo) => inheritDependencies(todo, id, inherited)),
      ...(commits === undefined || isEmptied ? {} : { commits: kept }),
    },
  };
}

function inheritDependencies(todo: PlanTodo, id: string, inherited: readonly string[]): PlanTodo {
  if (!todo.dependsOn.includes(id)) return todo;
  const implied = listDependencies({ ...todo, dependsOn: [] });
  const has = new Set([...todo.dependsOn, ...implied, todo.id]);
  const dependsOn = todo.dependsOn.flatMap((each) => (each === id ? inherited.filter((one) => !has.has(one)) : [each]));
  return { ...todo, dependsOn };
}

/** Inputs and commands of other todos that take a value of this one. */
function listValueUses(todos: readonly PlanTodo[], id: string) {
  const takes = (text: string) => findReferences(text).some(({ todo }) => todo === id);
  return todos.flatMap((todo) => [
    ...todo.inputs.flatMap(({ name, from }) =>
      takes(from)
        ? [
            {
              target: `${todo.id} input ${name}`,
              problem: `takes ${from}`,
              expected: 'another source, or no such input',
            },
          ]
        : [],
    ),
    ...todo.acceptance.flatMap((item) =>
      item.kind === 'command' && item.run.some(takes)
        ? [{ target: `${todo.id}/${item.id}`, problem: `runs with a value of ${id}`, expected: 'another command' }]
        : [],
    ),
  ]);
}

/** Requirements that this todo served with a proof, and that no other one does. */
function listLostRequirements({ requirements = [] }: PlanContent, dropped: PlanTodo, others: readonly PlanTodo[]) {
  return requirements
    .filter(({ id }) => proves(dropped, id) && !others.some((todo) => proves(todo, id)))
    .map(({ id }) => ({
      target: id,
      problem: `only ${dropped.id} serves and proves it`,
      expected: `another todo that serves it, with an acceptance that proves it; or a plan without ${id}`,
    }));
}

function proves({ serves = [], acceptance }: PlanTodo, requirement: string): boolean {
  return serves.includes(requirement) && acceptance.some((item) => item.proves?.includes(requirement));
}
