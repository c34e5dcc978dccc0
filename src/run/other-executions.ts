// door: tree

import { DevCliError } from '../base/errors.js';
import type { OtherStreams } from '../store/store.js';
import type { Context, ReadContext } from './context.js';
import type { TodoState } from './engine-rows.js';
import { renderHold } from './hold.js';
import type { RunState } from './state.js';

/** Another run that is executing a plan in the same work tree. */
export interface OtherExecution {
  name: string;
  /** A sentence saying that a person holds the run, or empty (`renderHold`). */
  hold: string;
  todos: readonly Pick<TodoState, 'id' | 'type' | 'files' | 'status'>[];
}

/**
 * Lists the other live runs of this root that are executing a plan in a work tree.
 * @param name the asking run, which is left out
 * @param workTree absolute path
 */
export function listOtherExecutions(
  { root }: Pick<ReadContext, 'root'>,
  neighbours: Pick<OtherStreams<RunState>, 'read' | 'streams'>,
  name: string,
  workTree: string,
): OtherExecution[] {
  const found: OtherExecution[] = [];
  for (const other of neighbours.streams()) {
    const state = other === name ? null : readNeighbour(neighbours, other);
    const engine = state?.status === 'live' ? state.engine : null;
    if (state === null || engine === null) continue;
    if ((state.workTree === '.' ? root : state.workTree) !== workTree) continue;
    found.push({ name: other, hold: renderHold(state), todos: Object.values(engine.todos) });
  }
  return found;
}

/** Reads another run's state; null if it is damaged, because a damaged run must not block this one. */
export async function readStateIfReadable({ store }: ReadContext, name: string): Promise<RunState | null> {
  return store.read(name).then(({ snapshot }) => snapshot, nullIfDamaged);
}

function readNeighbour(neighbours: Pick<OtherStreams<RunState>, 'read'>, name: string): RunState | null {
  try {
    return neighbours.read(name).snapshot;
  } catch (error) {
    return nullIfDamaged(error);
  }
}

function nullIfDamaged(error: unknown): null {
  if (error instanceof DevCliError) return null;
  throw error;
}

/**
 * Binds a session to a run. The store remembers, for the session, the runs that it was bound to before and that may
 * still continue; once this run has ended, the session returns to one of them (harness.md, Sessions).
 * @throws DevCliError `IO`, `LOCKED`
 */
export async function bindSession(context: Context, session: string, run: string): Promise<void> {
  const mark = await context.store.sessionMark(session);
  const before: string[] = [];
  for (const name of [mark?.run ?? null, ...(mark?.before ?? [])]) {
    if (name === null || name === run || before.includes(name)) continue;
    const status = (await readStateIfReadable(context, name))?.status;
    if (status === 'live' || status === 'halted') before.push(name);
  }
  await context.store.changeSession(session, { becomes: 'bound', run, before });
}
