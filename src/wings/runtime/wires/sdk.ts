import type { OpenAICompatibleProvider } from '@ai-sdk/openai-compatible';
import type { Effort, ModelRequest } from '../provider.js';

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
  /** What only this package is told of a whole request. */
  tune: (request: ModelRequest) => Pick<SdkCall, 'providerOptions' | 'maxOutputTokens'>;
}

const BUDGETS: Readonly<Record<Effort, number>> = { low: 2_000, medium: 4_000, high: 8_000 };

/** Tokens to think with, for models that are told a number: half of an answer at most; null where that is too little to think. */
export function budgetThinking(effort: Effort, maxOutput: number): number | null {
  return maxOutput < 2_048 ? null : Math.min(BUDGETS[effort], Math.floor(maxOutput / 2));
}
