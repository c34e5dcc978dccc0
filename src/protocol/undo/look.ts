import { resolve } from 'node:path';
import { DevCliError } from '../../base/errors.js';
import { toBoundedLine } from '../../documents/foreign.js';
import { getWorkTree } from '../../jobs/job.js';
import type { Context } from '../../run/context.js';
import type { RunState } from '../../run/state.js';
import { readCommitSetting } from '../../work/commit.js';
import { findCommitObstacle } from '../../work/commit-head.js';
import { readPresent } from '../../work/git.js';
import { findRepository, nullIfRefused } from '../../work/git-command.js';
import { listBranchesWith, planUndo, type UndoObstacle, type UndoPlan } from '../../work/undo.js';
import { readUndoHistory, type TodoCommit } from '../../work/undo-search.js';
import { explainConflict } from './conflict.js';
import type { UndoTarget } from './target.js';

/** The findings in the repository that decide what an undo does. */
export interface UndoFindings {
  /** Absolute path of the repository's top directory. */
  top: string;
  /** Whether the user's commits are signed. */
  signs: boolean;
  /** The commits to revert, newest first. */
  commits: TodoCommit[];
  /**
   * For each todo that an interrupted call has reverted without recording it in the run: the commit that reverted it.
   */
  unrecorded: Map<string, string>;
  plan: Extract<UndoPlan, { kind: 'clean' }>;
  /** Whether the run's state still lists a commit for at least one of the todos to undo. */
  isCounted: boolean;
  /** Whether nothing is left to do: a revert would change no file, and the run's state lists no commit of the todos. */
  isDone: boolean;
}

/**
 * Determines what reverting the commits of todos would do. Changes nothing.
 * @param note the person's note, repeated in a command that a refusal names
 * @throws DevCliError `UNDO_IMPOSSIBLE`, `UNDO_CONFLICT`, `GIT_FAILED`, `IO`, `INTERRUPTED`
 */
export async function lookAtUndo(
  context: Context,
  state: RunState,
  target: UndoTarget,
  note: string | undefined,
): Promise<UndoFindings> {
  const options = { signal: context.signal };
  const workTree = getWorkTree(context, state);
  const repository = await findRepository(workTree, options);
  const setting = repository.kind === 'repository' ? await readCommitSetting(workTree, options) : null;
  if (repository.kind !== 'repository' || setting === null) throw buildImpossibleError(state, 'there is no repository');
  const hindrance = await findCommitObstacle(setting.places);
  if (hindrance !== null) throw buildImpossibleError(state, hindrance);
  await refuseHead(context, state);
  const top = resolve(workTree, repository.top);
  const { made, undone } = await readUndoHistory(top, state.runId, target.undone, options);
  const missing = target.named.filter((todo) => !undone.has(todo) && !made.some(({ todos }) => todos.includes(todo)));
  for (const todo of missing) throw await explainMissing(state, todo, top, options);
  refuseShared(state, target, made);
  const planned = await planUndo(top, made, options);
  if (planned.kind === 'conflict')
    throw await explainConflict(state, target, { conflict: planned, top, note }, options);
  const plan = requireClean(state, planned);
  const counted = listCounted(state, target);
  const unrecorded = [...undone].filter(([todo]) => counted.includes(todo));
  const isCounted = counted.length > 0;
  const isDone = plan.paths.length === 0 && !isCounted;
  return { top, signs: setting.signs, commits: made, unrecorded: new Map(unrecorded), plan, isCounted, isDone };
}

/** Lists those of the todos to undo for which the run's state still lists a commit. */
export function listCounted(state: RunState, { undone }: UndoTarget): string[] {
  const { todos = {} } = state.engine ?? {};
  return undone.filter((todo) => todos[todo]?.commit !== undefined);
}

