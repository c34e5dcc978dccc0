// outside: hook

import { DevCliError, type ErrorDetail } from '../../../base/errors.js';
import { sha256 } from '../../../base/sha256.js';
import { checkFile } from '../../../blocks/evidence.js';
import type { JudgedResult, ResultKind } from '../../../documents/judge-result.js';
import { judgeResult } from '../../../documents/judge-result.js';
import type { ReviewResult, VerifyResult, WorkerResult } from '../../../documents/results.js';
import { parseJson } from '../../../documents/section-data.js';
import { findPathProblem } from '../../../plan/model/paths.js';
import type { TaskState } from '../../../run/engine.js';
import type { Transaction } from '../../../run/transaction.js';
import { getTodoBody } from '../plan/plan.js';
import { getResultPath } from '../prompts/dispatch.js';
import { listReviewQuestions } from '../prompts/review-questions.js';
import { isGrave } from './fixes.js';

/** A file that does not parse and is younger than this, in milliseconds, may still be incomplete. */
const WRITING_MS = 2000;
/** Maximum size of a result in bytes. It is limited because the whole result goes into the snapshot. */
const RESULT_CAP = 1024 * 1024;

/** The outcome of reading the file at the path of a task's result. */
export type ReadResult =
  | { kind: 'absent'; problem: string }
  /**
   * `sha256` identifies the refused result, so that the same result is not refused twice: the digest of its content or,
   * if the content was not read, of the problem.
   */
  | { kind: 'refused'; problems: ErrorDetail[]; sha256: string }
  | { kind: 'good'; judged: JudgedResult; sha256: string };

function getResultKind(substep: string): ResultKind {
  if (substep === 'worker') return 'worker';
  return substep === 'codeReview' ? 'code-review' : 'verify';
}

/**
 * Reads and judges a task's result (engine.md, Results). A good result is a regular file inside the root that has
 * changed since the task was issued, is valid JSON, fits its schema and answers everything that the task asked.
 */
export function readResult(tx: Transaction, actionId: string, task: TaskState): ReadResult {
  const path = getResultPath(actionId);
  const facts = tx.files.facts(path);
  if (facts.kind === 'file' && facts.size > RESULT_CAP) {
    const problem = `is ${facts.size} bytes long; a result has at most ${RESULT_CAP}`;
    return buildRefusal([{ problem }], `size ${facts.size}`);
  }
  const evidence = checkFile(tx.files, path, tx.state.pendingAction?.before[path]);
  if (!evidence.ok) {
    const { missing, problem } = evidence;
    return missing ? { kind: 'absent', problem } : buildRefusal([{ problem }], problem);
  }
  let value: unknown;
  try {
    value = parseJson(evidence.text);
  } catch (error) {
    if (!(error instanceof DevCliError)) throw error;
    if (facts.kind === 'file' && isYoung(tx, facts.mtimeMs)) {
      return { kind: 'absent', problem: 'still being written' };
    }
    return buildRefusal([{ problem: error.message }, ...error.details], evidence.text);
  }
  const judged = judgeResult(getResultKind(task.substep), value);
  if (!judged.ok) return buildRefusal(judged.problems, evidence.text);
  const problems = listUnanswered(tx, task, judged.judged);
  if (problems.length > 0) return buildRefusal(problems, evidence.text);
  return { kind: 'good', judged: judged.judged, sha256: evidence.sha256 };
}

function buildRefusal(problems: ErrorDetail[], content: string): ReadResult {
  return { kind: 'refused', problems, sha256: sha256(content) };
}

/** Returns whether a file was written just now. A modification time far in the future counts as old. */
function isYoung(tx: Transaction, mtimeMs: number): boolean {
  const age = Date.parse(tx.at) - mtimeMs;
  return age < WRITING_MS && age > -WRITING_MS;
}

