import type { Action } from './action.js';
import type { PendingState } from './state.js';

/** Returns the pending action without the members that only dev-cli needs (storage.md, state.json). */
export function toAction(pending: PendingState): Action {
  const { issuedAt: _at, issuedSeq: _seq, cause: _cause, before: _before, handed: _handed, ...rest } = pending;
  const { sections: _sections, acknowledged: _acknowledged, nudges: _nudges, ...action } = rest;
  return action;
}

/** How many tasks in progress, handed out by earlier actions, one answer lists. */
const RUNNING_SHOWN = 8;

/** Limits the tasks in progress to `RUNNING_SHOWN`, and counts the rest as `runningMore`. */
export function boundRunning<T>(out: readonly T[]): { running: T[]; runningMore?: number } {
  const more = out.length - RUNNING_SHOWN;
  return { running: out.slice(0, RUNNING_SHOWN), ...(more > 0 ? { runningMore: more } : {}) };
}
