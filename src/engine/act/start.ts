import { isRecord } from '../../base/json.js';
import { approvalsTold } from '../../blocks/approvals.js';
import { planDisagrees, presentPlan } from '../../blocks/commands/plan.js';
import { isApproved, planGateOf } from '../../blocks/plan-gate.js';
import { gateDecision } from '../../blocks/run-summary.js';
import { readBoxes } from '../../documents/plan-boxes.js';
import { dependencies } from '../../documents/plan-graph.js';
import type { PlanContent, PlanTodo } from '../../documents/plan-schema.js';
import type { PlanApproval, RunEngine } from '../../run/engine.js';
import type { TodoState } from '../../run/engine-rows.js';
import { CAPTURED_PLAN, PLAN, PLAN_CONTENT } from '../../run/paths.js';
import { planMarks } from '../../run/plan-marks.js';
import type { PlanGate, RunState } from '../../run/state.js';
import { fault, record, type Turn } from '../../run/turn.js';
import { startEngine, todoRow } from '../core/rows.js';
import { clashOf } from './beside.js';
import { rowOf } from './outcomes.js';
import { addedBodies, capturePlan } from './plan.js';
import { OUTPUTS } from './values.js';

/**
 * The engine before its first step: the plan captured, a row for each todo, those with a ticked box done (engine.md,
 * Shape). False, with the reason noted, where there is no plan to execute.
 */
export function openEngine(turn: Turn, block: string): boolean {
  const plan = presentPlan(turn.files);
  if (plan === null) {
    fault(turn, block, 'PLAN_MISSING', 'there is no valid plan-content.json to execute');
    return false;
  }
  const before = turn.earlier?.engine ?? turn.state.engine;
  const disagrees = planDisagrees(turn.files, before === null ? [] : addedBodies(before));
  if (disagrees !== null) {
    // Somebody approved what PLAN.md says.
    fault(turn, block, 'PLAN_EDITED', `${disagrees}; it is not executed`);
    return false;
  }
  // A plan that no planning run has recorded is recorded now: it is untracked, and `git clean` takes such files.
  for (const path of [PLAN, PLAN_CONTENT]) turn.files.keep(path);
  const boxes = readBoxes(turn.files.text(PLAN) ?? '');
  const ticked = (id: string) => Object.hasOwn(boxes, id) && boxes[id] === true;
  const earlier = carriedOver(turn, boxes);
  const rows = rowsOf(plan, earlier, ticked);
  if (!hasRoomBeside(turn, block, rows)) return false;
  const done = rows.filter(({ status }) => status === 'done').map(({ id }) => id);
  const gate = planGateOf(turn.state, turn.captured);
  const planApproved = gate === null ? undefined : isApproved(gate, turn.files) ? approvalBy(turn, gate) : null;
  const engine: RunEngine = {
    ...startEngine(rows),
    tasks: {},
    outputs: knownOutputs(turn, new Set(done)),
    planDigest: capturePlan(turn, plan),
    planMarks: planMarks(turn.files),
    bodies: Object.fromEntries(earlier.map(({ body }) => [body.id, body])),
    ...(planApproved === undefined ? {} : { planApproved }),
    // Of the same execution before it began anew, or of an earlier one; the list of commands has to be the same all the same.
    commandsApproved: turn.state.engine?.commandsApproved ?? null,
    evidence: {},
    baselines: {},
    charged: {},
    summaries: {},
    reports: {},
    failures: {},
    answers: {},
    ...(turn.state.engine?.rulings === undefined ? {} : { rulings: turn.state.engine.rulings }),
    reviews: [],
    openIssues: [],
    job: null,
    deferred: [],
    // Of the same run before its phase began anew.
    ...(turn.state.engine?.course === undefined ? {} : { course: turn.state.engine.course }),
  };
  turn.state.engine = engine;
  if (turn.earlier !== null) inheritDecisions(turn, turn.earlier);
  record(turn, 'plan-captured', {
    block,
    todos: rows.length,
    done,
    plan: CAPTURED_PLAN,
    approved: approvalsTold(turn.state).plan,
  });
  return true;
}

/** What was decided while the plan was made that is now carried out: by the run of the name before this one. */
function inheritDecisions({ state }: Turn, { decisions = [], gates }: RunState): void {
  const decided = [...decisions, ...Object.entries(gates).map(([id, gate]) => gateDecision(id, gate))];
  if (decided.length > 0) state.decisions = decided;
}

/** That a gate has approved the plan as it lies there. */
export function approvalBy(turn: Turn, { gate, by, at }: Pick<PlanGate, 'gate' | 'by' | 'at'>): PlanApproval {
  return { gate, by, at, digest: turn.files.digest(PLAN_CONTENT) ?? '' };
}

/**
 * Whether no other execution in this work tree wants the files of this one. A run that has come to this phase halts otherwise,
 * and can be reopened later.
 * @throws DevCliError `FILES_OVERLAP` where the run is just being started
 */
function hasRoomBeside(turn: Turn, block: string, rows: readonly TodoState[]): boolean {
  const clash = clashOf(turn, rows);
  if (clash === null) return true;
  if (turn.entries.some(({ type }) => type === 'init')) throw clash;
  const [first] = clash.details;
  fault(turn, block, clash.code, `${clash.message} ${first?.target} ${first?.problem}`);
  return false;
}

interface Carried {
  body: PlanTodo;
  row: TodoState | undefined;
}

/** Todos that an earlier run of the name added and that stand in PLAN.md: they are part of the plan now. */
function carriedOver(turn: Turn, boxes: Record<string, boolean>): Carried[] {
  const engine = turn.earlier?.engine ?? turn.state.engine;
  if (engine === null) return [];
  return addedBodies(engine)
    .filter(({ id }) => Object.hasOwn(boxes, id))
    .map((body) => ({ body, row: engine.todos[body.id] }));
}

function rowsOf({ todos }: PlanContent, earlier: Carried[], ticked: (id: string) => boolean): TodoState[] {
  const rows = todos.map((todo) =>
    todoRow(rowOf({ ...todo, dependsOn: dependencies(todo) }), { done: ticked(todo.id) }),
  );
  const known = new Set([...rows, ...earlier.map(({ body }) => body)].map(({ id }) => id));
  for (const { body, row } of earlier) {
    const dependsOn = dependencies(body).filter((id) => known.has(id));
    const added = todoRow(rowOf({ ...body, dependsOn }), { done: ticked(body.id) });
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
function knownOutputs(turn: Turn, done: ReadonlySet<string>): RunEngine['outputs'] {
  const text = done.size === 0 ? null : turn.files.text(OUTPUTS);
  if (text === null) return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    turn.warnings.push(`${OUTPUTS} does not parse; values of finished todos are not known`);
    return {};
  }
  if (!isRecord(value)) return {};
  const kept = Object.entries(value).filter(([id, outputs]) => done.has(id) && isRecord(outputs));
  return Object.fromEntries(kept) as RunEngine['outputs'];
}