/** Lists promised outputs that the result lacks, criteria that it does not answer, and paths that it must not name. */
function listUnanswered(tx: Transaction, { todoId, substep }: TaskState, judged: JudgedResult): ErrorDetail[] {
  if (todoId === null) return judged.kind === 'code-review' ? checkReview(tx, judged.result) : [];
  switch (judged.kind) {
    case 'worker':
      return checkWorker(tx, todoId, judged.result);
    case 'verify':
      return [
        ...(substep === 'verify' ? checkCriteria(tx, todoId, judged.result) : []),
        ...checkPaths(judged.result.suggestedAdaptation?.todo.files ?? [], '/suggestedAdaptation/todo/files'),
      ];
    case 'code-review':
      return [];
  }
}

function checkWorker(
  tx: Transaction,
  todo: string,
  { status, outputs, needs, reason, summary }: WorkerResult,
): ErrorDetail[] {
  if (status === 'BLOCKED') {
    const wrong = needs !== undefined && 'files' in needs ? checkPaths(needs.files, '/needs/files') : [];
    if ((reason ?? summary).trim() !== '') return wrong;
    return [{ pointer: '/reason', problem: 'is missing: BLOCKED requires a reason' }, ...wrong];
  }
  return getTodoBody(tx, todo)
    .outputs.filter(({ name }) => !Object.hasOwn(outputs, name) || outputs[name] === null)
    .map(({ name }) => ({ pointer: `/outputs/${name}`, problem: 'is missing: the plan promises it to later todos' }));
}

function checkCriteria(tx: Transaction, todo: string, { criteria }: VerifyResult): ErrorDetail[] {
  const asked = getTodoBody(tx, todo).acceptance.filter(({ kind }) => kind === 'assertion');
  return checkAnswers('criteria', 'criterion', asked, criteria, (id) => `the todo has no assertion ${id}`);
}

/** Checks that a review answers exactly what it was asked, and that NEEDS_FIXES has a reason. */
function checkReview(tx: Transaction, review: ReviewResult): ErrorDetail[] {
  const { criteria = [], requirements = [] } = review;
  const asked = listReviewQuestions(tx);
  const reasoned =
    review.issues.some(isGrave) || criteria.some(({ pass }) => !pass) || requirements.some(({ met }) => !met);
  return [
    ...(review.verdict === 'SHIP' || reasoned ? [] : [UNREASONED]),
    ...checkAnswers('criteria', 'criterion', asked.criteria, criteria),
    ...checkAnswers('requirements', 'requirement', asked.requirements, requirements),
  ];
}

/**
 * The finding on a review whose NEEDS_FIXES has no reason: if nothing is critical, major or unmet, a fix round has
 * nothing to fix.
 */
const UNREASONED: ErrorDetail = {
  pointer: '/verdict',
  problem: 'NEEDS_FIXES requires an issue that is critical or major',
  expected: 'SHIP with the minor issues, or the real severity of each issue',
};

/**
 * Checks that every question has an answer and every answer a question.
 * @param refuse returns the problem of an answer that nobody asked for
 */
function checkAnswers(
  list: string,
  what: string,
  asked: readonly { id: string }[],
  given: readonly { id: string }[],
  refuse = (id: string) => `there is no ${what} ${id} to judge`,
): ErrorDetail[] {
  const ids = asked.map(({ id }) => id);
  const missing = ids
    .filter((id) => !given.some((answer) => answer.id === id))
    .map((id) => ({ pointer: `/${list}`, problem: `${what} ${id} is not judged` }));
  const expected = ids.length === 0 ? 'an empty list' : `one of ${ids.join(', ')}`;
  const unknown = given.flatMap(({ id }, index) => {
    const problem = refuse(JSON.stringify(id.slice(0, 40)));
    return ids.includes(id) ? [] : [{ pointer: `/${list}/${index}/id`, problem, expected }];
  });
  return [...missing, ...unknown];
}

function checkPaths(paths: readonly string[], pointer: string): ErrorDetail[] {
  return paths.flatMap((path, index) => {
    const problem = findPathProblem(path);
    if (problem === null) return [];
    return [{ pointer: `${pointer}/${index}`, problem: `path ${JSON.stringify(path.slice(0, 80))} ${problem}` }];
  });
}
