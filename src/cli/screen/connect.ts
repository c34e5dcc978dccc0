import type { CallEnvironment } from '../../app/environment.js';
import { executeCommand } from '../../app/execute.js';
import { describePerson } from '../../app/person.js';
import { openRun } from '../../app/screens/run.js';
import type { ParsedCommand } from '../../registry/hot.js';
import { createFormatterFor } from '../../registry/render.js';
import type { Output, OutputFormat } from '../print.js';
import { NON_INTERACTIVE } from '../unasked.js';
import { movesCursor } from './capable.js';
import { type Host, showScreens } from './screens.js';

type Connected = Omit<CallEnvironment, 'readInput'> & Pick<Host, 'write'>;

/** Creates the environment for a person's actions on a screen, and listens for signals from then on. */
export type Connect = (site: Pick<CallEnvironment, 'cwd' | 'env'>) => Connected;

/**
 * Creates the host of a person's screens, which connects them to the call.
 * @param connected the environment of the person's call; questions are asked at its terminal
 */
export function createHost(connected: Connected): Host {
  const environment = { ...NON_INTERACTIVE, ...connected };
  const at = (root: string | undefined): CallEnvironment =>
    root === undefined ? environment : { ...environment, root };
  return {
    env: environment.env,
    signal: environment.signal,
    write: environment.write,
    openRun: ({ name, root }) => openRun(at(root), name),
    execute: (command, input, root) => executeCommand({ command, input }, { ...at(root), given: input }),
    render: ({ text, root }) => text?.(createFormatterFor(root === environment.cwd ? undefined : root)) ?? '',
  };
}

/**
 * Shows the run of `status --watch` as a screen.
 * @param format this function sets its `inWords` if the person wants lines
 * @returns null if the person wants lines, for another command, and if the terminal cannot move its cursor or is not a
 * person's
 * @throws DevCliError `NO_SUCH_RUN`; any error of the store
 */
export async function showRun(
  connected: Connected,
  { form, input, globals }: ParsedCommand,
  format: OutputFormat,
): Promise<Output | null> {
  const environment = { ...NON_INTERACTIVE, ...connected };
  const person = form.name === 'status' && !format.json ? describePerson(environment) : null;
  if (person === null) return null;
  format.inWords = globals.text === true || person.wants === 'lines';
  if (format.inWords || !movesCursor(environment.env)) return null;
  const exit = await showScreens(await openRun(environment, input['name']), createHost(connected));
  return { stdout: '', stderr: '', exit };
}
