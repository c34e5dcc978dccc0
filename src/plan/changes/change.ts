import type { PlanTodo } from '../model/schema.js';

/** The differences between two plans, as data that can be serialized as JSON. */

/** Parts of a plan outside its todos that are a single value, a text or a list of texts. */
export type PlanField =
  | 'size'
  | 'objectives.core'
  | 'objectives.deliverables'
  | 'objectives.definitionOfDone'
  | 'objectives.mustNotDo'
  | 'context.originalRequest'
  | 'context.interviewSummary'
  | 'context.researchFindings'
  | 'context.assumptions'
  | 'decisions'
  | 'risks'
  | 'externalDependencies';
/** Parts of a todo that are a single value, a text or a list of texts. */
export type TodoField =
  | 'title'
  | 'type'
  | 'risk'
  | 'dependsOn'
  | 'serves'
  | 'files'
  | 'steps'
  | 'mustNotDo'
  | 'references';
/** Lists outside the todos whose entries have an id or name. */
export type PlanList = 'requirements' | 'commits';
/** Lists of a todo whose entries have an id or name. */
export type TodoList = 'inputs' | 'outputs' | 'acceptance';

/** Any JSON value of a plan; null if the plan leaves it out. */
type Value = unknown;

/** The list that contains an entry: in the todo with this id, or in the plan itself. */
type Place = { todo: string; list: TodoList } | { todo: null; list: PlanList };

/** One difference between two plans. Positions count from 1. */
export type PlanChange =
  | { kind: 'todo-added'; todo: string; position: number; after: PlanTodo }
  | { kind: 'todo-dropped'; todo: string; position: number; before: PlanTodo }
  /** The todo changed its place among the todos that both plans contain. */
  | { kind: 'todo-moved'; todo: string; from: number; to: number }
  | { kind: 'field-changed'; todo: string; field: TodoField; before: Value; after: Value }
  | { kind: 'field-changed'; todo: null; field: PlanField; before: Value; after: Value }
  | ({ kind: 'entry-added'; name: string; after: Value } & Place)
  | ({ kind: 'entry-dropped'; name: string; before: Value } & Place)
  | ({ kind: 'entry-changed'; name: string; before: Value; after: Value } & Place)
  /** The entries that both plans contain are in another order. `before` and `after` list their names. */
  | ({ kind: 'entries-moved'; before: string[]; after: string[] } & Place);
