import { isOlderRun } from '../../../base/older-run.js';
import { findGuardedWork, isGuarded } from '../../../recipe/declared.js';
import { readCapturedRecipe } from '../../../run/captured-recipe.js';
import { type Context, findOwnRun, type ReadContext } from '../../../run/context.js';
import type { RunHead } from '../../../run/state.js';
import type { GuardedRun } from './guard.js';
import { listPromised } from './promised.js';

/**
 * Finds the run that a harness event concerns, and describes it for the guard (harness.md, Guard; harness.md,
 * Sessions).
 */

/** The part of the context needed to judge a call; read-only. */
export interface JudgingContext extends Pick<ReadContext, 'root' | 'workTree' | 'boundRun' | 'caller'> {
  store: ReadContext['store'] & Pick<Context['store'], 'sessionMark'>;
  /** The user's home directory. */
  home: string;
}

/** Reads a run; null if it does not exist or an older version wrote it. @throws the store's errors */
export async function readRunHead({ store }: Pick<ReadContext, 'store'>, name: string): Promise<RunHead | null> {
  try {
    const head = await store.read(name);
    return head.snapshot === null ? null : { ...head, snapshot: head.snapshot };
  } catch (error) {
    if (isOlderRun(error)) return null;
    throw error;
  }
}

/**
 * Returns the live run of a session: the run to which it is bound or, if that run has ended, the last live run to which
 * it was bound before. Returns null if there is none.
 */
export async function findBoundRun(context: JudgingContext, session: string): Promise<RunHead | null> {
  const mark = await context.store.sessionMark(session);
  return mark === null ? null : findFirst(listLive(context, [mark.run, ...mark.before]));
}

/**
 * Finds the run that an agent's call concerns: the run of its session. If the session has no run, it is the active run,
 * but only as long as no hook has reported the session.
 */
export async function findJudgingRun(context: JudgingContext, session: string): Promise<RunHead | null> {
  return findFirst(listJudging(context, session));
}

/**
 * Finds the run whose guard judges a tool call. If the recipe of a run needs no guard, an earlier run of the session
 * judges instead; if a person has switched a run's guard off, no run judges.
 */
export async function findGuardedRun(context: JudgingContext, session: string): Promise<GuardedRun | null> {
  for await (const head of listJudging(context, session)) {
    const run = describeGuardedRun(context, head);
    if (run !== null || head.snapshot.unguarded === true) return run;
  }
  return null;
}

async function* listJudging(context: JudgingContext, session: string): AsyncGenerator<RunHead> {
  const mark = await context.store.sessionMark(session);
  const own = mark === null ? [] : [mark.run, ...mark.before].filter((name) => name !== null);
  if (own.length > 0) yield* listLive(context, own);
  else if (mark?.heard !== true) yield* listLive(context, [await findOwnRun(context)]);
}

async function* listLive(context: JudgingContext, names: readonly (string | null)[]): AsyncGenerator<RunHead> {
  for (const name of names) {
    const head = name === null ? null : await readRunHead(context, name);
    if (head?.snapshot.status === 'live') yield head;
  }
}

async function findFirst(heads: AsyncGenerator<RunHead>): Promise<RunHead | null> {
  for await (const head of heads) return head;
  return null;
}

/** Describes a run for the guard; null if it guards nothing. */
function describeGuardedRun(context: JudgingContext, head: RunHead): GuardedRun | null {
  const { recipe } = readCapturedRecipe(head);
  if (!isGuarded(recipe) || head.snapshot.unguarded === true) return null;
  const { name } = head.snapshot;
  const { engine, skill } = head.snapshot;
  const place = { root: context.root, workTree: context.workTree };
  const tasks = Object.values(engine?.tasks ?? {}).filter(({ substep }) => substep === 'worker');
  return {
    name,
    work: findGuardedWork(skill),
    writes: recipe.guardWrites,
    promised: listPromised(head.snapshot, place).map(({ path }) => path),
    tasks: tasks.flatMap(({ todoId }) => {
      const todo = engine?.todos[todoId ?? ''];
      return todo === undefined || todo.type === 'verification' ? [] : [todo.files];
    }),
  };
}
