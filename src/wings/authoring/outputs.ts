import { leavesRun } from '../../recipe/writes.js';
import type { PendingAction, TaskView } from '../../run/action.js';
import { scriptError } from './fault.js';
import { type Fixtures, readSaid } from './fixtures.js';
import { REHEARSAL_RUN } from './rehearsal.js';
import type { Deed } from './script-schema.js';

/** Reads the outputs that a script gives, and lists the names by which it may refer to them. */

/**
 * Separates a script's outputs into those that the action promises (`left`) and other files of the run, which the
 * script merely wants written (`puts`).
 * @throws DevCliError for a key that is neither
 */
export function splitOutputs(action: PendingAction, { outputs = {} }: Deed, fixtures: Fixtures) {
  const promised = new Set(listPromised(action).flat());
  const left: Record<string, unknown> = {};
  const puts: [string, string][] = [];
  for (const [key, said] of Object.entries(outputs)) {
    if (promised.has(key)) {
      left[key] = typeof said === 'string' ? readSaid(said, fixtures, `outputs/${key}`) : said;
      continue;
    }
    if (!/[./]/.test(key) || leavesRun(key)) {
      const known = [...promised].join(', ');
      throw scriptError(
        `outputs/${key.replace(/~/g, '~0').replace(/\//g, '~1')}`,
        `${JSON.stringify(key)} is neither a promised output of this action nor a path in the run's directory.`,
        known === '' ? undefined : `It promises ${known}.`,
      );
    }
    const text = typeof said === 'string' ? readSaid(said, fixtures, `outputs/${key}`) : JSON.stringify(said);
    puts.push([key, text]);
  }
  return { left, puts };
}

/** Lists the outputs that an action promises; each output is given by all names that a script may use for it. */
function listPromised(action: PendingAction): string[][] {
  if (action.action === 'dispatch-subagents')
    return action.agents.map(({ id, output }) => (output === undefined ? [id] : [id, toRunPath(output)]));
  if (action.action === 'engine-dispatch') return [...action.tasks, ...action.running].map(listTaskNames);
  return 'data' in action && action.data !== undefined ? [[toRunPath(action.data.write)]] : [];
}

/** Returns the names of a task: `todo-1/verify`, `verify`, `todo-1`. */
export function listTaskNames({ todoId, substep }: Pick<TaskView, 'todoId' | 'substep'>): string[] {
  return todoId === null ? [substep] : [`${todoId}/${substep}`, substep, todoId];
}

/** Converts a displayed path to one relative to the run's directory. */
export const toRunPath = (path: string) => path.replace(`.dev/specs/${REHEARSAL_RUN}/`, '');
