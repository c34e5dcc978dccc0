import { DevCliError } from '../../base/errors.js';
import type { Context } from '../../run/context.js';
import { runsWhere } from '../find-run.js';

/**
 * The one run in which something waits for a person: a gate, sources that were refused, or commits that wait for HEAD.
 * @throws DevCliError `NAME_REQUIRED` where there are several, `DATA_UNEXPECTED` where there is none
 */
export async function findWaiting(context: Context): Promise<string> {
  const waiting = await runsWhere(
    context,
    ({ status, pendingAction, sourcesRefused, engine }) =>
      (status === 'live' && (pendingAction?.action.action === 'wait-for-user' || sourcesRefused !== null)) ||
      (status !== 'aborted' && engine?.waits?.head === true),
  );
  const [name, ...more] = waiting;
  if (name === undefined) {
    throw new DevCliError('DATA_UNEXPECTED', 'No run waits for a person.', { fix: { command: 'list', input: {} } });
  }
  if (more.length === 0) return name;
  throw new DevCliError('NAME_REQUIRED', `Several runs wait for a person: ${waiting.join(', ')}.`, {
    details: waiting.map((target) => ({ target, problem: 'waits for a person' })),
    fix: 'Say which one is meant.',
    answer: { command: 'approve', input: { name } },
  });
}
