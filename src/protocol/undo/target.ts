import { DevCliError } from '../../base/errors.js';
import { joinFirst } from '../../base/words.js';
import { listDependents } from '../../engine/core/scheduler.js';
import type { RunEngine } from '../../run/engine.js';
import type { RunState } from '../../run/state.js';

/** The todos that an undo affects. */
export interface UndoTarget {
  /** The todos that the command names, without duplicates. */
  named: string[];
  /** The todos whose commits are reverted: the named ones and, on request, their dependents. */
  undone: string[];
  /** The named todos and everything that depends on them, in plan order. */
  dependents: string[];
  /** The todos to be done again: the named ones and their dependents, if they were begun; in plan order. */
  reopened: string[];
}

/**
 * Determines which todos an undo affects.
 * @param todo ids separated by commas
 * @throws DevCliError `RUN_ENDED`, `NOT_REACHED`, `UNKNOWN_BLOCK`
 */
export function resolveUndo(state: RunState, todo: string, withDependents: boolean): UndoTarget {
  requireUnended(state);
  const { name, engine } = state;
  if (engine === null) {
    throw new DevCliError('NOT_REACHED', `"${name}" is not carrying out a plan.`, {
      run: name,
      fix: { command: 'status', input: { name } },
    });
  }
  const named = [...new Set(todo.split(',').map((word) => word.trim()))];
  for (const id of named) if (!Object.hasOwn(engine.todos, id)) throw buildUnknownError(name, engine, id);
  const redone = new Set(named.flatMap((id) => [id, ...listDependents(engine, id)]));
  const reopened = engine.order.filter((id) => redone.has(id) && engine.todos[id]?.attempt !== 0);
  const dependents = engine.order.filter((id) => redone.has(id));
  return { named, reopened, dependents, undone: withDependents ? dependents : named };
}

/**
 * Refuses to undo work of a run that has ended; the user must revert it with git.
 * @throws DevCliError `RUN_ENDED`
 */
export function requireUnended({ name, status, origin, engine }: RunState): void {
  if (status !== 'completed' && status !== 'aborted') return;
  throw new DevCliError('RUN_ENDED', `The run "${name}" is ${status}; its todos cannot be redone.`, {
    run: name,
    fix: `Nothing changed. ${engine === null ? 'The run carried out no plan.' : describeRevert(name, origin)}`,
  });
}

function describeRevert(name: string, origin: RunState['origin']): string {
  if (origin === null) {
    return `Revert its commits with git, by their Dev-Cli-Task trailers, and untick their todos in PLAN.md; /execute ${name} then carries them out.`;
  }
  const trailer = `^Dev-Cli-Goal: ${origin.id.replaceAll('.', '\\.')}$`;
  return `If the goal is done, the branch has its work as one commit: find it with git log --grep '${trailer}', and revert it with git.`;
}

/** How many todos a refusal lists. No similar id is suggested, because undoing the wrong todo would destroy work. */
const TODOS_NAMED = 20;

function buildUnknownError(name: string, engine: RunEngine, id: string): DevCliError {
  return new DevCliError('UNKNOWN_BLOCK', `The plan of "${name}" has no todo ${JSON.stringify(id.slice(0, 40))}.`, {
    run: name,
    fix: `Its todos: ${joinFirst(engine.order, TODOS_NAMED)}.`,
  });
}

/**
 * Finds work in progress that an undo would disturb: files must not change while a worker edits them or one of
 * dev-cli's own jobs reads them.
 * @returns the refusal `RUN_BUSY`, or null if nobody is working
 */
export function findWork(state: RunState, { reopened }: UndoTarget): DevCliError | null {
  const { name } = state;
  const { tasks = {}, job = null } = state.engine ?? {};
  const out = Object.values(tasks).filter(({ todoId }) => todoId === null || !reopened.includes(todoId));
  const atWork = [
    ...out.map(({ todoId, substep }) => ({ target: todoId ?? name, problem: `${substep} is in progress` })),
    ...(job === null ? [] : [{ target: job.todo ?? name, problem: `dev-cli is at work: ${job.stage}` }]),
  ];
  if (atWork.length === 0) return null;
  return new DevCliError('RUN_BUSY', 'Work on the sources is under way; nothing was reverted.', {
    run: name,
    details: atWork,
    fix: [
      'Wait until the work listed in `details` is finished, then repeat the command. To prevent new work from starting meanwhile, hold the run: ',
      { command: 'hold', input: { name } },
    ],
  });
}
