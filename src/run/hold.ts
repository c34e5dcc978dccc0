import { toBoundedLine } from '../documents/foreign.js';
import type { RunState } from './state.js';

/** Characters of a hold's reason that a refusal quotes. */
const REASON_SHOWN = 200;

/** Whether a person holds a run that may still go on. */
export function isHeldByPerson({ held, status }: Pick<RunState, 'held' | 'status'>): boolean {
  return held?.by === 'human' && (status === 'live' || status === 'halted');
}

/** Says which run a person holds, and why, as far as they said so. */
export function describeHold({ name, held }: RunState): string {
  const why = held?.reason === undefined ? '' : ` ("${toBoundedLine(held.reason, REASON_SHOWN)}")`;
  return `A person holds "${name}"${why}`;
}

/** The same as a sentence to be added to a refusal; empty where no person holds the run. */
export function renderHold(state: RunState): string {
  return isHeldByPerson(state) ? ` ${describeHold(state)}.` : '';
}
