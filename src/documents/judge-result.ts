import type { ErrorDetail } from '../base/errors.js';
import validateReview from '../generated/result-code-review.js';
import validateVerify from '../generated/result-verify.js';
import validateWorker from '../generated/result-worker.js';
import type { ReviewResult, VerifyResult, WorkerResult } from './results.js';
import type { Validator } from './schema-faults.js';
import { listSchemaFaults } from './schema-findings.js';

/** A result by who hands it in. */
export type JudgedResult =
  | { kind: 'worker'; result: WorkerResult }
  | { kind: 'verify'; result: VerifyResult }
  | { kind: 'code-review'; result: ReviewResult };
export type ResultKind = JudgedResult['kind'];

const VALIDATORS: Record<ResultKind, Validator> = {
  worker: validateWorker,
  verify: validateVerify,
  'code-review': validateReview,
};

/** Judges the form of a result: the result, or every fault with its JSON pointer (engine.md, Results). */
export function judgeResult(
  kind: ResultKind,
  value: unknown,
): { ok: true; judged: JudgedResult } | { ok: false; problems: ErrorDetail[] } {
  const problems = listSchemaFaults(VALIDATORS[kind], value);
  return problems.length === 0
    ? { ok: true, judged: { kind, result: value } as JudgedResult }
    : { ok: false, problems };
}
