import type { Invocation } from '../base/invocation.js';
import { shownPath } from './paths.js';
import type { Turn } from './turn.js';

/**
 * How a halted run goes on at `step`: as it was, or with a ruling, which whoever runs the command writes first. Its file lies
 * beside the last action, which is another one at each halt.
 * @param step a block, or todos separated by commas
 */
export function reopening({ state, place }: Turn, step: string): { resume: Invocation; ruling: Invocation } {
  const note = `@${shownPath(place, state.name, `actions/a${state.lastAction}/ruling.md`)}`;
  const input = { name: state.name, step };
  return {
    resume: { command: 'step invalidate', input },
    ruling: { command: 'step invalidate', input: { ...input, note } },
  };
}
