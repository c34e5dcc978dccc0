import type { Caller } from '../base/caller.js';
import { toBoundedLine } from '../documents/foreign.js';

/** Describes the caller: `agent in claude-code, session s1`, `human on the page`. */
export function renderCaller({ kind, via, harness, session, agent }: Caller): string {
  const parts = [
    agent === undefined ? kind : `${kind} ${agent}`,
    ...(via === 'page' ? ['on the page'] : []),
    ...(harness === undefined ? [] : [`in ${harness}`]),
    ...(session === undefined ? [] : [`session ${session}`]),
  ];
  return toBoundedLine(parts.join(' '), 120);
}
