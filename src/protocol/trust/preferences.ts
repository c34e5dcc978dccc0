import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import { sha256 } from '../../base/sha256.js';
import { toBoundedLine } from '../../documents/foreign.js';
import { isTrusted, trust } from '../../project/trust.js';
import { PREFERENCES_FILE } from '../../recipe/project-settings.js';
import type { Context } from '../../run/context.js';
import { readCommittedContent } from '../../work/git.js';
import { requireTerminal } from '../person.js';
import { computeNotifyDigest } from './notify-digest.js';

const ANSWER = { command: 'trust', input: { recipe: 'preferences' } };

/**
 * Whether .dev/preferences.yaml counts as the user's word: it is committed unchanged, or a person has trusted it
 * (engine.md, Approvals).
 * @param text content of the file
 * @throws DevCliError `IO`, `INTERRUPTED`
 */
export async function arePreferencesTrusted(context: Context, text: string): Promise<boolean> {
  if (isTrusted(context.trustDirectory, computeDigest(text))) return true;
  try {
    const committed = await readCommittedContent(context.root, PREFERENCES_FILE, { signal: context.signal });
    return committed?.toString('utf8') === text;
  } catch (error) {
    if (error instanceof DevCliError && error.code === 'GIT_FAILED') return false;
    throw error;
  }
}

/**
 * `trust preferences`: asks the person to trust the project's preferences in this version, though they are not
 * committed.
 * @throws DevCliError `TERMINAL_REQUIRED`, `DATA_MISSING` where there is no such file, `UNKNOWN_CHOICE` for anything
 * but a yes
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
  const digest = computeDigest(text);
  trust(context.trustDirectory, digest);
  trust(context.trustDirectory, computeNotifyDigest(context.root, text));
  return {
    exit: 0,
    json: { ok: true, preferences: PREFERENCES_FILE, digest },
    text: () => `${PREFERENCES_FILE} is trusted in this version.`,
  };
}

/** The prefix keeps a text that was trusted as preferences from counting as a trusted recipe. */
function computeDigest(text: string): string {
  return sha256(`preferences\n${text}`);
}
