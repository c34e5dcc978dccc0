import { DevCliError } from '../base/errors.js';
import type { ReadContext } from './context.js';
import type { TodoState } from './engine-rows.js';
import type { RunState } from './state.js';

/** Another run that carries out a plan in the same work tree. */
export interface OtherExecution {
  name: string;
  todos: readonly Pick<TodoState, 'id' | 'type' | 'files' | 'status'>[];
}

/** What is held while a run begins to execute a plan, so that of two that begin at once one sees the other. */
export const EXECUTION_LOCK = 'executions';

/**
 * The other live runs of this root that execute a plan in the work tree. One that cannot be read holds nobody back: its own
 * commands tell what is wrong with it.
 * @param workTree absolute
 */
export async function listOtherExecutions(
  { store, root }: ReadContext,
  name: string,
  workTree: string,
): Promise<OtherExecution[]> {
  const found: OtherExecution[] = [];
  for (const other of await store.streams()) {
    const state = other === name ? null : await readStateIfReadable(() => store.read(other));
    if (state?.status !== 'live' || state.engine === null) continue;
    if ((state.workTree === '.' ? root : state.workTree) !== workTree) continue;
    found.push({ name: other, todos: Object.values(state.engine.todos) });
  }
  return found;
}

async function readStateIfReadable(read: () => Promise<{ snapshot: RunState | null }>): Promise<RunState | null> {
  try {
    return (await read()).snapshot;
  } catch (error) {
    if (error instanceof DevCliError) return null;
    throw error;
  }
}
