import type { JsonObject } from '../../base/json.js';
import type { CallBlock, Message, TextBlock, ThinkingBlock, Usage } from './core/messages.js';

/** What the runtime asks of a model's provider (runtime.md, Provider). */

/** A tool as a model is told of it. */
export interface ToolDescription {
  name: string;
  description: string;
  /** A JSON Schema of its input, an object. */
  schema: JsonObject;
}

/** How much a model is to think. */
export type Effort = 'low' | 'medium' | 'high';

/** One exchange: all that a model is to read, whole. */
export interface ModelRequest {
  /** As the provider calls it. */
  model: string;
  /** In order. `cached`: equal bytes in every session of a kind, worth a breakpoint. */
  system: readonly { text: string; cached: boolean }[];
  messages: readonly Message[];
  tools: readonly ToolDescription[];
  /** Tokens that the answer may have. */
  maxOutput: number;
  effort?: Effort;
  /** Ends the exchange. */
  signal: AbortSignal;
}

/** Why an answer ended: nothing more to say, calls to carry out, cut at `maxOutput`, refused by the provider, to be asked again as it is. */
export type Stop = 'end' | 'calls' | 'length' | 'refused' | 'paused';

/**
 * A piece of an answer. Blocks come whole and in order. `usage` may come several times: the latest value of each field counts. `end`
 * comes last, once; before it nothing of the answer counts.
 */
export type Part =
  | TextBlock
  | ThinkingBlock
  | CallBlock
  | { type: 'usage'; usage: Partial<Usage> }
  | { type: 'warning'; text: string }
  | { type: 'end'; stop: Stop };

/** Sends one request and gives its answer, piece by piece. @throws ProviderFault while it is read; the signal's reason once that aborts */
export interface Provider {
  request(request: ModelRequest): AsyncIterable<Part>;
}

/** What can be wrong with an exchange. */
export type FaultKind = 'auth' | 'rate' | 'overloaded' | 'transport' | 'timeout' | 'protocol' | 'context' | 'invalid';

interface FaultDetails {
  /** The status of HTTP. */
  status?: number;
  requestId?: string;
  /** Milliseconds that the provider asks to wait. */
  retryAfterMs?: number;
}

/** An exchange that came to nothing. */
export class ProviderFault extends Error {
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;

  /** @param message for people, without a key in it */
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
