// door: engine

import type { ErrorDetail } from '../base/errors.js';
import reviewOutline from '../generated/result-code-review-outline.js';
import verifyOutline from '../generated/result-verify-outline.js';
import workerOutline from '../generated/result-worker-outline.js';
import type { ReviewResult, VerifyResult, WorkerResult } from './results.js';
import { type CheckedSchema, findFaults } from './schema-faults.js';
import { describeFaults } from './schema-findings.js';

/** A valid result, by who handed it in. */
export type JudgedResult =
  | { kind: 'worker'; result: WorkerResult }
  | { kind: 'verify'; result: VerifyResult }
  | { kind: 'code-review'; result: ReviewResult };
/** Who hands a result in. */
export type ResultKind = JudgedResult['kind'];

// Plain `require`s, as in recipe/conditions/language.ts: few results do not fit, so the validators are seldom needed.
const SCHEMAS: Record<ResultKind, CheckedSchema> = {
  worker: { outline: workerOutline, validator: () => require('../generated/result-worker.js').default },
  verify: { outline: verifyOutline, validator: () => require('../generated/result-verify.js').default },
  'code-review': { outline: reviewOutline, validator: () => require('../generated/result-code-review.js').default },
};

/** Checks a result against its schema: returns it, or every fault with its JSON pointer (engine.md, Results). */
export function judgeResult(
  kind: ResultKind,
  value: unknown,
): { ok: true; judged: JudgedResult } | { ok: false; problems: ErrorDetail[] } {
  const problems = describeFaults(findFaults(SCHEMAS[kind], value));
  return problems.length === 0
    ? { ok: true, judged: { kind, result: value } as JudgedResult }
    : { ok: false, problems };
}
