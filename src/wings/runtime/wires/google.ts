import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { budgetThinking, type Wire, type WireSettings } from './sdk.js';

/** Models that are told a number of tokens; all others are told a level. */
const BUDGETED = /gemini-2/;

/** The Gemini API of Google. */
export function openGoogle(settings: WireSettings): Wire {
  return {
    choose: createGoogleGenerativeAI(settings),
    tune: ({ model, effort, maxOutput }) => {
      if (effort === undefined) return {};
      const thinkingBudget = BUDGETED.test(model) ? budgetThinking(effort, maxOutput) : undefined;
      const thinkingConfig = thinkingBudget === undefined ? { thinkingLevel: effort } : { thinkingBudget };
      return thinkingBudget === null ? {} : { providerOptions: { google: { thinkingConfig } } };
    },
  };
}
