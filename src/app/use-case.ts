import type { Answer, StreamAnswer } from '../base/answer.js';
import type { JsonObject } from '../base/json.js';
import type { Context } from '../run/context.js';
import type { Environment } from './environment.js';

/** What a command of the registry is bound to. */
export type UseCase = (context: Context, input: JsonObject, environment: Environment) => Promise<Answer | StreamAnswer>;

/** Use cases by the name of their command. */
export type UseCases = Readonly<Record<string, UseCase>>;
