import type { Action } from './action.js';
import type { PendingState } from './state.js';

/** The pending action as it is handed out: without what dev-cli keeps beside it (storage.md, state.json). */
export function toAction(pending: PendingState): Action {
  const { issuedAt: _at, issuedSeq: _seq, cause: _cause, before: _before, handed: _handed, ...rest } = pending;
  const { sections: _sections, acknowledged: _acknowledged, nudges: _nudges, ...action } = rest;
  return action;
}
