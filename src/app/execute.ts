import type { Answer, StreamAnswer } from '../base/answer.js';
import { DevCliError, type ErrorCode } from '../base/errors.js';
import type { JsonObject } from '../base/json.js';
import { next } from '../protocol/next.js';
import { ACTING } from './acting.js';
import { createContext } from './context.js';
import type { Environment } from './environment.js';
import type { UseCase } from './use-case.js';

/** Errors that say more after another look. */
const PUZZLING: readonly ErrorCode[] = ['INTERNAL', 'NO_SUCH_RUN', 'NO_ACTIVE_RUN'];

/**
 * Runs a command of the registry by its name. The one door to every use case. Those that move a run are loaded at
 * once, the others at their first use: every file that a call loads costs it a millisecond (house.md, Speed).
 * @throws DevCliError whatever the command refuses or fails with
 */
export async function execute(
  call: { command: string; input: JsonObject },
  environment: Environment,
): Promise<Answer | StreamAnswer> {
  const useCase = await boundTo(call.command);
  const context = createContext(environment, call.command);
  try {
    return await useCase(context, call.input, environment);
  } catch (error) {
    if (error instanceof DevCliError && !PUZZLING.includes(error.code)) throw error;
    const { diagnosed } = await import('../protocol/diagnose.js');
    throw await diagnosed(context, call.input['name'], error);
  }
}

async function boundTo(command: string): Promise<UseCase> {
  if (command === 'next') return (context, { name, ...input }) => next(context, name, input);
  const useCase =
    ACTING[command] ??
    (await import('./reading.js')).READING[command] ??
    (await import('./starting.js')).STARTING[command];
  if (useCase !== undefined) return useCase;
  throw new DevCliError('INTERNAL', `${command} is bound to nothing.`);
}
