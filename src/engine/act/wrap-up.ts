import { wholeLine } from '../../documents/foreign.js';
import { followsFrom, isEdited, keepBoxes, readingAlike, tickBoxes } from '../../documents/plan-boxes.js';
import { renderPlan } from '../../documents/plan-render.js';
import { PLAN } from '../../run/paths.js';
import { isAsLeft, planMarks } from '../../run/plan-marks.js';
import { record, type Turn } from '../../run/turn.js';
import { noteAudit, noteIssues, noteLearnings } from './notes.js';
import { bodyOf, engineOf, wholePlan } from './plan.js';
import { OUTPUTS } from './values.js';

/** A plan longer than this has its boxes ticked at the end only: every commit keeps a whole copy of the document. */
const TICKED_AT_ONCE = 256 * 1024;

/**
 * What a todo brought is stored: its outputs, learnings, open issues, a line of audit, its box in PLAN.md (engine.md,
 * Stages). Documents in, documents out: done at once.
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
  const engine = engineOf(turn);
  const asLeft = isAsLeft(engine, turn.files);
  const edited = !asLeft && isEdited(before);
  if (edited) warnEdited(turn);
  const ours = asLeft || edited || followsFrom(before, wholePlan(turn));
  // In a plan that was generated anew a todo of the same id may ask for something else, which nobody has done.
  const after = tickBoxes(before, ours ? ids : readingAlike(before, wholePlan(turn), ids));
  if (after === before) return;
  turn.files.write(PLAN, after);
  if (ours && !edited) noteLeft(turn);
}

/** PLAN.md is now as this execution has written it. */
function noteLeft(turn: Turn): void {
  const engine = engineOf(turn);
  if (engine.planMarks === undefined) return;
  engine.planMarks = { ...engine.planMarks, shown: planMarks(turn.files).shown };
}

/** Todos that came in stand in PLAN.md too, with a box of their own. A plan that was edited, or generated anew, is left alone. */
export function renderAdded(turn: Turn, added: readonly string[]): void {
  const before = turn.files.text(PLAN);
  if (before === null) return;
  if (isEdited(before)) {
    warnEdited(turn);
    return;
  }
  const plan = wholePlan(turn);
  const known = { ...plan, todos: plan.todos.filter(({ id }) => !added.includes(id)) };
  if (!isAsLeft(engineOf(turn), turn.files) && !followsFrom(before, known)) return;
  turn.files.write(PLAN, renderPlan(plan, keepBoxes(before, plan)));
  noteLeft(turn);
}

function warnEdited(turn: Turn): void {
  const line = `${PLAN} was edited by hand; the run goes on with the plan that it captured`;
  if (turn.state.warnings.includes(line)) return;
  turn.state.warnings.push(line);
  turn.warnings.push(line);
}
