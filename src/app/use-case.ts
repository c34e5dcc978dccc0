import type { Answer, StreamAnswer } from '../base/answer.js';
import type { JsonObject } from '../base/json.js';
import type { Ported } from '../protocol/ports.js';
import type { Context, HistoryContext } from '../run/context.js';
import type { Environment } from './environment.js';

/** What a command of the registry is bound to. */
export type UseCase = (
  context: Context & Ported,
  input: JsonObject,
  environment: Environment,
) => Promise<Answer | StreamAnswer>;

/** Use cases by the name of their command. */
export type UseCases = Readonly<Record<string, UseCase>>;

/** What a question of the registry is bound to: by its type it cannot get hold of anything that writes. */
type Question = (
  context: HistoryContext & Ported,
  input: JsonObject,
  environment: Environment,
) => Promise<Answer | StreamAnswer>;

/** Questions by the name of their command. */
export type Questions = Readonly<Record<string, Question>>;
