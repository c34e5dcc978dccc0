import { defined } from '../../base/defined.js';
import { isRecord } from '../../base/json.js';
import { describeApprovals } from '../../blocks/approvals.js';
import { findPlanMismatch } from '../../blocks/commands/plan.js';
import { findPlanGate, isApproved } from '../../blocks/plan-gate.js';
import { describeGateDecision } from '../../blocks/run-summary.js';
import { readBoxes } from '../../documents/plan-boxes.js';
import { listDependencies } from '../../documents/plan-graph.js';
import type { PlanContent, PlanTodo } from '../../documents/plan-schema.js';
import type { PlanApproval, RunEngine } from '../../run/engine.js';
import type { TodoState } from '../../run/engine-rows.js';
import { CAPTURED_PLAN, PLAN, PLAN_CONTENT } from '../../run/paths.js';
import { readPlan } from '../../run/plan-content.js';
import { digestPlanFiles } from '../../run/plan-digests.js';
import type { PlanGate, RunState } from '../../run/state.js';
import { recordEntry, recordFault, type Transaction } from '../../run/transaction.js';
import { createEngineState, createTodoRow } from '../core/rows.js';
import { findFileConflict } from './overlap-check.js';
import { capturePlan, listAddedTodos } from './plan.js';
import { toNewTodo } from './stage-results.js';
import { OUTPUTS } from './values.js';

/**
 * The engine before its first step: the plan captured, a row for each todo, those with a ticked box done (engine.md,
 * Shape). False, with the reason noted, where there is no plan to execute.
 */
export function startExecution(tx: Transaction, block: string): boolean {
  const plan = readPlan(tx.files);
  if (plan === null) {
    recordFault(tx, block, 'PLAN_MISSING', 'there is no valid plan-content.json to execute');
    return false;
  }
  const before = tx.earlier?.engine ?? tx.state.engine;
  const disagrees = findPlanMismatch(tx.files, before === null ? [] : listAddedTodos(before));
  if (disagrees !== null) {
    // Somebody approved what PLAN.md says.
    recordFault(tx, block, 'PLAN_EDITED', `${disagrees}; it is not executed`);
    return false;
  }
  // A plan that no planning run has recorded is recorded now: it is untracked, and `git clean` takes such files.
  for (const path of [PLAN, PLAN_CONTENT]) tx.files.keep(path);
  const boxes = readBoxes(tx.files.text(PLAN) ?? '');
  const ticked = (id: string) => Object.hasOwn(boxes, id) && boxes[id] === true;
  const earlier = listCarriedTodos(tx, boxes);
  const rows = buildRows(plan, earlier, ticked);
  if (!hasRoomBeside(tx, block, rows)) return false;
  const done = rows.filter(({ status }) => status === 'done').map(({ id }) => id);
  const gate = findPlanGate(tx.state, tx.captured);
  const planApproved = gate === null ? undefined : isApproved(gate, tx.files) ? buildPlanApproval(tx, gate) : null;
  const engine: RunEngine = {
    ...createEngineState(rows),
    tasks: {},
    outputs: readKnownOutputs(tx, new Set(done)),
    planDigest: capturePlan(tx, plan),
    planMarks: digestPlanFiles(tx.files),
    bodies: Object.fromEntries(earlier.map(({ body }) => [body.id, body])),
    ...defined({ planApproved }),
    // Of the same execution before it began anew, or of an earlier one; the list of commands has to be the same all the same.
    commandsApproved: tx.state.engine?.commandsApproved ?? null,
    evidence: {},
    baselines: {},
    charged: {},
    summaries: {},
    reports: {},
    failures: {},
    answers: {},
    ...defined({ rulings: tx.state.engine?.rulings }),
    reviews: [],
    openIssues: [],
    job: null,
    deferred: [],
    // Of the same run before its phase began anew.
    ...defined({ course: tx.state.engine?.course }),
  };
  tx.state.engine = engine;
  if (tx.earlier !== null) inheritDecisions(tx, tx.earlier);
  recordEntry(tx, 'plan-captured', {
    block,
    todos: rows.length,
    done,
    plan: CAPTURED_PLAN,
    approved: describeApprovals(tx.state).plan,
  });
  return true;
}

/** What was decided while the plan was made that is now carried out: by the run of the name before this one. */
function inheritDecisions({ state }: Transaction, { decisions = [], gates }: RunState): void {
  const decided = [...decisions, ...Object.entries(gates).map(([id, gate]) => describeGateDecision(id, gate))];
  if (decided.length > 0) state.decisions = decided;
}

/** That a gate has approved the plan as it lies there. */
export function buildPlanApproval(
  tx: Transaction,
  { gate, by, at }: Pick<PlanGate, 'gate' | 'by' | 'at'>,
): PlanApproval {
  return { gate, by, at, digest: tx.files.digest(PLAN_CONTENT) ?? '' };
}

/**
 * Whether no other execution in this work tree wants the files of this one. A run that has come to this phase halts otherwise,
 * and can be reopened later.
 * @throws DevCliError `FILES_OVERLAP` where the run is just being started
 */
function hasRoomBeside(tx: Transaction, block: string, rows: readonly TodoState[]): boolean {
  const clash = findFileConflict(tx, rows);
  if (clash === null) return true;
  if (tx.entries.some(({ type }) => type === 'init')) throw clash;
  const [first] = clash.details;
  recordFault(tx, block, clash.code, `${clash.message} ${first?.target} ${first?.problem}`);
  return false;
}

interface CarriedTodo {
  body: PlanTodo;
  row: TodoState | undefined;
}

/** Todos that an earlier run of the name added and that stand in PLAN.md: they are part of the plan now. */
function listCarriedTodos(tx: Transaction, boxes: Record<string, boolean>): CarriedTodo[] {
  const engine = tx.earlier?.engine ?? tx.state.engine;
  if (engine === null) return [];
  return listAddedTodos(engine)
    .filter(({ id }) => Object.hasOwn(boxes, id))
    .map((body) => ({ body, row: engine.todos[body.id] }));
}

function buildRows({ todos }: PlanContent, earlier: CarriedTodo[], ticked: (id: string) => boolean): TodoState[] {
  const rows = todos.map((todo) =>
    createTodoRow(toNewTodo({ ...todo, dependsOn: listDependencies(todo) }), { done: ticked(todo.id) }),
  );
  const known = new Set([...rows, ...earlier.map(({ body }) => body)].map(({ id }) => id));
  for (const { body, row } of earlier) {
    const dependsOn = listDependencies(body).filter((id) => known.has(id));
    const added = createTodoRow(toNewTodo({ ...body, dependsOn }), { done: ticked(body.id) });
    const at = rows.findIndex(({ id }) => id === row?.parent);
    const parent = rows[at];
    if (parent === undefined || row === undefined) {
      rows.push(added);
      continue;
    }
    parent.dynamicTodos.push(added.id);
    rows.splice(at + 1 + parent.dynamicTodos.length - 1, 0, { ...added, depth: row.depth, parent: parent.id });
  }
  return rows;
}

/** What finished todos reported in an earlier run: later ones may build on it. */
function readKnownOutputs(tx: Transaction, done: ReadonlySet<string>): RunEngine['outputs'] {
  const text = done.size === 0 ? null : tx.files.text(OUTPUTS);
  if (text === null) return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    tx.warnings.push(`${OUTPUTS} does not parse; values of finished todos are not known`);
    return {};
  }
  if (!isRecord(value)) return {};
  const kept = Object.entries(value).filter(([id, outputs]) => done.has(id) && isRecord(outputs));
  return Object.fromEntries(kept) as RunEngine['outputs'];
}
