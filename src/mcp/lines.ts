import type { Readable } from 'node:stream';
import {
  INVALID_REQUEST,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  PARSE_ERROR,
  parseJSONRPCMessage,
  type RequestId,
  STDIO_DEFAULT_MAX_BUFFER_SIZE,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import { DevCliError } from '../base/errors.js';

const LINE_FEED = 10;

/**
 * Transports one client's messages, each on its own line (memory.md, MCP). Replaces the transport of the MCP package,
 * which drops calls in progress when its input ends, and does not report a line that is not JSON.
 */
export class LineTransport implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: () => void;
  onerror?: (error: Error) => void;
  /** Resolves when the input has ended and every request has been answered, or when the client no longer reads. */
  readonly closed: Promise<void>;
  private settle: (fault?: DevCliError) => void = () => undefined;
  private readonly unanswered = new Set<RequestId>();
  /** The chunks received so far of an incomplete line. */
  private begun: Buffer[] = [];
  private size = 0;
  private ended = false;

  constructor(
    private readonly input: Readable,
    private readonly write: (text: string) => boolean,
  ) {
    this.closed = new Promise((resolve, reject) => {
      this.settle = (fault) => (fault === undefined ? resolve() : reject(fault));
    });
  }

  async start(): Promise<void> {
    this.input.on('data', (chunk: Buffer) => this.take(chunk));
    for (const end of ['end', 'error', 'close']) this.input.on(end, () => this.end());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.write(serializeMessage(message))) return this.close();
    if (isJSONRPCResponse(message) && message.id !== undefined) this.forget(message.id);
  }

  async close(fault?: DevCliError): Promise<void> {
    this.input
      .removeAllListeners()
      .on('error', () => undefined)
      .destroy();
    this.settle(fault);
    this.onclose?.();
    this.onclose = () => undefined;
  }

  private take(chunk: Buffer): void {
    for (let from = 0; from < chunk.length; ) {
      const at = chunk.indexOf(LINE_FEED, from);
      const end = at < 0 ? chunk.length : at;
      this.size += end - from;
      if (this.size > STDIO_DEFAULT_MAX_BUFFER_SIZE) {
        void this.close(new DevCliError('IO', 'A message is larger than 10 MB.', { fix: 'Send less in one message.' }));
        return;
      }
      this.begun.push(chunk.subarray(from, end));
      if (at >= 0) this.hear();
      from = end + 1;
    }
  }

  private end(): void {
    if (this.ended) return;
    this.hear();
    this.ended = true;
    this.forget();
  }

  private hear(): void {
    const line = Buffer.concat(this.begun).toString('utf8');
    this.begun = [];
    this.size = 0;
    if (line.trim() === '') return;
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(JSON.parse(line));
    } catch (cause) {
      const error =
        cause instanceof SyntaxError
          ? { code: PARSE_ERROR, message: 'Parse error: this line is not JSON' }
          : { code: INVALID_REQUEST, message: 'Invalid request: this is not a JSON-RPC 2.0 message' };
      this.write(`${JSON.stringify({ jsonrpc: '2.0', id: null, error })}\n`);
      return;
    }
    // A subscription stays open, so closing must not wait for its answer.
    if (isJSONRPCRequest(message) && message.method !== 'subscriptions/listen') this.unanswered.add(message.id);
    this.onmessage?.(message);
    if ('method' in message && message.method === 'notifications/cancelled') {
      this.forget(message.params?.['requestId'] as RequestId);
    }
  }

  private forget(id?: RequestId): void {
    if (id !== undefined) this.unanswered.delete(id);
    if (this.ended && this.unanswered.size === 0) void this.close();
  }
}
