import type { ErrorDetail } from '../../base/errors.js';
import type { Size } from '../../documents/size-rules.js';
import type { PlanContent, PlanTodo } from '../model/schema.js';

/**
 * The input of a plan's semantic checks: only parts that fit the schema, so that one fault causes no second finding.
 */

/** A part of the plan and its JSON pointer. */
export interface WithPointer<T> {
  value: T;
  pointer: string;
}

type Requirement = NonNullable<PlanContent['requirements']>[number];
type Decision = NonNullable<PlanContent['decisions']>[number];
type Commit = NonNullable<PlanContent['commits']>[number];

/** The parts of a plan that fit the schema. */
export interface ValidParts {
  size: unknown;
  todos: WithPointer<PlanTodo>[];
  /** Every todo by id; null for a todo that does not fit the schema. Of several todos with the same id, the first. */
  byId: Map<string, PlanTodo | null>;
  commits: WithPointer<Commit>[];
  /** Null for a plan without a list of requirements. */
  requirements: WithPointer<Requirement>[] | null;
  /** The ids of all requirements, including those that do not fit the schema. */
  requirementIds: ReadonlySet<unknown>;
  decisions: WithPointer<Decision>[];
  /** Must-nots of the whole plan that fit the schema. */
  mustNots: WithPointer<PlanContent['objectives']['mustNotDo'][number]>[];
  originalRequest: string | null;
}

/** Demands that a run makes on its plan, in addition to those on every plan. */
export interface PlanDemands {
  /**
   * The text with which quotes are compared: the goal of the run. Null stands for the plan's own `originalRequest`; if
   * left out, quotes are not compared.
   */
  request?: string | null;
  /** Whether the plan has to trace its requirements (`--complete`). */
  complete?: boolean;
  /** The size of the run's work; if left out, a plan of any size passes. */
  size?: Size;
}

/** Finds texts that already occur earlier in a list, each with the index of its first occurrence. */
export function listRepeated(values: readonly unknown[]): { index: number; first: number; value: string }[] {
  const seen = new Map<string, number>();
  return values.flatMap((value, index) => {
    if (typeof value !== 'string') return [];
    const first = seen.get(value);
    if (first === undefined) seen.set(value, index);
    return first === undefined ? [] : [{ index, first, value }];
  });
}

/** Creates a finding; `target` is the id of the faulty todo. */
export function createFinding(pointer: string, problem: string, target?: string): ErrorDetail {
  return { pointer, problem, ...(target === undefined ? {} : { target }) };
}
