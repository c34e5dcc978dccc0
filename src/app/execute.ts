import type { Answer, StreamAnswer } from '../base/answer.js';
import { DevCliError, type ErrorCode } from '../base/errors.js';
import type { JsonObject } from '../base/json.js';
import type { Handler } from '../protocol/ports.js';
import { createContext } from './context.js';
import type { CallEnvironment } from './environment.js';
import { USE_CASES } from './use-cases.js';

/** Errors whose message may not show the cause. `diagnoseFailure` looks for the cause before they are reported. */
const PUZZLING: readonly ErrorCode[] = ['INTERNAL', 'NO_SUCH_RUN', 'NO_ACTIVE_RUN', 'PLAN_MISSING'];

/**
 * Runs a command of the registry by its name. Every use case is reached through this function.
 * @param call the command's name and its input, which the parser has checked against the command's schema
 * @throws DevCliError whatever the command throws
 */
export async function executeCommand(
  call: { command: string; input: JsonObject },
  environment: CallEnvironment,
): Promise<Answer | StreamAnswer> {
  const handler = await boundTo(call.command);
  const context = createContext(environment, call.command);
  try {
    // The command is known only at run time, so the compiler cannot match its input with the handler's type.
    return { ...(await handler(context, call.input as never, environment)), root: context.root };
  } catch (error) {
    if (error instanceof DevCliError && !PUZZLING.includes(error.code)) throw error;
    const { diagnoseFailure } = await import('../protocol/find/diagnose.js');
    throw await diagnoseFailure(context, call.input['name'], error);
  }
}

async function boundTo(command: string): Promise<Handler<never>> {
  const handler = Object.hasOwn(USE_CASES, command)
    ? USE_CASES[command as keyof typeof USE_CASES]
    : await boundByWing(command);
  if (handler !== undefined) return handler;
  throw new DevCliError('INTERNAL', `${command} has no handler.`);
}

async function boundByWing(command: string): Promise<Handler<never> | undefined> {
  const wing = (await import('../registry/find.js')).REGISTRY.wings[command];
  return wing === undefined ? undefined : (await (await import('./wings.js')).HANDLERS[wing]?.())?.[command];
}
