import { omitUndefined } from '../../../base/defined.js';
import { isRecord } from '../../../base/json.js';
import { joinFirst } from '../../../base/words.js';
import { describeApprovals } from '../../../blocks/approvals.js';
import { findPlanMismatch } from '../../../blocks/commands/plan.js';
import { findPlanGate, isApproved } from '../../../blocks/plan-gate.js';
import { describeGateDecision } from '../../../blocks/run-summary.js';
import { listDependencies } from '../../../plan/model/graph.js';
import type { PlanContent, PlanTodo } from '../../../plan/model/schema.js';
import { readBoxes } from '../../../plan/page/boxes.js';
import type { EngineDraft, PlanApproval, RunEngine } from '../../../run/engine.js';
import type { TodoState } from '../../../run/engine-rows.js';
import { collectGates, findLastEngine } from '../../../run/facts.js';
import { CAPTURED_PLAN, OUTPUTS, PLAN, PLAN_CONTENT } from '../../../run/paths.js';
import { readPlan } from '../../../run/plan/content.js';
import { digestPlanFiles } from '../../../run/plan/digests.js';
import type { PlanGate, RunState } from '../../../run/state.js';
import { recordEntry, recordFault, recordWarning, type Transaction } from '../../../run/transaction.js';
import { createEngineState, createTodoRow } from '../../core/rows.js';
import { readReviewNotes } from '../prompts/review-notes.js';
import { toNewTodo } from '../results/stage-results.js';
import { findFileConflict } from './overlap-check.js';
import { capturePlan, listAddedTodos } from './plan.js';

/** How many todos a warning names. */
const NAMED = 10;

/**
 * Sets up the engine before its first step: captures the plan and creates a row for each todo. Todos whose boxes are
 * ticked start as done (engine.md, Shape).
 * @returns false, after recording the fault, if there is no plan that can be executed
 * @throws DevCliError `FILES_OVERLAP` if this call starts the run and another execution may change the same files
 */
export function startExecution(tx: Transaction, block: string): boolean {
  const plan = readPlan(tx.files);
  if (plan === null) {
    recordFault(tx, block, 'PLAN_MISSING', 'there is no valid plan-content.json to execute');
    return false;
  }
  const last = findLastEngine(tx.state);
  const before = (tx.earlier === null ? null : findLastEngine(tx.earlier)) ?? last;
  const added = before === null ? [] : listAddedTodos(before);
  const disagrees = findPlanMismatch(tx.files, added, plan);
  if (disagrees !== null) {
    // People approve the text of PLAN.md, so no other plan may be executed.
    recordFault(tx, block, 'PLAN_EDITED', `${disagrees}; it is not executed`);
    return false;
  }
  // Has the journal keep both plan files. No planning run may have recorded them, and `git clean` may delete them.
  for (const path of [PLAN, PLAN_CONTENT]) tx.files.keep(path);
  const boxes = readBoxes(tx.files.text(PLAN) ?? '');
  const carried = added.filter(({ id }) => Object.hasOwn(boxes, id));
  const planned = buildRows(plan, carried, before?.todos ?? {}, boxes);
  if (!hasRoomBeside(tx, block, planned)) return false;
  const done = planned.filter(({ status }) => status === 'done').map(({ id }) => id);
  const outputs = readKnownOutputs(tx, new Set(done));
  const rows = planned.map((row): TodoState => {
    const known = { outputs: outputs[row.id], rulings: before?.todos[row.id]?.rulings };
    return { ...row, ...omitUndefined(known) };
  });
  const gate = findPlanGate(tx.state, tx.captured);
  const planApproved = gate === null ? undefined : isApproved(gate, tx.files) ? buildPlanApproval(tx, gate) : null;
  const planNotes = readReviewNotes(tx, tx.earlier ?? tx.state) ?? before?.planNotes ?? [];
  tx.state.engine = {
    ...createEngineState(rows),
    tasks: {},
    planDigest: capturePlan(tx, plan),
    planMarks: digestPlanFiles(tx.files),
    ...omitUndefined({ planApproved }),
    ...(planNotes.length === 0 ? {} : { planNotes: [...planNotes] }),
    // The approval from before a restart. It counts only if the plan still has exactly the commands that were approved.
    commandsApproved: last?.commandsApproved ?? null,
    evidence: [],
    ...takeOver(before),
    ...(last?.rulings === undefined ? {} : { rulings: [...last.rulings] }),
    reviews: [],
    openIssues: [],
    job: null,
    deferred: [],
    ...(last?.course === undefined ? {} : { course: [...last.course] }),
  };
  if (tx.earlier !== null) inheritDecisions(tx, tx.earlier);
  const unproved = done.filter((id) => before?.todos[id]?.status !== 'done');
  if (unproved.length > 0)
    recordWarning(
      tx,
      `taken as done, because their boxes in ${PLAN} are ticked; no execution did them: ${joinFirst(unproved, NAMED)}`,
    );
  const approved = describeApprovals(tx.state).plan;
  recordEntry(tx, 'plan-captured', { block, todos: rows.length, done, plan: CAPTURED_PLAN, approved });
  return true;
}

