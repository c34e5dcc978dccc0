// door: edits

import { isSameJson } from '../../base/json.js';
import { readMarkdownLines } from '../../documents/markdown-lines.js';
import type { PlanChange } from '../changes/change.js';
import { comparePlans } from '../changes/compare.js';
import { settleImported } from '../changes/settle-imported.js';
import { type Chunk, type ChunkPiece, parseChunk } from '../markdown/chunks.js';
import { getTokensKey } from '../markdown/tokens.js';
import type { PlanContent, PlanTodo } from '../model/schema.js';
import { untickBoxes } from '../page/boxes.js';
import { renderPlan } from '../page/render.js';
import { readPlanExtras } from '../page/setting.js';
import { listJudged } from './apply-lists.js';
import { applyParts } from './apply-parts.js';
import { applyTodo, createTodo } from './apply-todo.js';
import { applyProofs, checkNames } from './check-names.js';
import { Notes, type PlanFault } from './fault.js';
import { FreeIds } from './free-ids.js';
import type { PlanEntry } from './list.js';
import {
  cutForMessage,
  describePiece,
  PLAN_PARTS,
  type PlanPart,
  type PlanText,
  readListEntries,
  readPlanText,
} from './parts.js';
import { type IsId, readTodo } from './todo-text.js';
import { findTooHeavy } from './weight.js';

/** Reads an edited PLAN.md back (documents.md, Living plan). */

/** The changes that somebody made in PLAN.md. */
export type PlanEdits =
  | { kind: 'same' }
  | {
      kind: 'changed';
      /** The edited plan. It may not fit the schema, because a person may have typed anything. */
      plan: PlanContent;
      changes: readonly PlanChange[];
      /** Lines of the edited PLAN.md by JSON pointer, to locate findings about the plan with `findLine`. */
      lines: Readonly<Record<string, number>>;
    }
  /** The edit is refused as a whole. */
  | { kind: 'refused'; faults: readonly PlanFault[] };

/** Maximum number of characters by which PLAN.md may grow in one edit. */
const MOST_TYPED = 1_000_000;
const MOST_FAULTS = 200;

/**
 * Reads an edited PLAN.md back. Unchanged parts keep their exact values in the plan; boxes and the style of the
 * Markdown do not matter.
 * @param plan the plan from which `rendered` was made
 * @param rendered PLAN.md as dev-cli wrote it, including its boxes
 */
export function readPlanEdits(plan: PlanContent, edited: string, rendered: string): PlanEdits {
  if (edited.length > rendered.length + MOST_TYPED) {
    const problem = `PLAN.md grew by more than ${MOST_TYPED} characters, to ${edited.length}, which is more than a plan may have`;
    return { kind: 'refused', faults: [{ line: 1, problem }] };
  }
  const [before, after] = [normalize(rendered), normalize(edited)];
  if (before === after) return { kind: 'same' };
  const unreadable = [...findControlCharacters(after), ...findConflicts(after), ...findTooHeavy(after, before)];
  return unreadable.length > 0 ? refuse(unreadable) : readEdits(plan, before, after);
}

function refuse(faults: readonly PlanFault[]): PlanEdits {
  const sorted = [...new Map(faults.map((fault) => [`${fault.line} ${fault.problem}`, fault])).values()];
  sorted.sort((one, other) => one.line - other.line);
  const more = sorted.length - MOST_FAULTS;
  const [last] = sorted.slice(MOST_FAULTS);
  if (last === undefined) return { kind: 'refused', faults: sorted };
  return {
    kind: 'refused',
    faults: [...sorted.slice(0, MOST_FAULTS), { line: last.line, problem: `and ${more} more` }],
  };
}

/** Removes differences that do not count as edits: ticks, spaces at the ends of lines, and the kind of line ending. */
function normalize(text: string): string {
  return untickBoxes(text.replace(/\r\n?/g, '\n'))
    .replace(/[ \t]+$/gm, '')
    .trimEnd();
}

function findControlCharacters(text: string): PlanFault[] {
  if (!/[\0-\x08\x0b-\x1f\x7f]/.test(text)) return [];
  return text.split('\n').flatMap((line, index) => {
    const [found] = /[\0-\x08\x0b-\x1f\x7f]/.exec(line) ?? [];
    const code = found?.charCodeAt(0).toString(16);
    return code === undefined
      ? []
      : [{ line: index + 1, problem: `the line holds a control character, U+${code.padStart(4, '0')}` }];
  });
}

