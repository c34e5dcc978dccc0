import { toWholeLine } from '../../documents/foreign.js';
import type { JudgedResult } from '../../documents/judge-result.js';
import type { PlanTodo } from '../../documents/plan-schema.js';
import type { ReviewResult, VerifyResult, WorkerResult } from '../../documents/results.js';
import type { TaskState } from '../../run/engine.js';
import type { TodoState } from '../../run/engine-rows.js';
import type { Transaction } from '../../run/transaction.js';
import type { NewTodo, StageResult } from '../core/events.js';
import { type Findings, listUnmet, NO_FINDINGS, triage } from '../core/triage.js';
import { buildReviewFixes } from './fixes.js';
import { requireEngine, requireEngineRecipe } from './plan.js';
import { recordTurningPoint } from './turning-points.js';

/** What a task's result means for the engine: what must be kept of it is kept, then triage decides (engine.md, Triage). */
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

/** What follows from findings on a todo. Lines that failed are kept for the next attempt. */
export function triageFindings(tx: Transaction, id: string, findings: Partial<Findings>, body?: PlanTodo): StageResult {
  const engine = requireEngine(tx);
  const row = engine.todos[id] as TodoState;
  const all = { ...NO_FINDINGS, ...findings };
  const askable = tx.state.mode['interaction'] !== 'autopilot';
  const verdict = triage(requireEngineRecipe(tx).program.policies, engine, row, all, { askable });
  const told = listUnmet(all);
  if (told.length > 0) engine.failures[id] = told;
  if (verdict.kind === 'widen') {
    recordTurningPoint(
      tx,
      'widened',
      `${id} may also touch ${verdict.files.join(', ')}: ${all.blocked?.reason ?? 'asked for'}`,
    );
  }
  if (verdict.kind === 'adapt' && body !== undefined) {
    engine.bodies[verdict.todo.id] = { ...body, id: verdict.todo.id, dependsOn: verdict.todo.dependsOn };
  } else if (all.adaptation !== null) {
    engine.openIssues.push(toWholeLine(`${id} suggests: ${all.adaptation.todo.title}: ${all.adaptation.reason}`));
  }
  return verdict;
}

/** What an agent of a handler of the recipe's own says stands in the report; the verifier's shows in what holds. */
function recordVerdict(
  tx: Transaction,
  { todoId, substep, attempt }: TaskState,
  { status, summary }: VerifyResult,
): void {
  const engine = requireEngine(tx);
  const id = todoId ?? '';
  const verdict = { stage: substep, attempt, status, summary: toWholeLine(summary) };
  engine.verdicts = { ...engine.verdicts, [id]: [...(engine.verdicts?.[id] ?? []), verdict] };
}

function triageWorker(tx: Transaction, id: string, result: WorkerResult): StageResult {
  const engine = requireEngine(tx);
  engine.summaries[id] = toWholeLine(result.summary);
  if (result.status === 'DONE') return { kind: 'pass' };
  const reason = toWholeLine(result.reason ?? result.summary);
  return triageFindings(tx, id, { blocked: { reason, needs: result.needs ?? null } });
}

function triageVerification(tx: Transaction, id: string, result: VerifyResult): StageResult {
  const row = requireEngine(tx).todos[id] as TodoState;
  const told = (head: string, evidence: string) => toWholeLine(`${head}: ${evidence}`);
  const failed = result.criteria.filter(({ pass }) => !pass).map((item) => told(item.id, item.evidence));
  const violations = result.mustNotDoViolations.filter(({ violated }) => violated);
  const critical = result.sideEffects.filter(({ severity }) => severity === 'critical');
  const environment = result.environmentError?.trim() ? toWholeLine(result.environmentError) : null;
  const unexplained = result.status === 'FAILED' && failed.length + violations.length + critical.length === 0;
  for (const { description } of result.sideEffects.filter(({ severity }) => severity === 'major')) {
    requireEngine(tx).openIssues.push(toWholeLine(`${id}: side effect: ${description}`));
  }
  const { suggestedAdaptation: suggested } = result;
  const findings: Partial<Findings> = {
    failed: unexplained && environment === null ? [told('the verifier says FAILED', result.summary)] : failed,
    violations: violations.map((item) => told(item.rule, item.evidence)),
    criticalSideEffects: critical.map(({ description }) => toWholeLine(description)),
    environment,
  };
  if (suggested === null) return triageFindings(tx, id, findings);
  const body = buildAddedTodo(row, suggested);
  const { title, type, risk, files } = body;
  const { category, reason } = suggested;
  return triageFindings(
    tx,
    id,
    {
      ...findings,
      adaptation: { category, reason: toWholeLine(reason), todo: { title, type, risk, files } },
    },
    body,
  );
}

/** A whole body for work that a verifier wants added; triage gives id and dependencies. */
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
  engine.reviews.push(result);
  const told = result.issues.map(({ file, line, severity, description }) =>
    toWholeLine(`review, ${severity}: ${file}${line == null ? '' : `:${line}`}: ${description}`),
  );
  if (result.verdict === 'SHIP') {
    engine.openIssues.push(...told);
    return { kind: 'pass' };
  }
  const why = `the code review says NEEDS_FIXES: ${toWholeLine(result.summary)}`;
  return planFixes(tx, buildReviewFixes(engine, result), told, why);
}

/** Findings of the end become todos while rounds are left; else they stay open, and the run does not end well. */
export function planFixes(tx: Transaction, bodies: PlanTodo[], open: readonly string[], why: string): StageResult {
  const engine = requireEngine(tx);
  if (bodies.length === 0 || engine.fixRounds >= requireEngineRecipe(tx).program.policies.maxFixRounds) {
    engine.openIssues.push(...open);
    return { kind: 'fixes', todos: [], why };
  }
  for (const body of bodies) engine.bodies[body.id] = body;
  return { kind: 'fixes', todos: bodies.map(toNewTodo), why };
}

/** A todo as the machine takes it in. */
export function toNewTodo({ id, title, type, risk, dependsOn, files }: PlanTodo): NewTodo {
  return { id, title, type, risk, dependsOn, files };
}
