// door: plan, shared: common

import { DevCliError } from '../../base/errors.js';
import { readMarkdownLines } from '../../documents/markdown-lines.js';
import type { PlanContent } from '../model/schema.js';
import { isAsRendered } from './form.js';
import { renderPlan } from './render.js';
import { readPlanExtras } from './setting.js';

/** Reads and sets the check boxes of PLAN.md, one for each todo. */

/** Matches the heading of a todo, with its box. The brackets may be escaped, as some Markdown formatters do. */
const BOX = /^(### \\?\[)([ xX])\\?\] ([A-Za-z0-9][A-Za-z0-9_-]*):(?: |$)/;

interface Box {
  id: string;
  ticked: boolean;
  /** Offset of the character between the brackets. */
  offset: number;
}

function* findBoxes(planMd: string): Generator<Box> {
  for (const line of readMarkdownLines(planMd)) {
    const found = line.fenced ? null : BOX.exec(line.text);
    if (found === null) continue;
    const [, before = '', mark, id = ''] = found;
    yield { id, ticked: mark !== ' ', offset: line.start + before.length };
  }
}

/** Reads the box of each todo. A todo that an edit has given several boxes counts as ticked only if all of them are. */
export function readBoxes(planMd: string): Record<string, boolean> {
  const boxes = new Map<string, boolean>();
  for (const { id, ticked } of findBoxes(planMd)) boxes.set(id, ticked && boxes.get(id) !== false);
  return Object.fromEntries(boxes);
}

/**
 * Ticks the box of one todo in PLAN.md; no other byte changes.
 * @throws DevCliError `DOCUMENT_UNREADABLE` if there is no such box
 */
export function tickBox(planMd: string, id: string): string {
  if (!Object.hasOwn(readBoxes(planMd), id)) {
    throw new DevCliError('DOCUMENT_UNREADABLE', `PLAN.md has no heading "### [ ] ${id}: …".`, {
      fix: 'Generate PLAN.md again from plan-content.json, then repeat.',
    });
  }
  return tickBoxes(planMd, new Set([id]));
}

/** Ticks the boxes of several todos in one pass; ids without a box are ignored. */
export function tickBoxes(planMd: string, ids: ReadonlySet<string>): string {
  const offsets = [...findBoxes(planMd)].filter((box) => ids.has(box.id) && !box.ticked).map((box) => box.offset);
  return setBoxes(planMd, offsets, 'x');
}

/** Unticks the boxes of several todos; no other byte changes. */
export function clearBoxes(planMd: string, ids: ReadonlySet<string>): string {
  const offsets = [...findBoxes(planMd)].filter((box) => ids.has(box.id) && box.ticked).map((box) => box.offset);
  return setBoxes(planMd, offsets, ' ');
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

/** Unticks all boxes of PLAN.md, removes a byte order mark and converts CRLF to LF. */
export function untickBoxes(planMd: string): string {
  const text = planMd.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const offsets = [...findBoxes(text)].map((box) => box.offset);
  return setBoxes(text, offsets, ' ');
}

/**
 * Returns whether PLAN.md was edited since it was generated, apart from boxes, line endings and a byte order mark.
 * Compares the text with the checksum in PLAN.md, not with plan-content.json, which may itself have changed since.
 */
export function isEdited(planMd: string): boolean {
  return !isAsRendered(untickBoxes(planMd));
}

/** Returns whether PLAN.md is the rendering of `plan`, apart from boxes, line endings and a byte order mark. */
export function followsFrom(planMd: string, plan: PlanContent): boolean {
  const blank = untickBoxes(planMd);
  return blank === renderPlan(plan, {}, readPlanExtras(blank));
}

/**
 * Renders a plan as PLAN.md. Takes the facts that are not part of the plan (`PlanExtras`) from the old PLAN.md.
 * @param planMd the old PLAN.md
 * @param boxes whether each todo's box is ticked, by id; the box of a todo without an entry is not ticked
 */
export function rerenderPlan(planMd: string, plan: PlanContent, boxes: Record<string, boolean> = {}): string {
  return renderPlan(plan, boxes, readPlanExtras(untickBoxes(planMd)));
}

/** Reads the text of each todo, from its heading to the next one. Texts with the same id are joined. */
export function readTodoTexts(planMd: string): Map<string, string> {
  const texts = new Map<string, string>();
  let current: string | undefined;
  for (const { text, fenced } of readMarkdownLines(planMd)) {
    if (!fenced && /^###? /.test(text)) current = BOX.exec(text)?.[3];
    if (current !== undefined) texts.set(current, `${texts.get(current) ?? ''}${text}\n`);
  }
  return texts;
}
