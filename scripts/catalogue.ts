import { WINGS } from '../src/app/wings.js';
import { ResultsSchema, ReviewResultSchema, VerifyResultSchema, WorkerResultSchema } from '../src/documents/results.js';
import { SizeSchema } from '../src/documents/size.js';
import { PlanContentSchema } from '../src/plan/model/schema.js';
import { ProjectSettingsSchema } from '../src/recipe/settings/project-settings-schema.js';
import { RecipeSchema } from '../src/recipe/source/schema.js';
import { CORE } from '../src/registry/catalogue.js';
import { buildTool, describeCommand, listSpecs } from '../src/registry/describe.js';
import type { DescribedCommand } from '../src/registry/spec.js';
import { ActionSchema } from '../src/run/action.js';
import { EntryDataCheck, EntrySchema } from '../src/run/entries.js';
import { StateCheck, StateSchema } from '../src/run/state.js';
import { ExecutionViewSchema } from '../src/views/execution-schema.js';

const wings = Object.values(WINGS);
const schemas = Object.assign({}, ...wings.map((wing) => wing.schemas)) as object;

/**
 * Schemas for files and documents that others write. Each becomes a validator in src/generated that reports all errors.
 */
export const validators = {
  recipe: RecipeSchema,
  'project-settings': ProjectSettingsSchema,
  'plan-content': PlanContentSchema,
  size: SizeSchema,
  'result-worker': WorkerResultSchema,
  'result-verify': VerifyResultSchema,
  'result-code-review': ReviewResultSchema,
  ...schemas,
};

/** Schemas that are read at run time (src/documents/outline.ts); each becomes plain data in src/generated. */
export const outlines = {
  state: StateCheck,
  'entry-data': EntryDataCheck,
  ...Object.fromEntries(Object.entries(validators).map(([name, schema]) => [`${name}-outline`, schema])),
};

/** All commands as they are specified; what is generated has no errors. */
export const specs = listSpecs(CORE, wings);

/** Commands that agents may call as tools (src/app/tools.ts); each gets a validator for its arguments. */
export const tools = wings.flatMap((wing) => wing.tools ?? []).map((tool) => buildTool(tool, specs));

/** Tools without a command; each list becomes plain data in src/generated. */
export const ownTools = Object.assign({}, ...wings.map((wing) => wing.ownTools)) as object;

/** All commands with their descriptions, for calls that are not hot (src/registry/find.ts). */
export const registry = {
  commands: specs.map(describeCommand),
  words: Object.assign({}, CORE.words, ...wings.map(({ words }) => words)) as object,
  wings: Object.fromEntries(
    Object.entries(WINGS).flatMap(([wing, { specs }]) => specs.map(({ name }) => [name, wing])),
  ),
};

const SEVERAL = ['flag', 'list', 'texts', 'pair'];

/** How command lines are parsed and rendered (src/registry/hot.ts, src/registry/render.ts), by command name. */
export const forms = Object.fromEntries(registry.commands.map((command) => [command.name, formOf(command)]));

/** Returns a command without its descriptions; for a command that is not hot, only what rendering a call needs. */
function formOf({
  name,
  hot,
  actor,
  output,
  positionals,
  options,
  exclusive,
  oneOf,
  inRecipe,
}: DescribedCommand): object {
  if (hot !== true) {
    const written = options.map(({ key, form }) => (SEVERAL.includes(form) ? `${key}:${form}` : key));
    return { positionals: positionals.map(({ key }) => key).join(' '), options: written.join(' '), inRecipe };
  }
  const plain = ({
    description: _,
    placeholder: _placeholder,
    offers: _offers,
    ...value
  }: DescribedCommand['positionals'][number]) => value;
  return {
    name,
    hot,
    actor,
    output,
    positionals: positionals.map(plain),
    options: options.map(plain),
    exclusive,
    oneOf,
  };
}

/** Schemas that ship as JSON Schema under schemas/ and are printed by `dev-cli schema`. */
export const shipped = {
  state: StateSchema,
  recipe: RecipeSchema,
  action: ActionSchema,
  entry: EntrySchema,
  'plan-content': PlanContentSchema,
  size: SizeSchema,
  results: ResultsSchema,
  execution: ExecutionViewSchema,
  ...schemas,
};
