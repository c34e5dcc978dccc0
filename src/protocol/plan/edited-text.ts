import { DevCliError, type ErrorCode } from '../../base/errors.js';
import { isRecord, parseOrNull } from '../../base/json.js';
import { sha256 } from '../../base/sha256.js';
import { requireValidPlan } from '../../blocks/commands/plan.js';
import {
  findRenderedPlan,
  isSamePlan,
  type KnownPlan,
  type PlanOnDisk,
  type ReadPlan,
  type RenderedPlan,
  readEditedPlan,
  readPlanOnDisk,
  renderPlanContent,
  requireReadBackPlan,
  splitAdded,
  withTodos,
} from '../../blocks/plan-on-disk.js';
import { parseJson } from '../../documents/section-data.js';
import { mergePlans } from '../../plan/changes/merge.js';
import { checkPlan } from '../../plan/check/check.js';
import type { PlanContent } from '../../plan/model/schema.js';
import { followsFrom, isEdited, readBoxes } from '../../plan/page/boxes.js';
import { renderPlan } from '../../plan/page/render.js';
import { createPlanExtras } from '../../plan/page/setting.js';
import { openPlanText, type PlanTextPlace } from '../../project/plan-text.js';
import type { Context } from '../../run/context.js';
import type { Documents } from '../../run/documents/pending.js';
import { PLAN, PLAN_CONTENT } from '../../run/paths.js';
import type { Revision } from './decide.js';

/** The copy of PLAN.md ("the text") that a person edits outside the run (living-plan.md, plan edit). */

/** The plan on which an edited text is based, stored beside the text. */
export interface TextOrigin extends RenderedPlan {
  /** The digest that PLAN.md had when the text was begun. */
  shown: string | null;
  /** The editor returned at once and may still be open; a text that it saves is applied by a later call. */
  left?: true;
}

/**
 * Begins a text: a copy of PLAN.md with any edits it has, or, if PLAN.md does not match plan-content.json, a new
 * rendering of the latter.
 * @throws DevCliError `PLAN_MISSING`, `SCHEMA_INVALID`, `PLAN_CONFLICT`
 */
export function beginEditText(files: Documents, known: KnownPlan): { origin: TextOrigin; text: string } {
  const stored = files.text(PLAN_CONTENT);
  // Called only for the error that it throws for a missing plan.
  if (stored === null) readPlanOnDisk(files, known);
  const content = requireValidPlan(parseJson(stored ?? ''), { request: known.goal || null });
  const added = known.added.filter(({ id }) => !content.todos.some((todo) => todo.id === id));
  const whole = withTodos(content, added);
  const md = files.text(PLAN);
  const shown = files.digest(PLAN);
  if (md !== null) {
    if (isEdited(md)) {
      const isMoved = known.plan !== null && !isSamePlan(known.plan, content);
      const from = findRenderedPlan(md, content, { ...known, added }, isMoved);
      // Called only for its error, which names the conflict.
      if (from === null) readPlanOnDisk(files, known);
      else return { origin: { plan: from.plan, rendered: from.rendered, shown }, text: md };
    }
    const from = [whole, content].find((plan) => followsFrom(md, plan));
    if (from !== undefined) return { origin: { plan: from, rendered: md, shown }, text: md };
  }
  const boxes = md === null ? {} : readBoxes(md);
  const rendered = renderPlan(whole, boxes, createPlanExtras(content, known.name, known.goal));
  return { origin: { plan: whole, rendered, shown }, text: rendered };
}

/** Parses the origin stored beside a text; null if it is not valid. */
export function parseOrigin(text: string): TextOrigin | null {
  const value = parseOrNull(text);
  if (!isRecord(value)) return null;
  const { rendered, shown } = value;
  const checked = checkPlan(value['plan']);
  const isShown = shown === null || typeof shown === 'string';
  if (!checked.ok || typeof rendered !== 'string' || !isShown) return null;
  return { plan: checked.plan, rendered, shown, ...(value['left'] === true ? { left: true } : {}) };
}

