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

/** A terminal where a person is at both ends. */
interface Terminal {
  cwd: string;
  env: NodeJS.ProcessEnv;
  screen: () => TerminalSize;
  /** `--text` was given. */
  inWords: boolean;
}

/**
 * Shows home for a call without a command, as a screen or as text; null where the caller turns out not to be a person.
 * @param adapt adapts commands to the directory of the call
 * @param connect creates the environment for commands that are carried out from the screen
 * @throws DevCliError whatever reading the root throws
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
