import { omitUndefined } from '../base/defined.js';
import { DevCliError } from '../base/errors.js';
import type { Line } from '../base/spans.js';
import { readHome } from '../protocol/questions/home.js';
import type { Context } from '../run/context.js';
import { type Options, renderHome } from '../views/frames/home.js';
import type { HomeView } from '../views/home.js';
import { createContext, createReadContext } from './context.js';
import type { CallEnvironment } from './environment.js';
import { describeWaitingGoals } from './ports.js';

/**
 * Answers a call without a command, at a terminal whose person prefers lines to screens (view.md, Home).
 * @throws DevCliError `IO`
 */
export async function answerHome(environment: CallEnvironment, options: Omit<Options, 'now'>): Promise<Line[]> {
  const { clock } = createReadContext(environment);
  return renderHome(await readHomeAndGoals(environment), { ...options, now: clock.now() });
}

/** Reads home, and whether goals wait, if the project has any. @param most as for `readHome` */
export async function readHomeAndGoals(environment: CallEnvironment, most?: number): Promise<HomeView> {
  const context = createReadContext(environment);
  const home = await readHome(context, most);
  if (!hasGoals(context)) return home;
  const goals = await describeWaitingGoals(createContext(environment, 'home'));
  return { ...home, ...omitUndefined({ goals: goals || undefined }) };
}

function hasGoals({ root, reader }: Pick<Context, 'root' | 'reader'>): boolean {
  try {
    return reader.list(`${root}/.ai`).includes('config.yaml');
  } catch (error) {
    // Commands about goals say what is wrong with it.
    if (error instanceof DevCliError) return false;
    throw error;
  }
}
