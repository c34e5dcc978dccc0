import { toWholeLine } from '../../documents/foreign.js';
import { carryBoxes, followsFrom, isEdited, listUnchangedTodos, tickBoxes } from '../../documents/plan-boxes.js';
import { renderPlan } from '../../documents/plan-render.js';
import { PLAN } from '../../run/paths.js';
import { digestPlanFiles, isUnchangedPlanFile } from '../../run/plan-digests.js';
import { recordEntry, type Transaction } from '../../run/transaction.js';
import { appendAudit, appendIssues, appendLearnings } from './notes.js';
import { getTodoBody, readWholePlan, requireEngine } from './plan.js';
import { recordWarning } from './remarks.js';
import { changeTodo, getTodoRow } from './todo-rows.js';
import { OUTPUTS, renderOutputs } from './values.js';

/** Above this size, in bytes, a plan has its boxes ticked only at the end: the store copies it at each commit. */
const TICKED_AT_ONCE = 256 * 1024;

/** Stores a todo's outputs, learnings and issues, adds a line to the audit and ticks its box (engine.md, Stages). */
export function wrapUp(tx: Transaction, id: string): void {
  const engine = requireEngine(tx);
  const { attempt, report, summary = '' } = getTodoRow(engine, id);
  const promised = getTodoBody(tx, id).outputs.map(({ name }) => name);
  if (report !== undefined && promised.length > 0) {
    changeTodo(engine, id, { outputs: Object.fromEntries(promised.map((name) => [name, report.outputs[name]])) });
    tx.files.write(OUTPUTS, renderOutputs(engine));
  }
  const learnings = report?.learnings ?? [];
  const issues = report?.issues ?? [];
  appendLearnings(tx, id, learnings);
  appendIssues(tx, id, issues);
  engine.openIssues.push(...issues.map((issue) => toWholeLine(`${id}: ${issue}`)));
  appendAudit(tx, id, `done in attempt ${attempt}: ${summary}`);
  tickTodos(tx, new Set([id]), TICKED_AT_ONCE);
  recordEntry(tx, 'wrapped-up', { todoId: id, outputs: promised, learnings: learnings.length, issues: issues.length });
}

/** Ticks the boxes of all done todos: at the end of a run, however it ends. */
export function tickDoneTodos(tx: Transaction): void {
  const { order, todos } = requireEngine(tx);
  tickTodos(tx, new Set(order.filter((id) => todos[id]?.status === 'done')), Number.POSITIVE_INFINITY);
}

function tickTodos(tx: Transaction, ids: ReadonlySet<string>, atMost: number): void {
  const facts = tx.files.facts(PLAN);
  if (facts.kind !== 'file' || facts.size > atMost) return;
  const before = tx.files.text(PLAN) ?? '';
  const engine = requireEngine(tx);
  const asLeft = isUnchangedPlanFile(engine, tx.files);
  const edited = !asLeft && isEdited(before);
  if (edited) warnEdited(tx);
  const ours = asLeft || edited || followsFrom(before, readWholePlan(tx));
  // In a regenerated plan, a todo with the same id may ask for something that nobody has done.
  const after = tickBoxes(before, ours ? ids : listUnchangedTodos(before, readWholePlan(tx), ids));
  if (after === before) return;
  tx.files.write(PLAN, after);
  if (ours && !edited) recordShownPlan(tx);
}

/** Records the digest of PLAN.md as this execution left it. */
function recordShownPlan(tx: Transaction): void {
  const engine = requireEngine(tx);
  if (engine.planMarks === undefined) return;
  engine.planMarks = { ...engine.planMarks, shown: digestPlanFiles(tx.files).shown };
}

/** Writes todos that were added during the run into PLAN.md. A plan that was edited or regenerated is left alone. */
export function addTodosToPlan(tx: Transaction, added: readonly string[]): void {
  const before = tx.files.text(PLAN);
  if (before === null) return;
  if (isEdited(before)) {
    warnEdited(tx);
    return;
  }
  const plan = readWholePlan(tx);
  const known = { ...plan, todos: plan.todos.filter(({ id }) => !added.includes(id)) };
  if (!isUnchangedPlanFile(requireEngine(tx), tx.files) && !followsFrom(before, known)) return;
  tx.files.write(PLAN, renderPlan(plan, carryBoxes(before, plan)));
  recordShownPlan(tx);
}

function warnEdited(tx: Transaction): void {
  const line = `${PLAN} was edited by hand; the run goes on with the plan that it captured`;
  if (!tx.state.warnings.includes(line)) recordWarning(tx, line);
}
