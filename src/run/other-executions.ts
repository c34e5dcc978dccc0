import { DevCliError } from '../base/errors.js';
import type { ReadContext } from './context.js';
import { getCurrent } from './current.js';
import type { TodoState } from './engine-rows.js';
import type { RunState } from './state.js';

/** Another run that carries out a plan in the same work tree. */
export interface OtherExecution {
  name: string;
  todos: readonly Pick<TodoState, 'id' | 'type' | 'files' | 'status'>[];
}

/** The lock held while a run starts an execution, so that of two that start at once one sees the other. */
export const EXECUTION_LOCK = 'executions';

/**
 * Lists the other live runs of this root that execute a plan in a work tree.
 * @param name the run that asks
 * @param workTree absolute path
 */
export async function listOtherExecutions(
  context: ReadContext,
  name: string,
  workTree: string,
): Promise<OtherExecution[]> {
  const found: OtherExecution[] = [];
  for (const other of await context.store.streams()) {
    const state = other === name ? null : await readStateIfReadable(context, other);
    const engine = state?.status === 'live' ? getCurrent(state).engine : null;
    if (state === null || engine === null) continue;
    if ((state.workTree === '.' ? context.root : state.workTree) !== workTree) continue;
    found.push({ name: other, todos: Object.values(engine.todos) });
  }
  return found;
}

/** Reads another run's state. A damaged run must not block this one, so it counts as none. */
export async function readStateIfReadable({ store }: ReadContext, name: string): Promise<RunState | null> {
  try {
    return (await store.read(name)).snapshot;
  } catch (error) {
    if (error instanceof DevCliError) return null;
    throw error;
  }
}
