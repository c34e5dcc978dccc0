import { wholeLine } from '../../documents/foreign.js';
import { isEdited, keepBoxes, tickBoxes } from '../../documents/plan-boxes.js';
import { renderPlan } from '../../documents/plan-render.js';
import { PLAN } from '../paths.js';
import { record, type Turn } from '../turn.js';
import { noteAudit, noteIssues, noteLearnings } from './notes.js';
import { bodyOf, engineOf, wholePlan } from './plan.js';
import { OUTPUTS } from './values.js';

/** A plan longer than this has its boxes ticked at the end only: every commit keeps a whole copy of the document. */
const TICKED_AT_ONCE = 256 * 1024;

/**
 * What a todo brought is stored: its outputs, learnings, open issues, a line of audit, its box in PLAN.md (engine.md,
 * wrap-up). Documents in, documents out: done at once.
 */
export function wrapUp(turn: Turn, id: string): void {
  const engine = engineOf(turn);
  const report = engine.reports[id];
  const promised = bodyOf(turn, id).outputs.map(({ name }) => name);
  if (report !== undefined && promised.length > 0) {
    engine.outputs[id] = Object.fromEntries(promised.map((name) => [name, report.outputs[name]]));
    turn.files.write(OUTPUTS, `${JSON.stringify(engine.outputs, null, 1)}\n`);
  }
  const learnings = report?.learnings ?? [];
  const issues = report?.issues ?? [];
  noteLearnings(turn, id, learnings);
  noteIssues(turn, id, issues);
  engine.openIssues.push(...issues.map((issue) => wholeLine(`${id}: ${issue}`)));
  const row = engine.todos[id];
  noteAudit(turn, id, `done in attempt ${row?.attempt ?? 1}: ${engine.summaries[id] ?? ''}`);
  tick(turn, new Set([id]), TICKED_AT_ONCE);
  record(turn, 'wrapped-up', { todoId: id, outputs: promised, learnings: learnings.length, issues: issues.length });
}

/** Ticks every box that a done todo has earned; at the end of a run, however it ends. */
export function tickDone(turn: Turn): void {
  const { order, todos } = engineOf(turn);
  tick(turn, new Set(order.filter((id) => todos[id]?.status === 'done')), Number.POSITIVE_INFINITY);
}

function tick(turn: Turn, ids: ReadonlySet<string>, atMost: number): void {
  const facts = turn.files.facts(PLAN);
  if (facts.kind !== 'file' || facts.size > atMost) return;
  const before = turn.files.text(PLAN) ?? '';
  if (isEdited(before)) warnEdited(turn);
  const after = tickBoxes(before, ids);
  if (after !== before) turn.files.write(PLAN, after);
}

/** Todos that came in stand in PLAN.md too, with a box of their own. A plan that was edited by hand is left alone. */
export function renderAdded(turn: Turn): void {
  const before = turn.files.text(PLAN);
  if (before === null) return;
  if (isEdited(before)) {
    warnEdited(turn);
    return;
  }
  const plan = wholePlan(turn);
  turn.files.write(PLAN, renderPlan(plan, keepBoxes(before, plan)));
}

function warnEdited(turn: Turn): void {
  const line = `${PLAN} was edited by hand; the run goes on with the plan that it captured`;
  if (turn.state.warnings.includes(line)) return;
  turn.state.warnings.push(line);
  turn.warnings.push(line);
}
