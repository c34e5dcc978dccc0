import { DevCliError } from '../base/errors.js';
import { canonicalJson } from '../base/json.js';
import { markdownLines } from './markdown-lines.js';
import { renderPlan } from './plan-render.js';
import type { PlanContent } from './plan-schema.js';

/** The boxes of PLAN.md: addressed by the exact id of a todo, set by dev-cli, the only thing read back (lessons 21). */

const BOX = /^### \[([ xX])\] ([A-Za-z0-9][A-Za-z0-9_-]*):(?: |$)/;

interface Box {
  id: string;
  ticked: boolean;
  /** Offset of the character between the brackets. */
  offset: number;
}

function* boxesOf(planMd: string): Generator<Box> {
  for (const line of markdownLines(planMd)) {
    const found = line.fenced ? null : BOX.exec(line.text);
    if (found?.[2] === undefined) continue;
    yield { id: found[2], ticked: found[1] !== ' ', offset: line.start + '### ['.length };
  }
}

/** Each todo's box. An id that an edit doubled counts as ticked only when all its boxes are. */
export function readBoxes(planMd: string): Record<string, boolean> {
  const boxes = new Map<string, boolean>();
  for (const { id, ticked } of boxesOf(planMd)) boxes.set(id, ticked && boxes.get(id) !== false);
  return Object.fromEntries(boxes);
}

/**
 * PLAN.md with the box of one todo ticked; nothing else changes, byte for byte.
 * @throws DevCliError `DOCUMENT_UNREADABLE` when there is no such box
 */
export function tickBox(planMd: string, id: string): string {
  const offsets = [...boxesOf(planMd)].filter((box) => box.id === id && !box.ticked).map((box) => box.offset);
  if (offsets.length === 0 && !Object.hasOwn(readBoxes(planMd), id)) {
    throw new DevCliError('DOCUMENT_UNREADABLE', `PLAN.md has no heading "### [ ] ${id}: …".`, {
      fix: 'Generate PLAN.md again from plan-content.json, then repeat.',
    });
  }
  return withBoxes(planMd, offsets, 'x');
}

function withBoxes(planMd: string, offsets: number[], mark: ' ' | 'x'): string {
  const parts: string[] = [];
  let from = 0;
  for (const offset of offsets) {
    parts.push(planMd.slice(from, offset), mark);
    from = offset + 1;
  }
  return parts.join('') + planMd.slice(from);
}

/** Whether PLAN.md differs from what `plan` renders to, boxes, line endings and a byte order mark aside. */
export function isEdited(planMd: string, plan: PlanContent): boolean {
  const text = planMd.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const blank = withBoxes(
    text,
    [...boxesOf(text)].map((box) => box.offset),
    ' ',
  );
  return blank !== renderPlan(plan);
}

/** The boxes for PLAN.md generated again: those ticked before, of todos that did not change in any way. */
export function keepBoxes(oldMd: string, oldPlan: PlanContent, newPlan: PlanContent): Record<string, boolean> {
  const ticked = readBoxes(oldMd);
  const before = new Map(oldPlan.todos.map((todo) => [todo.id, todo]));
  const kept = newPlan.todos.filter((todo) => {
    const same = before.get(todo.id);
    const wasTicked = Object.hasOwn(ticked, todo.id) && ticked[todo.id] === true;
    return wasTicked && same !== undefined && canonicalJson(same) === canonicalJson(todo);
  });
  return Object.fromEntries(kept.map((todo) => [todo.id, true]));
}
