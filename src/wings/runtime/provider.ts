import type { JsonObject } from '../../base/json.js';
import type { CallBlock, Message, TextBlock, ThinkingBlock, Usage } from './core/messages.js';

/** What the runtime requires of a model's provider (runtime.md, Provider). */

/** A tool as described to a model. */
export interface ToolDescription {
  name: string;
  description: string;
  /** A JSON Schema of its input, which is an object. */
  schema: JsonObject;
}

/** How much a model should think. */
export type Effort = 'low' | 'medium' | 'high';

/** One request, with everything that a model is to read. */
export interface ModelRequest {
  /** The provider's name for the model. */
  model: string;
  /** In order. `cached`: identical bytes in every session of a kind, so that a cache breakpoint pays off. */
  system: readonly { text: string; cached: boolean }[];
  messages: readonly Message[];
  tools: readonly ToolDescription[];
  /** Maximum tokens of the answer. */
  maxOutput: number;
  effort?: Effort;
  /** Aborts the request. */
  signal: AbortSignal;
}

/**
 * Why an answer ended: nothing more to say, calls to carry out, cut at `maxOutput`, refused by the provider, or to be
 * requested again unchanged.
 */
export type StopReason = 'end' | 'calls' | 'length' | 'refused' | 'paused';

/**
 * A piece of an answer. Blocks come whole and in order. `usage` may come several times: the latest value of each field
 * counts. `end` comes once, last; without it, nothing of the answer counts.
 */
export type AnswerPart =
  | TextBlock
  | ThinkingBlock
  | CallBlock
  | { type: 'usage'; usage: Partial<Usage> }
  | { type: 'warning'; text: string }
  | { type: 'end'; stop: StopReason };

/**
 * Sends one request and yields its answer, piece by piece. @throws ProviderFault while it is read; the signal's reason
 * once that aborts
 */
export interface Provider {
  request(request: ModelRequest): AsyncIterable<AnswerPart>;
}

/** Kinds of faults of a request. */
export type FaultKind = 'auth' | 'rate' | 'overloaded' | 'transport' | 'timeout' | 'protocol' | 'context' | 'invalid';

interface FaultDetails {
  /** The HTTP status. */
  status?: number;
  requestId?: string;
  /** Milliseconds that the provider asks the client to wait. */
  retryAfterMs?: number;
}

/** A request that got no usable answer. */
export class ProviderFault extends Error {
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;

  /** @param message for people, must not contain a key */
  constructor(
    readonly kind: FaultKind,
    message: string,
    { status, requestId, retryAfterMs }: FaultDetails = {},
  ) {
    super(message);
    this.name = 'ProviderFault';
    this.status = status;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
  }
}
