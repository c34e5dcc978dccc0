import type { Answer } from '../../base/answer.js';
import { DevCliError, type Fix } from '../../base/errors.js';
import { toBoundedLine } from '../../documents/foreign.js';
import { acceptHead } from '../../engine/act/commits/commit-job.js';
import { describeBranch } from '../../engine/act/commits/message.js';
import { getWorkTree } from '../../jobs/job.js';
import type { Context } from '../../run/context.js';
import type { RunState } from '../../run/state.js';
import { transact } from '../../run/transact.js';
import { recordEntry } from '../../run/transaction.js';
import { readPresent } from '../../work/git.js';
import { toPersonContext } from '../trust/person.js';

// Questions to a person other than gates. A module of its own, loaded on demand.

/**
 * Asks the person whether waiting commits may be made on the present HEAD, which does not contain the run's last commit
 * (engine.md, Commits). The yes applies to the HEAD that is shown; the next call makes the commits.
 * @param snapshot the state of a run whose commits wait for this answer
 * @param choice the value of `--choice`, which this question does not accept
 * @throws DevCliError `UNKNOWN_CHOICE` for any answer except yes; `GIT_FAILED`, `IO`
 */
export async function approveHead(context: Context, snapshot: RunState, choice: string | undefined): Promise<Answer> {
  const { name, baseline, engine } = snapshot;
  const status: Fix = { command: 'status', input: { name } };
  refuseChoice(name, choice, status);
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
  if (!isYes(typed)) throw notAnsweredError(name, 'HEAD was not approved; the commits still wait.', status);
  await transact(toPersonContext(context), name, (tx) => {
    if (tx.state.engine?.waits !== undefined) acceptHead(tx, now);
  });
  return {
    exit: 0,
    json: { ok: true, run: name, head: now.head, branch: now.branch },
    text: (format) => `Recorded. The next call makes the commits: ${format({ command: 'next', input: { name } })}`,
  };
}

/**
 * Asks the person whether they intended sources to change in a step that must not change them. After a yes, repeating
 * the refused acknowledgement accepts the changes (harness.md, The second net).
 * @param choice the value of `--choice`, which this question does not accept
 * @throws DevCliError `UNKNOWN_CHOICE` for any answer except yes; `STALE_ACTION` if other files were refused meanwhile
 */
export async function acceptSources(context: Context, snapshot: RunState, choice: string | undefined): Promise<Answer> {
  const { name, sourcesRefused: asked } = snapshot;
  const paths = asked?.paths ?? [];
  const fix = 'Nothing changed. Put the files back as they were, or answer yes.';
  refuseChoice(name, choice, fix);
  const typed = await context.ask(
    [
      `These files outside .dev/ changed in "${name}" during a step that may not touch them:`,
      ...paths.map((path) => `  ${toBoundedLine(path, 1000)}`),
      'Type yes if that was intended; the run then accepts them as they are: ',
    ].join('\n'),
  );
  if (!isYes(typed)) throw notAnsweredError(name, 'The changed files were not accepted.', fix);
  await transact(toPersonContext(context), name, (tx) => {
    if (tx.state.sourcesRefused?.seq !== asked?.seq) {
      throw new DevCliError('STALE_ACTION', 'By now other files have been refused; this answer changed nothing.', {
        run: name,
        fix: { command: 'status', input: { name } },
      });
    }
    recordEntry(tx, 'human', { what: 'the changed files are intended' });
    tx.state.lastHuman = { seq: 0, at: tx.at };
  });
  return {
    exit: 0,
    json: { ok: true, run: name, taken: paths },
    text: () => 'Recorded. Tell the agent to repeat its acknowledgement.',
  };
}

function isYes(typed: string): boolean {
  return /^yes$/i.test(typed);
}

function refuseChoice(name: string, choice: string | undefined, fix: Fix): void {
  if (choice === undefined) return;
  throw notAnsweredError(name, 'This question has no choices: answer it with yes or no.', fix);
}

function notAnsweredError(name: string, message: string, fix: Fix): DevCliError {
  return new DevCliError('UNKNOWN_CHOICE', message, {
    run: name,
    fix,
    answer: { command: 'approve', input: { name } },
  });
}
