import { join } from 'node:path';
import { DevCliError } from '../../../base/errors.js';
import type { Invocation } from '../../../base/invocation.js';
import { requireTerminal } from '../../../protocol/trust/person.js';
import type { Context } from '../../../run/context.js';
import { readFileText } from './disk.js';
import { type CarriedOut, renderDone } from './listing.js';

/** Decides who must agree before installed files change (harness.md, Install). */

/** The question asked before a change. */
export interface ConsentQuestion {
  command: 'install' | 'uninstall';
  /** The harnesses and the scope, without options like `--yes`. */
  input: Invocation['input'];
  title: string;
  /** More information for the person who is asked. */
  notes: readonly string[];
}

/**
 * Requires a person for what an agent must not do on its own: give itself permissions or, like `guard off`, remove the
 * hooks that guard a live run.
 * @throws DevCliError `TERMINAL_REQUIRED`
 */
export function requirePerson(context: Context, { command, input }: ConsentQuestion): void {
  if (context.mark === null && (command === 'install' || !isGuarding(context))) return;
  requireTerminal(context, { command, input });
}

/**
 * Returns whether a live run of this project may be guarded: there is a guard file, and it does not begin with `open`.
 */
function isGuarding({ root }: Context): boolean {
  const [word] = readFileText(join(root, '.dev', 'guard'))?.split(/\s/) ?? ['open'];
  return word !== 'open';
}

/** Shows what would be done, and asks. @throws DevCliError `USAGE` for any answer except yes */
export async function askToGoOn(
  context: Context,
  planned: CarriedOut,
  { title, notes }: ConsentQuestion,
): Promise<void> {
  const lines = [`${title}:`, ...renderDone(planned, 'would'), ...notes, 'Go on? y or n: '];
  const typed = await context.ask(lines.join('\n'));
  if (/^y(es)?$/i.test(typed.trim())) return;
  throw new DevCliError('USAGE', 'Nothing was changed.', { fix: 'Answer y, or repeat the command with --yes.' });
}
