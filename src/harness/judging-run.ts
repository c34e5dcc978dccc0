import { isOlderRun } from '../base/older-run.js';
import { findGuardedWork, isGuarded } from '../recipe/declared.js';
import { readCapturedRecipe } from '../run/captured-recipe.js';
import type { Context, ReadContext } from '../run/context.js';
import type { RunHead } from '../run/state.js';
import type { GuardedRun } from './guard.js';
import { listPromised } from './promised.js';

/** Which run an event of a harness concerns, and what the guard has to know of it (harness.md, Guard; harness.md, Sessions). */

/** What it takes to judge a call: nothing is written. */
export interface JudgingContext extends Pick<ReadContext, 'root' | 'workTree' | 'boundRun' | 'caller'> {
  store: ReadContext['store'] & Pick<Context['store'], 'sessionMark'>;
  /** The user's home directory. */
  home: string;
}

/** Reads a run; null where there is none that this version knows. @throws what the store throws */
export async function readHead({ store }: Pick<ReadContext, 'store'>, name: string): Promise<RunHead | null> {
  try {
    const head = await store.read(name);
    return head.snapshot === null ? null : { ...head, snapshot: head.snapshot };
  } catch (error) {
    if (isOlderRun(error)) return null;
    throw error;
  }
}

/** The live run that a session is bound to, or null. */
export async function findBoundRun(context: Context, session: string): Promise<RunHead | null> {
  const name = await context.store.session(session);
  const head = name === null ? null : await readHead(context, name);
  return head?.snapshot.status === 'live' ? head : null;
}

/**
 * Finds the run that judges what a session writes: the one it is bound to or, once that has ended, the last live one that it was
 * bound to before. A session that hooks have told of and that is bound to none is left alone; where no hook tells of sessions, the
 * active run judges.
 */
export async function findJudgingRun(context: JudgingContext, session: string): Promise<RunHead | null> {
  const mark = await context.store.sessionMark(session);
  if (mark?.heard && !mark.run) return null;
  const names = mark?.run ? [mark.run, ...mark.before] : [context.boundRun ?? (await context.store.active())];
  for (const name of names) {
    const head = name === null ? null : await readHead(context, name);
    if (head?.snapshot.status === 'live') return head;
  }
  return null;
}

/** Describes a run for the guard; null where it guards nothing. */
export function describeGuardedRun(context: JudgingContext, head: RunHead): GuardedRun | null {
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
