import { DevCliError } from '../../base/errors.js';
import { joinFirst } from '../../base/words.js';
import { listDependents } from '../../engine/core/scheduler.js';
import type { RunEngine } from '../../run/engine.js';
import type { RunState } from '../../run/state.js';

/** What is to be taken back. */
export interface UndoTarget {
  /** As named, each once. */
  named: string[];
  /** Those whose commits are taken back: the named ones, and on demand their dependents. */
  undone: string[];
  /** The named ones and all that depends on them, in plan order. */
  dependents: string[];
  /** Those that are done again: of the named ones and their dependents all that were begun, in plan order. */
  reopened: string[];
}

/**
 * Resolves which todos are meant.
 * @param todo ids separated by commas
 * @throws DevCliError `RUN_ENDED`, `NOT_REACHED`, `UNKNOWN_BLOCK`
 */
export function resolveUndo(state: RunState, todo: string, withDependents: boolean): UndoTarget {
  const { name, status } = state;
  if (status === 'completed' || status === 'aborted') {
    throw new DevCliError('RUN_ENDED', `The run "${name}" is ${status}; its todos cannot be redone.`, {
      run: name,
      fix: 'Nothing changed. Revert its commits with git, by their Dev-Cli-Task trailers; a new run carries out what PLAN.md has unticked.',
    });
  }
  const { engine } = state;
  if (engine === null) {
    throw new DevCliError('NOT_REACHED', `"${name}" carries out no plan at present.`, {
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

/** Todos that a refusal names. Which of them was meant is not guessed: what it would lead to is too grave. */
const TODOS_NAMED = 20;

function buildUnknownError(name: string, engine: RunEngine, id: string): DevCliError {
  return new DevCliError('UNKNOWN_BLOCK', `The plan of "${name}" has no todo ${JSON.stringify(id.slice(0, 40))}.`, {
    run: name,
    fix: `Its todos: ${joinFirst(engine.order, TODOS_NAMED)}.`,
  });
}

/**
 * Finds work on the sources: a worker must not lose the ground below its feet, and dev-cli's own jobs read them.
 * @returns the refusal `RUN_BUSY`, or null where nobody is at work
 */
export function findWork(state: RunState, { reopened }: UndoTarget): DevCliError | null {
  const { name } = state;
  const { tasks = {}, job = null } = state.engine ?? {};
  const out = Object.values(tasks).filter(({ todoId }) => todoId === null || !reopened.includes(todoId));
  const atWork = [
    ...out.map(({ todoId, substep }) => ({ target: todoId ?? name, problem: `${substep} is out` })),
    ...(job === null ? [] : [{ target: job.todo ?? name, problem: `dev-cli is at work: ${job.stage}` }]),
  ];
  if (atWork.length === 0) return null;
  return new DevCliError('RUN_BUSY', 'Work on the sources is under way; nothing was reverted.', {
    run: name,
    details: atWork,
    fix: [
      'Wait until what `details` names is finished, then repeat the command. To keep new work from beginning meanwhile, hold the run: ',
      { command: 'hold', input: { name } },
    ],
  });
}
