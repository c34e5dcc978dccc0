import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import { toBoundedLine } from '../../documents/foreign.js';
import type { Context } from '../../run/context.js';
import type { RunState } from '../../run/state.js';
import { transact } from '../../run/transact.js';
import { recordEntry } from '../../run/transaction.js';
import { asPerson } from '../person.js';

/**
 * A person says that sources which changed in a phase that may not touch them are as they should be: the acknowledgement
 * that was refused for them then takes them as given (harness.md, The second net).
 * @throws DevCliError `UNKNOWN_CHOICE` for anything but a yes; `STALE_ACTION` when something else is refused by then
 */
export async function acceptSources(
  context: Context,
  { name, sourcesRefused: asked }: RunState,
  choice: string | undefined,
): Promise<Answer> {
  const paths = asked?.paths ?? [];
  if (choice !== undefined)
    throw notAcceptedError(name, 'There is nothing to choose: changed files are taken, or not.');
  const typed = await context.ask(
    [
      `These files outside .dev/ changed in "${name}" during a step that may not touch them:`,
      ...paths.map((path) => `  ${toBoundedLine(path, 1000)}`),
      'Type yes if that was meant, and the run takes them as they are: ',
    ].join('\n'),
  );
  if (!/^yes$/i.test(typed)) throw notAcceptedError(name, 'The changed files were not taken.');
  await transact(asPerson(context), name, (tx) => {
    const { state } = tx;
    if (state.sourcesRefused?.seq !== asked?.seq) throw staleQuestionError(name);
    recordEntry(tx, 'human', { what: 'the files that had changed are as they should be' });
    state.lastHuman = { seq: 0, at: tx.at };
  });
  return {
    exit: 0,
    json: { ok: true, run: name, taken: paths },
    text: () => 'Taken. Tell the agent to go on; it repeats its acknowledgement.',
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
  return new DevCliError('STALE_ACTION', 'What was asked about has changed meanwhile.', {
    run: name,
    fix: { command: 'status', input: { name } },
  });
}
