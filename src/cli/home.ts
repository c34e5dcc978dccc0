import { answerHome } from '../app/home.js';
import { describePerson } from '../app/person.js';
import { openHome } from '../app/screens/home.js';
import type { TerminalSize } from '../base/screen.js';
import { createFormatterFor } from '../registry/render.js';
import { paint, showsColour } from './paint.js';
import { type CallSite, createCommandFormatter, type Output } from './print.js';
import { movesCursor } from './screen/capable.js';
import { type Connect, createHost } from './screen/connect.js';
import { showScreens } from './screen/screens.js';
import { NON_INTERACTIVE } from './unasked.js';

type Site = Pick<Terminal, 'cwd' | 'env'>;

/** A terminal at which a person both types and reads. */
interface Terminal {
  cwd: string;
  env: NodeJS.ProcessEnv;
  screen: () => TerminalSize;
  /** `--text` was given. */
  inWords: boolean;
}

/**
 * Shows the home view for a call without a command, as a screen or as text; null if the caller turns out not to be a
 * person at a terminal.
 * @param adapt adapts commands to the call's directory
 * @param connect creates the environment for commands that are run from the screen
 * @throws DevCliError any error of reading the root
 */
export async function showHome(
  { cwd, env, screen, inWords }: Terminal,
  adapt: (site: Site, format: CallSite, root: string) => Promise<CallSite>,
  connect: Connect,
): Promise<Output | null> {
  const site = { cwd, env };
  const environment = { ...NON_INTERACTIVE, ...site, stdinIsTerminal: true, stdoutIsTerminal: true };
  const found = describePerson(environment);
  if (found === null) return null;
  const own = createCommandFormatter(await adapt(site, {}, found.root));
  const format = (root: string | undefined) => (root === undefined ? own : createFormatterFor(root));
  const wantsLines = inWords || found.wants === 'lines';
  if (!wantsLines && movesCursor(env)) {
    const exit = await showScreens(await openHome(environment, format), createHost(connect(site)));
    return { stdout: '', stderr: '', exit };
  }
  const lines = await answerHome(environment, { columns: screen().columns, format, inWords: wantsLines });
  return { stdout: paint(lines, showsColour(env)), stderr: '', exit: 0 };
}
