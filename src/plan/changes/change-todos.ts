import { buildGraph, findReferences, listDependencies, listReached } from '../model/graph.js';
import type { PlanContent, PlanTodo } from '../model/schema.js';
import { settleImported } from './settle-imported.js';

/** Changes of a plan by whole todos (living-plan.md, Changes by one todo). */

/** Where a todo is to stand. */
export type TodoPlace = 'first' | 'last' | { before: string } | { after: string };

/** A plan without one of its todos, or what still needs it. */
export type Dropped =
  | { kind: 'dropped'; plan: PlanContent }
  | {
      kind: 'needed';
      faults: readonly { target: string; problem: string; expected: string }[];
      /** Ids of those among them that are requirements, which could be withdrawn with it. */
      requirements: readonly string[];
    };

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
 * Adds a todo to a plan: at the end, or ahead of what is to come after it.
 * @param before ids of todos of the plan, which then depend on it
 */
export function addTodo(plan: PlanContent, added: PlanTodo, before: readonly string[]): PlanContent {
  const todos = plan.todos.map((todo) =>
    before.includes(todo.id) ? { ...todo, dependsOn: [...todo.dependsOn, added.id] } : todo,
  );
  const first = todos.findIndex(({ id }) => before.includes(id));
  return { ...plan, todos: todos.toSpliced(first < 0 ? todos.length : first, 0, added) };
}

/**
 * Lists the verification todos that come after all other work, but neither after this todo nor before it: a check of the
 * whole that would not wait for it.
 */
export function listChecksLeftBehind(plan: PlanContent, id: string): string[] {
  const graph = buildGraph(plan.todos);
  const work = plan.todos.filter((todo) => todo.type === 'work' && todo.id !== id);
  if (work.length === 0) return [];
  const before = listReached(graph, id);
  return plan.todos
    .filter((todo) => todo.type === 'verification' && todo.id !== id && !before.has(todo.id))
    .map((todo) => ({ id: todo.id, waitsFor: listReached(graph, todo.id) }))
    .filter(({ waitsFor }) => !waitsFor.has(id) && work.every((todo) => waitsFor.has(todo.id)))
    .map((todo) => todo.id);
}

/**
 * Takes a todo out of a plan. What came after it comes after what it came after; commit messages for it go with it.
 * @param id of a todo of the plan
 * @param withRequirements also withdraws the requirements that only it serves or proves
 */
export function dropTodo(plan: PlanContent, id: string, withRequirements = false): Dropped {
  const dropped = plan.todos.find((todo) => todo.id === id);
  if (dropped === undefined) return { kind: 'dropped', plan };
  const others = plan.todos.filter((todo) => todo !== dropped);
  const lost = listLostRequirements(plan, dropped, others);
  const faults = [...listValueUses(others, id), ...(withRequirements ? [] : lost.map(describeLost(dropped)))];
  if (faults.length > 0) return { kind: 'needed', faults, requirements: withRequirements ? [] : lost };
  const { assumptions: said } = plan.context;
  const assumptions = settleImported(said, plan.todos, others);
  const context = assumptions === undefined ? plan.context : { ...plan.context, assumptions };
  const left = takeOutTodo({ ...plan, context, todos: others }, dropped);
  if (!withRequirements) return { kind: 'dropped', plan: left };
  return { kind: 'dropped', plan: withdrawRequirements(left, [...lost, ...listUnserved(plan, dropped, others)]) };
}

/** @param plan without the todo */
function takeOutTodo({ todos, ...plan }: PlanContent, dropped: PlanTodo): PlanContent {
  const { id } = dropped;
  const inherited = listDependencies(dropped);
  const { commits, ...rest } = plan;
  const kept = commits?.filter(({ afterTodo }) => afterTodo !== id) ?? [];
  const isEmptied = kept.length === 0 && commits?.length !== 0;
  return {
    ...rest,
    todos: todos.map((todo) => inheritDependencies(todo, id, inherited)),
    ...(commits === undefined || isEmptied ? {} : { commits: kept }),
  };
}

/** Takes requirements out of a plan, with all that names them; a decision that concerned nothing else goes, too. */
function withdrawRequirements(plan: PlanContent, ids: readonly string[]): PlanContent {
  const gone = new Set(ids);
  if (gone.size === 0) return plan;
  const { requirements, decisions, ...rest } = plan;
  const isLeft = (id: string) => !gone.has(id);
  // A decision without `serves` concerns every todo, which one about what is withdrawn must not become.
  const concerning = decisions?.filter(({ serves = [] }) => serves.length === 0 || serves.some(isLeft));
  return {
    ...rest,
    ...keepLeft(
      'requirements',
      requirements,
      requirements?.filter(({ id }) => isLeft(id)),
    ),
    ...keepLeft(
      'decisions',
      decisions,
      concerning?.map(({ serves, ...decision }) => ({
        ...decision,
        ...keepLeft('serves', serves, serves?.filter(isLeft)),
      })),
    ),
    todos: plan.todos.map(({ serves, ...todo }) => ({
      ...todo,
      ...keepLeft('serves', serves, serves?.filter(isLeft)),
      acceptance: todo.acceptance.map(({ proves, ...item }) => ({
        ...item,
        ...keepLeft('proves', proves, proves?.filter(isLeft)),
      })),
    })),
  };
}

/** A list under its key; none where there was none, or where all of it went. */
function keepLeft<Key extends string, T>(
  key: Key,
  before: readonly T[] | undefined,
  left: readonly T[] | undefined,
): { [P in Key]?: readonly T[] } {
  const isGone = before === undefined || left === undefined || (left.length === 0 && before.length > 0);
  return isGone ? {} : ({ [key]: left } as { [P in Key]?: readonly T[] });
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
    .map(({ id }) => id);
}

/** Requirements that this todo served, proof or not, and that no other one serves. */
function listUnserved({ requirements = [] }: PlanContent, { serves = [] }: PlanTodo, others: readonly PlanTodo[]) {
  const served = new Set(others.flatMap((todo) => todo.serves ?? []));
  return requirements.map(({ id }) => id).filter((id) => serves.includes(id) && !served.has(id));
}

function describeLost({ id: dropped }: PlanTodo) {
  return (id: string) => ({
    target: id,
    problem: `only ${dropped} serves and proves it`,
    expected: `another todo that serves it, with an acceptance that proves it; or a plan without ${id}`,
  });
}

function proves({ serves = [], acceptance }: PlanTodo, requirement: string): boolean {
  return serves.includes(requirement) && acceptance.some((item) => item.proves?.includes(requirement));
}
