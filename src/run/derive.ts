import { findRestingState } from '../machine/position.js';
import { findCurrentBlock, findOutcome } from '../machine/queries.js';
import type { RunState } from './state.js';

/** Events kept in the snapshot for `status` and `manifest`; the journal has them all. */
const EVENTS_KEPT = 20;

/** Sets what follows from the machine's position: `phase`, `findCurrentBlock`, `blockIndex` (storage.md, state.json). */
export function derive(state: RunState, blocks: readonly string[]): void {
  const block = findCurrentBlock(state.machine) ?? findRestingState(state.machine)?.block ?? null;
  state.currentBlock = block;
  state.blockIndex = block === null ? blocks.length : blocks.indexOf(block);
  state.phase = findOutcome(state.machine) ?? waitsFor(state);
}

/** Whom a live run waits for. */
function waitsFor(state: RunState): string {
  const action = state.pendingAction?.action;
  if (action === undefined || action.action === 'done') return state.status;
  if (action.action === 'running') return 'command';
  return action.action === 'wait-for-user' || action.asks === 'user' ? 'user' : 'agent';
}

/** Adds a line to the last events. */
export function appendEvent(state: RunState, event: RunState['events'][number]): void {
  state.events.push(event);
  if (state.events.length > EVENTS_KEPT) state.events.splice(0, state.events.length - EVENTS_KEPT);
}
