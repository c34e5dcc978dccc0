import type { PlanTodo } from '../model/schema.js';

/** How two plans differ, as data: each change is JSON. */

/** Parts of a plan outside its todos that are a value, a text or a list of texts. */
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
/** Parts of a todo that are a value, a text or a list of texts. */
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
/** Lists outside the todos whose entries have a name. */
export type PlanList = 'requirements' | 'commits';
/** Lists of a todo whose entries have a name. */
export type TodoList = 'inputs' | 'outputs' | 'acceptance';

/** A value of a plan; null for one that is left out. */
type Value = unknown;

/** Where an entry stands: in a todo, by its id, or in the plan. */
type Place = { todo: string; list: TodoList } | { todo: null; list: PlanList };

/** One change of a plan. Positions count from 1. */
export type PlanChange =
  | { kind: 'todo-added'; todo: string; position: number; after: PlanTodo }
  | { kind: 'todo-dropped'; todo: string; position: number; before: PlanTodo }
  /** It stands elsewhere among the todos that are in both plans. */
  | { kind: 'todo-moved'; todo: string; from: number; to: number }
  | { kind: 'field-changed'; todo: string; field: TodoField; before: Value; after: Value }
  | { kind: 'field-changed'; todo: null; field: PlanField; before: Value; after: Value }
  | ({ kind: 'entry-added'; name: string; after: Value } & Place)
  | ({ kind: 'entry-dropped'; name: string; before: Value } & Place)
  | ({ kind: 'entry-changed'; name: string; before: Value; after: Value } & Place)
  /** The same entries in another order, by their names. */
  | ({ kind: 'entries-moved'; before: string[]; after: string[] } & Place);
