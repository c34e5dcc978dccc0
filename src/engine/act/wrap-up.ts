import { statesPlan } from '../../blocks/plan-on-disk.js';
import { toWholeLine } from '../../documents/foreign.js';
import type { PlanContent } from '../../plan/model/schema.js';
import { clearBoxes, followsFrom, isEdited, rerenderPlan, tickBoxes } from '../../plan/page/boxes.js';
import { carryBoxes, listUnchangedTodos } from '../../plan/read-back/unchanged-todos.js';
import { listWrapUpNotes, renderOutputs } from '../../run/notes.js';
import { OUTPUTS, PLAN } from '../../run/paths.js';
import { digestPlanFiles, isUnchangedPlanFile } from '../../run/plan/digests.js';
import { recordEntry, recordWarning, type Transaction } from '../../run/transaction.js';
import { addNotes } from './notes.js';
import { getTodoBody, readWholePlan, requireEngine } from './plan/plan.js';
import { changeTodo, getTodoRow } from './todo-rows.js';

/** Size of PLAN.md in bytes above which boxes are ticked only at the end: rewriting it for each todo would be slow. */
const TICKED_AT_ONCE = 256 * 1024;

/** Stores a todo's outputs, learnings and issues, appends to the audit and ticks the todo's box (engine.md, Stages). */
export function wrapUpTodo(tx: Transaction, id: string): void {
  const engine = requireEngine(tx);
  const { attempt, report, summary = '' } = getTodoRow(engine, id);
  const promised = getTodoBody(tx, id).outputs.map(({ name }) => name);
  if (report !== undefined && promised.length > 0) {
    changeTodo(engine, id, { outputs: Object.fromEntries(promised.map((name) => [name, report.outputs[name]])) });
    tx.files.render(OUTPUTS, renderOutputs(engine));
  }
  const learned = (report?.learnings ?? []).map(toWholeLine);
  const issues = report?.issues ?? [];
  const left = issues.map(toWholeLine);
  engine.openIssues.push(...issues.map((issue) => toWholeLine(`${id}: ${issue}`)));
  const counts = { learnings: learned.length, issues: left.length };
  const data = { todoId: id, outputs: promised, ...counts, attempt, summary, learned, left };
  addNotes(tx, listWrapUpNotes(tx.at, { runId: tx.state.runId, ...data }));
  tickWrappedUp(tx, id);
  recordEntry(tx, 'wrapped-up', data);
}

/**
 * Ticks a todo's box. If PLAN.md has not changed since this execution last wrote it, the new text can be derived again,
 * so the journal need not store it.
 */
function tickWrappedUp(tx: Transaction, id: string): void {
  const facts = tx.files.facts(PLAN);
  if (facts.kind !== 'file' || facts.size > TICKED_AT_ONCE) return;
  const isGiven = isUnchangedPlanFile(requireEngine(tx), tx.files);
  tickTodos(tx, new Set([id]), (text) => (isGiven ? tx.files.render(PLAN, text) : tx.files.write(PLAN, text)));
}

/** Ticks the boxes of all done todos at the end of an execution, whatever its outcome. */
export function tickDoneTodos(tx: Transaction): void {
  const { order, todos } = requireEngine(tx);
  const done = new Set(order.filter((id) => todos[id]?.status === 'done'));
  if (tx.files.facts(PLAN).kind === 'file') tickTodos(tx, done, (text) => tx.files.write(PLAN, text));
}

/** Unticks the boxes of todos whose work was reverted, so that no later run counts them as done. */
export function untickTodos(tx: Transaction, ids: ReadonlySet<string>): void {
  const before = tx.files.text(PLAN);
  if (before === null) return;
  const after = clearBoxes(before, ids);
  if (after === before) return;
  const asLeft = isUnchangedPlanFile(requireEngine(tx), tx.files);
  tx.files.write(PLAN, after);
  if (asLeft) recordShownPlan(tx);
}

function tickTodos(tx: Transaction, ids: ReadonlySet<string>, write: (planMd: string) => void): void {
  const before = tx.files.text(PLAN) ?? '';
  const engine = requireEngine(tx);
  const asLeft = isUnchangedPlanFile(engine, tx.files);
  const edited = !asLeft && saysOtherwise(tx, before, readWholePlan(tx));
  if (edited) warnEdited(tx);
  const ours = asLeft || followsFrom(before, readWholePlan(tx));
  // In an edited or regenerated plan, the same id may stand for different work, so only unchanged todos are ticked.
  const after = tickBoxes(before, ours ? ids : listUnchangedTodos(before, readWholePlan(tx), ids));
  if (after === before) return;
  write(after);
  if (ours && !edited) recordShownPlan(tx);
}

/** Records the digest of PLAN.md as this execution left it. */
function recordShownPlan(tx: Transaction): void {
  const engine = requireEngine(tx);
  engine.planMarks = { ...engine.planMarks, shown: digestPlanFiles(tx.files).shown };
}

/** Writes added todos into PLAN.md, unless the file was edited or regenerated. */
export function addTodosToPlan(tx: Transaction, added: readonly string[]): void {
  const before = tx.files.text(PLAN);
  if (before === null) return;
  const plan = readWholePlan(tx);
  const known = { ...plan, todos: plan.todos.filter(({ id }) => !added.includes(id)) };
  const asLeft = isUnchangedPlanFile(requireEngine(tx), tx.files);
  if (!asLeft && saysOtherwise(tx, before, known)) {
    warnEdited(tx);
    return;
  }
  if (!asLeft && !isEdited(before) && !followsFrom(before, known)) return;
  tx.files.write(PLAN, rerenderPlan(before, plan, carryBoxes(before, plan)));
  recordShownPlan(tx);
}

/** Returns whether somebody edited PLAN.md so that it now differs from the plan. */
function saysOtherwise(tx: Transaction, planMd: string, plan: PlanContent): boolean {
  return isEdited(planMd) && !statesPlan(planMd, [plan], tx.state);
}

function warnEdited(tx: Transaction): void {
  const line = `${PLAN} was edited by hand; the run continues with the plan that it captured`;
  if (!tx.state.warnings.includes(line)) recordWarning(tx, line);
}
