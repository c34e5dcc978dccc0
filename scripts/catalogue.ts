import { PlanContentSchema } from '../src/documents/plan-schema.js';
import { ResultsSchema, ReviewResultSchema, VerifyResultSchema, WorkerResultSchema } from '../src/documents/results.js';
import { RecipeSchema } from '../src/recipe/schema.js';
import { COMMANDS } from '../src/registry/find.js';
import { ActionSchema } from '../src/run/action.js';
import { EntryDataCheck, EntrySchema } from '../src/run/entries.js';
import { StateCheck, StateSchema } from '../src/run/state.js';
import { ExecutionViewSchema } from '../src/views/execution-schema.js';

/** Schemas that are checked at run time; each becomes a validator in src/generated. */
export const validators = {
  recipe: RecipeSchema,
  'plan-content': PlanContentSchema,
  'result-worker': WorkerResultSchema,
  'result-verify': VerifyResultSchema,
  'result-code-review': ReviewResultSchema,
};

/** Schemas that are read at run time instead (src/run/misfit.ts); each becomes plain data in src/generated. */
export const outlines = { state: StateCheck, 'entry-data': EntryDataCheck };

/** How command lines are written (src/registry/render.ts), without the words that explain them. */
export const forms = Object.fromEntries(
  COMMANDS.map(({ name, positionals, options }) => [
    name,
    {
      name,
      positionals: positionals.map(({ key }) => ({ key })),
      options: options.map(({ key, flag, form }) => ({ key, flag, form })),
    },
  ]),
);

/** Schemas that ship as JSON Schema under schemas/ and are printed by `dev-cli schema`. */
export const shipped = {
  state: StateSchema,
  recipe: RecipeSchema,
  action: ActionSchema,
  entry: EntrySchema,
  'plan-content': PlanContentSchema,
  results: ResultsSchema,
  execution: ExecutionViewSchema,
};
