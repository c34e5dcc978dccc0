import { wholeLine } from '../../documents/foreign.js';
import type { JudgedResult } from '../../documents/judge-result.js';
import type { PlanTodo } from '../../documents/plan-schema.js';
import type { ReviewResult, VerifyResult, WorkerResult } from '../../documents/results.js';
import type { TaskState } from '../../run/engine.js';
import type { TodoState } from '../../run/engine-rows.js';
import type { Turn } from '../../run/turn.js';
import type { NewTodo, Verdict } from '../core/events.js';
import { type Findings, NOTHING_FOUND, toMend, triage } from '../core/triage.js';
import { noteCourse } from './course.js';
import { reviewFixes } from './fixes.js';
import { engineOf, recipeEngine } from './plan.js';

/** What a task's result means for the engine: what must be kept of it is kept, then triage decides (engine.md, Triage). */
export function verdictOf(turn: Turn, task: TaskState, judged: JudgedResult): Verdict {
  const { todoId } = task;
  switch (judged.kind) {
    case 'code-review':
      return reviewVerdict(turn, judged.result);
    case 'worker':
      return workerVerdict(turn, todoId ?? '', judged.result);
    case 'verify':
      if (task.substep !== 'verify') noteVerdict(turn, task, judged.result);
      return judgeVerdict(turn, todoId ?? '', judged.result);
  }
}

/** What follows from findings on a todo. Lines that failed are kept for the next attempt. */
export function triaged(turn: Turn, id: string, findings: Partial<Findings>, body?: PlanTodo): Verdict {
  const engine = engineOf(turn);
  const row = engine.todos[id] as TodoState;
  const all = { ...NOTHING_FOUND, ...findings };
  const askable = turn.state.mode['interaction'] !== 'autopilot';
  const verdict = triage(recipeEngine(turn).program.policies, engine, row, all, { askable });
  const told = toMend(all);
  if (told.length > 0) engine.failures[id] = told;
  if (verdict.kind === 'widen') {
    noteCourse(
      turn,
      'widened',
      `${id} may also touch ${verdict.files.join(', ')}: ${all.blocked?.reason ?? 'asked for'}`,
    );
  }
  if (verdict.kind === 'adapt' && body !== undefined) {
    engine.bodies[verdict.todo.id] = { ...body, id: verdict.todo.id, dependsOn: verdict.todo.dependsOn };
  } else if (all.adaptation !== null) {
    engine.openIssues.push(wholeLine(`${id} suggests: ${all.adaptation.todo.title}: ${all.adaptation.reason}`));
  }
  return verdict;
}

/** What an agent of a handler of the recipe's own says stands in the report; the verifier's shows in what holds. */
function noteVerdict(turn: Turn, { todoId, substep, attempt }: TaskState, { status, summary }: VerifyResult): void {
  const engine = engineOf(turn);
  const id = todoId ?? '';
  const verdict = { stage: substep, attempt, status, summary: wholeLine(summary) };
  engine.verdicts = { ...engine.verdicts, [id]: [...(engine.verdicts?.[id] ?? []), verdict] };
}

function workerVerdict(turn: Turn, id: string, result: WorkerResult): Verdict {
  const engine = engineOf(turn);
  engine.summaries[id] = wholeLine(result.summary);
  if (result.status === 'DONE') return { kind: 'pass' };
  const reason = wholeLine(result.reason ?? result.summary);
  return triaged(turn, id, { blocked: { reason, needs: result.needs ?? null } });
}

function judgeVerdict(turn: Turn, id: string, result: VerifyResult): Verdict {
  const row = engineOf(turn).todos[id] as TodoState;
  const told = (head: string, evidence: string) => wholeLine(`${head}: ${evidence}`);
  const failed = result.criteria.filter(({ pass }) => !pass).map((item) => told(item.id, item.evidence));
  const violations = result.mustNotDoViolations.filter(({ violated }) => violated);
  const critical = result.sideEffects.filter(({ severity }) => severity === 'critical');
  const environment = result.environmentError?.trim() ? wholeLine(result.environmentError) : null;
  const unexplained = result.status === 'FAILED' && failed.length + violations.length + critical.length === 0;
  for (const { description } of result.sideEffects.filter(({ severity }) => severity === 'major')) {
    engineOf(turn).openIssues.push(wholeLine(`${id}: side effect: ${description}`));
  }
  const { suggestedAdaptation: suggested } = result;
  const findings: Partial<Findings> = {
    failed: unexplained && environment === null ? [told('the verifier says FAILED', result.summary)] : failed,
    violations: violations.map((item) => told(item.rule, item.evidence)),
    criticalSideEffects: critical.map(({ description }) => wholeLine(description)),
    environment,
  };
  if (suggested === null) return triaged(turn, id, findings);
  const body = addedBody(row, suggested);
  const { title, type, risk, files } = body;
  const { category, reason } = suggested;
  return triaged(
    turn,
    id,
    {
      ...findings,
      adaptation: { category, reason: wholeLine(reason), todo: { title, type, risk, files } },
    },
    body,
  );
}

/** A whole body for work that a verifier wants added; triage gives id and dependencies. */
function addedBody(parent: TodoState, { reason, todo }: NonNullable<VerifyResult['suggestedAdaptation']>): PlanTodo {
  return {
    id: '',
    title: wholeLine(todo.title),
    type: 'work',
    risk: parent.risk,
    dependsOn: [],
    inputs: [],
    outputs: [],
    files: todo.files,
    steps: todo.steps.length === 0 ? [wholeLine(reason)] : todo.steps,
    mustNotDo: todo.mustNotDo ?? [],
    references: todo.references ?? [],
    acceptance: todo.acceptance.map((item, index) => ({ id: `as-${index + 1}`, ...item })),
  };
}

function reviewVerdict(turn: Turn, result: ReviewResult): Verdict {
  const engine = engineOf(turn);
  engine.reviews.push(result);
  const told = result.issues.map(({ file, line, severity, description }) =>
    wholeLine(`review, ${severity}: ${file}${line == null ? '' : `:${line}`}: ${description}`),
  );
  if (result.verdict === 'SHIP') {
    engine.openIssues.push(...told);
    return { kind: 'pass' };
  }
  const why = `the code review says NEEDS_FIXES: ${wholeLine(result.summary)}`;
  return fixesOrOpen(turn, reviewFixes(engine, result), told, why);
}

/** Findings of the end become todos while rounds are left; else they stay open, and the run does not end well. */
export function fixesOrOpen(turn: Turn, bodies: PlanTodo[], open: readonly string[], why: string): Verdict {
  const engine = engineOf(turn);
  if (bodies.length === 0 || engine.fixRounds >= recipeEngine(turn).program.policies.maxFixRounds) {
    engine.openIssues.push(...open);
    return { kind: 'fixes', todos: [], why };
  }
  for (const body of bodies) engine.bodies[body.id] = body;
  return { kind: 'fixes', todos: bodies.map(rowOf), why };
}

/** A todo as the machine takes it in. */
export function rowOf({ id, title, type, risk, dependsOn, files }: PlanTodo): NewTodo {
  return { id, title, type, risk, dependsOn, files };
}
