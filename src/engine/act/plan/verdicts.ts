// door: moved

import { canonicalJson, isSameJson } from '../../../base/json.js';
import {
  isSamePlan,
  type KnownPlan,
  type PlanOnDisk,
  type ReadPlan,
  readPlanOnDisk,
} from '../../../blocks/plan-on-disk.js';
import { digestCommands, listCommands, type PlannedCommand } from '../../../plan/model/commands.js';
import { listDependencies } from '../../../plan/model/graph.js';
import type { PlanContent, PlanTodo } from '../../../plan/model/schema.js';
import type { TodoState } from '../../../run/engine-rows.js';
import { isUnchangedPlanFile } from '../../../run/plan/digests.js';
import type { Transaction } from '../../../run/transaction.js';
import type { NewTodo, PlanUpdate } from '../../core/events.js';
import { isPlanChanged, judgeTodos, type TodoVerdict } from '../../core/moved-plan.js';
import { toNewTodo } from '../results/stage-results.js';
import { getTodoBody, listAddedTodos, readPlanThatRuns, requireEngine } from './plan.js';

/** A part of a plan that is covered by the plan's approval; changing it ends the approval (engine.md, Approvals). */
type Approved = 'commands' | 'files' | 'requirements';

/** The plan on disk, judged for the execution (living-plan.md, plan apply). */
export interface JudgedPlan {
  disk: PlanOnDisk;
  /** The plan of the execution, without the todos that the run added. */
  before: PlanContent;
  /** The todos that the run added. */
  addedBefore: readonly PlanTodo[];
  /** The change of plan, as input for the engine's state machine. */
  moved: PlanUpdate;
  verdicts: readonly TodoVerdict[];
  /** Whether there is any change to apply. */
  isMoved: boolean;
  /** The approved parts that the change touches. */
  outdated: readonly Approved[];
  /** Requirements whose text has changed, but whose proofs are all unchanged acceptances of todos that stay done. */
  unproved: readonly { requirement: string; todos: readonly string[] }[];
  /** Commands that the running plan does not have. */
  newCommands: readonly PlannedCommand[];
}

/** Returns the plan of the execution, with which the plan on disk is compared. */
export function getKnownPlan(tx: Transaction): KnownPlan {
  const { name, goal } = tx.state;
  const engine = requireEngine(tx);
  const isShown = isUnchangedPlanFile(engine, tx.files);
  return { plan: readPlanThatRuns(tx), added: listAddedTodos(engine), name, goal, isShown };
}

/**
 * Judges the plan on disk against the plan of the execution. Changes nothing.
 * @param reopen done todos that are to be done again
 * @param read returns the plan to judge: by default the one in the plan files, otherwise that plan with a requested
 * change
 * @throws what `read` throws; DevCliError `STATE_CORRUPT`
 */
export function judgePlan(tx: Transaction, reopen: readonly string[], read: ReadPlan = readPlanOnDisk): JudgedPlan {
  const known = getKnownPlan(tx);
  const before = known.plan ?? readPlanThatRuns(tx);
  const disk = read(tx.files, known);
  const engine = requireEngine(tx);
  const planned = buildPlanned(tx, disk.plan, before);
  const added = disk.added.map((body) => {
    const row = engine.todos[body.id];
    const isChanged = row?.body !== undefined && !isSameTodo(row.body, body);
    return {
      todo: { ...toNewTodo(isChanged ? { ...body, dependsOn: [...(row?.dependsOn ?? [])] } : (row ?? body)), body },
      isChanged,
    };
  });
  const todos = [...planned, ...withoutOrphans(added, planned, engine.todos)];
  const stays = new Set(todos.map(({ todo }) => todo.id));
  const gone = engine.order
    .filter((id) => !stays.has(id))
    .map((id) => ({ ...getRow(engine.todos, id), body: getTodoBody(tx, id) }));
  const moved: PlanUpdate = { todos, gone, reopen, isOtherwiseChanged: isOtherwise(before, disk.plan) };
  const verdicts = judgeTodos(engine, moved);
  return {
    disk,
    before,
    addedBefore: known.added,
    moved,
    verdicts,
    isMoved: isPlanChanged(verdicts, moved),
    outdated: listOutdated(before, disk.plan),
    unproved: listUnproved(
      { before, after: disk.plan },
      new Set(
        verdicts
          .filter(({ todo, verdict }) => isKeptAsDone(verdict) && engine.todos[todo]?.status === 'done')
          .map(({ todo }) => todo),
      ),
    ),
    newCommands: listNewCommands(before, disk.plan),
  };
}

function getRow(todos: Readonly<Record<string, TodoState>>, id: string): NewTodo {
  const row = todos[id];
  return row === undefined ? { id, title: id, type: 'work', risk: 'low', dependsOn: [], files: [] } : toNewTodo(row);
}

