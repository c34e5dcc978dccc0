import { createAnthropic } from '@ai-sdk/anthropic';
import { budgetThinking, type Wire, type WireSettings } from './sdk.js';

/** Models before 4.6, whose thinking is limited in tokens; all others are given an effort. */
const BUDGETED = /claude-(?:[1-3]\b|[a-z]+-4(?![-.](?:[6-9]|\d\d)(?!\d)))/;

/** Opens Anthropic's Messages API, or one that is compatible with it. */
export function openAnthropic(settings: WireSettings): Wire {
  return {
    choose: createAnthropic(settings),
    tune: ({ model, effort, maxOutput }) => {
      if (effort === undefined) return {};
      if (!BUDGETED.test(model)) return { providerOptions: { anthropic: { effort, thinking: { type: 'adaptive' } } } };
      const budgetTokens = budgetThinking(effort, maxOutput);
      if (budgetTokens === null) return {};
      const anthropic = { thinking: { type: 'enabled', budgetTokens } };
      // The package adds the budget to `maxOutputTokens`, so it is subtracted here.
      return { providerOptions: { anthropic }, maxOutputTokens: maxOutput - budgetTokens };
    },
  };
}
