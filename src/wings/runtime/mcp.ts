import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CallToolResult, Client, ContentBlock, Tool as Offered, Transport } from '@modelcontextprotocol/client';
import { getSystemCode } from '../../base/errors.js';
import type { JsonObject } from '../../base/json.js';
import { sha256 } from '../../base/sha256.js';
import { stripInvisible } from '../../base/visible.js';
import { toBoundedLine } from '../../documents/foreign.js';
import type { CallPlan, PermissionLevel, SessionTool, ToolResult, ToolScope } from './tools/tool.js';
import { isPrivateUrl } from './wires/fetch.js';

/** Tools of Model Context Protocol servers (runtime.md, Tools). The package for them is loaded only if there is one. */

/** A server as configured. `needs` is the permission that all its calls need; `danger-full-access` by default. */
export type ServerConfig = { needs?: PermissionLevel } & (
  | { command: string; args?: readonly string[]; env?: Readonly<Record<string, string>> }
  | { url: string; headers?: Readonly<Record<string, string>> }
);

/** What connecting to servers needs. */
export interface ServerSite {
  /** The absolute path of the directory in which servers are started. */
  cwd: string;
  /** Environment variables of servers, without the keys of providers; each server's own variables are added. */
  env: Readonly<Record<string, string>>;
  /** How the client introduces itself to servers. */
  clientInfo: { name: string; version: string };
  /** Aborts connecting. */
  signal: AbortSignal;
  /**
   * How many milliseconds a server may take to start and list its tools (`beginMs`, 30 s by default), and for a call
   * (`callMs`, 120 s).
   */
  timeouts?: { beginMs: number; callMs: number };
}

/** The connected servers. */
export interface Servers {
  tools: SessionTool[];
  /** Which servers are not available and which tools are left out, and why. */
  warnings: string[];
  /** Closes all connections. Never rejects. */
  close: () => Promise<void>;
}

/** Maximum tools of all servers together; providers accept 128 tools, including the runtime's own. */
const MOST_TOOLS = 110;
/** Maximum characters of a tool's name (every provider accepts 64), of its description and of its schema as JSON. */
const LONGEST = { name: 64, description: 1_024, schema: 16_384 };

/**
 * Starts all servers at once. A server that fails to start contributes no tools.
 * @throws the signal's reason once the signal aborts
 */
export async function connectServers(
  servers: Readonly<Record<string, ServerConfig>>,
  site: ServerSite,
): Promise<Servers> {
  const { beginMs, callMs } = site.timeouts ?? { beginMs: 30_000, callMs: 120_000 };
  const clients: Client[] = [];
  const warnings: string[] = [];
  const close = async () => void (await Promise.allSettled(clients.map((client) => client.close())));
  const list = async ([server, config]: [string, ServerConfig]): Promise<Served[]> => {
    try {
      const client = await connect(config, site, beginMs);
      clients.push(client);
      // Asking such a server for its tools would make the package write to standard output.
      if (client.getServerCapabilities()?.tools === undefined) return [];
      const { tools } = await client.listTools(undefined, { signal: site.signal, timeout: beginMs });
      const needs = config.needs ?? 'danger-full-access';
      return tools.map((offered) => ({ server, offered, client, needs, callMs }));
    } catch (error) {
      warnings.push(`MCP server ${toBoundedLine(server, 100)} is not available: ${describe(error)}`);
      return [];
    }
  };
  const served = (await Promise.all(Object.entries(servers).map(list))).flat();
  if (site.signal.aborted) await close();
  site.signal.throwIfAborted();
  const tools = new Map<string, SessionTool>();
  for (const one of served) {
    const name = nameTool(one, (taken) => tools.has(taken));
    const isOffered = tools.size < MOST_TOOLS && JSON.stringify(one.offered.inputSchema).length <= LONGEST.schema;
    if (name !== null && isOffered) tools.set(name, createTool(name, one));
    else
      warnings.push(
        `MCP server ${toBoundedLine(one.server, 100)}: its tool ${toBoundedLine(one.offered.name, 100)} is left out`,
      );
  }
  return { tools: [...tools.values()], warnings, close };
}

/** A tool as its server offers it. */
type Served = { server: string; offered: Offered; client: Client; needs: PermissionLevel; callMs: number };

