import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { budgetThinking, type Wire, type WireSettings } from './sdk.js';

/** Models whose thinking is limited in tokens; all others are given a level. */
const BUDGETED = /gemini-2/;

/** Opens Google's Gemini API. */
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
