import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { Wire, WireSettings } from './sdk.js';

/**
 * The name that the package is given. Gemini's signatures come back under this name, whatever it is, but the package
 * sends them only if they are under `google`.
 */
const NAME = 'google';

/** Opens the Chat Completions API, which local servers and most others offer. */
export function openChat(settings: WireSettings): Wire {
  return {
    choose: createOpenAICompatible({ ...settings, name: NAME, includeUsage: true }).chatModel,
    tune: ({ effort }) => (effort === undefined ? {} : { providerOptions: { [NAME]: { reasoningEffort: effort } } }),
  };
}
