// door: moved

import { isSameJson } from '../../../base/json.js';
import { sha256 } from '../../../base/sha256.js';
import { joinFirst } from '../../../base/words.js';
import { withTodos } from '../../../blocks/plan-on-disk.js';
import { toBoundedLine } from '../../../documents/foreign.js';
import { APPLY_PLAN } from '../../../machine/engine-program.js';
import { comparePlans } from '../../../plan/changes/compare.js';
import { listChangeLines, renderChangeLine } from '../../../plan/changes/render.js';
import { digestCommands, listCommands } from '../../../plan/model/commands.js';
import type { PlanAcceptance, PlanContent, PlanTodo } from '../../../plan/model/schema.js';
import { isEdited, readBoxes, rerenderPlan } from '../../../plan/page/boxes.js';
import { renderPlan } from '../../../plan/page/render.js';
import { createPlanExtras } from '../../../plan/page/setting.js';
import type { EngineDraft } from '../../../run/engine.js';
import { PLAN, PLAN_CONTENT } from '../../../run/paths.js';
import { digestPlanFiles } from '../../../run/plan/digests.js';
import { recordEntry, type Transaction } from '../../../run/transaction.js';
import type { EngineEvent } from '../../core/events.js';
import { isInterrupted, isPastTodos, type TodoVerdict } from '../../core/moved-plan.js';
import { recordTurningPoint } from '../notes.js';
import { changeTodo } from '../todo-rows.js';
import { mergeChangedParts, type PartChange } from './changed-parts.js';
import { capturePlan, requireEngine } from './plan.js';
import type { JudgedPlan } from './verdicts.js';
import { withdrawTodos } from './withdraw.js';

/** How many todos a line names per verdict. */
const NAMED = 10;

/**
 * Makes the execution carry out the plan on disk: withdraws the open work that the change interrupts, captures the plan
 * and rewrites both plan files (living-plan.md, plan apply). Call this only once a person has agreed.
 * @returns the event for the engine
 */
export function adoptPlanOnDisk(tx: Transaction, block: string, judged: JudgedPlan): EngineEvent {
  const engine = requireEngine(tx);
  const { disk, verdicts, moved } = judged;
  const interrupted = verdicts.filter(({ verdict }) => isInterrupted(verdict)).map(({ todo }) => todo);
  const known = interrupted.filter((id) => engine.todos[id] !== undefined);
  withdrawTodos(tx, block, new Set(known), { whole: isPastTodos(engine) });
  for (const id of known) changeTodo(engine, id, { report: undefined });
  keepTodoChanges(engine, judged);
  approve(tx, judged);
  engine.planDigest = capturePlan(tx, disk.plan);
  writePlanFiles(tx, judged);
  const parts = listChangedParts(judged).map((part) =>
    engine.proposed === undefined ? part : { ...part, proposed: true as const },
  );
  const changed = mergeChangedParts(engine.changed ?? [], parts, tx.at);
  if (changed.length > 0) engine.changed = [...changed];
  else delete engine.changed;
  recordTurningPoint(tx, 'changed', renderTurn(judged));
  recordEntry(tx, 'plan-applied', {
    block,
    source: disk.source ?? PLAN_CONTENT,
    verdicts: verdicts.filter(({ verdict }) => verdict !== 'same').map((one) => ({ ...one })),
    ...(judged.outdated.length === 0 ? {} : { outdated: [...judged.outdated] }),
    plan: tx.files.digest(PLAN_CONTENT),
  });
  return { type: 'APPLY', plan: moved };
}

/** The most lines about a todo's changes that its next worker is shown, and the most characters of a line. */
const TOLD = { lines: 20, cap: 500 };

/**
 * Records how the text of each todo that was already attempted has changed, because its next worker will find the
 * previous attempt's work in the tree.
 */
function keepTodoChanges(engine: EngineDraft, { before, addedBefore, disk, moved }: JudgedPlan): void {
  const known = new Map([...before.todos, ...addedBefore].map((todo) => [todo.id, todo]));
  const now = new Map([...disk.plan.todos, ...disk.added].map((todo) => [todo.id, todo]));
  for (const { todo, isChanged } of moved.todos) {
    const [was, is] = [known.get(todo.id), now.get(todo.id)];
    if (!isChanged || was === undefined || is === undefined || (engine.todos[todo.id]?.attempt ?? 0) === 0) continue;
    const lines = listChangeLines(comparePlans({ ...before, todos: [was] }, { ...before, todos: [is] }));
    const shown = lines.slice(0, TOLD.lines).map((line) => toBoundedLine(line, TOLD.cap));
    const earlier = engine.todos[todo.id]?.planChanges ?? [];
    changeTodo(engine, todo.id, { planChanges: [...earlier, ...shown].slice(-TOLD.lines) });
  }
}

/**
 * Extends existing approvals to the changed plan and commands, since a person agreed. Never creates a first approval.
 */
function approve(tx: Transaction, { outdated, disk }: JudgedPlan): void {
  const engine = requireEngine(tx);
  const { planApproved, commandsApproved } = engine;
  const digest = sha256(disk.text);
  if (planApproved != null) {
    const said = { gate: APPLY_PLAN, by: 'human', at: tx.at };
    engine.planApproved = { ...(outdated.length === 0 ? planApproved : said), digest };
    tx.state.gates[APPLY_PLAN] = { choice: 'approve', plan: digest, by: 'human', at: tx.at, seq: 0 };
  }
  if (commandsApproved !== null) {
    const commands = digestCommands(listCommands(withTodos(disk.plan, disk.added)));
    engine.commandsApproved = { digest: commands, by: 'human', seq: 0 };
  }
}

