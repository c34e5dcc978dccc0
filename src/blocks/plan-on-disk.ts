// door: moved

import { DevCliError } from '../base/errors.js';
import { isSameJson } from '../base/json.js';
import { toWholeLine } from '../documents/foreign.js';
import { parseJson } from '../documents/section-data.js';
import { checkPlan } from '../plan/check/check.js';
import type { PlanContent, PlanTodo } from '../plan/model/schema.js';
import { followsFrom, isEdited, readBoxes, rerenderPlan, untickBoxes } from '../plan/page/boxes.js';
import { readChecksum, renderFormLine } from '../plan/page/form.js';
import { renderPlan } from '../plan/page/render.js';
import { createPlanExtras, readPlanExtras } from '../plan/page/setting.js';
import type { PlanFault } from '../plan/read-back/fault.js';
import { findLine } from '../plan/read-back/fault.js';
import { readPlanEdits } from '../plan/read-back/read-edits.js';
import { createEmptyTodo } from '../plan/read-back/read-todo-section.js';
import type { Documents } from '../run/documents/pending.js';
import { PLAN, PLAN_CONTENT } from '../run/paths.js';
import { readPlan } from '../run/plan/content.js';
import { requireValidPlan } from './commands/plan.js';

/** The plan according to its two files, whichever of them was changed (living-plan.md, plan apply). */
export interface PlanOnDisk {
  /** The file that was changed; null where neither was. */
  source: typeof PLAN | typeof PLAN_CONTENT | null;
  /** Without the todos that a run has added. */
  plan: PlanContent;
  /** The todos that a run has added and that are still part of the plan. */
  added: readonly PlanTodo[];
  /** The new content of plan-content.json. */
  text: string;
}

/** Determines the plan to apply: by reading its files or by making a requested change. */
export type ReadPlan = (files: Documents, known: KnownPlan) => PlanOnDisk;

/** A PLAN.md as it was rendered, and the plan it was rendered from. */
export interface RenderedPlan {
  /** Includes the todos that a run has added, as far as PLAN.md shows them. */
  plan: PlanContent;
  rendered: string;
}

/** The known facts with which the files are compared. */
export interface KnownPlan {
  /** The plan that is being executed; null where none is. */
  plan: PlanContent | null;
  /** The todos that a run has added to the plan, which PLAN.md may show. */
  added: readonly PlanTodo[];
  /** The run's name and goal, as PLAN.md shows them. */
  name: string;
  goal: string | null;
  /** Whether PLAN.md is known to be unedited. */
  isShown?: boolean;
}

/**
 * Reads the plan from plan-content.json and PLAN.md.
 * @throws DevCliError `PLAN_MISSING`, `PLAN_CONFLICT` where both were changed, `PLAN_EDITED` for edits that cannot be
 * applied, `SCHEMA_INVALID`, `DATA_MALFORMED`
 */
export function readPlanOnDisk(files: Documents, known: KnownPlan): PlanOnDisk {
  const text = files.text(PLAN_CONTENT);
  if (text === null) throw buildMissingError(known.name);
  const content = requireValidPlan(parseJson(text), { request: known.goal || null });
  const added = known.added.filter(({ id }) => !content.todos.some((todo) => todo.id === id));
  const shown = files.text(PLAN);
  const isMoved = known.plan !== null && !isSamePlan(known.plan, content);
  if (shown !== null && known.isShown !== true && isEdited(shown)) {
    const edited = readEdits(shown, content, { ...known, added }, isMoved);
    if (edited !== null) return edited;
  }
  const isChanged = known.plan === null ? !isShownBy(shown, [content, withTodos(content, added)]) : isMoved;
  return { source: isChanged ? PLAN_CONTENT : null, plan: content, added, text };
}

function isShownBy(shown: string | null, plans: readonly PlanContent[]): boolean {
  return shown !== null && plans.some((plan) => followsFrom(shown, plan));
}

/**
 * Finds the first line of PLAN.md that does not follow from plan-content.json. Todos that an execution has added are
 * allowed; a clone has no journal, so they are recognized by their ids (engine.md, Triage).
 * @returns null if plan-content.json is valid and PLAN.md follows from it
 */
export function findDifferentLine(files: Pick<Documents, 'text'>): number | null {
  const [shown, plan] = [files.text(PLAN), readPlan(files)];
  if (shown === null || plan === null) return 1;
  if (followsFrom(shown, plan)) return null;
  const known = new Set(plan.todos.map(({ id }) => id));
  const ids = Object.keys(readBoxes(shown)).filter((id) => !known.has(id));
  if (ids.length > 0 && ids.every((id) => /-d\d+$/.test(id))) {
    const base = withTodos(plan, ids.map(createEmptyTodo));
    const edits = readPlanEdits(base, shown, rerenderPlan(shown, base));
    const read = edits.kind === 'changed' ? edits.plan.todos.filter(({ id }) => !known.has(id)) : [];
    if (followsFrom(shown, withTodos(plan, read))) return null;
  }
  const [mine, theirs] = [shown, rerenderPlan(shown, plan)].map((text) => untickBoxes(text).split('\n')) as [
    string[],
    string[],
  ];
  const at = mine.findIndex((line, index) => line !== theirs[index] && !line.startsWith('<!-- dev-cli plan '));
  return at < 0 ? 1 : at + 1;
}

