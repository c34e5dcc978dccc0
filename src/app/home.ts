import type { Line } from '../base/spans.js';
import { readHome } from '../protocol/questions/home.js';
import { type Options, renderHome } from '../views/frames/home.js';
import { createReadContext } from './context.js';
import type { CallEnvironment } from './environment.js';

/**
 * Answers a call without a command, at a terminal whose person prefers lines to screens (view.md, Home).
 * @throws DevCliError `IO`
 */
export async function answerHome(environment: CallEnvironment, options: Omit<Options, 'now'>): Promise<Line[]> {
  const context = createReadContext(environment);
  return renderHome(await readHome(context), { ...options, now: context.clock.now() });
}
