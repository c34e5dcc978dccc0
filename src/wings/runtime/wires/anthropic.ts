import { createAnthropic } from '@ai-sdk/anthropic';
import { budgetThinking, type Wire, type WireSettings } from './sdk.js';

/** Models before 4.6, which are told a number of tokens; all others are told an effort. */
const BUDGETED = /claude-(?:[1-3]\b|[a-z]+-4(?![-.](?:[6-9]|\d\d)(?!\d)))/;

/** The Messages API of Anthropic, and of those that speak it. */
export function openAnthropic(settings: WireSettings): Wire {
  return {
    choose: createAnthropic(settings),
    tune: (request): ReturnType<Wire['tune']> => {
      const { model, effort, maxOutput } = request;
      if (!BUDGETED.test(model))
        return effort === undefined
          ? {}
          : { providerOptions: { anthropic: { effort, thinking: { type: 'adaptive' } } } };
      const budgetTokens = budgetThinking(request);
      if (budgetTokens === undefined) return {};
      const anthropic = { thinking: { type: 'enabled', budgetTokens } };
      // The package adds the one to the other.
      return { providerOptions: { anthropic }, maxOutputTokens: maxOutput - budgetTokens };
    },
  };
}
