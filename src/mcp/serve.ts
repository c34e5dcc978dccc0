import type { Readable } from 'node:stream';
import { CLIENT_INFO_META_KEY, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Answer } from '../base/answer.js';
import type { JsonObject } from '../base/json.js';
import { VERSION } from '../base/version.js';
import type { ToolGroup, ToolSite } from '../protocol/ports.js';
import { LineTransport } from './lines.js';

/** The outcome of a call, in the form for a client. */
export interface ToolReply {
  value: JsonObject;
  /** Text to show instead of the value's JSON. */
  text?: string;
  refused: boolean;
  warnings: string[];
}

/** The parts of its process that the server uses. */
export interface ServerHost {
  site: Omit<ToolSite, 'caller'>;
  input: Readable;
  /** Writes to the client; returns false if the client no longer reads. */
  write: (text: string) => boolean;
  /** Formats a call's answer or error as the command line does. Never rejects. */
  reply: (call: Promise<Answer>) => Promise<ToolReply>;
}

/**
 * Serves tools to one client until the client's input ends and all calls have finished (memory.md, MCP). The MCP
 * package negotiates the protocol revision.
 * @throws DevCliError `IO` for a message that is too large
 */
export async function serveTools(groups: readonly ToolGroup[], around: ServerHost): Promise<void> {
  const lines = new LineTransport(around.input, around.write);
  const turns = new Turns();
  serveStdio(() => createServer(groups, around, turns), { transport: lines });
  try {
    await lines.closed;
  } finally {
    await turns.end();
  }
}

function createServer(groups: readonly ToolGroup[], { site, reply }: ServerHost, turns: Turns): Server {
  const server = new Server({ name: 'dev-cli', version: VERSION }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({ tools: groups.flatMap(({ tools }) => [...tools]) }));
  server.setRequestHandler('tools/call', ({ params: { name, arguments: given = {} } }, { mcpReq }) => {
    const group = groups.find(({ tools }) => tools.some((tool) => tool.name === name));
    if (group === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${name}.`);
    const { [CLIENT_INFO_META_KEY]: named = server.getClientVersion() }: Claim = mcpReq.envelope ?? {};
    const caller = { via: 'mcp', ...(named && { harness: named.name }) };
    return turns.take(async () => {
      mcpReq.signal.throwIfAborted();
      const signal = AbortSignal.any([site.signal, mcpReq.signal]);
      return render(await reply(group.call({ ...site, caller, signal }, name, given as JsonObject)));
    });
  });
  return server;
}

function render({ value, text = JSON.stringify(value), refused, warnings }: ToolReply) {
  const content = [text, ...warnings].map((line) => ({ type: 'text' as const, text: line }));
  return { content, structuredContent: value, ...(refused && { isError: true }) };
}

/** The client's name. In newer protocol revisions, clients send it with each request; in older ones, only once. */
type Claim = Partial<Record<typeof CLIENT_INFO_META_KEY, { name: string }>>;

/** Runs calls one at a time, in the order of their arrival. */
class Turns {
  private last: Promise<unknown> = Promise.resolve();

  take<Result>(work: () => Promise<Result>): Promise<Result> {
    const made = this.last.then(work);
    this.last = made.catch(() => undefined);
    return made;
  }

  end(): Promise<unknown> {
    return this.last;
  }
}