/** Writes both files of the new plan. The boxes show which todos are done. */
export function writePlanFiles(tx: Transaction, { disk, verdicts }: JudgedPlan): void {
  const engine = requireEngine(tx);
  const verdictOf = new Map(verdicts.map(({ todo, verdict }) => [todo, verdict]));
  const added = disk.added.filter(({ id }) => {
    const verdict = verdictOf.get(id);
    return verdict !== 'withdrawn' && verdict !== 'kept';
  });
  const boxes = Object.fromEntries(
    verdicts
      .filter(({ todo, verdict }) => engine.todos[todo]?.status === 'done' && !isInterrupted(verdict))
      .map(({ todo }) => [todo, true]),
  );
  const shown = tx.files.text(PLAN);
  const whole = withTodos(disk.plan, added);
  const text =
    disk.source === PLAN || shown === null || isEdited(shown)
      ? renderPlan(whole, boxes, createPlanExtras(disk.plan, tx.state.name, tx.state.goal))
      : rerenderPlan(shown, whole, boxes);
  tx.files.write(PLAN, text);
  if (tx.files.text(PLAN_CONTENT) === disk.text) tx.files.keep(PLAN_CONTENT);
  else tx.files.write(PLAN_CONTENT, disk.text);
  engine.planMarks = digestPlanFiles(tx.files);
}

/**
 * Writes a proposed plan, which a person has not approved yet, to the plan files. The running plan and the boxes stay
 * as they are.
 */
export function writeProposedPlan(tx: Transaction, { disk }: JudgedPlan): void {
  const { name, goal } = tx.state;
  const boxes = readBoxes(tx.files.text(PLAN) ?? '');
  tx.files.write(PLAN, renderPlan(withTodos(disk.plan, disk.added), boxes, createPlanExtras(disk.plan, name, goal)));
  tx.files.write(PLAN_CONTENT, disk.text);
}

/** Renders a change to the plan as one line: what happens to which todos, and what else changes. */
function renderTurn({ verdicts, before, disk }: JudgedPlan): string {
  const changes = comparePlans({ ...before, todos: [] }, { ...disk.plan, todos: [] });
  const parts = [renderVerdicts(verdicts), renderChangeLine(changes)].filter((part) => part !== '');
  return parts.length === 0 ? 'the order of the todos' : parts.join('; ');
}

/** Renders what happens to which todos as one line; unchanged todos are left out. */
function renderVerdicts(verdicts: readonly TodoVerdict[]): string {
  const groups = new Map<TodoVerdict['verdict'], string[]>();
  for (const { todo, verdict } of verdicts) groups.set(verdict, [...(groups.get(verdict) ?? []), todo]);
  groups.delete('same');
  return [...groups].map(([verdict, todos]) => `${verdict}: ${joinFirst(todos, NAMED)}`).join('; ');
}

/** Lists the todos and requirements that the new plan withdraws, changes or adds. */
function listChangedParts({ before, addedBefore, disk, moved, verdicts }: JudgedPlan): PartChange[] {
  const known = new Map([...before.todos, ...addedBefore].map((todo) => [todo.id, todo]));
  const now = new Map([...disk.plan.todos, ...disk.added].map((todo) => [todo.id, todo]));
  const isGone = new Set(
    verdicts.filter(({ verdict }) => verdict === 'withdrawn' || verdict === 'kept').map(({ todo }) => todo),
  );
  const gone = moved.gone.filter(({ id }) => isGone.has(id));
  return [
    ...gone.map(({ id, title }): PartChange => ({ how: 'withdrawn', part: 'todo', id, text: title })),
    ...moved.todos.flatMap(({ todo: { id, title }, isChanged }): PartChange[] => {
      const [was, is] = [known.get(id), now.get(id)];
      if (!isChanged || (was !== undefined && is !== undefined && saysSame(was, is))) return [];
      return [{ how: was === undefined ? 'added' : 'changed', part: 'todo', id, text: title }];
    }),
    ...compareRequirements(before, disk.plan),
  ];
}

/**
 * Returns whether two todos ask for the same work, regardless of their dependencies and the requirements they serve.
 */
function saysSame(one: PlanTodo, other: PlanTodo): boolean {
  return isSameJson(withoutLinks(one), withoutLinks(other));
}

function withoutLinks({ dependsOn: _after, serves: _for, acceptance, ...todo }: PlanTodo): object {
  return { ...todo, acceptance: acceptance.map(({ proves: _proves, ...item }: PlanAcceptance) => item) };
}

function compareRequirements(
  { requirements: old = [] }: PlanContent,
  { requirements = [] }: PlanContent,
): PartChange[] {
  const [had, has] = [new Map(old.map((one) => [one.id, one])), new Set(requirements.map(({ id }) => id))];
  const change = (how: PartChange['how'], { id, text }: { id: string; text: string }): PartChange => {
    return { how, part: 'requirement', id, text };
  };
  return [
    ...old.filter(({ id }) => !has.has(id)).map((one) => change('withdrawn', one)),
    ...requirements.flatMap((one) => {
      const was = had.get(one.id);
      if (was === undefined) return [change('added', one)];
      return isSameJson(was, one) ? [] : [change('changed', one)];
    }),
  ];
}
