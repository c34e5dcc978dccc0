import { VERSION } from '../base/version.js';
import { chooseFormat, type Output, printAnswer } from './print.js';

/** Prints the version of dev-cli. */
export function printVersion(
  argv: readonly string[],
  around: { env: NodeJS.ProcessEnv; stdoutIsTerminal: boolean },
): Output {
  const format = chooseFormat({ output: 'text', actor: 'person' }, { json: argv.includes('--json') }, around);
  return printAnswer({ json: { ok: true, version: VERSION }, exit: 0, text: () => VERSION }, format);
}
