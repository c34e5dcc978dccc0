import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { Wire, WireSettings } from './sdk.js';

/**
 * The name given to the package. It returns Gemini's signatures under that name, but reads them only under this one.
 */
const NAME = 'google';

/** Opens the Chat Completions API, which local servers and most others offer. */
export function openChat(settings: WireSettings): Wire {
  return {
    choose: createOpenAICompatible({ ...settings, name: NAME, includeUsage: true }).chatModel,
    tune: ({ effort }) => (effort === undefined ? {} : { providerOptions: { [NAME]: { reasoningEffort: effort } } }),
  };
}
