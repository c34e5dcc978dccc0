import type { Invocation } from '../base/invocation.js';
import { displayPath } from './paths.js';
import type { Transaction } from './transaction.js';

/**
 * Builds the two commands that reopen a halted run at `step`: `resume`, and `ruling`, which also passes on a note.
 * Before running `ruling`, the caller has to write the note to ruling.md beside the last action.
 * @param step a block, or todos separated by commas
 */
export function buildReopenCommands(
  { state, place }: Transaction,
  step: string,
): { resume: Invocation; ruling: Invocation } {
  const note = `@${displayPath(place, state.name, `actions/a${state.lastAction}/ruling.md`)}`;
  const input = { name: state.name, step };
  return {
    resume: { command: 'step invalidate', input },
    ruling: { command: 'step invalidate', input: { ...input, note } },
  };
}
