import { toWholeLine } from '../../../documents/foreign.js';
import type { JudgedResult } from '../../../documents/judge-result.js';
import type { ReviewResult, VerifyResult, WorkerResult } from '../../../documents/results.js';
import type { PlanTodo } from '../../../plan/model/schema.js';
import type { TaskState } from '../../../run/engine.js';
import type { TodoState } from '../../../run/engine-rows.js';
import type { Transaction } from '../../../run/transaction.js';
import { createGlobTest, normalizePaths } from '../../../work/paths.js';
import type { NewTodo, StageResult } from '../../core/events.js';
import { type Findings, listUnmet, NO_FINDINGS, triage } from '../../core/triage.js';
import { recordTurningPoint } from '../notes.js';
import { getTodoBody, requireEngine, requireEngineRecipe } from '../plan/plan.js';
import { listAnsweredIssues } from '../prompts/review-questions.js';
import { changeTodo, getTodoRow } from '../todo-rows.js';
import { buildReviewFixes, buildVerificationFix, isGrave, type Owner, renderIssue } from './fixes.js';

/** Records a task's result, and triages it (engine.md, Triage). */
export function triageResult(tx: Transaction, task: TaskState, judged: JudgedResult): StageResult {
  const { todoId } = task;
  switch (judged.kind) {
    case 'code-review':
      return triageReview(tx, judged.result);
    case 'worker':
      return triageWorker(tx, todoId ?? '', judged.result);
    case 'verify':
      if (task.substep !== 'verify') recordVerdict(tx, task, judged.result);
      return triageVerification(tx, todoId ?? '', judged.result);
  }
}

/**
 * Triages the findings on a todo, and stores the failures for its next attempt.
 * @param body the todo that the findings suggest adding, if any
 */
export function triageFindings(tx: Transaction, id: string, findings: Partial<Findings>, body?: PlanTodo): StageResult {
  const engine = requireEngine(tx);
  const row = getTodoRow(engine, id);
  const mending = body === undefined ? planMending(tx, row, findings) : undefined;
  if (mending !== undefined) {
    const { title, type, risk, files } = mending;
    const adaptation = { category: 'fix', reason: mending.steps.join('; '), todo: { title, type, risk, files } };
    return triageFindings(tx, id, { ...findings, adaptation }, mending);
  }
  const all = { ...NO_FINDINGS, ...findings };
  const askable = tx.state.mode['interaction'] !== 'autopilot';
  const verdict = triage(requireEngineRecipe(tx).program.policies, engine, row, all, { askable });
  const unmet = listUnmet(all);
  if (unmet.length > 0) changeTodo(engine, id, { failures: unmet });
  if (verdict.kind === 'widen') {
    recordTurningPoint(
      tx,
      'widened',
      `${id} may also touch ${verdict.files.join(', ')}: ${all.blocked?.reason ?? 'asked for'}`,
    );
  }
  if (verdict.kind === 'adapt' && body !== undefined) {
    const { todo } = verdict;
    return { ...verdict, todo: { ...todo, body: { ...body, id: todo.id, dependsOn: todo.dependsOn } } };
  }
  if (all.adaptation !== null) {
    engine.openIssues.push(toWholeLine(`${id} suggests: ${all.adaptation.todo.title}: ${all.adaptation.reason}`));
  }
  return verdict;
}

/**
 * Builds the todo that fixes the findings of a verification todo, while `maxFixRounds` allows one. A verification todo
 * changes no sources itself, so merely repeating it would fail again.
 */
function planMending(tx: Transaction, row: TodoState, { failed = [], violations = [] }: Partial<Findings>) {
  const { maxFixRounds, maxDynamicTodos, adaptDepthLimit } = requireEngineRecipe(tx).program.policies;
  const isBounded =
    row.dynamicTodos.length < maxFixRounds && requireEngine(tx).added < maxDynamicTodos && row.depth < adaptDepthLimit;
  if (row.type !== 'verification' || failed.length === 0 || violations.length > 0 || !isBounded) return undefined;
  return buildVerificationFix(failed, getTodoBody(tx, row.id), row.evidence ?? []);
}

/**
 * Stores the verdict of a recipe's own handler for the report. The shipped verifier's verdict needs no record, because
 * the report shows its criteria.
 */
function recordVerdict(
  tx: Transaction,
  { todoId, substep, attempt }: TaskState,
  { status, summary }: VerifyResult,
): void {
  const engine = requireEngine(tx);
  const id = todoId ?? '';
  const verdict = { stage: substep, attempt, status, summary: toWholeLine(summary) };
  changeTodo(engine, id, { verdicts: [...(getTodoRow(engine, id).verdicts ?? []), verdict] });
}

function triageWorker(tx: Transaction, id: string, result: WorkerResult): StageResult {
  const engine = requireEngine(tx);
  changeTodo(engine, id, { summary: toWholeLine(result.summary) });
  if (result.status === 'DONE') return { kind: 'pass' };
  const reason = toWholeLine(result.reason ?? result.summary);
  return triageFindings(tx, id, { blocked: { reason, needs: result.needs ?? null } });
}

