import { join } from 'node:path';
import { DevCliError } from '../../../base/errors.js';
import type { Invocation } from '../../../base/invocation.js';
import { requireTerminal } from '../../../protocol/trust/person.js';
import type { Context } from '../../../run/context.js';
import { readText } from './disk.js';
import { type CarriedOut, renderDone } from './listing.js';

/** Whose word it takes to change what is installed (harness.md, Install). */

/** What is asked before it is done. */
export interface Asked {
  command: 'install' | 'uninstall';
  /** The harnesses and the scope, without how it is to be done. */
  input: Invocation['input'];
  title: string;
  /** What whoever is asked should know besides. */
  notes: readonly string[];
}

/**
 * Requires a person for what an agent must not do for itself: give itself permissions or, like `guard off`, take the hooks away
 * from a run that they guard.
 * @throws DevCliError `TERMINAL_REQUIRED`
 */
export function requirePerson(context: Context, { command, input }: Asked): void {
  if (context.mark === null && (command === 'install' || !isGuarding(context))) return;
  requireTerminal(context, { command, input });
}

/** Whether a live run of this project is guarded; what is no `open` may be. */
function isGuarding({ root }: Context): boolean {
  const [word] = readText(join(root, '.dev', 'guard'))?.split(/\s/) ?? ['open'];
  return word !== 'open';
}

/** Shows what would be done, and asks. @throws DevCliError `USAGE` for any answer but yes */
export async function askToGoOn(context: Context, planned: CarriedOut, { title, notes }: Asked): Promise<void> {
  const lines = [`${title}:`, ...renderDone(planned, 'would'), ...notes, 'Go on? y or n: '];
  const typed = await context.ask(lines.join('\n'));
  if (/^y(es)?$/i.test(typed.trim())) return;
  throw new DevCliError('USAGE', 'Nothing was changed.', { fix: 'Answer y, or repeat the command with --yes.' });
}
