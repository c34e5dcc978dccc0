import type { Action } from './action.js';
import type { PendingState } from './state.js';

/** The pending action as it is handed out: without what dev-cli keeps beside it (storage.md, state.json). */
export function toAction(pending: PendingState): Action {
  const { issuedAt: _at, issuedSeq: _seq, cause: _cause, before: _before, handed: _handed, ...rest } = pending;
  const { sections: _sections, acknowledged: _acknowledged, nudges: _nudges, ...action } = rest;
  return action;
}

/** Tasks handed out earlier that an answer repeats at most. */
const RUNNING_SHOWN = 8;

/** Cuts the tasks that are out to as many as an answer repeats, and counts the others. */
export function boundRunning<T>(out: readonly T[]): { running: T[]; runningMore?: number } {
  const more = out.length - RUNNING_SHOWN;
  return { running: out.slice(0, RUNNING_SHOWN), ...(more > 0 ? { runningMore: more } : {}) };
}
