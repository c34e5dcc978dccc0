import { type Directories, parseDisplayPath } from '../../../run/paths.js';
import type { RunState } from '../../../run/state.js';

/** A file that the pending action expects to be written. */
export interface PromisedFile {
  /** Relative to the run's directory. */
  path: string;
  /** `data`: written by the agent that drives the run. `output`: written by an agent that the driving agent starts. */
  kind: 'data' | 'output';
}

/** Lists the files that the pending action expects to be written (protocol.md, Printed commands). */
export function listPromised({ name, pendingAction: action }: RunState, place: Directories): PromisedFile[] {
  if (action === null || action.action === 'done') return [];
  const rows = [
    ...('agents' in action ? action.agents : []),
    ...('tasks' in action ? [...action.tasks, ...action.running] : []),
  ];
  const shown = [
    ...('data' in action && action.data !== undefined ? [{ path: action.data.write, kind: 'data' as const }] : []),
    ...rows.flatMap(({ output }) => (output === undefined ? [] : [{ path: output, kind: 'output' as const }])),
  ];
  return shown.map(({ path, kind }) => ({ path: parseDisplayPath(place, name, path), kind }));
}
