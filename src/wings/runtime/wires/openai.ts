import { createOpenAI } from '@ai-sdk/openai';
import type { Wire, WireSettings } from './sdk.js';

/** Models that think nothing refuse to be asked for what they thought. */
const UNTHINKING = /^(?:gpt-[34]|chatgpt)/;

/** The Responses API of OpenAI. Nothing is kept there: what the model thought goes back with the history, encrypted. */
export function openOpenAI(settings: WireSettings): Wire {
  return {
    choose: createOpenAI(settings).responses,
    tune: ({ model, effort }) => ({
      providerOptions: {
        openai: {
          store: false,
          include: UNTHINKING.test(model) ? [] : ['reasoning.encrypted_content'],
          ...(effort !== undefined && { reasoningEffort: effort }),
        },
      },
    }),
  };
}
