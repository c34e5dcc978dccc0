import { type SizeVerdict, settleSize } from '../documents/size-rules.js';
import type { RunState } from './state.js';

/** Returns the size of the work that counts in a run (recipes.md, Size): `large` where nothing is known. */
export function getSize(state: Pick<RunState, 'size'>): SizeVerdict {
  return settleSize(state.size ?? {});
}

/** Whether the user has said the size, or a block has found it. */
export function hasSize(state: Pick<RunState, 'size'>): boolean {
  const { said, found } = state.size ?? {};
  return (said ?? found) !== undefined;
}
