import type { Answer } from '../../base/answer.js';
import { createCommandReplacer, renderCommand } from '../../registry/render.js';
import type { Context } from '../../run/context.js';
import { readBudget, readGoal, readRules } from './ai.js';
import { buildContext, type ContextDocument, type Format, fitContext, renderContext } from './context.js';
import { gather, type Scene, takePicture } from './gather.js';
import { openMemory } from './memory.js';
import { buildPicture } from './picture.js';

/**
 * `context` (memory.md, Context).
 * @throws DevCliError `SCHEMA_INVALID` for goals or settings that cannot be read, `CONTEXT_TOO_LARGE`, `IO`
 */
export async function showContext(scene: Scene, format: Format = 'markdown'): Promise<Answer> {
  const bytes = readBudget(scene.context);
  const rules = readRules(scene.context);
  const picture = await takePicture(scene);
  const goal = readGoal(scene.context, picture.handoff?.goalId ?? null);
  const render = createRenderer(format);
  const json = fitContext(buildContext({ picture, goal, rules }), bytes, render);
  return { exit: 0, json, text: () => render(json) || 'Nothing is recorded here yet.' };
}

const createRenderer =
  (format: Format) =>
  (document: ContextDocument): string =>
    format === 'json'
      ? JSON.stringify(document, createCommandReplacer(renderCommand))
      : renderContext(document, format);

/**
 * Renders the context for a session that works on a goal: rules, decisions, dead ends and verifications. Leaves out
 * next actions of other sessions, runs, and the state of the user's work tree (loop-core.md, auto).
 * @throws DevCliError as `showContext`
 */
export async function tellGoal(
  context: Context,
  { cwd, env }: CallSite,
  id: string,
  format: Format = 'plain',
): Promise<string> {
  const scene = { context, memory: openMemory(context, cwd), options: { env, signal: context.signal } };
  const picture = buildPicture({ ...(await gather(scene)), handoff: null, runs: [], waiting: [], present: null });
  const nothing = { next: null, handed: null, requests: [], said: null, elsewhere: [], edited: [], waiting: [] };
  const whole = buildContext({
    picture: { ...picture, ...nothing },
    goal: readGoal(context, id),
    rules: readRules(context),
  });
  const document = { ...whole, task: [] };
  const render = createRenderer(format);
  return render(fitContext(document, readBudget(context), render));
}

/** The directory and environment of a call. */
interface CallSite {
  cwd: string;
  env: NodeJS.ProcessEnv;
}
