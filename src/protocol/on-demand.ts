import { DevCliError } from '../base/errors.js';
import type { DocumentReader } from '../base/files.js';
import type { JudgeResult } from '../documents/judge-result.js';
import type { Recompile } from '../recipe/captured.js';
import type { Context } from '../run/context.js';
import type { RunState } from '../run/state.js';
import type { EvaluateInScope, OtherExecution } from '../run/transaction.js';
import { readPresent, type WorkTreeStatus } from '../work/git.js';

/** A line of warning, or null where the plan is the one that was captured after all. */
export type PlanMoved = (state: RunState, files: DocumentReader) => string | null;

/** What hardly any decision needs and what costs more to load, or to find out, than all the rest of a call (house.md, Speed). */
export interface OnDemand {
  evaluate: EvaluateInScope;
  recompile: Recompile;
  judge: JudgeResult;
  /** What a plan that looks changed means for the execution at work. */
  planMoved: PlanMoved;
  /** The work tree at this absolute path. */
  tree: (workTree: string) => WorkTreeStatus | null;
  /** What other runs than this one execute in the work tree at this absolute path. */
  others: (name: string, workTree: string) => readonly OtherExecution[];
}

/** Thrown by work that meets something rare before it is there; the work is then done again. */
class NotLoadedError extends Error {
  constructor(
    readonly what: 'language' | 'results' | 'plan' | 'tree' | 'others',
    readonly workTree: string = '',
    readonly run: string = '',
  ) {
    super(what);
  }
}

/** Nothing is there yet: a first need fetches it, and where nobody fetches there is none. */
export const NOT_LOADED: OnDemand = {
  evaluate: () => needed('language'),
  recompile: () => needed('language'),
  judge: () => needed('results'),
  planMoved: () => needed('plan'),
  tree: (workTree) => needed('tree', workTree),
  others: (name, workTree) => needed('others', workTree, name),
};

function needed(what: NotLoadedError['what'], workTree?: string, run?: string): never {
  throw new NotLoadedError(what, workTree, run);
}

/**
 * Does `work`, which may be done several times: the evaluator of conditions, the compiler of recipes and the validators of
 * results are loaded, and the work tree is read, at the first need. Decisions are synchronous, so they cannot wait for it
 * themselves.
 * @param context of a call that changes something; asking needs none
 * @param known what the caller knows to be needed, so that nothing is done twice
 */
export async function loadOnDemand<A>(
  work: (onDemand: OnDemand) => Promise<A>,
  { context, known = {} }: { context?: Context; known?: Partial<OnDemand> } = {},
): Promise<A> {
  let onDemand: OnDemand = { ...NOT_LOADED, ...known };
  for (;;) {
    try {
      return await work(onDemand);
    } catch (error) {
      if (!(error instanceof NotLoadedError)) throw error;
      if (error.what === 'others' && context !== undefined) return withOthers(work, onDemand, context, error);
      onDemand = { ...onDemand, ...(await fetched(error, context?.signal)) };
    }
  }
}

/** What others execute has to stay so until this work is committed. */
async function withOthers<A>(
  work: (onDemand: OnDemand) => Promise<A>,
  onDemand: OnDemand,
  context: Context,
  { run, workTree }: NotLoadedError,
): Promise<A> {
  const { EXECUTION_LOCK, listOtherExecutions } = await import('./executions.js');
  return context.store.alone(EXECUTION_LOCK, async () => {
    const others = await listOtherExecutions(context, run, workTree);
    return loadOnDemand(work, { context, known: { ...onDemand, others: () => others } });
  });
}

async function fetched(
  { what, workTree }: NotLoadedError,
  signal: AbortSignal | undefined,
): Promise<Partial<OnDemand>> {
  switch (what) {
    case 'language': {
      const [{ evaluateCondition }, { recompile }] = await Promise.all([
        import('../recipe/conditions.js'),
        import('../recipe/capture.js'),
      ]);
      return { evaluate: evaluateCondition, recompile };
    }
    case 'results':
      return { judge: (await import('../documents/judge-result.js')).judgeResult };
    case 'plan':
      return { planMoved: (await import('../engine/act/plan-difference.js')).renderPlanDifference };
    case 'tree': {
      const tree = await treeOf(workTree, signal);
      return { tree: () => tree };
    }
    case 'others':
      throw new DevCliError('INTERNAL', 'A call that only asks begins no execution.');
  }
}

/** A repository that git cannot read any more is as none: what changed in it goes unnoticed, and the report says so. */
async function treeOf(workTree: string, signal: AbortSignal | undefined): Promise<WorkTreeStatus | null> {
  try {
    return await readPresent(workTree, signal === undefined ? {} : { signal });
  } catch (error) {
    if (error instanceof DevCliError && error.code === 'GIT_FAILED') return null;
    throw error;
  }
}
