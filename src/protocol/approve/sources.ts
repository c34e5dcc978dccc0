import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import { toBoundedLine } from '../../documents/foreign.js';
import type { Context } from '../../run/context.js';
import type { RunState } from '../../run/state.js';
import { transact } from '../../run/transact.js';
import { recordEntry } from '../../run/transaction.js';
import { asPerson } from '../trust/person.js';

/**
 * Asks the person whether sources that changed in a step that may not touch them are meant to be so. After a yes the
 * refused acknowledgement, repeated, accepts them (harness.md, The second net).
 * @param choice what was given with `--choice`, which this question does not take
 * @throws DevCliError `UNKNOWN_CHOICE` for anything but a yes; `STALE_ACTION` when other files were refused meanwhile
 */
export async function acceptSources(context: Context, snapshot: RunState, choice: string | undefined): Promise<Answer> {
  const { name } = snapshot;
  const { sourcesRefused: asked } = snapshot;
  const paths = asked?.paths ?? [];
  if (choice !== undefined) throw notAcceptedError(name, 'This question has no choices: answer it with yes or no.');
  const typed = await context.ask(
    [
      `These files outside .dev/ changed in "${name}" during a step that may not touch them:`,
      ...paths.map((path) => `  ${toBoundedLine(path, 1000)}`),
      'Type yes if that was intended; the run then accepts them as they are: ',
    ].join('\n'),
  );
  if (!/^yes$/i.test(typed)) throw notAcceptedError(name, 'The changed files were not accepted.');
  await transact(asPerson(context), name, (tx) => {
    const { state } = tx;
    if (tx.state.sourcesRefused?.seq !== asked?.seq) throw staleQuestionError(name);
    recordEntry(tx, 'human', { what: 'the files that had changed are as they should be' });
    state.lastHuman = { seq: 0, at: tx.at };
  });
  return {
    exit: 0,
    json: { ok: true, run: name, taken: paths },
    text: () => 'Recorded. Tell the agent to repeat its acknowledgement.',
  };
}

function notAcceptedError(name: string, message: string): DevCliError {
  return new DevCliError('UNKNOWN_CHOICE', message, {
    run: name,
    fix: 'Nothing changed. Put the files back as they were, or answer yes.',
    answer: { command: 'approve', input: { name } },
  });
}

function staleQuestionError(name: string): DevCliError {
  return new DevCliError('STALE_ACTION', 'Other files were refused meanwhile; this answer changed nothing.', {
    run: name,
    fix: { command: 'status', input: { name } },
  });
}
