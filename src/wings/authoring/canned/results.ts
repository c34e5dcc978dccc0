import { isRecord } from '../../../base/json.js';
import { getTodoBody } from '../../../engine/act/plan/plan.js';
import { listReviewQuestions } from '../../../engine/act/prompts/review-questions.js';
import type { TaskView } from '../../../run/action.js';
import type { Transaction } from '../../../run/transaction.js';
import { isVerdict } from './report.js';

/** Canned results of tasks. */

/** Builds the result of a successful task, in the form that its prompt demands. */
export function buildResult(tx: Transaction, { todoId, substep }: TaskView): Record<string, unknown> {
  if (substep === 'codeReview') return buildReview(tx);
  if (substep === 'worker') return buildWork(tx, todoId ?? '');
  const asked = substep === 'verify' && todoId !== null ? getTodoBody(tx, todoId).acceptance : [];
  return {
    status: 'VERIFIED',
    criteria: asked
      .filter(({ kind }) => kind === 'assertion')
      .map(({ id }) => ({ id, pass: true, evidence: 'canned' })),
    mustNotDoViolations: [],
    sideEffects: [],
    environmentError: null,
    suggestedAdaptation: null,
    summary: 'Canned: it holds.',
  };
}

function buildWork(tx: Transaction, todo: string): Record<string, unknown> {
  const { outputs, files } = getTodoBody(tx, todo);
  return {
    status: 'DONE',
    outputs: Object.fromEntries(outputs.map(({ name }) => [name, 'canned'])),
    filesChanged: files.filter((path) => !path.includes('*')),
    learnings: [],
    issues: [],
    summary: 'Canned: it is done.',
  };
}

function buildReview(tx: Transaction): Record<string, unknown> {
  const { criteria, requirements } = listReviewQuestions(tx);
  return {
    verdict: 'SHIP',
    issues: [],
    ...(criteria.length === 0 ? {} : { criteria: criteria.map(({ id }) => ({ id, pass: true, evidence: 'canned' })) }),
    ...(requirements.length === 0
      ? {}
      : { requirements: requirements.map(({ id }) => ({ id, met: true, why: 'canned' })) }),
    summary: 'Canned: nothing to object to.',
  };
}

/** Keys that a result needs in addition, so that its negative verdict is accepted. */
const WITH_VERDICT: Readonly<Record<string, Record<string, unknown>>> = {
  BLOCKED: { reason: 'Canned: it cannot go on.' },
  NEEDS_FIXES: {
    issues: [{ file: 'src/canned-1.js', line: 1, severity: 'major', description: 'Canned: this is wrong.' }],
  },
};

/** Changes a canned result as a script says: sets its verdict, sets some keys, or replaces it by another text. */
export function changeResult(result: Readonly<Record<string, unknown>>, said: unknown): string {
  if (typeof said === 'string') {
    if (!isVerdict(said)) return said;
    const key = 'verdict' in result ? 'verdict' : 'status';
    return JSON.stringify({ ...result, [key]: said, ...WITH_VERDICT[said] });
  }
  return JSON.stringify(isRecord(said) ? { ...result, ...said } : result);
}
