import { omitUndefined } from '../base/defined.js';
import { ENGINE_BLOCK, type HandlerStage } from '../registry/handlers.js';
import { type RecipeFields, showCommand } from './blocks/block-form.js';
import { showBlock } from './blocks/block-forms.js';
import type { CapturedRecipe, ResolvedWorkflow } from './captured.js';
import { getClosing, isGuarded, keepsSources, listArtifacts, listInherited } from './declared.js';
import type { ResolvedEngine, ResolvedHandler, ResolvedRecipe } from './resolved.js';

const yaml = (): typeof import('yaml') => require('yaml');

/** Renders a recipe as YAML in the recipe language, with every default filled in (recipes.md, recipe show). */
export function showRecipe(recipe: ResolvedRecipe): string {
  const document: RecipeFields = {
    name: recipe.name,
    type: recipe.type,
    language: recipe.language,
    ...showDescription(recipe),
    skill: recipe.skill,
    mode: recipe.mode,
    vars: recipe.vars,
    preferences: showPreferences(recipe),
    ...omitUndefined({ needs: recipe.needs }),
    ...(recipe.usesDraft ? { draft: { required: recipe.draft.required } } : {}),
    ...(recipe.usesGoal ? { goal: 'required' } : {}),
    ...(recipe.type === 'sequential' ? { inherits: listInherited(recipe) } : {}),
    ...showGuard(recipe),
    ...showEnds({ recipe }),
    cleanup: recipe.cleanup,
    ...(recipe.engine === undefined ? { blocks: recipe.blocks.map(showBlock) } : showEngine(recipe.engine)),
  };
  return yaml().stringify(document, { lineWidth: 120, aliasDuplicateObjects: false });
}

/** Renders a workflow as YAML. Its phases only name their recipes. */
export function showWorkflow(workflow: ResolvedWorkflow): string {
  const { name, type, language, mode, vars, phases } = workflow;
  const [first] = phases;
  const document: RecipeFields = {
    name,
    type,
    language,
    ...showDescription(workflow),
    mode,
    vars,
    preferences: showPreferences(workflow),
    ...omitUndefined({ needs: workflow.needs }),
    ...(first === undefined ? {} : showEnds({ recipe: first.recipe, workflow })),
    phases: phases.map((phase) => ({
      name: phase.name,
      recipe: phase.recipe.name,
      ...omitUndefined({ when: phase.when }),
    })),
    errorPolicy: { onFail: showPolicy(workflow.errorPolicy) },
  };
  return yaml().stringify(document, { lineWidth: 120, aliasDuplicateObjects: false });
}

function showGuard(recipe: ResolvedRecipe): RecipeFields {
  if (!isGuarded(recipe)) return {};
  return { guard: { writes: recipe.guardWrites ?? [], sources: keepsSources(recipe) ? 'kept' : 'free' } };
}

function showEnds(captured: Pick<CapturedRecipe, 'recipe' | 'workflow'>): RecipeFields {
  return {
    artifacts: listArtifacts(captured),
    closing: getClosing(captured),
    ...omitUndefined({ begins: (captured.workflow ?? captured.recipe).begins }),
  };
}

function showPolicy(policy: ResolvedWorkflow['errorPolicy']): unknown {
  switch (policy.kind) {
    case 'halt':
      return 'halt';
    case 'skip':
      return 'skip_phase';
    case 'retry':
      return { retry_phase: { max: policy.max } };
  }
}

function showPreferences({ preferences }: Pick<ResolvedRecipe, 'preferences'>): RecipeFields {
  return Object.fromEntries(Object.entries(preferences).map(([name, { values: _, ...spec }]) => [name, spec]));
}

/**
 * Returns `block`, `config` and `handlers` of an engine recipe as recipe fields. The depth is not under `config` but
 * under `mode`.
 */
function showEngine({ program, handlers }: ResolvedEngine): RecipeFields {
  const { policies } = program;
  const shipped = Object.values(handlers).filter((handler) => handler.shipped !== null);
  const enabled = (stage: HandlerStage) => handlers[stage] !== undefined;
  return {
    block: ENGINE_BLOCK,
    config: {
      handlers: Object.fromEntries(shipped.map(({ key, shipped: id }) => [key, id])),
      policies: {
        max_retries: policies.maxRetries,
        adapt_depth_limit: policies.adaptDepthLimit,
        max_dynamic_todos: policies.maxDynamicTodos,
        parallel_limit: policies.parallelLimit,
        triage_precedence: policies.triagePrecedence,
        must_not: policies.mustNot,
        ...omitUndefined({ assertions_at: policies.assertionsAt }),
        max_fix_rounds: policies.maxFixRounds,
        verify_enabled: enabled('verify'),
        commit_enabled: enabled('commit'),
        code_review_enabled: enabled('codeReview'),
        final_verify_enabled: enabled('finalVerify'),
      },
    },
    handlers: showOwnHandlers(program.stages.flatMap(({ id }) => handlers[id] ?? [])),
  };
}

/**
 * Returns own handlers as recipe fields, in the order in which they run, each with `after` naming the stage before it.
 */
function showOwnHandlers(stages: readonly ResolvedHandler[]): RecipeFields {
  return Object.fromEntries(
    stages.flatMap(({ key, shipped, actor, agent, promptFile, command, message, when }, index) => {
      if (shipped !== null) return [];
      const shown = {
        actor,
        ...omitUndefined({ agent, promptFile }),
        ...(command === undefined ? {} : showCommand({ kind: 'external', command })),
        ...omitUndefined({ message, after: stages[index - 1]?.key, when }),
      };
      return [[key, shown]];
    }),
  );
}

/** Leaves out an empty description, since the language allows a missing one but not an empty one. */
function showDescription({ description }: { description: string }): RecipeFields {
  return description === '' ? {} : { description };
}