/** Returns the todos of the new plan itself. `isChanged` says whether a todo's text differs from the running plan. */
function buildPlanned(tx: Transaction, { todos }: PlanContent, before: PlanContent): PlanUpdate['todos'] {
  const { todos: rows } = requireEngine(tx);
  const ids = new Set(todos.map(({ id }) => id));
  const texts = new Map<string, PlanTodo>(before.todos.map((todo) => [todo.id, todo]));
  return todos.map((todo) => {
    const row = rows[todo.id];
    const old = row?.body ?? texts.get(todo.id);
    if (row !== undefined && old !== undefined && isSameTodo(old, todo)) {
      return { todo: toNewTodo(row), isChanged: false };
    }
    const dependsOn = listDependencies(todo).filter((id) => ids.has(id));
    const files = old === undefined || row === undefined ? todo.files : keepGrants(row, old, todo);
    return { todo: toNewTodo({ ...todo, dependsOn, files: [...files] }), isChanged: true };
  });
}

/** Adds the files that a todo was granted during the run to its new files. An empty list already allows every file. */
function keepGrants({ files }: TodoState, old: PlanTodo, todo: PlanTodo): readonly string[] {
  if (old.files.length === 0 || todo.files.length === 0) return todo.files;
  return [...new Set([...todo.files, ...files.filter((glob) => !old.files.includes(glob))])];
}

/** Leaves out todos that the run added because of a todo that no longer exists. */
function withoutOrphans(
  added: PlanUpdate['todos'],
  planned: PlanUpdate['todos'],
  rows: Readonly<Record<string, TodoState>>,
): PlanUpdate['todos'] {
  const stays = new Set(planned.map(({ todo }) => todo.id));
  return added.filter(({ todo }) => {
    const parent = rows[todo.id]?.parent;
    const isKept = parent == null || stays.has(parent);
    if (isKept) stays.add(todo.id);
    return isKept;
  });
}

/** Returns whether two todos are equal. Compares text first, because most are identical. */
function isSameTodo(one: PlanTodo, other: PlanTodo): boolean {
  return JSON.stringify(one) === JSON.stringify(other) || isSameJson(one, other);
}

/** Returns whether the plans differ in anything but the bodies of their todos. */
function isOtherwise({ todos: old, ...head }: PlanContent, { todos, ...now }: PlanContent): boolean {
  const isReordered = old.length !== todos.length || old.some(({ id }, index) => todos[index]?.id !== id);
  return isReordered || !isSamePlan({ ...head, todos: [] }, { ...now, todos: [] });
}

function listOutdated(before: PlanContent, after: PlanContent): Approved[] {
  const same: Record<Approved, boolean> = {
    commands: digestCommands(listCommands(before)) === digestCommands(listCommands(after)),
    files: renderFiles(before) === renderFiles(after),
    requirements: isSameJson(before.requirements ?? [], after.requirements ?? []),
  };
  return (['commands', 'files', 'requirements'] as const).filter((what) => !same[what]);
}

function renderFiles({ todos }: PlanContent): string {
  return canonicalJson(Object.fromEntries(todos.map(({ id, files, type }) => [id, { files, type }])));
}

function listNewCommands(before: PlanContent, after: PlanContent): PlannedCommand[] {
  const known = new Set(listCommands(before).map((command) => canonicalJson(command)));
  return listCommands(after).filter((command) => !known.has(canonicalJson(command)));
}

function isKeptAsDone(verdict: TodoVerdict['verdict']): boolean {
  return verdict === 'same' || verdict === 'stays';
}

/** Lists the requirements for `JudgedPlan.unproved`. @param done the done todos that stay as they are */
function listUnproved(
  { before, after }: { before: PlanContent; after: PlanContent },
  done: ReadonlySet<string>,
): JudgedPlan['unproved'] {
  const texts = new Map((before.requirements ?? []).map(({ id, text }) => [id, text]));
  const known = new Set(before.todos.flatMap((todo) => todo.acceptance.map((item) => nameProof(todo, item))));
  return (after.requirements ?? []).flatMap(({ id, text }) => {
    const was = texts.get(id);
    if (was === undefined || was === text) return [];
    const proofs = after.todos.flatMap((todo) =>
      todo.acceptance
        .filter(({ proves = [] }) => proves.includes(id))
        .map((item) => ({ todo: todo.id, isAsBefore: done.has(todo.id) && known.has(nameProof(todo, item)) })),
    );
    const todos = [...new Set(proofs.map(({ todo }) => todo))];
    return todos.length > 0 && proofs.every(({ isAsBefore }) => isAsBefore) ? [{ requirement: id, todos }] : [];
  });
}

function nameProof({ id }: PlanTodo, item: PlanTodo['acceptance'][number]): string {
  return `${id} ${canonicalJson(item)}`;
}
