import { PlanContentSchema } from '../src/documents/plan-schema.js';
import { RecipeSchema } from '../src/recipe/schema.js';
import { ActionSchema } from '../src/run/action.js';
import { StateSchema } from '../src/run/state.js';

/** Every schema of dev-cli by name; each becomes a validator in src/generated. */
export const schemas = {
  state: StateSchema,
  recipe: RecipeSchema,
  action: ActionSchema,
  'plan-content': PlanContentSchema,
};

/** Those that also ship as JSON Schema under schemas/ and are printed by `dev-cli schema`. */
export const shipped = ['state', 'recipe', 'action', 'plan-content'] as const;

/** Those whose validator sits on the hot path: first error only. */
export const terse = ['state', 'action'] as const;
