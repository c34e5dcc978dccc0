import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import { toBoundedLine } from '../../documents/foreign.js';
import { grantTrust, isTrusted } from '../../project/trust.js';
import { PREFERENCES_FILE } from '../../recipe/settings/project-settings.js';
import type { Context } from '../../run/context.js';
import { computeCloneDigest, computeNotifyDigest } from './digests.js';
import { requireTerminal } from './person.js';

const ANSWER = { command: 'trust', input: { recipe: 'preferences' } };

/**
 * Whether the permissions in .dev/preferences.yaml count, because a person has trusted this version of the file in this
 * clone (engine.md, Approvals). That the file is committed is not enough, because every clone has it.
 * @param text content of the file
 * @throws DevCliError `IO`
 */
export function arePreferencesTrusted(context: Context, text: string): boolean {
  return isTrusted(context.trustDirectory, computeCloneDigest(context, 'preferences', text));
}

/**
 * `trust preferences`: asks the person to trust this version of the project's preferences in this clone.
 * @throws DevCliError `TERMINAL_REQUIRED`, `DATA_MISSING` if the file does not exist, `UNKNOWN_CHOICE` for any answer
 * except yes
 */
export async function trustPreferences(context: Context): Promise<Answer> {
  requireTerminal(context, ANSWER);
  const text = context.reader.read(`${context.root}/${PREFERENCES_FILE}`);
  if (text === null) {
    throw new DevCliError('DATA_MISSING', `There is no ${PREFERENCES_FILE}.`, { fix: 'Write it first.' });
  }
  const lines = text.trimEnd().split('\n');
  const typed = await context.ask(
    [
      `${PREFERENCES_FILE} says:`,
      ...lines.map((line) => `  ${toBoundedLine(line, 1000)}`),
      'Trust it in this version? y or n: ',
    ].join('\n'),
  );
  if (!/^y(es)?$/i.test(typed)) {
    throw new DevCliError('UNKNOWN_CHOICE', `${PREFERENCES_FILE} was not trusted.`, {
      fix: 'Nothing changed.',
      answer: ANSWER,
    });
  }
  const digest = computeCloneDigest(context, 'preferences', text);
  grantTrust(context.trustDirectory, digest);
  grantTrust(context.trustDirectory, computeNotifyDigest(context.root, text));
  return {
    exit: 0,
    json: { ok: true, preferences: PREFERENCES_FILE, digest },
    text: () => `${PREFERENCES_FILE} is trusted in this version.`,
  };
}