/** Whether two plans are equal as JSON. */
export function isSamePlan(one: PlanContent, other: PlanContent): boolean {
  return isSameJson(one, other);
}

/** Appends the todos that a run has added to the plan's own todos, as PLAN.md does. */
export function withTodos(plan: PlanContent, added: readonly PlanTodo[]): PlanContent {
  return added.length === 0 ? plan : { ...plan, todos: [...plan.todos, ...added] };
}

/** Applies the edits in PLAN.md to the plan that it was rendered from; null if they change nothing. */
function readEdits(shown: string, content: PlanContent, known: KnownPlan, isMoved: boolean): PlanOnDisk | null {
  const from = findRenderedPlan(shown, content, known, isMoved);
  // If PLAN.md states the plan that is being executed, only plan-content.json was changed.
  if (
    from === null &&
    known.plan !== null &&
    statesPlan(shown, [withTodos(known.plan, known.added), known.plan], known)
  )
    return null;
  if (from === null)
    throw readChecksum(shown) === null ? buildHeadError(content, known) : buildConflictError(known.name);
  const edited = readEditedPlan(shown, from, known);
  if (edited === null) return null;
  const added = splitAdded(edited.plan, known.added);
  const plan = requireReadBackPlan(added.plan, edited, known);
  // An added todo that PLAN.md does not show stays as it is.
  const isShown = new Set(from.plan.todos.map(({ id }) => id));
  const unseen = known.added.filter(({ id }) => !isShown.has(id));
  return { source: PLAN, plan, added: [...added.added, ...unseen], text: renderPlanContent(plan) };
}

/** Renders plan-content.json. */
export function renderPlanContent(plan: PlanContent): string {
  return `${JSON.stringify(plan, null, 2)}\n`;
}

/** Splits a plan into its own todos and the todos that a run has added. */
export function splitAdded(
  plan: PlanContent,
  known: readonly PlanTodo[],
): { plan: PlanContent; added: readonly PlanTodo[] } {
  const isAdded = new Set(known.map(({ id }) => id));
  return {
    plan: { ...plan, todos: plan.todos.filter(({ id }) => !isAdded.has(id)) },
    added: plan.todos.filter(({ id }) => isAdded.has(id)),
  };
}

/**
 * Finds the plan that an edited PLAN.md was rendered from; null where plan-content.json was also changed.
 * @param isMoved whether plan-content.json differs from the plan that is being executed
 */
export function findRenderedPlan(
  shown: string,
  content: PlanContent,
  known: KnownPlan,
  isMoved: boolean,
): RenderedPlan | null {
  const found = findBase(shown, listRenderings(shown, [withTodos(content, known.added), content], known));
  // The checksum line shows which plan PLAN.md was rendered from. Where that line was edited too, the first rendering
  // is taken, but only if plan-content.json is known to be unchanged.
  return found?.isBase === true || (known.plan !== null && !isMoved) ? (found?.from ?? null) : null;
}

/** Whether PLAN.md, read back, equals one of these plans, however its Markdown is written. */
export function statesPlan(
  shown: string,
  plans: readonly PlanContent[],
  run: Pick<KnownPlan, 'name' | 'goal'>,
): boolean {
  const from = findBase(shown, listRenderings(shown, plans, run))?.from;
  return from !== undefined && readPlanEdits(from.plan, shown, from.rendered).kind === 'same';
}

/**
 * Yields the texts that PLAN.md may have had before the edit, one by one because rendering a large plan takes a while.
 */
function* listRenderings(
  shown: string,
  plans: readonly PlanContent[],
  { name, goal: own }: Pick<KnownPlan, 'name' | 'goal'>,
): Generator<RenderedPlan> {
  const boxes = readBoxes(shown);
  // The request shown is the goal of this run, or of an earlier run whose PLAN.md still shows it.
  const goals = [...new Set([own, readPlanExtras(untickBoxes(shown)).request ?? null])];
  for (const plan of new Set(plans)) {
    yield { plan, rendered: rerenderPlan(shown, plan, boxes) };
    for (const goal of goals) yield { plan, rendered: renderPlan(plan, boxes, createPlanExtras(plan, name, goal)) };
  }
}

/** Finds the rendering whose checksum PLAN.md carries, or else the first rendering; null if there are no candidates. */
function findBase(shown: string, candidates: Iterable<RenderedPlan>): { from: RenderedPlan; isBase: boolean } | null {
  const sum = readChecksum(shown);
  let first: RenderedPlan | null = null;
  for (const from of candidates) {
    if (sum !== null && readChecksum(from.rendered) === sum) return { from, isBase: true };
    first ??= from;
    // A PLAN.md without a checksum matches no rendering, so the first one is taken without looking at the others.
    if (sum === null) break;
  }
  return first === null ? null : { from: first, isBase: false };
}

