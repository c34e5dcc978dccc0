import type { Environment } from '../../app/environment.js';
import { execute } from '../../app/execute.js';
import { describePerson } from '../../app/home.js';
import { openRun } from '../../app/screens/run.js';
import { createFormatterFor } from '../../registry/render.js';
import type { Output } from '../print.js';
import { movesCursor } from './capable.js';
import { type Host, showScreens } from './screens.js';

type Connected = Environment & Pick<Host, 'write'>;

/** Makes the environment of what a person does from a screen, and listens for signals from then on. */
export type Connect = () => Connected;

/**
 * Creates what screens need of a call.
 * @param environment of a person's call; what it decides and is asked is asked at the terminal
 */
export function createHost(environment: Connected): Host {
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
 * @param wanted.inLines `--text`
 * @returns `lines` where the person wants lines with words; null where the terminal cannot move its cursor, or is no person's
 * @throws DevCliError `NO_SUCH_RUN` and what the store throws
 */
export async function showRun(
  environment: Connected,
  { name, inLines }: { name: string | undefined; inLines: boolean },
): Promise<Output | 'lines' | null> {
  const person = describePerson(environment);
  if (person === null) return null;
  if (inLines || person.wants === 'lines') return 'lines';
  if (!movesCursor(environment.env)) return null;
  const exit = await showScreens(await openRun(environment, name), createHost(environment));
  return { stdout: '', stderr: '', exit };
}
