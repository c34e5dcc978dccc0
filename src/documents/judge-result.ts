// door: engine

import type { ErrorDetail } from '../base/errors.js';
import reviewOutline from '../generated/result-code-review-outline.js';
import verifyOutline from '../generated/result-verify-outline.js';
import workerOutline from '../generated/result-worker-outline.js';
import type { ReviewResult, VerifyResult, WorkerResult } from './results.js';
import { type CheckedSchema, findFaults } from './schema-faults.js';
import { describeFaults } from './schema-findings.js';

/** A valid result; `kind` says which kind of agent handed it in. */
export type JudgedResult =
  | { kind: 'worker'; result: WorkerResult }
  | { kind: 'verify'; result: VerifyResult }
  | { kind: 'code-review'; result: ReviewResult };
/** The kinds of agents that hand in results. */
export type ResultKind = JudgedResult['kind'];

// Plain `require`s, as in recipe/conditions/language.ts: a validator is loaded only for a result that does not fit its
// schema, and few do not.
const SCHEMAS: Record<ResultKind, CheckedSchema> = {
  worker: { outline: workerOutline, validator: () => require('../generated/result-worker.js').default },
  verify: { outline: verifyOutline, validator: () => require('../generated/result-verify.js').default },
  'code-review': { outline: reviewOutline, validator: () => require('../generated/result-code-review.js').default },
};

/**
 * Checks a result against its schema. Returns the result, or all faults with their JSON pointers (engine.md, Results).
 */
export function judgeResult(
  kind: ResultKind,
  value: unknown,
): { ok: true; judged: JudgedResult } | { ok: false; problems: ErrorDetail[] } {
  const problems = describeFaults(findFaults(SCHEMAS[kind], value));
  return problems.length === 0
    ? { ok: true, judged: { kind, result: value } as JudgedResult }
    : { ok: false, problems };
}
