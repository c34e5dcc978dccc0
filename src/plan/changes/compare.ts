// door: differences

import { isRecord, isSameJson } from '../../base/json.js';
import type { PlanContent, PlanTodo } from '../model/schema.js';
import type { PlanChange, PlanField, PlanList, TodoField, TodoList } from './change.js';

/** Computes the differences between two plans (documents.md, Living plan). */

const FIELDS: readonly PlanField[] = [
  'size',
  'objectives.core',
  'objectives.deliverables',
  'objectives.definitionOfDone',
  'objectives.mustNotDo',
  'context.originalRequest',
  'context.interviewSummary',
  'context.researchFindings',
  'context.assumptions',
  'decisions',
  'risks',
  'externalDependencies',
];
const TODO_FIELDS: readonly TodoField[] = [
  'title',
  'type',
  'risk',
  'dependsOn',
  'serves',
  'files',
  'steps',
  'mustNotDo',
  'references',
];

/** Compares two plans; empty if their contents are equal. */
export function comparePlans(before: PlanContent, after: PlanContent): PlanChange[] {
  if (before === after) return [];
  return [
    ...comparePlanFields(before, after),
    ...compareEntries(before.requirements ?? [], after.requirements ?? [], ({ id }) => id, {
      todo: null,
      list: 'requirements',
    }),
    ...compareTodos(before.todos, after.todos),
    ...compareEntries(before.commits ?? [], after.commits ?? [], ({ afterTodo }) => afterTodo, {
      todo: null,
      list: 'commits',
    }),
  ];
}

function comparePlanFields(before: PlanContent, after: PlanContent): PlanChange[] {
  return FIELDS.flatMap((field): PlanChange[] => {
    const [was, is] = [getField(before, field), getField(after, field)];
    return isSameJson(was, is)
      ? []
      : [{ kind: 'field-changed', todo: null, field, before: was ?? null, after: is ?? null }];
  });
}

function getField(plan: PlanContent, field: PlanField): unknown {
  return field.split('.').reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), plan);
}

function compareTodos(before: readonly PlanTodo[], after: readonly PlanTodo[]): PlanChange[] {
  const [had, has] = [new Map(before.map((todo) => [todo.id, todo])), new Map(after.map((todo) => [todo.id, todo]))];
  const dropped = before.flatMap((todo, index): PlanChange[] =>
    has.has(todo.id) ? [] : [{ kind: 'todo-dropped', todo: todo.id, position: index + 1, before: todo }],
  );
  const moved = new Set(
    listMoved(
      [...had.keys()].filter((id) => has.has(id)),
      [...has.keys()].filter((id) => had.has(id)),
    ),
  );
  const places = new Map(before.map(({ id }, index) => [id, index + 1]));
  const others = after.flatMap((todo, index): PlanChange[] => {
    const was = had.get(todo.id);
    if (was === undefined) return [{ kind: 'todo-added', todo: todo.id, position: index + 1, after: todo }];
    const from = places.get(todo.id) ?? 0;
    return [
      ...(moved.has(todo.id) ? [{ kind: 'todo-moved', todo: todo.id, from, to: index + 1 } as const] : []),
      ...(was === todo ? [] : compareTodo(was, todo)),
    ];
  });
  return [...dropped, ...others];
}

function compareTodo(before: PlanTodo, after: PlanTodo): PlanChange[] {
  const todo = after.id;
  const place = <L extends TodoList>(list: L) => ({ todo, list });
  return [
    ...TODO_FIELDS.flatMap((field): PlanChange[] =>
      isSameJson(before[field], after[field])
        ? []
        : [{ kind: 'field-changed', todo, field, before: before[field] ?? null, after: after[field] ?? null }],
    ),
    ...compareEntries(before.inputs, after.inputs, ({ name }) => name, place('inputs')),
    ...compareEntries(before.outputs, after.outputs, ({ name }) => name, place('outputs')),
    ...compareEntries(before.acceptance, after.acceptance, ({ id }) => id, place('acceptance')),
  ];
}

function compareEntries<E>(
  before: readonly E[],
  after: readonly E[],
  nameOf: (entry: E) => string,
  place: { todo: string; list: TodoList } | { todo: null; list: PlanList },
): PlanChange[] {
  if (isSameJson(before, after)) return [];
  const [had, has] = [
    new Map(before.map((entry) => [nameOf(entry), entry])),
    new Map(after.map((entry) => [nameOf(entry), entry])),
  ];
  const dropped = [...had].flatMap(([name, entry]): PlanChange[] =>
    has.has(name) ? [] : [{ kind: 'entry-dropped', ...place, name, before: entry }],
  );
  const others = [...has].flatMap(([name, entry]): PlanChange[] => {
    const was = had.get(name);
    if (was === undefined) return [{ kind: 'entry-added', ...place, name, after: entry }];
    return isSameJson(was, entry) ? [] : [{ kind: 'entry-changed', ...place, name, before: was, after: entry }];
  });
  const [kept, now] = [
    [...had.keys()].filter((name) => has.has(name)),
    [...has.keys()].filter((name) => had.has(name)),
  ];
  const isMoved = kept.join('\n') !== now.join('\n');
  return [
    ...dropped,
    ...others,
    ...(isMoved ? [{ kind: 'entries-moved', ...place, before: kept, after: now } as const] : []),
  ];
}

/** Lists the smallest set of ids that have to move to turn one order into the other. */
function listMoved(before: readonly string[], after: readonly string[]): string[] {
  const place = new Map(before.map((id, index) => [id, index]));
  // The longest increasing subsequence stays, found by patience sorting. `below` maps each id to its predecessor.
  const tops: string[] = [];
  const below = new Map<string, string | undefined>();
  const rank = (id: string | undefined) => place.get(id ?? '') ?? -1;
  for (const id of after) {
    let [low, high] = [0, tops.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (rank(tops[middle]) < rank(id)) low = middle + 1;
      else high = middle;
    }
    below.set(id, tops[low - 1]);
    tops[low] = id;
  }
  const stays = new Set<string>();
  for (let id = tops.at(-1); id !== undefined; id = below.get(id)) stays.add(id);
  return after.filter((id) => !stays.has(id));
}
