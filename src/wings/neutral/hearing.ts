import type { HookHandler } from '../../protocol/ports.js';
import type { Context, ReadContext } from '../../run/context.js';
import { readStats } from '../../store/inside.js';
import { CONTRACT_FILES, NEXUS_DIRECTORY } from './files.js';

type Hearing = Pick<ReadContext, 'workTree'> & { store: Pick<Context['store'], 'sessionMark'> };

/**
 * Creates the handler that, when an agent stops, transfers the state of its run to the tasks of the neutral contract
 * (neutral.md, Seams with runs).
 * @param report called only if there are tasks and the session is bound to a run
 */
export function createNeutralHookHandlers<C extends Hearing>(
  report: (context: C, run: string) => Promise<unknown>,
): HookHandler[] {
  const handle = async (context: C, { session }: { session: string }): Promise<null> => {
    const run = (await context.store.sessionMark(session))?.run ?? null;
    const isThere = readStats(`${context.workTree}/${NEXUS_DIRECTORY}/${CONTRACT_FILES.tasks}`)?.isFile() === true;
    if (run !== null && isThere) await report(context, run);
    return null;
  };
  // The event types match, but TypeScript cannot track that through a union.
  return [{ id: 'neutral', on: 'stop', handle } as unknown as HookHandler];
}
