import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import { toBoundedLine } from '../../documents/foreign.js';
import { acceptHead } from '../../engine/act/commits/commit-job.js';
import { describeBranch } from '../../engine/act/commits/message.js';
import { getWorkTree } from '../../jobs/job.js';
import type { Context } from '../../run/context.js';
import type { RunState } from '../../run/state.js';
import { transact } from '../../run/transact.js';
import { readPresent } from '../../work/git.js';
import { asPerson } from '../trust/person.js';

/**
 * Asks the person whether waiting commits may be made on the present HEAD, which does not hold the run's last commit
 * (engine.md, Commits). The yes is for the HEAD that is shown, and the next call makes the commits.
 * @param snapshot of a run whose commits wait for that
 * @param choice what was given with `--choice`, which this question does not take
 * @throws DevCliError `UNKNOWN_CHOICE` for anything but a yes; `GIT_FAILED`, `IO`
 */
export async function approveHead(context: Context, snapshot: RunState, choice: string | undefined): Promise<Answer> {
  const { name, baseline } = snapshot;
  const { engine } = snapshot;
  if (choice !== undefined) throw notApprovedError(name, 'This question has no choices: answer it with yes or no.');
  const now = await readPresent(getWorkTree(context, snapshot), { signal: context.signal });
  if (now === null) throw new DevCliError('GIT_FAILED', 'The repository is gone.', { run: name });
  const last = engine?.head?.last?.sha ?? baseline?.head ?? null;
  const typed = await context.ask(
    [
      `Commits of "${name}" wait: ${toBoundedLine(engine?.waits?.why ?? '', 300)}`,
      '',
      `  HEAD now               ${now.head ?? 'no commit'}, ${describeBranch(now.branch)}`,
      `  the run's last commit  ${last ?? 'none'}, ${describeBranch(engine?.head?.branch ?? null)}`,
      '',
      `Waiting: ${(engine?.deferred ?? []).slice(0, 20).join(', ')}`,
      'Type yes to commit them on the current HEAD, anything else to let them wait: ',
    ].join('\n'),
  );
  if (!/^yes$/i.test(typed)) throw notApprovedError(name, 'HEAD was not approved; the commits still wait.');
  await transact(asPerson(context), name, (tx) => {
    if (tx.state.engine?.waits !== undefined) acceptHead(tx, now);
  });
  return {
    exit: 0,
    json: { ok: true, run: name, head: now.head, branch: now.branch },
    text: (format) => `Recorded. The next call makes the commits: ${format({ command: 'next', input: { name } })}`,
  };
}

function notApprovedError(name: string, message: string): DevCliError {
  return new DevCliError('UNKNOWN_CHOICE', message, {
    run: name,
    fix: { command: 'status', input: { name } },
    answer: { command: 'approve', input: { name } },
  });
}
