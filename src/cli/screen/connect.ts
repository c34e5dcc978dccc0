import type { Environment } from '../../app/environment.js';
import { execute } from '../../app/execute.js';
import { describePerson } from '../../app/person.js';
import { openRun } from '../../app/screens/run.js';
import type { ParsedCommand } from '../../registry/hot.js';
import { createFormatterFor } from '../../registry/render.js';
import type { Output, OutputFormat } from '../print.js';
import { UNASKED } from '../unasked.js';
import { movesCursor } from './capable.js';
import { type Host, showScreens } from './screens.js';

type Connected = Omit<Environment, 'readInput'> & Pick<Host, 'write'>;

/** Makes the environment of what a person does from a screen, and listens for signals from then on. */
export type Connect = (site: Pick<Environment, 'cwd' | 'env'>) => Connected;

/**
 * Creates what screens need of a call.
 * @param environment of a person's call; what it decides and is asked is asked at the terminal
 */
export function createHost(connected: Connected): Host {
  const environment = { ...UNASKED, ...connected };
  const at = (root: string | undefined): Environment => (root === undefined ? environment : { ...environment, root });
  return {
    env: environment.env,
    signal: environment.signal,
    write: environment.write,
    openRun: ({ name, root }) => openRun(at(root), name),
    execute: (command, input, root) => execute({ command, input }, { ...at(root), given: input }),
    render: ({ text, root }) => text?.(createFormatterFor(root === environment.cwd ? undefined : root)) ?? '',
  };
}

/**
 * Shows the run of `status --watch` as a screen.
 * @param format is told where the person wants lines with words
 * @returns null in that case, for another command, and where the terminal cannot move its cursor, or is no person's
 * @throws DevCliError `NO_SUCH_RUN` and what the store throws
 */
export async function showRun(
  connected: Connected,
  { form, input, globals }: ParsedCommand,
  format: OutputFormat,
): Promise<Output | null> {
  const environment = { ...UNASKED, ...connected };
  const person = form.name === 'status' && !format.json ? describePerson(environment) : null;
  if (person === null) return null;
  format.inWords = globals.text === true || person.wants === 'lines';
  if (format.inWords || !movesCursor(environment.env)) return null;
  const exit = await showScreens(await openRun(environment, input['name']), createHost(connected));
  return { stdout: '', stderr: '', exit };
}
