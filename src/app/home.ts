import { type HomeFrame, home } from '../protocol/questions/home.js';
import { createReadContext } from './context.js';
import type { Environment } from './environment.js';

/**
 * Answers a call without a command; null where nobody is at a terminal at both ends, or only an agent can be.
 * @throws DevCliError `IO` and what finding the root throws
 */
export async function answerHome(environment: Environment): Promise<{ frame: HomeFrame; root: string } | null> {
  const context = createReadContext(environment);
  return context.caller.terminal === true && context.mark === null
    ? { frame: await home(context), root: context.root }
    : null;
}
