import type { ErrorDetail } from '../base/errors.js';
import validateReview from '../generated/result-code-review.js';
import validateVerify from '../generated/result-verify.js';
import validateWorker from '../generated/result-worker.js';
import type { ReviewResult, VerifyResult, WorkerResult } from './results.js';
import type { Validator } from './schema-faults.js';
import { listSchemaFaults } from './schema-findings.js';

/** A valid result, by who handed it in. */
export type JudgedResult =
  | { kind: 'worker'; result: WorkerResult }
  | { kind: 'verify'; result: VerifyResult }
  | { kind: 'code-review'; result: ReviewResult };
/** Who hands a result in. */
export type ResultKind = JudgedResult['kind'];

const VALIDATORS: Record<ResultKind, Validator> = {
  worker: validateWorker,
  verify: validateVerify,
  'code-review': validateReview,
};

/** Checks a result against its schema: returns it, or every fault with its JSON pointer (engine.md, Results). */
export function judgeResult(
  kind: ResultKind,
  value: unknown,
): { ok: true; judged: JudgedResult } | { ok: false; problems: ErrorDetail[] } {
  const problems = listSchemaFaults(VALIDATORS[kind], value);
  return problems.length === 0
    ? { ok: true, judged: { kind, result: value } as JudgedResult }
    : { ok: false, problems };
}
