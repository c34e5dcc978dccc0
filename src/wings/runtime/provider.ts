import type { JsonObject } from '../../base/json.js';
import type { CallBlock, Message, TextBlock, ThinkingBlock, Usage } from './core/messages.js';

/** The interface between the runtime and a model's provider (runtime.md, Provider). */

/** A tool as described to a model. */
export interface ToolDescription {
  name: string;
  description: string;
  /** A JSON Schema of its input, which is an object. */
  schema: JsonObject;
}

/** How much a model should think. */
export type Effort = 'low' | 'medium' | 'high';

/** One request, with everything that the model reads. */
export interface ModelRequest {
  /** The provider's name for the model. */
  model: string;
  /**
   * The system texts, in order. `cached` marks a text that is identical, byte for byte, in all sessions of a kind: the
   * provider is asked to cache it.
   */
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
 * Why an answer ended. `end`: the model has nothing more to say; `calls`: it wants calls carried out; `length`: the
 * answer was cut off at `maxOutput`; `refused`: the provider refused; `paused`: the same request has to be sent again.
 */
export type StopReason = 'end' | 'calls' | 'length' | 'refused' | 'paused';

/**
 * A piece of an answer. Blocks come whole and in order. `usage` may come several times: of each of its fields, the
 * latest value counts. `end` comes last; an answer without it is incomplete and is discarded.
 */
export type AnswerPart =
  | TextBlock
  | ThinkingBlock
  | CallBlock
  | { type: 'usage'; usage: Partial<Usage> }
  | { type: 'warning'; text: string }
  | { type: 'end'; stop: StopReason };

/**
 * Sends one request and yields its answer, piece by piece.
 * @throws ProviderFault while the answer is read; the signal's reason once the signal aborts
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