function triageVerification(tx: Transaction, id: string, result: VerifyResult): StageResult {
  const row = getTodoRow(requireEngine(tx), id);
  const join = (head: string, evidence: string) => toWholeLine(`${head}: ${evidence}`);
  const failed = result.criteria.filter(({ pass }) => !pass).map((item) => join(item.id, item.evidence));
  const violations = result.mustNotDoViolations.filter(({ violated }) => violated);
  const critical = result.sideEffects.filter(({ severity }) => severity === 'critical');
  const environment = result.environmentError?.trim() ? toWholeLine(result.environmentError) : null;
  const unexplained = result.status === 'FAILED' && failed.length + violations.length + critical.length === 0;
  for (const { description } of result.sideEffects.filter(({ severity }) => severity === 'major')) {
    requireEngine(tx).openIssues.push(toWholeLine(`${id}: side effect: ${description}`));
  }
  const { suggestedAdaptation: suggested } = result;
  const findings: Partial<Findings> = {
    failed: unexplained && environment === null ? [join('the verifier says FAILED', result.summary)] : failed,
    violations: violations.map((item) => join(item.rule, item.evidence)),
    criticalSideEffects: critical.map(({ description }) => toWholeLine(description)),
    environment,
  };
  if (suggested === null) return triageFindings(tx, id, findings);
  const body = buildAddedTodo(row, suggested);
  const { title, type, risk, files } = body;
  const { category, reason } = suggested;
  const adaptation = { category, reason: toWholeLine(reason), todo: { title, type, risk, files } };
  return triageFindings(tx, id, { ...findings, adaptation }, body);
}

/** Builds a complete todo from a verifier's suggestion; triage sets its id and dependencies. */
function buildAddedTodo(
  parent: TodoState,
  { reason, todo }: NonNullable<VerifyResult['suggestedAdaptation']>,
): PlanTodo {
  return {
    id: '',
    title: toWholeLine(todo.title),
    type: 'work',
    risk: parent.risk,
    dependsOn: [],
    inputs: [],
    outputs: [],
    files: todo.files,
    steps: todo.steps.length === 0 ? [toWholeLine(reason)] : todo.steps,
    mustNotDo: todo.mustNotDo ?? [],
    references: todo.references ?? [],
    acceptance: todo.acceptance.map((item, index) => ({ id: `as-${index + 1}`, ...item })),
  };
}

function triageReview(tx: Transaction, result: ReviewResult): StageResult {
  const engine = requireEngine(tx);
  // The issues of earlier reviews are no longer open: what this review does not find again has been fixed.
  const earlier = new Set(engine.reviews.flatMap(listOpenIssues));
  engine.openIssues = engine.openIssues.filter((line) => !earlier.has(line));
  const denied = listAnsweredIssues(tx, result);
  const whole = { ...result, issues: [...result.issues, ...denied] };
  engine.reviews.push(whole);
  if (result.verdict === 'SHIP' && denied.length === 0) {
    engine.openIssues.push(...listOpenIssues(whole));
    return { kind: 'pass' };
  }
  const minor = { ...whole, issues: whole.issues.filter(({ severity }) => severity === 'minor') };
  const grave = { ...whole, issues: whole.issues.filter(isGrave) };
  engine.openIssues.push(...listOpenIssues(minor));
  const why = `the code review says NEEDS_FIXES: ${toWholeLine(result.summary)}`;
  return planFixes(
    tx,
    buildReviewFixes(engine, grave, (file) => findOwners(tx, file)),
    listOpenIssues(grave),
    why,
  );
}

function listOpenIssues({ issues }: ReviewResult): string[] {
  return issues.map((issue) => `review, ${renderIssue(issue)}`);
}

/** Returns the done todos that own a file: it is among their files, or their workers have listed it. */
function findOwners(tx: Transaction, file: string): Owner[] {
  const engine = requireEngine(tx);
  const [path = file] = normalizePaths(tx.place.workTree, [file]);
  return engine.order.flatMap((id) => {
    const { type, status, files, listed = [] } = getTodoRow(engine, id);
    if (type !== 'work' || status !== 'done') return [];
    const isOwn = listed.includes(path) || (files.length > 0 && createGlobTest(files)(path));
    return isOwn ? [{ files, acceptance: getTodoBody(tx, id).acceptance }] : [];
  });
}

/**
 * Turns the findings of a final stage into fix todos while fix rounds are left, and into open issues after that
 * (engine.md, Fix rounds).
 * @param bodies the fix todos
 * @param open the same findings as open issues
 */
export function planFixes(tx: Transaction, bodies: PlanTodo[], open: readonly string[], why: string): StageResult {
  const engine = requireEngine(tx);
  if (bodies.length === 0 || engine.fixRounds >= requireEngineRecipe(tx).program.policies.maxFixRounds) {
    engine.openIssues.push(...open);
    return { kind: 'fixes', todos: [], why };
  }
  return { kind: 'fixes', todos: bodies.map((body) => ({ ...toNewTodo(body), body })), why };
}

/** Reduces a todo to the fields that the machine knows. */
export function toNewTodo({ id, title, type, risk, dependsOn, files }: Omit<NewTodo, 'body'>): NewTodo {
  return { id, title, type, risk, dependsOn, files };
}
