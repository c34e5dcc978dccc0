import { runCodec } from '../../../src/run/codec.js';
import type { RunState } from '../../../src/run/state.js';
import { goldenRuns } from '../../support/golden.mjs';

/** Returns the snapshots of the golden runs, as releases of dev-cli left them. */
function storedStates(): { title: string; text: string }[] {
  return goldenRuns().map(({ title, load }) => {
    const { name, files } = load();
    return { title, text: files[`.dev/specs/${name}/state.json`] ?? '' };
  });
}

/** The snapshot of a workflow whose second or later phase executes a plan. */
export const EXECUTING: RunState = findExecuting();

function findExecuting(): RunState {
  const states = storedStates().map(({ text }) => runCodec.parse(text));
  const found = states.find(({ workflow, engine }) => (workflow?.earlier.length ?? 0) > 0 && engine !== null);
  if (found === undefined) throw new Error('no golden run executes a plan in a later phase');
  return found;
}
