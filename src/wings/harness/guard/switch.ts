import type { Answer } from '../../../base/answer.js';
import { DevCliError } from '../../../base/errors.js';
import { findRun } from '../../../protocol/find/find-run.js';
import { requireTerminal, toPersonContext } from '../../../protocol/trust/person.js';
import type { Context } from '../../../run/context.js';
import { transact } from '../../../run/transact.js';
import { recordEntry } from '../../../run/transaction.js';

/**
 * `guard off` and `guard on`: lets a person disable and enable the guard of a live run (harness.md, Guard). The setting
 * ends with the run.
 * @throws DevCliError `TERMINAL_REQUIRED`; `DATA_UNEXPECTED` for a run that has ended
 */
export async function switchGuard(context: Context, given: string | undefined, to: 'on' | 'off'): Promise<Answer> {
  const name = await findRun(context, given, true);
  requireTerminal(context, { command: `guard ${to}`, input: { name } }, name);
  await transact(toPersonContext(context), name, (tx) => {
    const { state } = tx;
    if (state.status !== 'live') {
      throw new DevCliError('DATA_UNEXPECTED', `"${name}" has ended, so its guard is off.`, {
        run: name,
        fix: { command: 'status', input: { name } },
      });
    }
    if ((state.unguarded === true) === (to === 'off')) return;
    if (to === 'off') state.unguarded = true;
    else delete state.unguarded;
    recordEntry(tx, 'human', { what: `guard ${to}` });
  });
  return {
    exit: 0,
    json: { ok: true, run: name, guard: to },
    text: () =>
      to === 'off'
        ? `Tools may write anywhere until "${name}" ends or you run \`dev-cli guard on ${name}\`.`
        : `The guard of "${name}" is on again.`,
  };
}
