import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { defined } from '../../../base/defined.js';
import { budgetThinking, type Wire, type WireSettings } from './sdk.js';

/** Models that are told a number of tokens; all others are told a level. */
const BUDGETED = /gemini-2/;

/** The Gemini API of Google. */
export function openGoogle(settings: WireSettings): Wire {
  return {
    choose: createGoogleGenerativeAI(settings),
    tune: (request): ReturnType<Wire['tune']> => {
      const isBudgeted = BUDGETED.test(request.model);
      const thinkingConfig = defined(
        isBudgeted ? { thinkingBudget: budgetThinking(request) } : { thinkingLevel: request.effort },
      );
      return Object.keys(thinkingConfig).length === 0 ? {} : { providerOptions: { google: { thinkingConfig } } };
    },
  };
}
