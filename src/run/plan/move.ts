// door: move, inside: next

import type { DocumentReader } from '../../base/files.js';
import { isRecord, parseOrNull } from '../../base/json.js';
import { keepFinding } from '../../project/own-places.js';
import type { StreamState } from '../../store/store.js';
import type { ReadContext } from '../context.js';
import type { RunEngine } from '../engine.js';
import { getRunDirectory, PLAN, PLAN_CONTENT, PLAN_MOVE } from '../paths.js';
import type { RunState } from '../state.js';
import { digestPlanFiles } from './digests.js';

/** How the plan on disk differs from the captured one; `status --json` has it as `planMoved`. */
export interface PlanChanges {
  added: readonly string[];
  removed: readonly string[];
  changed: readonly string[];
  /** Something outside the todos differs. */
  rest: boolean;
  /** plan-content.json is no longer valid. */
  broken: boolean;
  /** PLAN.md was edited by hand, and says something else than it did. */
  edited: boolean;
}

/** A plan that moved on: how, and as one line with what takes it up. */
export interface PlanMoved {
  changes: PlanChanges;
  line: string;
}

type Head = Pick<StreamState<RunState>, 'snapshot' | 'files'>;

/**
 * Recalls how the plan on disk differs from the captured one: to read an edited PLAN.md back takes seconds in a large plan.
 * @returns undefined where no call before has found out
 */
export function recallPlanMove({ snapshot, files }: Head): PlanMoved | null | undefined {
  const engine = snapshot === null ? null : snapshot.engine;
  if (engine === null) return null;
  const text = files.facts(PLAN_MOVE).kind === 'file' ? files.read(PLAN_MOVE) : null;
  const kept = parseOrNull(text?.toString() ?? null);
  const isIt = isRecord(kept) && kept['key'] === renderKey(engine, files);
  return isIt ? (kept['moved'] as PlanMoved | null) : undefined;
}

/** Says which plan on disk is compared with which; like the marks in it, this is no evidence. */
function renderKey({ planDigest, order, proposed }: RunEngine, files: DocumentReader): string {
  const { content, shown } = digestPlanFiles(files);
  return [planDigest, order.length, proposed?.at, content, shown].join(' ');
}

/**
 * Recalls it, or finds it out and keeps it, in no commit. Where it cannot be kept, an edited PLAN.md is not read back: each call
 * would take as long again.
 * @param head with what was lost put back: what is kept counts as edited by a person from then on
 * @param find compares the plan on disk; told whether to read PLAN.md back
 */
export function readPlanMove(
  { root, keepsFindings }: Pick<ReadContext, 'root' | 'keepsFindings'>,
  head: Head,
  find: (state: RunState, files: DocumentReader, readsBack: boolean) => PlanMoved | null,
): PlanMoved | null {
  const { snapshot, files } = head;
  const known = recallPlanMove(head);
  const engine = snapshot === null ? null : snapshot.engine;
  if (known !== undefined || snapshot === null || engine === null) return known ?? null;
  if (keepsFindings !== true) return find(snapshot, files, true);
  const keep = (text: string) => keepFinding(root, `${getRunDirectory(snapshot.name)}/${PLAN_MOVE}`, text);
  if (!keep('')) return find(snapshot, files, false);
  const moved = find(snapshot, files, true);
  keep(`${JSON.stringify({ key: renderKey(engine, files), moved })}\n`);
  return moved;
}

/** Leaves out of what may be lost a plan that a call before has read as it now is: it is short because somebody edited it. */
export function withoutEdits(short: string[], snapshot: RunState, files: DocumentReader): string[] {
  if (snapshot.engine === null || recallPlanMove({ snapshot, files }) === undefined) return short;
  const isPlan = (path: string) => path === PLAN || path === PLAN_CONTENT;
  return short.filter((path) => !isPlan(path) || files.facts(path).kind === 'missing');
}
