import { createOpenAI } from '@ai-sdk/openai';
import type { Wire, WireSettings } from './sdk.js';

/** Models that do not think; they refuse a request for encrypted thoughts. */
const UNTHINKING = /^(?:gpt-[34]|chatgpt)/;

/**
 * Opens OpenAI's Responses API. Nothing is stored there: the model's thoughts are sent back with the history,
 * encrypted.
 */
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
