import { buildDependencyGraph, findReferences, listDependencies, listReached } from '../model/graph.js';
import type { PlanContent, PlanTodo } from '../model/schema.js';
import { settleImported } from './settle-imported.js';

/** Changes that move, add or drop whole todos of a plan (living-plan.md, Changes by one todo). */

/** The position to which a todo is moved. */
export type TodoPlace = 'first' | 'last' | { before: string } | { after: string };

/** The plan without the dropped todo, or the reasons why the todo is still needed. */
export type DropResult =
  | { kind: 'dropped'; plan: PlanContent }
  | {
      kind: 'needed';
      faults: readonly { target: string; problem: string; expected: string }[];
      /** Ids of requirements that only this todo serves and proves; they could be withdrawn together with it. */
      requirements: readonly string[];
    };

/** Returns the plan with a todo moved; dependencies stay as they are. All ids have to belong to todos of the plan. */
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
 * Adds a todo to a plan: at the end, or before the todos that are to depend on it.
 * @param before the ids of the todos that are to depend on the added todo
 */
export function addTodo(plan: PlanContent, added: PlanTodo, before: readonly string[]): PlanContent {
  const todos = plan.todos.map((todo) =>
    before.includes(todo.id) ? { ...todo, dependsOn: [...todo.dependsOn, added.id] } : todo,
  );
  const first = todos.findIndex(({ id }) => before.includes(id));
  return { ...plan, todos: todos.toSpliced(first < 0 ? todos.length : first, 0, added) };
}

/**
 * Lists verification todos that check the whole plan (they depend on all other work) but not this todo: they neither
 * depend on it nor precede it.
 */
export function listChecksLeftBehind(plan: PlanContent, id: string): string[] {
  const graph = buildDependencyGraph(plan.todos);
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
 * Drops a todo from a plan, with its commit message. Todos that depend on it inherit its dependencies.
 * @param id the id of a todo in the plan
 * @param withRequirements whether to withdraw requirements that only this todo serves or proves
 */
export function dropTodo(plan: PlanContent, id: string, withRequirements = false): DropResult {
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

/**
 * Removes the dropped todo's commit message, and lets the todos that depend on it inherit its dependencies.
 * @param plan the plan, already without the dropped todo itself
 */
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

/**
 * Withdraws requirements, and all references to them. A decision that concerns no other requirement is removed, too.
 */
function withdrawRequirements(plan: PlanContent, ids: readonly string[]): PlanContent {
  const gone = new Set(ids);
  if (gone.size === 0) return plan;
  const { requirements, decisions, ...rest } = plan;
  const isLeft = (id: string) => !gone.has(id);
  // A decision without `serves` concerns every todo. A decision that served only withdrawn requirements would become
  // such a decision, so it is removed.
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

/**
 * Returns an object with the list `left` under `key`. Returns an empty object, so that the plan leaves the list out, if
 * there was no list before, or if all its entries are gone.
 */
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

/** Lists inputs and commands of other todos that use an output of this todo. */
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

/** Lists requirements that only this todo serves and proves. */
function listLostRequirements({ requirements = [] }: PlanContent, dropped: PlanTodo, others: readonly PlanTodo[]) {
  return requirements
    .filter(({ id }) => proves(dropped, id) && !others.some((todo) => proves(todo, id)))
    .map(({ id }) => id);
}

/** Lists requirements that only this todo serves, whether it proves them or not. */
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
