import { buildPhaseConfig } from '../../../engine/core/final-stages.js';
import { buildTodoConfig } from '../../../engine/core/todo-machine.js';
import { compileProgram } from '../../../machine/config.js';
import { getStateKey } from '../../../machine/position.js';
import { compileWorkflow } from '../../../machine/workflow-config.js';
import type { CapturedRecipe } from '../../../recipe/captured.js';
import type { ResolvedRecipe } from '../../../recipe/resolved.js';

/**
 * Renders a recipe as the XState machine configuration that runs use. Its guards and actions are only names with
 * params; a program that uses the configuration supplies their implementations (graph.md, XState).
 */
export function renderXState(captured: CapturedRecipe): string {
  return `${JSON.stringify(buildConfig(captured), null, 2)}\n`;
}

/** @returns plain JSON that `createMachine` of XState 5 accepts */
function buildConfig({ recipe, workflow }: Pick<CapturedRecipe, 'recipe' | 'workflow'>): object {
  if (workflow !== undefined) return { description: workflow.description, ...compileWorkflow(workflow) };
  const { description, engine } = recipe;
  if (engine === undefined) return { description, ...describeBlocks(recipe) };
  const run = buildPhaseConfig(engine.program);
  const todos = { ...run.states['todos'], ...buildTodoConfig(engine.program) };
  return { description, ...run, states: { ...run.states, todos } };
}

/** Builds the machine of a sequential recipe; block titles become descriptions. */
function describeBlocks({ program, blocks }: ResolvedRecipe): object {
  const machine = compileProgram(program);
  const described = blocks.flatMap(({ id, title }) => {
    const key = getStateKey(id);
    return title === undefined ? [] : [[key, { description: title, ...machine.states[key] }] as const];
  });
  return { ...machine, states: { ...machine.states, ...Object.fromEntries(described) } };
}
