import type { Answer } from '../base/answer.js';
import { DevCliError } from '../base/errors.js';
import { checkedName } from '../base/name.js';
import type { Context } from './context.js';
import { readRun } from './running.js';

/**
 * `use <name>`: makes a run the active one.
 * @throws DevCliError `NO_SUCH_RUN`; `RUN_ENDED` for a completed or aborted run, and for one with a work tree of its own
 */
export async function use(context: Context, given: string): Promise<Answer> {
  const name = checkedName(given);
  const { snapshot } = await readRun(context, name);
  if (snapshot.status === 'completed' || snapshot.status === 'aborted') {
    throw new DevCliError('RUN_ENDED', `The run "${name}" is ${snapshot.status}.`, {
      run: name,
      fix: { command: 'list', input: {} },
    });
  }
  if (snapshot.origin !== null || snapshot.workTree !== '.') {
    throw new DevCliError('USAGE', `The run "${name}" has a work tree of its own and is used from there.`, {
      run: name,
      fix: `Work in ${snapshot.workTree}.`,
    });
  }
  await context.store.setActive(name);
  if (context.session !== null) await context.store.bindSession(context.session, name);
  return { exit: 0, json: { ok: true, run: name }, text: () => `${name} is the active run now` };
}