/** Whether a text is unchanged since it was begun. */
export function isUnedited({ rendered, shown }: TextOrigin, text: string): boolean {
  return text === rendered || sha256(text) === shown;
}

/** A text that an editor saved after its call had ended. */
export interface LateText {
  place: PlanTextPlace;
  /** The change that the text makes. */
  revision: Revision;
}

/**
 * Finds a text that the person's editor saved after its call had ended; null if there is none. @throws DevCliError `IO`
 */
export function findLateText({ root, caller }: Pick<Context, 'root' | 'caller'>, name: string): LateText | null {
  if (caller.terminal !== true) return null;
  const place = openPlanText(root, name);
  const origin = parseOrigin(place.readOrigin() ?? '');
  const text = place.readText();
  if (origin?.left !== true || text.kind !== 'text' || isUnedited(origin, text.text)) return null;
  return { place, revision: { call: { command: 'plan edit', input: { name } }, read: readEdited(origin, text.text) } };
}

/** Codes of errors that the person can fix by editing the text again. */
export const RECOVERABLE_CODES: readonly ErrorCode[] = ['PLAN_EDITED', 'SCHEMA_INVALID', 'PLAN_CONFLICT'];

/** Returns the same error, adding that the text is kept. */
export function textKeptError(name: string, { code, message, details }: DevCliError): DevCliError {
  return new DevCliError(code, message, {
    run: name,
    details,
    fix: [
      'The edited text is kept. To continue with it: ',
      { command: 'plan edit', input: { name } },
      '. To discard it: ',
      { command: 'plan edit', input: { name, discard: true } },
    ],
  });
}

/**
 * Reads an edited text as the plan to apply. If the plan has changed since the text was begun, both changes are merged.
 * @throws when the result is called: DevCliError `PLAN_EDITED`, `SCHEMA_INVALID`; `PLAN_CONFLICT` if both changed the
 * same part
 */
export function readEdited(origin: TextOrigin, text: string): ReadPlan {
  return (files, known) => {
    const edited = readEditedPlan(text, origin, known);
    const present = readPresent(files, known, origin);
    if (edited === null) return { ...present, source: null };
    const theirs = withTodos(present.plan, present.added);
    const isMerged = !isSamePlan(theirs, origin.plan);
    const whole = isMerged ? merge(origin.plan, edited.plan, theirs, known) : edited.plan;
    const split = splitAdded(whole, present.added);
    const plan = requireReadBackPlan(split.plan, { plan: whole, lines: isMerged ? {} : edited.lines }, known);
    return { source: PLAN, plan, added: split.added, text: renderPlanContent(plan) };
  };
}

/**
 * Reads the present plan. If PLAN.md is as it was when the text was begun, ignores the edits that PLAN.md has, because
 * the text is a copy that contains them.
 */
function readPresent(files: Documents, known: KnownPlan, { plan, shown }: TextOrigin): PlanOnDisk {
  if (files.digest(PLAN) !== shown) return readPlanOnDisk(files, known);
  const stored = files.text(PLAN_CONTENT) ?? '';
  const content = requireValidPlan(parseJson(stored), { request: known.goal || null });
  const isShown = new Set(plan.todos.map(({ id }) => id));
  const isPlanned = new Set(content.todos.map(({ id }) => id));
  const added = known.added.filter(({ id }) => isShown.has(id) && !isPlanned.has(id));
  return { source: null, plan: content, added, text: stored };
}

function merge(base: PlanContent, mine: PlanContent, theirs: PlanContent, { name }: KnownPlan): PlanContent {
  const merged = mergePlans(base, mine, theirs);
  if (merged.kind === 'merged') return merged.plan;
  throw new DevCliError('PLAN_CONFLICT', 'While the text was being edited, the plan changed in the same places.', {
    run: name,
    details: merged.conflicts.slice(0, 40).map(({ target, problem }) => ({ target, problem })),
    fix: ['Make the text agree with the present plan in these places: ', { command: 'plan summary', input: { name } }],
  });
}