/** Finds conflict markers of git, which Markdown would read as ordinary text. */
function findConflicts(text: string): PlanFault[] {
  if (!/^(?:<{7}|>{7})(?: |$)/m.test(text)) return [];
  const marks = [...readMarkdownLines(text)].filter((line) => !line.fenced && /^(?:<{7}|>{7})(?: |$)/.test(line.text));
  return marks.map(({ number }) => ({
    line: number,
    problem: 'a git conflict: keep one side, and remove the conflict markers',
  }));
}

function readEdits(plan: PlanContent, rendered: string, edited: string): PlanEdits {
  const notes = new Notes();
  const unheard = new Notes();
  const known = new Set(plan.todos.map(({ id }) => id));
  // In `Fix: the login`, the word before the colon belongs to the title; in `todo-7: …`, it is an id.
  const isId: IsId = (word) => known.has(word) || /^[A-Za-z]+-?\d+$/.test(word);
  const before = readPlanText(rendered, isId, unheard);
  const after = readPlanText(edited, isId, notes);
  const { plan: changed, proofs } = applyParts(plan, { before, after, unheard, notes });
  const todos = applyTodos(plan.todos, { before, after, isId }, notes);
  const made: PlanContent = { ...changed, todos: applyProofs(todos, proofs, notes) };
  checkNames(plan, made, notes);
  const renderAfter = () => readPlanText(renderPlan(made, {}, readPlanExtras(rendered)), isId, new Notes());
  checkDerived(before, after, renderAfter, notes);
  if (notes.faults.length > 0) return refuse(notes.faults);
  if (isSameJson(made, plan)) return { kind: 'same' };
  const settled = settle(plan, made);
  return { kind: 'changed', plan: settled, changes: comparePlans(plan, settled), lines: notes.lines };
}

/** Drops an import's assumptions about todos that were edited. */
function settle(before: PlanContent, plan: PlanContent): PlanContent {
  const { assumptions: said } = plan.context;
  const assumptions = settleImported(said, before.todos, plan.todos);
  return assumptions === said || assumptions === undefined
    ? plan
    : { ...plan, context: { ...plan.context, assumptions } };
}

/**
 * Applies the edits to the todos. A heading without an id adds a todo, a missing heading withdraws a todo, and the
 * order of the headings is the order of the todos.
 */
function applyTodos(
  old: readonly PlanTodo[],
  { before, after, isId }: { before: PlanText; after: PlanText; isId: IsId },
  notes: Notes,
): PlanTodo[] {
  const shown = new Map(before.todos.map(({ id, chunk }) => [id, chunk]));
  const known = new Map(old.map((todo) => [todo.id, todo]));
  const ids = [...before.todos, ...after.todos].flatMap(({ id }) => id ?? []);
  const free = new FreeIds('todo', [...known.keys(), ...ids]);
  const lines = new Map<string, number>();
  const todos: PlanTodo[] = [];
  for (const { id: stated, chunk } of after.todos) {
    const id = stated ?? free.next();
    const first = lines.get(id);
    if (first !== undefined)
      notes.refuse(chunk.line, `a second todo ${cutForMessage(id)}; the first is in line ${first}`);
    else lines.set(id, chunk.line);
    const [todo, was] = [known.get(id), shown.get(id)];
    const pointer = `/todos/${todos.length}`;
    notes.place(pointer, chunk.line);
    for (const key of ['dependsOn', 'serves']) notes.place(`${pointer}/${key}`, chunk.line + findFacts(chunk.text));
    if (todo === undefined && was !== undefined) {
      // The run has added this todo, so plan-content.json does not contain it.
      if (was.text !== chunk.text)
        notes.refuse(chunk.line, `${id} was added by the run: plan-content.json does not contain it`);
    } else if (todo !== undefined && was?.text === chunk.text) {
      todos.push(todo);
    } else {
      const texts = { before: was === undefined ? null : readTodo(was, isId), after: readTodo(chunk, isId) };
      todos.push(applyTodo({ todo: todo ?? createTodo(id), ...texts, pointer }, notes));
    }
  }
  refuseTakenOut(before, after, (id) => known.has(id) || lines.has(id), notes);
  return todos;
}

