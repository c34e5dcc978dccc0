import { type HomeFrame, home } from '../protocol/questions/home.js';
import { createReadContext } from './context.js';
import type { Environment } from './environment.js';

/**
 * Answers a call without a command, for a person's terminal that shows no screens.
 * @param inWords whether words stand for signs
 * @throws DevCliError `IO`
 */
export function answerHome(environment: Environment, inWords: boolean): Promise<HomeFrame> {
  return home(createReadContext(environment), inWords);
}