async function refuseHead(context: Context, state: RunState): Promise<void> {
  const { head } = state.engine ?? {};
  const now = await readPresent(getWorkTree(context, state), { signal: context.signal });
  if (now?.head === null) throw buildImpossibleError(state, 'HEAD is on a branch without a commit');
  if (now?.branch !== null || typeof head?.branch !== 'string') return;
  throw buildImpossibleError(state, `HEAD is detached, and the run commits to ${toBoundedLine(head.branch, 100)}`);
}

async function explainMissing(state: RunState, todo: string, top: string, options: object): Promise<DevCliError> {
  const { deferred = [], todos } = state.engine ?? {};
  if (deferred.includes(todo)) return buildImpossibleError(state, `the commit of ${todo} is deferred and not made yet`);
  const sha = todos?.[todo]?.commit;
  if (sha === undefined) return buildImpossibleError(state, `${todo} has no commit of this run`);
  const branches = (await nullIfRefused(listBranchesWith(top, sha, options))) ?? [];
  const short = sha.slice(0, 7);
  if (branches.length === 0) return buildImpossibleError(state, `the commit ${short} of ${todo} no longer exists`);
  const named = branches.slice(0, 5).map((branch) => toBoundedLine(branch, 100));
  return buildImpossibleError(state, `the commit ${short} of ${todo} is not on this HEAD but on ${named.join(', ')}`);
}

function buildImpossibleError({ name }: Pick<RunState, 'name'>, why: string): DevCliError {
  return new DevCliError('UNDO_IMPOSSIBLE', `Nothing can be reverted: ${why}.`, {
    run: name,
    fix: 'Nothing changed. Fix that if possible, then repeat the command; `step invalidate` redoes a todo without a revert.',
  });
}

/**
 * Refuses commits that somebody has squashed with other todos' work, since a commit is reverted as a whole or not at
 * all.
 */
function refuseShared({ name }: RunState, { undone }: UndoTarget, made: readonly TodoCommit[]): void {
  const shared = made.filter(({ todos }) => todos.some((todo) => !undone.includes(todo)));
  if (shared.length === 0) return;
  const all = [...new Set([...undone, ...shared.flatMap(({ todos }) => todos)])];
  throw new DevCliError('UNDO_CONFLICT', 'A commit also contains work of other todos; nothing changed.', {
    run: name,
    details: shared.map(({ sha, todos }) => ({ target: sha, problem: `contains the work of ${todos.join(', ')}` })),
    fix: `Name them all: --todo ${all.join(',')}`,
  });
}

const HINDRANCES: Readonly<Record<UndoObstacle, string>> = {
  uncommitted: 'has uncommitted changes',
  unseen: 'git ignores changes of it: it is assumed unchanged, or outside a sparse checkout',
  submodule: 'a submodule, whose checkout only you can move',
};

function buildBlockedError(run: string, paths: Extract<UndoPlan, { kind: 'blocked' }>['paths']): DevCliError {
  const isWork = paths.every(({ by }) => by === 'uncommitted');
  const message = isWork
    ? 'Uncommitted work is in the way; nothing changed.'
    : 'Not all of these files can be reverted; nothing changed.';
  return new DevCliError('UNDO_CONFLICT', message, {
    run,
    details: paths.map(({ path, by }) => ({ target: path, problem: HINDRANCES[by] })),
    fix: isWork
      ? 'Commit these files, or set them aside with git stash, then repeat the command.'
      : 'Have git track these files again, and revert the commits of a submodule with git revert; then repeat the command, which reopens the todo.',
  });
}

function requireClean({ name }: RunState, plan: Exclude<UndoPlan, { kind: 'conflict' }>): UndoFindings['plan'] {
  switch (plan.kind) {
    case 'clean':
      return plan;
    case 'blocked':
      throw buildBlockedError(name, plan.paths);
    case 'shallow':
      throw buildImpossibleError(
        { name },
        `the parent of the commit ${plan.commit.sha.slice(0, 7)} of ${plan.commit.todos.join(', ')} is not in this shallow clone (git fetch --unshallow brings it)`,
      );
  }
}