async function connect(config: ServerConfig, site: ServerSite, timeout: number): Promise<Client> {
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  let transport: Transport;
  let said = '';
  let pid: number | null = null;
  if ('url' in config) {
    const url = new URL(config.url);
    if (!isPrivateUrl(url)) throw new Error('its address must use https');
    const requestInit: RequestInit = { headers: { ...config.headers }, redirect: 'error' };
    transport = new StreamableHTTPClientTransport(url, { requestInit });
  } else {
    const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
    const { command, args = [] } = config;
    const env = { ...site.env, ...config.env };
    const stdio = new StdioClientTransport({ command, args: [...args], cwd: site.cwd, env, stderr: 'pipe' });
    stdio.stderr?.on('data', (bytes: Buffer) => {
      said = `${said}${bytes.toString('utf8')}`.slice(-300);
    });
    const start = stdio.start.bind(stdio);
    stdio.start = async () => {
      await start();
      pid = stdio.pid;
    };
    transport = stdio;
  }
  const client = new Client(site.clientInfo, { capabilities: {} });
  try {
    await client.connect(transport, { signal: site.signal, timeout });
    return client;
  } catch (error) {
    await client.close().catch(() => {});
    // The package kills a server that does not answer, but only after a while; this process may have ended before.
    if (pid !== null) endProcess(pid);
    throw said.trim() === '' ? error : new Error(`${describe(error)}: ${said}`, { cause: error });
  }
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // `ESRCH`: the process has already ended.
    if (getSystemCode(error) !== 'ESRCH') throw error;
  }
}

/**
 * Returns the name by which rules and models know a tool. A name that is taken, too long or not exact gets a digest as
 * its end; null if even that name is taken, because the server offers the tool twice.
 */
function nameTool({ server, offered }: Served, isTaken: (name: string) => boolean): string | null {
  const clean = (text: string) => text.toLowerCase().replace(/[^a-z0-9_-]/g, '_');
  // Rules read the text between the first and the second `__` as the server's name, so it must contain no `__` itself.
  const place = clean(server).replace(/_+/g, '_').replace(/^_|_$/g, '') || 'server';
  const name = `mcp__${place}__${clean(offered.name)}`;
  const mark = `_${sha256(`${server}\0${offered.name}`).slice(0, 8)}`;
  const isExact = /^[\w-]+$/.test(offered.name) && name.length <= LONGEST.name;
  const marked = name.slice(0, LONGEST.name - mark.length) + mark;
  return [...(isExact ? [name] : []), marked].find((one) => !isTaken(one)) ?? null;
}

function createTool(name: string, { offered, client, needs, callMs }: Served): SessionTool {
  const call = async (input: JsonObject, { signal, clean }: ToolScope): Promise<ToolResult> => {
    try {
      const params = { name: offered.name, arguments: input };
      // The package's `callTool` would compile the output schemas that servers send.
      const result = await client.request({ method: 'tools/call', params }, { signal, timeout: callMs });
      return { output: clean(renderContent(result)), isError: result.isError === true };
    } catch (error) {
      signal.throwIfAborted();
      return { output: clean(`the MCP server did not answer: ${describe(error)}`), isError: true };
    }
  };
  const { $schema: _, ...schema } = offered.inputSchema;
  const reveal = (_key: string, value: unknown) => (typeof value === 'string' ? stripInvisible(value) : value);
  return {
    name,
    description: toBoundedLine(offered.description ?? offered.title ?? offered.name, LONGEST.description),
    schema: JSON.parse(JSON.stringify(schema), reveal) as JsonObject,
    needs,
    isParallel: needs === 'read-only',
    target: () => null,
    toHook: (input) => ({ tool: name, input }),
    prepare: async (input, site): Promise<CallPlan> =>
      needs === 'read-only'
        ? { kind: 'read', run: () => call(input, site) }
        : { kind: 'command', run: async () => (begins(site) ? call(input, site) : INTERRUPTED) },
  };
}

const INTERRUPTED: ToolResult = { output: 'interrupted; it may have run in part', isError: true };

/**
 * Records that a call begins. Returns false if it had begun before: then it may have run in part and is not repeated.
 */
function begins({ directory }: ToolScope): boolean {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(join(directory, 'begun'), '', { flag: 'wx' });
    return true;
  } catch (error) {
    if (getSystemCode(error) === 'EEXIST') return false;
    throw error;
  }
}

function renderContent({ content, structuredContent }: CallToolResult): string {
  if (content.length === 0 && structuredContent !== undefined) return JSON.stringify(structuredContent);
  return content.map(renderPart).join('\n');
}

function renderPart(part: ContentBlock): string {
  if (part.type === 'text') return part.text;
  if (part.type === 'resource_link') return `${part.name} ${part.uri}`;
  if (part.type !== 'resource') return `[${part.type} ${part.mimeType}, ${Math.floor(part.data.length * 0.75)} bytes]`;
  return 'text' in part.resource ? part.resource.text : `[resource ${part.resource.uri}]`;
}

const describe = (error: unknown): string => toBoundedLine(error instanceof Error ? error.message : String(error), 400);
