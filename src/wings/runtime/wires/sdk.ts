import type { OpenAICompatibleProvider } from '@ai-sdk/openai-compatible';
import type { Effort } from '../provider.js';

/** What the wires share: the forms of the SDK's packages (runtime.md, Provider). */

/** A model of one of the packages; all have the same form. */
type SdkModel = ReturnType<OpenAICompatibleProvider['chatModel']>;
/** What it is asked. */
export type SdkCall = Parameters<SdkModel['doStream']>[0];
/** What only one package reads, by its name. */
export type SdkOptions = NonNullable<SdkCall['providerOptions']>;
/** What it answers, piece by piece. */
export type SdkStream = Awaited<ReturnType<SdkModel['doStream']>>['stream'];
export type SdkPart = SdkStream extends ReadableStream<infer Part> ? Part : never;

/** Where a package sends its requests. */
export interface WireSettings {
  apiKey: string;
  baseURL: string;
  fetch: typeof globalThis.fetch;
}

/** One package, made ready. */
export interface Wire {
  choose: (model: string) => SdkModel;
  /** Options of a whole request. */
  tune: (model: string, effort: Effort | undefined) => SdkOptions;
}
