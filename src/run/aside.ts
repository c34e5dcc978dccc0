import type { EntryType } from './entries.js';

/** Types of entries of what happened beside the calls of a run. */
const ASIDE: readonly EntryType[] = ['recovered', 'nudged', 'written', 'spent'];

/** Whether an entry of this type tells of something that happened beside the calls of a run. */
export function isAside(type: string): boolean {
  return ASIDE.some((one) => one === type);
}
