import type { DocumentReader } from '../base/files.js';
import { isRecord, parseOrNull } from '../base/json.js';
import { getCurrent } from './current.js';
import type { RunEngine } from './engine.js';
import { PLAN, PLAN_CONTENT, PLAN_MOVE } from './paths.js';
import { digestPlanFiles } from './plan-digests.js';
import type { RunState } from './state.js';

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

/** What was found out about the plan on disk. */
export interface PlanMove {
  /** Null where it says what runs. */
  moved: PlanMoved | null;
  /** What this call has found out about: the plan on disk, and what that is compared with; null where it was known before. */
  key: string | null;
}

/** Says which plan on disk is compared with which; like the marks in it, this is no evidence. */
export function keyPlanMove({ planDigest, order, proposed }: RunEngine, files: DocumentReader): string {
  const { content, shown } = digestPlanFiles(files);
  return [planDigest, order.length, proposed?.at, content, shown].join(' ');
}

/**
 * Recalls what a call before has found out: to read an edited PLAN.md back takes seconds in a large plan.
 * @param key what is asked about
 * @returns undefined where nobody has looked yet
 */
export function recallPlanMove(files: DocumentReader, key: string): PlanMoved | null | undefined {
  const text = files.facts(PLAN_MOVE).kind === 'file' ? files.read(PLAN_MOVE) : null;
  const kept = parseOrNull(text?.toString() ?? null);
  return isRecord(kept) && kept['key'] === key ? (kept['moved'] as PlanMoved | null) : undefined;
}

/** Leaves out of what may be lost a plan that a call before has read as it now is: it is short because somebody edited it. */
export function withoutEdits(short: string[], state: RunState, files: DocumentReader): string[] {
  const { engine } = getCurrent(state);
  if (engine === null || recallPlanMove(files, keyPlanMove(engine, files)) === undefined) return short;
  const isPlan = (path: string) => path === PLAN || path === PLAN_CONTENT;
  return short.filter((path) => !isPlan(path) || files.facts(path).kind === 'missing');
}