function refuseTakenOut(before: PlanText, after: PlanText, isThere: (id: string) => boolean, notes: Notes): void {
  for (const { id } of before.todos) {
    if (id === null || isThere(id)) continue;
    const line = after.head?.line ?? 1;
    notes.refuse(line, `${id} was removed, but a run has added it: plan-content.json does not contain it`);
  }
}

/** Returns how many lines the line of facts (`work, risk low, …`) is below the todo's heading; 0 if it is missing. */
function findFacts(text: string): number {
  return Math.max(
    0,
    text.split('\n').findIndex((line) => /^ {0,3}(?:work|verification),/.test(line)),
  );
}

/** Parts of PLAN.md that are derived from other parts, each with where to make the change instead. */
const MADE_FROM = {
  overview: 'made from the todos below the line: change the todo there',
  commands: 'made from **Acceptance** of the todos: change the command there',
  people: 'made from **Acceptance** of the todos: change what a person judges there',
  uncovered: 'made from the request: a requirement above that quotes these words covers them',
  request: 'what was asked, word for word: what is to be done is said by the requirements and the todos',
} as const satisfies Partial<Record<PlanPart, string>>;
type DerivedPart = keyof typeof MADE_FROM;

const DERIVED = Object.keys(MADE_FROM) as DerivedPart[];

/**
 * Refuses edits to derived parts.
 * @param renderAfter renders PLAN.md from the edited plan. A derived part that was edited to look as in this rendering
 * is accepted, because the part from which it is derived was edited accordingly.
 */
function checkDerived(before: PlanText, after: PlanText, renderAfter: () => PlanText, notes: Notes): void {
  let rendered: PlanText | null = null;
  for (const part of DERIVED) {
    const [was, is] = [before.parts.get(part), after.parts.get(part)];
    if (was?.text === is?.text) continue;
    const shown = listShown(was, part, new Notes());
    const edited = listShown(is, part, notes);
    if (String(shown.map(({ key }) => key)) === String(edited.map(({ key }) => key))) continue;
    rendered ??= renderAfter();
    const made = listShown(rendered.parts.get(part), part, new Notes());
    const [had, has] = [keysOf(shown), keysOf(made)];
    const there = keysOf(edited);
    const strange = edited.filter(({ key }) => !had.has(key) && !has.has(key));
    for (const { line } of strange) notes.refuse(line, `this is ${MADE_FROM[part]}`);
    const isGone = strange.length === 0 && shown.some(({ key }) => has.has(key) && !there.has(key));
    // Words of the request may disappear, because a new requirement covers them.
    if (isGone && part !== 'uncovered') {
      notes.refuse(
        is?.line ?? after.head?.line ?? 1,
        `the text removed from "${PLAN_PARTS[part]}" is ${MADE_FROM[part]}`,
      );
    }
  }
}

function keysOf(items: readonly PlanEntry[]): Set<string> {
  return new Set(items.map(({ key }) => key));
}

function listShown(chunk: Chunk | undefined, part: DerivedPart, notes: Notes): PlanEntry[] {
  if (chunk === undefined) return [];
  // `applyNeeds`, which reads the rest of this list, refuses content that is not allowed in it.
  if (part === 'people') return listJudged(readListEntries(chunk, new Notes()));
  return parseChunk(chunk).pieces.flatMap((piece) => readShown(piece, part, notes));
}

function readShown(piece: ChunkPiece, part: DerivedPart, notes: Notes): PlanEntry[] {
  const { line } = piece;
  switch (piece.kind) {
    case 'row':
      return [{ line, key: piece.cells.map(getTokensKey).join('\0|') }];
    case 'entry':
      return [{ line, key: getTokensKey(piece.tokens) }];
    case 'code':
      return piece.value.split('\n').map((text, index) => ({ line: line + 1 + index, key: text.trimEnd() }));
    case 'paragraph':
    case 'other':
      notes.refuse(line, `${describePiece(piece)} is not allowed here: this part is ${MADE_FROM[part]}`);
      return [];
  }
}
