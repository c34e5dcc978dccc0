import { createGoogleGenerativeAI } from '@ai-sdk/google';
import type { Wire, WireSettings } from './sdk.js';

/** The Gemini API of Google. */
export function openGoogle(settings: WireSettings): Wire {
  return {
    choose: createGoogleGenerativeAI(settings),
    tune: (_model, effort): ReturnType<Wire['tune']> =>
      effort === undefined ? {} : { google: { thinkingConfig: { thinkingLevel: effort } } },
  };
}
