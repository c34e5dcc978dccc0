import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { Wire, WireSettings } from './sdk.js';

/** The package gives Gemini's signatures under the name that it has here, and reads them under this one. */
const NAME = 'google';

/** The Chat Completions API, which local servers and most others speak. */
export function openChat(settings: WireSettings): Wire {
  return {
    choose: createOpenAICompatible({ ...settings, name: NAME, includeUsage: true }).chatModel,
    tune: ({ effort }) => (effort === undefined ? {} : { providerOptions: { [NAME]: { reasoningEffort: effort } } }),
  };
}
