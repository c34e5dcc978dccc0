import { DevCliError } from '../base/errors.js';
import { readMarkdownLines } from './markdown-lines.js';
import { isAsRendered, renderPlan } from './plan-render.js';
import type { PlanContent } from './plan-schema.js';

/** The boxes of PLAN.md: addressed by the exact id of a todo, set by dev-cli, the only thing read back. */

const BOX = /^### \[([ xX])\] ([A-Za-z0-9][A-Za-z0-9_-]*):(?: |$)/;

interface Box {
  id: string;
  ticked: boolean;
  /** Offset of the character between the brackets. */
  offset: number;
}

function* findBoxes(planMd: string): Generator<Box> {
  for (const line of readMarkdownLines(planMd)) {
    const found = line.fenced ? null : BOX.exec(line.text);
    if (found?.[2] === undefined) continue;
    yield { id: found[2], ticked: found[1] !== ' ', offset: line.start + '### ['.length };
  }
}

/** Each todo's box. An id that an edit doubled counts as ticked only when all its boxes are. */
export function readBoxes(planMd: string): Record<string, boolean> {
  const boxes = new Map<string, boolean>();
  for (const { id, ticked } of findBoxes(planMd)) boxes.set(id, ticked && boxes.get(id) !== false);
  return Object.fromEntries(boxes);
}

/**
 * PLAN.md with the box of one todo ticked; nothing else changes, byte for byte.
 * @throws DevCliError `DOCUMENT_UNREADABLE` when there is no such box
 */
export function tickBox(planMd: string, id: string): string {
  const offsets = [...findBoxes(planMd)].filter((box) => box.id === id && !box.ticked).map((box) => box.offset);
  if (offsets.length === 0 && !Object.hasOwn(readBoxes(planMd), id)) {
    throw new DevCliError('DOCUMENT_UNREADABLE', `PLAN.md has no heading "### [ ] ${id}: …".`, {
      fix: 'Generate PLAN.md again from plan-content.json, then repeat.',
    });
  }
  return setBoxes(planMd, offsets, 'x');
}

/** The same for several todos in one pass; ids without a box are left out. */
export function tickBoxes(planMd: string, ids: ReadonlySet<string>): string {
  const offsets = [...findBoxes(planMd)].filter((box) => ids.has(box.id) && !box.ticked).map((box) => box.offset);
  return setBoxes(planMd, offsets, 'x');
}

function setBoxes(planMd: string, offsets: number[], mark: ' ' | 'x'): string {
  const parts: string[] = [];
  let from = 0;
  for (const offset of offsets) {
    parts.push(planMd.slice(from, offset), mark);
    from = offset + 1;
  }
  return parts.join('') + planMd.slice(from);
}

/** PLAN.md with LF line endings, no byte order mark and no box ticked. */
export function untickBoxes(planMd: string): string {
  const text = planMd.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const offsets = [...findBoxes(text)].map((box) => box.offset);
  return setBoxes(text, offsets, ' ');
}

/**
 * Whether PLAN.md was edited since it was generated, boxes, line endings and a byte order mark aside. Its own checksum
 * answers: plan-content.json may have been rewritten since.
 */
export function isEdited(planMd: string): boolean {
  return !isAsRendered(untickBoxes(planMd));
}

/** Whether PLAN.md is what `plan` renders to, ticked boxes, line endings and a byte order mark aside. */
export function followsFrom(planMd: string, plan: PlanContent): boolean {
  return untickBoxes(planMd) === renderPlan(plan);
}

/** The boxes for PLAN.md generated again: those ticked before, of todos that read as they did before. */
export function carryBoxes(oldMd: string, newPlan: PlanContent): Record<string, boolean> {
  const ticked = readBoxes(oldMd);
  const before = readTodoTexts(untickBoxes(oldMd));
  const kept = [...readTodoTexts(renderPlan(newPlan))].filter(
    ([id, text]) => Object.hasOwn(ticked, id) && ticked[id] === true && before.get(id) === text,
  );
  return Object.fromEntries(kept.map(([id]) => [id, true]));
}

/** Of these todos those that PLAN.md describes as `plan` does: a box of theirs means the same work. */
export function listUnchangedTodos(planMd: string, plan: PlanContent, ids: ReadonlySet<string>): Set<string> {
  const there = readTodoTexts(untickBoxes(planMd));
  const wanted = [...readTodoTexts(renderPlan(plan))].filter(([id, text]) => ids.has(id) && there.get(id) === text);
  return new Set(wanted.map(([id]) => id));
}

/** What PLAN.md says about each todo, from its heading to the next; an id that an edit doubled has all its texts. */
function readTodoTexts(planMd: string): Map<string, string> {
  const texts = new Map<string, string>();
  let current: string | undefined;
  for (const { text, fenced } of readMarkdownLines(planMd)) {
    if (!fenced && /^###? /.test(text)) current = BOX.exec(text)?.[2];
    if (current !== undefined) texts.set(current, `${texts.get(current) ?? ''}${text}\n`);
  }
  return texts;
}