/**
 * Takes over the previous execution's proofs and its changes to the plan, since both executions serve the same request.
 */
function takeOver(before: RunEngine | null): Pick<EngineDraft, 'before' | 'changed'> {
  const legacy = before?.leaves ?? before?.before;
  const changed = before?.changed?.map((part) => ({ ...part }));
  return omitUndefined({ before: legacy, changed }) as Pick<EngineDraft, 'before' | 'changed'>;
}

/** Takes over the decisions of the run that made the plan. */
function inheritDecisions({ state }: Transaction, earlier: RunState): void {
  const decided = [
    ...(earlier.decisions ?? []),
    ...Object.entries(collectGates(earlier)).map(([id, gate]) => describeGateDecision(id, gate)),
  ];
  if (decided.length > 0) state.decisions = decided;
}

/** Builds the record that a gate approved the plan in its present form. */
export function buildPlanApproval(
  tx: Transaction,
  { gate, by, at }: Pick<PlanGate, 'gate' | 'by' | 'at'>,
): PlanApproval {
  return { gate, by, at, digest: tx.files.digest(PLAN_CONTENT) ?? '' };
}

/**
 * Returns whether no other execution may change the same files. On a conflict, records a fault if the run has already
 * begun, and throws if this call starts it.
 */
function hasRoomBeside(tx: Transaction, block: string, rows: readonly TodoState[]): boolean {
  const clash = findFileConflict(tx, rows);
  if (clash === null) return true;
  if (tx.entries.some(({ type }) => type === 'init')) throw clash;
  const [first] = clash.details;
  recordFault(tx, block, clash.code, `${clash.message} ${first?.target} ${first?.problem}`);
  return false;
}

/**
 * Creates the rows of the plan's todos, and of todos that an earlier run added and that PLAN.md still lists.
 * @param carried the bodies of those added todos
 * @param earlier the rows of the earlier run
 */
function buildRows(
  { todos }: PlanContent,
  carried: readonly PlanTodo[],
  earlier: RunEngine['todos'],
  boxes: Record<string, boolean>,
): TodoState[] {
  const known = new Set([...todos, ...carried].map(({ id }) => id));
  const create = (todo: PlanTodo) => {
    const dependsOn = listDependencies(todo).filter((id) => known.has(id));
    const body = carried.includes(todo) ? { body: todo } : {};
    return createTodoRow({ ...toNewTodo({ ...todo, dependsOn }), ...body }, { done: boxes[todo.id] === true });
  };
  const rows = todos.map(create);
  for (const body of carried) {
    const row = earlier[body.id];
    const at = rows.findIndex(({ id }) => id === row?.parent);
    const parent = rows[at];
    if (parent === undefined || row === undefined) rows.push(create(body));
    else {
      const dynamicTodos = [...parent.dynamicTodos, body.id];
      rows[at] = { ...parent, dynamicTodos };
      rows.splice(at + dynamicTodos.length, 0, { ...create(body), depth: row.depth, parent: parent.id });
    }
  }
  return rows;
}

/** Reads the outputs that done todos reported in an earlier run, for later todos to use. */
function readKnownOutputs(tx: Transaction, done: ReadonlySet<string>): Record<string, TodoState['outputs']> {
  const text = done.size === 0 ? null : tx.files.text(OUTPUTS);
  if (text === null) return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    tx.warnings.push(`${OUTPUTS} is not valid JSON; the values of finished todos are unknown`);
    return {};
  }
  if (!isRecord(value)) return {};
  const kept = Object.entries(value).filter(([id, outputs]) => done.has(id) && isRecord(outputs));
  return Object.fromEntries(kept) as Record<string, TodoState['outputs']>;
}
