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

/** How the plan on disk differs from the captured one; `status --json` prints it as `planMoved`. */
export interface PlanChanges {
  added: readonly string[];
  removed: readonly string[];
  changed: readonly string[];
  /** Whether anything outside the todos differs. */
  rest: boolean;
  /** Whether plan-content.json is no longer valid. */
  broken: boolean;
  /** Whether PLAN.md was edited by hand so that it now says something else. */
  edited: boolean;
}

/** A changed plan on disk: the differences, and one line that names them and the command that applies them. */
export interface PlanDifference {
  changes: PlanChanges;
  line: string;
}

type Head = Pick<StreamState<RunState>, 'snapshot' | 'files'>;

/**
 * Returns the cached differences between the plan on disk and the captured plan. They are cached because reading an
 * edited PLAN.md back takes seconds for a large plan.
 * @returns undefined if no earlier call has cached them; null if the plan has not changed
 */
export function readCachedPlanDifference({ snapshot, files }: Head): PlanDifference | null | undefined {
  const engine = snapshot === null ? null : snapshot.engine;
  if (engine === null) return null;
  const text = files.facts(PLAN_MOVE).kind === 'file' ? files.read(PLAN_MOVE) : null;
  const kept = parseOrNull(text?.toString() ?? null);
  const isIt = isRecord(kept) && kept['key'] === renderKey(engine, files);
  return isIt ? (kept['moved'] as PlanDifference | null) : undefined;
}

/**
 * Returns a key for the two plans that are compared: while it stays the same, cached differences are valid. It contains
 * sizes and checksums, which could in theory be equal for different plans.
 */
function renderKey({ planDigest, order, proposed }: RunEngine, files: DocumentReader): string {
  const { content, shown } = digestPlanFiles(files);
  return [planDigest, order.length, proposed?.at, content, shown].join(' ');
}

/**
 * Returns the cached differences, or finds and caches them, without a commit. If they are to be cached but
 * cannot be, an edited PLAN.md is not read back: that is slow, and every later call would have to do it again.
 * @param head the run, with its lost documents restored. Otherwise a lost plan file would be cached as a difference,
 * and `excludeEditedPlan` would then take the loss for an edit.
 * @param find compares the plan on disk with the captured plan; `readsBack`: whether to read an edited PLAN.md back
 */
export function readPlanDifference(
  { root, keepsFindings }: Pick<ReadContext, 'root' | 'keepsFindings'>,
  head: Head,
  find: (state: RunState, files: DocumentReader, readsBack: boolean) => PlanDifference | null,
): PlanDifference | null {
  const { snapshot, files } = head;
  const known = readCachedPlanDifference(head);
  const engine = snapshot === null ? null : snapshot.engine;
  if (known !== undefined || snapshot === null || engine === null) return known ?? null;
  if (keepsFindings !== true) return find(snapshot, files, true);
  const keep = (text: string) => keepFinding(root, `${getRunDirectory(snapshot.name)}/${PLAN_MOVE}`, text);
  if (!keep('')) return find(snapshot, files, false);
  const moved = find(snapshot, files, true);
  keep(`${JSON.stringify({ key: renderKey(engine, files), moved })}\n`);
  return moved;
}

/**
 * Removes the plan files from a list of documents that may be lost, if an earlier call has cached how they differ in
 * their present form: they were edited, not lost. A missing file stays in the list.
 */
export function excludeEditedPlan(short: string[], snapshot: RunState, files: DocumentReader): string[] {
  if (snapshot.engine === null || readCachedPlanDifference({ snapshot, files }) === undefined) return short;
  const isPlan = (path: string) => path === PLAN || path === PLAN_CONTENT;
  return short.filter((path) => !isPlan(path) || files.facts(path).kind === 'missing');
}
