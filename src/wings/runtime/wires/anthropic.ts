import { createAnthropic } from '@ai-sdk/anthropic';
import type { Wire, WireSettings } from './sdk.js';

/** The Messages API of Anthropic, and of those that speak it. */
export function openAnthropic(settings: WireSettings): Wire {
  return {
    choose: createAnthropic(settings),
    tune: (_model, effort): ReturnType<Wire['tune']> =>
      effort === undefined ? {} : { anthropic: { effort, thinking: { type: 'adaptive' } } },
  };
}
