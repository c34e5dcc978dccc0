import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import { grantTrust, isTrusted } from '../../project/trust.js';
import type { Context } from '../../run/context.js';
import type { WithPorts } from '../ports.js';
import { renderScript } from './command-lines.js';
import { requireTerminal } from './person.js';

const ANSWER = { command: 'trust', input: { recipe: 'config' } };

/**
 * `trust config`: shows the person every command of the project's configuration and goals, and asks whether the
 * commands may run in this clone.
 * @throws DevCliError `TERMINAL_REQUIRED`, `NO_PROJECT`, `SCHEMA_INVALID`; `CONFIG_UNTRUSTED` for any answer except yes
 */
export async function trustConfig(context: Context & WithPorts<'config'>): Promise<Answer> {
  const { files, commands, digest } = (await context.ports.config())(context);
  requireTerminal(context, ANSWER);
  const shown = [`${files} run on this machine:`, ...commands.flatMap(renderScript).map((line) => `  ${line}`)];
  const isNew = !isTrusted(context.trustDirectory, digest);
  if (isNew) {
    const typed = await context.ask([...shown, 'Trust these commands in this clone? y or n: '].join('\n'));
    if (!/^y(es)?$/i.test(typed)) {
      throw new DevCliError('CONFIG_UNTRUSTED', `The commands of ${files} were not trusted.`, {
        fix: 'Nothing changed.',
        answer: ANSWER,
      });
    }
    grantTrust(context.trustDirectory, digest);
  }
  return {
    exit: 0,
    json: { ok: true, config: files, digest, commands: [...commands] },
    text: () => (isNew ? 'These commands may now run, in this clone.' : ['They are trusted:', ...shown].join('\n')),
  };
}
