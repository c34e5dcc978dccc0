import { DevCliError } from '../base/errors.js';
import { readPresent, type WorkTreeStatus } from '../work/git.js';
import type { Context } from './context.js';
import type { OtherExecution } from './other-executions.js';

/** What a decision may ask about the world outside the store. Few do, and it takes longer than all the rest of a call. */
export interface Surroundings {
  /** The work tree at this absolute path; null where there is no repository. */
  tree: (workTree: string) => WorkTreeStatus | null;
  /** The executions of other runs in the work tree at this absolute path; none begins before the decision is committed. */
  others: (run: string, workTree: string) => readonly OtherExecution[];
}

/** Thrown by work that asks for something not yet known. */
class UnknownError extends Error {
  constructor(
    readonly what: keyof Surroundings,
    readonly workTree: string,
    readonly run: string = '',
  ) {
    super(`${what} was asked for and is not known`);
  }
}

/** Nothing is known: every question throws. For work that asks none. */
export const NOTHING_KNOWN: Surroundings = {
  tree: (workTree) => {
    throw new UnknownError('tree', workTree);
  },
  others: (run, workTree) => {
    throw new UnknownError('others', workTree, run);
  },
};

/**
 * Does `work`, and again from its beginning with the answer when it asks for something not yet known: a decision is
 * synchronous and cannot wait for it.
 * @param known what the caller has found out already
 */
export async function withSurroundings<A>(
  context: Context,
  work: (surroundings: Surroundings) => Promise<A>,
  known: Partial<Surroundings> = {},
): Promise<A> {
  const surroundings: Surroundings = { ...NOTHING_KNOWN, ...known };
  try {
    return await work(surroundings);
  } catch (error) {
    if (!(error instanceof UnknownError)) throw error;
    const { what, workTree, run } = error;
    switch (what) {
      case 'tree': {
        const tree = await readTree(workTree, context.signal);
        return withSurroundings(context, work, { ...surroundings, tree: () => tree });
      }
      case 'others': {
        const { EXECUTION_LOCK, listOtherExecutions } = await import('./other-executions.js');
        // Held until the work is committed: of two executions that begin at once, one has to see the other.
        return context.store.alone(EXECUTION_LOCK, async () => {
          const others = await listOtherExecutions(context, run, workTree);
          return withSurroundings(context, work, { ...surroundings, others: () => others });
        });
      }
    }
  }
}

/** A repository that git can no longer read counts as none: changes in it go unnoticed, and the report says so. */
async function readTree(workTree: string, signal: AbortSignal): Promise<WorkTreeStatus | null> {
  try {
    return await readPresent(workTree, { signal });
  } catch (error) {
    if (error instanceof DevCliError && error.code === 'GIT_FAILED') return null;
    throw error;
  }
}
