import { foreignLine } from '../../documents/foreign.js';
import type { JudgedResult } from '../../documents/judge-result.js';
import type { PlanTodo } from '../../documents/plan-schema.js';
import type { ReviewResult, VerifyResult, WorkerResult } from '../../documents/results.js';
import type { NewTodo, Verdict } from '../../machine/engine/events.js';
import type { TodoState } from '../../machine/engine/state.js';
import { type Findings, NOTHING_FOUND, triage } from '../../machine/engine/triage.js';
import type { Turn } from '../turn.js';
import { reviewFixes } from './fixes.js';
import { engineOf, recipeEngine } from './plan.js';

const LINE_CAP = 300;

/** What a task's result means for the engine: what must be kept of it is kept, then triage decides (engine.md, Triage). */
export function verdictOf(turn: Turn, todoId: string | null, judged: JudgedResult): Verdict {
  switch (judged.kind) {
    case 'code-review':
      return reviewVerdict(turn, judged.result);
    case 'worker':
      return workerVerdict(turn, todoId ?? '', judged.result);
    case 'verify':
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
  if (all.failed.length > 0) engine.failures[id] = all.failed;
  if (verdict.kind === 'adapt' && body !== undefined) {
    engine.bodies[verdict.todo.id] = { ...body, id: verdict.todo.id, dependsOn: verdict.todo.dependsOn };
  } else if (all.adaptation !== null) {
    engine.openIssues.push(foreignLine(`${id} suggests: ${all.adaptation.todo.title}: ${all.adaptation.reason}`, 500));
  }
  return verdict;
}

function workerVerdict(turn: Turn, id: string, result: WorkerResult): Verdict {
  const engine = engineOf(turn);
  engine.summaries[id] = foreignLine(result.summary, LINE_CAP);
  if (result.status === 'DONE') return { kind: 'pass' };
  const reason = foreignLine(result.reason ?? result.summary, LINE_CAP);
  return triaged(turn, id, { blocked: { reason, needs: result.needs ?? null } });
}

function judgeVerdict(turn: Turn, id: string, result: VerifyResult): Verdict {
  const row = engineOf(turn).todos[id] as TodoState;
  const told = (head: string, evidence: string) => foreignLine(`${head}: ${evidence}`, LINE_CAP);
  const failed = result.criteria.filter(({ pass }) => !pass).map((item) => told(item.id, item.evidence));
  const violations = result.mustNotDoViolations.filter(({ violated }) => violated);
  const critical = result.sideEffects.filter(({ severity }) => severity === 'critical');
  const environment = result.environmentError?.trim() ? foreignLine(result.environmentError, LINE_CAP) : null;
  const unexplained = result.status === 'FAILED' && failed.length + violations.length + critical.length === 0;
  for (const { description } of result.sideEffects.filter(({ severity }) => severity === 'major')) {
    engineOf(turn).openIssues.push(foreignLine(`${id}: side effect: ${description}`, 500));
  }
  const { suggestedAdaptation: suggested } = result;
  const findings: Partial<Findings> = {
    failed: unexplained && environment === null ? [told('the verifier says FAILED', result.summary)] : failed,
    violations: violations.map((item) => told(item.rule, item.evidence)),
    criticalSideEffects: critical.map(({ description }) => foreignLine(description, LINE_CAP)),
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
      adaptation: { category, reason: foreignLine(reason, LINE_CAP), todo: { title, type, risk, files } },
    },
    body,
  );
}

/** A whole body for work that a verifier wants added; triage gives id and dependencies (lessons 25). */
function addedBody(parent: TodoState, { reason, todo }: NonNullable<VerifyResult['suggestedAdaptation']>): PlanTodo {
  return {
    id: '',
    title: foreignLine(todo.title, 200),
    type: 'work',
    risk: parent.risk,
    dependsOn: [],
    inputs: [],
    outputs: [],
    files: todo.files,
    steps: todo.steps.length === 0 ? [foreignLine(reason, 500)] : todo.steps,
    mustNotDo: todo.mustNotDo ?? [],
    references: todo.references ?? [],
    acceptance: todo.acceptance.map((item, index) => ({ id: `as-${index + 1}`, ...item })),
  };
}

function reviewVerdict(turn: Turn, result: ReviewResult): Verdict {
  const engine = engineOf(turn);
  engine.reviews.push(result);
  const told = result.issues.map(({ file, line, severity, description }) =>
    foreignLine(`review, ${severity}: ${file}${line == null ? '' : `:${line}`}: ${description}`, 500),
  );
  if (result.verdict === 'SHIP') {
    engine.openIssues.push(...told);
    return { kind: 'pass' };
  }
  const why = `the code review says NEEDS_FIXES: ${foreignLine(result.summary, LINE_CAP)}`;
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
