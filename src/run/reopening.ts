import type { Invocation } from '../base/invocation.js';
import { displayPath } from './paths.js';
import type { Transaction } from './transaction.js';

/**
 * How a halted run goes on at `step`: as it was, or with a ruling, which whoever runs the command writes first. Its file lies
 * beside the last action, which is another one at each halt.
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
