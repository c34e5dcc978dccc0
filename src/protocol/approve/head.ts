import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import { toBoundedLine } from '../../documents/foreign.js';
import { acceptHead } from '../../engine/act/commit-job.js';
import { describeBranch } from '../../engine/act/commit-message.js';
import { getWorkTree } from '../../jobs/job.js';
import type { Context } from '../../run/context.js';
import type { RunState } from '../../run/state.js';
import { transact } from '../../run/transact.js';
import { readPresent } from '../../work/git.js';
import { asPerson } from '../person.js';

/**
 * A person says that commits which wait because of where HEAD is may go there (engine.md, Commits): HEAD as it is shown,
 * no other. The next call makes them.
 * @param snapshot with commits that wait for that
 * @throws DevCliError `UNKNOWN_CHOICE` when the answer is no; `GIT_FAILED`, `IO`
 */
export async function approveHead(context: Context, snapshot: RunState, choice: string | undefined): Promise<Answer> {
  const { name, engine, baseline } = snapshot;
  if (choice !== undefined) throw notApprovedError(name, 'There is nothing to choose: HEAD is taken, or not.');
  const now = await readPresent(getWorkTree(context, snapshot), { signal: context.signal });
  if (now === null) throw new DevCliError('GIT_FAILED', 'There is no repository any more.', { run: name });
  const last = engine?.head?.last?.sha ?? baseline?.head ?? null;
  const typed = await context.ask(
    [
      `Commits of "${name}" wait: ${toBoundedLine(engine?.waits?.why ?? '', 300)}`,
      '',
      `  HEAD now               ${now.head ?? 'no commit'}, ${describeBranch(now.branch)}`,
      `  the run's last commit  ${last ?? 'none'}, ${describeBranch(engine?.head?.branch ?? null)}`,
      '',
      `Waiting: ${(engine?.deferred ?? []).slice(0, 20).join(', ')}`,
      'Type yes to have them made where HEAD is now, anything else to leave it: ',
    ].join('\n'),
  );
  if (!/^yes$/i.test(typed)) throw notApprovedError(name, 'HEAD was not taken; the commits go on waiting.');
  await transact(asPerson(context), name, (tx) => {
    if (tx.state.engine?.waits !== undefined) acceptHead(tx, now);
  });
  return {
    exit: 0,
    json: { ok: true, run: name, head: now.head, branch: now.branch },
    text: (written) => `Taken. The next call makes the commits: ${written({ command: 'next', input: { name } })}`,
  };
}

function notApprovedError(name: string, message: string): DevCliError {
  return new DevCliError('UNKNOWN_CHOICE', message, {
    run: name,
    fix: { command: 'status', input: { name } },
    answer: { command: 'approve', input: { name } },
  });
}
