import { omitUndefined } from '../../base/defined.js';
import { DevCliError } from '../../base/errors.js';
import type { Invocation } from '../../base/invocation.js';
import { toBoundedLine } from '../../documents/foreign.js';
import type { RunState } from '../../run/state.js';
import type { GitOptions } from '../../work/git-command.js';
import { listLaterCommits, planUndo, type UndoPlan } from '../../work/undo.js';
import { readUndoHistory } from '../../work/undo-search.js';
import type { UndoTarget } from './target.js';

/** A conflict that prevents a revert: the commit that cannot be reverted, and the paths changed since. */

type Conflict = Extract<UndoPlan, { kind: 'conflict' }>;

/** How often the search for conflicting commits is repeated at most. */
const ROUNDS = 20;

/**
 * Builds the refusal to revert commits that conflict. It names the command that would also revert the conflicting
 * todos, or says that undoing other todos of the run would not help.
 * @param note the person's note, repeated in that command
 * @throws DevCliError `GIT_FAILED`, `INTERRUPTED`
 */
export async function explainConflict(
  { runId, ...state }: RunState,
  target: UndoTarget,
  { conflict, top, note }: { conflict: Conflict; top: string; note: string | undefined },
  options: GitOptions,
): Promise<DevCliError> {
  const { name } = state;
  const { commit, paths } = conflict;
  const { order = [] } = state.engine ?? {};
  const search = { top, runId, order, options };
  const added = await findWay(search, target, conflict);
  const call = added === null ? null : await buildCall(search, target, added);
  const todo = target.named.join(',');
  const redo: Invocation = { command: 'step invalidate', input: { name, step: todo } };
  const message = `The commit ${commit.sha.slice(0, 7)} of ${commit.todos.join(', ')} cannot be reverted without a conflict; nothing changed.`;
  return new DevCliError('UNDO_CONFLICT', message, {
    run: name,
    details: paths.map(({ path, later }) => ({
      target: path,
      problem: later.length === 0 ? 'conflicts' : `changed since by ${toBoundedLine(later.join('; '), 500)}`,
    })),
    ...(added === null || call === null
      ? {
          fix: [
            'Undoing other todos as well would not help: use git to revert what `details` lists, then repeat the command. Or redo the todo without a revert: ',
            redo,
          ],
        }
      : {
          fix: [
            `Later work of ${added.join(', ')} conflicts with it. To see what undoing that as well would change: `,
            { command: 'step undo', input: { name, ...call, dryRun: true } },
            '. Or redo the todo without a revert: ',
            redo,
          ],
          answer: { command: 'step undo', input: { name, ...call, ...omitUndefined({ note }) } },
        }),
  });
}

interface Search {
  top: string;
  runId: string;
  order: readonly string[];
  options: GitOptions;
}

/** Finds the todos whose work must also be reverted, newest first; null if reverting more would not help. */
async function findWay(search: Search, { undone }: UndoTarget, first: Conflict): Promise<string[] | null> {
  const { top, runId, order, options } = search;
  const { made } = await readUndoHistory(top, runId, order, options);
  const added: string[] = [];
  let conflict = first;
  for (let round = 0; round < ROUNDS; round += 1) {
    const { commit, paths } = conflict;
    const later = await listLaterCommits(
      top,
      commit.sha,
      paths.map(({ path }) => path),
      options,
    );
    const inTheWay = made.filter(({ sha }) => later.has(sha)).flatMap(({ todos }) => todos);
    const more = [...new Set(inTheWay)].filter((todo) => !undone.includes(todo) && !added.includes(todo));
    if (more.length === 0) return null;
    added.push(...more);
    const plan = await tryAll(search, [...undone, ...added]);
    if (plan.kind === 'shallow') return null;
    // Undoing these todos too is free of conflicts. Uncommitted work may still be in the way; the suggested command
    // reports it.
    if (plan.kind !== 'conflict') return added;
    conflict = plan;
  }
  return null;
}

async function tryAll({ top, runId, options }: Search, todos: readonly string[]): Promise<UndoPlan> {
  const { made } = await readUndoHistory(top, runId, todos, options);
  return planUndo(top, made, options);
}

/**
 * Builds the input of the suggested command: `--with-dependents` if all conflicting todos depend on the named ones and
 * all dependents can be reverted without a conflict; otherwise a list of the todos.
 */
async function buildCall(search: Search, { named, undone, dependents }: UndoTarget, added: readonly string[]) {
  const isDependent = undone.length < dependents.length && added.every((id) => dependents.includes(id));
  if (isDependent && (await tryAll(search, dependents)).kind === 'clean') {
    return { todo: named.join(','), withDependents: true };
  }
  const withDependents = undone.length > named.length ? { withDependents: true } : {};
  return { todo: [...named, ...added].join(','), ...withDependents };
}
