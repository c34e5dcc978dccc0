import type { Answer } from '../base/answer.js';
import { DevCliError } from '../base/errors.js';
import type { JsonObject } from '../base/json.js';
import type { Environment } from './environment.js';

type UseCase = (input: JsonObject, environment: Environment) => Promise<Answer>;

/** Bound lazily: a command loads no code but its own. */
const USE_CASES: Readonly<Record<string, () => Promise<UseCase>>> = {};

/**
 * Runs a command of the registry by its name. The one door to every use case.
 * @throws DevCliError whatever the command refuses or fails with
 */
export async function execute(call: { command: string; input: JsonObject }, environment: Environment): Promise<Answer> {
  const bind = USE_CASES[call.command];
  if (!bind) throw new DevCliError('INTERNAL', `${call.command} is not bound yet.`);
  const useCase = await bind();
  return useCase(call.input, environment);
}
