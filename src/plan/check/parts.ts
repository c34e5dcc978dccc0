import type { ErrorDetail } from '../../base/errors.js';
import type { Size } from '../../documents/size-rules.js';
import type { PlanContent, PlanTodo } from '../model/schema.js';

/** What the semantic checks of a plan look at: the parts that fit the schema, so that one fault does not cause others. */

/** A part of the plan, with its pointer. */
export interface Placed<T> {
  value: T;
  pointer: string;
}

type Requirement = NonNullable<PlanContent['requirements']>[number];
type Decision = NonNullable<PlanContent['decisions']>[number];
type Commit = NonNullable<PlanContent['commits']>[number];

/** The parts of a plan that fit the schema. */
export interface ValidParts {
  size: unknown;
  todos: Placed<PlanTodo>[];
  /** Every todo by id; null for one that does not fit the schema. Of todos with the same id, the first. */
  byId: Map<string, PlanTodo | null>;
  commits: Placed<Commit>[];
  /** Null for a plan that states none. */
  requirements: Placed<Requirement>[] | null;
  /** The ids of all requirements, those included that do not fit the schema. */
  requirementIds: ReadonlySet<unknown>;
  decisions: Placed<Decision>[];
  /** What nobody may do; without those that do not fit the schema. */
  mustNots: Placed<PlanContent['objectives']['mustNotDo'][number]>[];
  originalRequest: string | null;
}

/** What is demanded of a plan besides what every plan has to hold up to. */
export interface PlanDemands {
  /**
   * The words that quotes are compared with: the goal of the run; null where there is none, and the plan's own
   * `originalRequest` is taken. Left out: quotes are not compared.
   */
  request?: string | null;
  /** Whether the plan has to trace its requirements (`--complete`). */
  complete?: boolean;
  /** The size of the run's work; left out: any will do. */
  size?: Size;
}

/** Finds texts that occur earlier in a list, with the index of their first occurrence. */
export function listRepeated(values: readonly unknown[]): { index: number; first: number; value: string }[] {
  const seen = new Map<string, number>();
  return values.flatMap((value, index) => {
    if (typeof value !== 'string') return [];
    const first = seen.get(value);
    if (first === undefined) seen.set(value, index);
    return first === undefined ? [] : [{ index, first, value }];
  });
}

/** Makes a finding. */
export function finding(pointer: string, problem: string, target?: string): ErrorDetail {
  return { pointer, problem, ...(target === undefined ? {} : { target }) };
}
