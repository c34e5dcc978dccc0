import type { Answer } from '../base/answer.js';
import type { JsonObject } from '../base/json.js';
import type { Context } from '../protocol/context.js';
import { manifestOf } from '../protocol/manifest.js';
import { nextIfSettled } from '../protocol/next.js';
import { list, statusOf } from '../protocol/status.js';
import { createContext } from './context.js';
import type { Environment } from './environment.js';

/** The commands that only ask, and that an agent, its hooks and people call most. */
export type QuestionName = 'next' | 'manifest' | 'status' | 'list';

type Question = (context: Context, input: JsonObject) => Promise<Answer | null>;

const QUESTIONS: Readonly<Record<QuestionName, Question>> = {
  next: (context, { name, ...input }) => nextIfSettled(context, name, input),
  manifest: (context, { name }) => manifestOf(context, name, leftToOthers),
  status: async (context, { name, watch, ...input }) =>
    watch === true ? null : statusOf(context, name, leftToOthers, input),
  list: (context) => list(context),
};

/**
 * Answers a question without anything that could change a run or takes long to load (house.md, Speed).
 * @returns null when something has to be finished, launched or compiled before: `execute` does it
 * @throws whatever went wrong; nothing was changed, and `execute` will find the same and tell it
 */
export function ask(command: QuestionName, input: JsonObject, environment: Environment): Promise<Answer | null> {
  return QUESTIONS[command](createContext(environment, command), input);
}

function leftToOthers(): never {
  throw new Error('The compiler of recipes is not at hand.');
}
