import type { OpenAICompatibleProvider } from '@ai-sdk/openai-compatible';
import type { Effort, ModelRequest } from '../provider.js';

/** The common parts of the wires: types of the SDK's packages (runtime.md, Provider). */

/** A model of one of the packages; all have the same type. */
type SdkModel = ReturnType<OpenAICompatibleProvider['chatModel']>;
/** A request in the form that all packages take. */
export type SdkCall = Parameters<SdkModel['doStream']>[0];
/** Options for a single package, by the package's name; the others ignore them. */
export type SdkOptions = NonNullable<SdkCall['providerOptions']>;
/** An answer, piece by piece, in the form that all packages give. */
export type SdkStream = Awaited<ReturnType<SdkModel['doStream']>>['stream'];
export type SdkPart = SdkStream extends ReadableStream<infer Part> ? Part : never;

/** Connection settings of a package. */
export interface WireSettings {
  apiKey: string;
  baseURL: string;
  fetch: typeof globalThis.fetch;
}

/** One of the packages, connected to a provider. */
export interface Wire {
  choose: (model: string) => SdkModel;
  /** Returns the options of a request that are specific to this package. */
  tune: (request: ModelRequest) => Pick<SdkCall, 'providerOptions' | 'maxOutputTokens'>;
}

const BUDGETS: Readonly<Record<Effort, number>> = { low: 2_000, medium: 4_000, high: 8_000 };

/**
 * Returns how many tokens a model may think, for models that take such a number: at most half of the answer. Null if
 * half would be too few.
 */
export function budgetThinking(effort: Effort, maxOutput: number): number | null {
  return maxOutput < 2_048 ? null : Math.min(BUDGETS[effort], Math.floor(maxOutput / 2));
}
