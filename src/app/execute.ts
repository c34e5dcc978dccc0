import type { Answer } from '../base/answer.js';
import type { DataInput } from '../base/data.js';
import { DevCliError } from '../base/errors.js';
import type { JsonObject } from '../base/json.js';
import type { Context } from '../protocol/context.js';
import type { InitInput } from '../protocol/prepare.js';
import { createContext } from './context.js';
import type { Environment } from './environment.js';

type UseCase = (context: Context, input: JsonObject, environment: Environment) => Promise<Answer>;

const document =
  (command: string): UseCase =>
  async (context, input) =>
    (await import('../protocol/documents.js')).documentCommand(context, command, input);

const acknowledgement =
  (fail: boolean): UseCase =>
  async (context, { name, ...input }) => {
    const { data, ...rest } = input;
    const { stepComplete } = await import('../protocol/complete.js');
    const failing = fail || rest['result'] === 'fail';
    if (failing) delete rest['result'];
    return stepComplete(context, name, {
      ...rest,
      ...(data === undefined ? {} : { data: data as unknown as DataInput }),
      ...(failing ? { fail: true } : {}),
    });
  };

/** Every command of the registry, bound to its use case; a command loads no code but its own. */
const USE_CASES: Readonly<Record<string, UseCase>> = {
  init: async (context, { name, ...input }) =>
    (await import('../protocol/init.js')).init(context, String(name), input as InitInput),
  next: async (context, { name, ...input }) => (await import('../protocol/next.js')).next(context, name, input),
  'step complete': acknowledgement(false),
  'step fail': acknowledgement(true),
  'step invalidate': async (context, { name, step }) =>
    (await import('../protocol/invalidate.js')).stepInvalidate(context, name, String(step)),
  abort: async (context, { name, reason }) =>
    (await import('../protocol/abort.js')).abort(context, name, String(reason)),
  manifest: async (context, { name }) => (await import('../protocol/manifest.js')).manifest(context, name),
  status: async (context, { name }) => (await import('../protocol/status.js')).status(context, name),
  list: async (context) => (await import('../protocol/status.js')).list(context),
  use: async (context, { name }) => (await import('../protocol/use.js')).use(context, String(name)),
  approve: async (context, { name, ...input }) =>
    (await import('../protocol/approve.js')).approve(context, String(name), input),
  'draft update': document('draft update'),
  'draft show': document('draft show'),
  'draft import': document('draft import'),
  'draft validate': document('draft validate'),
  'draft auto-assume': document('draft auto-assume'),
  'plan template': document('plan template'),
  'plan generate': document('plan generate'),
  'plan validate': document('plan validate'),
  'plan summary': document('plan summary'),
  'analysis save': document('analysis save'),
  cleanup: document('cleanup'),
  check: async (context, { file }, { cwd }) => (await import('../protocol/check.js')).check(context, String(file), cwd),
  trust: async (context, { recipe }) => (await import('../protocol/trust.js')).trustRecipe(context, String(recipe)),
  'recipe list': async (context) => (await import('../protocol/recipes.js')).recipeList(context),
  'recipe show': async (context, { recipe }) =>
    (await import('../protocol/recipes.js')).recipeShow(context, String(recipe)),
  'recipe lint': async (context, { files }, { cwd }) =>
    (await import('../protocol/recipes.js')).recipeLint(context, (files ?? []) as string[], cwd),
  'recipe schema': async (context) => (await import('../protocol/schemas.js')).schema(context, 'recipe'),
  schema: async (context, { schema }) => (await import('../protocol/schemas.js')).schema(context, String(schema)),
  completion: async (context, { candidates }) =>
    (await import('../protocol/schemas.js')).candidates(context, String(candidates)),
};

/**
 * Runs a command of the registry by its name. The one door to every use case.
 * @throws DevCliError whatever the command refuses or fails with
 */
export async function execute(call: { command: string; input: JsonObject }, environment: Environment): Promise<Answer> {
  const useCase = USE_CASES[call.command];
  if (useCase === undefined) throw new DevCliError('INTERNAL', `${call.command} is bound to nothing.`);
  return useCase(createContext(environment, call.command), call.input, environment);
}
