import { answerHome } from '../app/home.js';
import { createFormatterFor } from '../registry/render.js';
import type { Screen } from './block.js';
import { paint, showsColour } from './paint.js';
import { type CallSite, createCommandFormatter, type Output } from './print.js';
import { UNASKED } from './unasked.js';

/** The terminal of a person, at both ends. */
interface Terminal {
  cwd: string;
  env: NodeJS.ProcessEnv;
  screen: () => Screen;
}

/**
 * Prints home for a call without words; null where the call is not a person's all the same.
 * @param adapt has commands written for the directory of the call
 * @throws DevCliError what reading the root throws
 */
export async function printHome(
  { cwd, env, screen }: Terminal,
  adapt: (root: string) => Promise<CallSite>,
): Promise<Output | null> {
  const answer = await answerHome({ ...UNASKED, cwd, env, stdinIsTerminal: true, stdoutIsTerminal: true });
  if (answer === null) return null;
  const own = createCommandFormatter(await adapt(answer.root));
  const lines = answer.frame(screen().columns, (root) => (root === undefined ? own : createFormatterFor(root)));
  return { stdout: paint(lines, showsColour(env)), stderr: '', exit: 0 };
}