/** A plan read back from PLAN.md; it may not be valid yet. */
export type EditedPlan = Pick<Extract<ReturnType<typeof readPlanEdits>, { kind: 'changed' }>, 'plan' | 'lines'>;

/**
 * Reads back an edited PLAN.md; null where its edits change nothing.
 * @throws DevCliError `PLAN_EDITED` for edits that cannot be applied
 */
export function readEditedPlan(
  shown: string,
  from: RenderedPlan,
  { name }: Pick<KnownPlan, 'name'>,
): EditedPlan | null {
  const edits = readPlanEdits(from.plan, shown, from.rendered);
  switch (edits.kind) {
    case 'same':
      return null;
    case 'refused':
      throw buildEditedError(name, edits.faults);
    case 'changed':
      return edits;
  }
}

/**
 * Requires that PLAN.md states a plan that can be carried out. Each finding names its line in PLAN.md, if it has one.
 * @throws DevCliError `SCHEMA_INVALID`
 */
export function requireReadBackPlan(
  value: PlanContent,
  { plan: shown, lines }: EditedPlan,
  { name, goal }: KnownPlan,
): PlanContent {
  const checked = checkPlan(value, { request: goal || null });
  if (checked.ok) return checked.plan;
  const details = checked.findings.slice(0, 40).map((finding) => {
    const line = findLine(lines, toShownPointer(finding.pointer ?? '', value, shown));
    return line === null ? finding : { ...finding, target: `${PLAN}:${line}` };
  });
  throw new DevCliError('SCHEMA_INVALID', `The plan in ${PLAN} is not valid; nothing was applied.`, {
    run: name,
    details,
    fix: `Fix every finding in ${PLAN}, then repeat the command.`,
  });
}

/**
 * Converts a JSON pointer. In the given one, a todo's index counts only the plan's own todos; in the returned one, it
 * counts all todos that PLAN.md shows, including added ones.
 */
function toShownPointer(pointer: string, { todos }: PlanContent, shown: PlanContent): string {
  const [, at = '', rest = ''] = /^\/todos\/(\d+)(.*)$/.exec(pointer) ?? [];
  const id = at === '' ? undefined : todos[Number(at)]?.id;
  const place = id === undefined ? -1 : shown.todos.findIndex((todo) => todo.id === id);
  return place < 0 ? pointer : `/todos/${place}${rest}`;
}

function buildMissingError(name: string): DevCliError {
  return new DevCliError('PLAN_MISSING', `${PLAN_CONTENT} does not exist.`, {
    run: name,
    fix: ['To see an example: ', { command: 'plan template', input: {} }],
  });
}

/**
 * Builds the error for a PLAN.md whose checksum line below the title is missing or changed. Without that line, nobody
 * can tell which of the two files was edited.
 */
function buildHeadError(content: PlanContent, { name, goal }: KnownPlan): DevCliError {
  const sum = readChecksum(renderPlan(content, {}, createPlanExtras(content, name, goal)));
  return new DevCliError('PLAN_CONFLICT', `${PLAN} no longer says which plan it was made from; nothing was applied.`, {
    run: name,
    details: [{ target: `${PLAN}:2`, problem: 'the comment below the title is missing or was changed' }],
    fix: [
      `If ${PLAN_CONTENT} is unchanged, put this line back below the title, then repeat the command: ${renderFormLine(sum ?? '')} Or generate ${PLAN} again from ${PLAN_CONTENT}, keeping a copy of the edited version: `,
      { command: 'plan generate', input: { name } },
    ],
  });
}

function buildConflictError(name: string): DevCliError {
  return new DevCliError('PLAN_CONFLICT', `${PLAN} and ${PLAN_CONTENT} were both changed; neither was applied.`, {
    run: name,
    details: [
      { target: PLAN, problem: 'edited by hand' },
      { target: PLAN_CONTENT, problem: `not the plan that this ${PLAN} was made from` },
    ],
    fix: [
      `Undo the changes in one of them. Or generate ${PLAN} again from ${PLAN_CONTENT}, keeping a copy of the edited version: `,
      { command: 'plan generate', input: { name } },
    ],
  });
}

function buildEditedError(name: string, faults: readonly PlanFault[]): DevCliError {
  const count = faults.length === 1 ? 'one edit' : `${faults.length} edits`;
  return new DevCliError('PLAN_EDITED', `${count} of ${PLAN} cannot be applied; nothing was changed.`, {
    run: name,
    details: faults.slice(0, 40).map(({ line, problem, instead }) => ({
      target: `${PLAN}:${line}`,
      problem,
      ...(instead === undefined ? {} : { expected: toWholeLine(instead) }),
    })),
    fix: [
      `Fix these lines, then repeat the command. Or change ${PLAN_CONTENT} instead and generate ${PLAN} again, keeping a copy of the edited version: `,
      { command: 'plan generate', input: { name } },
    ],
  });
}
