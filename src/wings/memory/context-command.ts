import type { Answer } from '../../base/answer.js';
import { createCommandReplacer, renderCommand } from '../../registry/render.js';
import { readBudget, readGoal, readRules } from './ai.js';
import { buildContext, type ContextDocument, type Format, fitContext, renderContext } from './context.js';
import { type Scene, takePicture } from './gather.js';

/**
 * `context` (memory.md, Context).
 * @throws DevCliError `SCHEMA_INVALID` for goals or settings that cannot be read, `CONTEXT_TOO_LARGE`, `IO`
 */
export async function showContext(scene: Scene, format: Format = 'markdown'): Promise<Answer> {
  const bytes = readBudget(scene.context);
  const rules = readRules(scene.context);
  const picture = await takePicture(scene);
  const goal = readGoal(scene.context, picture.handoff?.goalId ?? null);
  const render = (document: ContextDocument): string =>
    format === 'json'
      ? JSON.stringify(document, createCommandReplacer(renderCommand))
      : renderContext(document, format);
  const json = fitContext(buildContext({ picture, goal, rules }), bytes, render);
  return { exit: 0, json, text: () => render(json) || 'Nothing is known here yet.' };
}
