import type { Answer } from '../../base/answer.js';
import { createCommandReplacer, renderInvocation } from '../../registry/render.js';
import type { Context } from '../../run/context.js';
import { readBudget, readChosenGoal, readProjectRules } from './ai.js';
import { buildContext, type ContextDocument, type ContextFormat, fitContext, renderContext } from './context.js';
import { buildCurrentPicture, gatherSources, type PictureContext } from './gather.js';
import { openMemory } from './memory.js';
import { buildPicture } from './picture.js';

/**
 * `context` (memory.md, Context).
 * @throws DevCliError `SCHEMA_INVALID` for goals or settings that cannot be read, `CONTEXT_TOO_LARGE`, `IO`
 */
export async function showContext(scene: PictureContext, format: ContextFormat = 'markdown'): Promise<Answer> {
  const bytes = readBudget(scene.context);
  const rules = readProjectRules(scene.context);
  const picture = await buildCurrentPicture(scene);
  const goal = readChosenGoal(scene.context, picture.handoff?.goalId ?? null);
  const render = createRenderer(format);
  const json = fitContext(buildContext({ picture, goal, rules }), bytes, render);
  return { exit: 0, json, text: () => render(json) || 'Nothing is recorded here yet.' };
}

const createRenderer =
  (format: ContextFormat) =>
  (document: ContextDocument): string =>
    format === 'json'
      ? JSON.stringify(document, createCommandReplacer(renderInvocation))
      : renderContext(document, format);

/**
 * Renders the context for a session that works on a goal: rules, decisions, dead ends and verifications. Omits other
 * sessions' next actions, runs, and the state of the user's work tree (loop-core.md, auto).
 * @throws DevCliError as `showContext`
 */
export async function tellGoal(
  context: Context,
  { cwd, env }: CallSite,
  id: string,
  format: ContextFormat = 'plain',
): Promise<string> {
  const scene = { context, memory: openMemory(context, cwd), options: { env, signal: context.signal } };
  const picture = buildPicture({
    ...(await gatherSources(scene)),
    handoff: null,
    runs: [],
    waiting: [],
    present: null,
  });
  const nothing = { next: null, handed: null, requests: [], said: null, elsewhere: [], edited: [], waiting: [] };
  const whole = buildContext({
    picture: { ...picture, ...nothing },
    goal: readChosenGoal(context, id),
    rules: readProjectRules(context),
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
