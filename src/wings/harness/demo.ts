import { once } from 'node:events';
import { join } from 'node:path';
import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import { childProcess } from '../../work/processes.js';

/** The script that plays the demonstration; a clone runs it as `npm run quickstart`. */
const SCRIPT = 'scripts/quickstart.mjs';

/**
 * `demo [CHANGE]`: plays a change from the request to the commits, on a copy of a sample in a temporary directory; a
 * script plays the agent and the user (harness.md, Packaging). Prints its progress.
 * @param shipped absolute directory of the package
 * @throws DevCliError `INTERNAL` if the demonstration cannot be started
 */
export async function showDemo(shipped: string, change: string | undefined): Promise<Answer> {
  const args = [join(shipped, SCRIPT), ...(change === undefined ? [] : [change])];
  const child = childProcess().spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  const [exit] = await once(child, 'close').catch(({ message }: Error) => {
    throw new DevCliError('INTERNAL', `The demonstration cannot be started: ${message}.`);
  });
  return { exit: exit === 0 ? 0 : 1, json: { ok: exit === 0 }, text: () => '' };
}
