import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.js';
import { connectServers, type ServerConfig, type Servers } from '../../../src/wings/runtime/mcp.js';
import { answer } from './mcp-server.mjs';

// runtime.md, Tools: the tools of configured servers of the Model Context Protocol (mcpServers)

let directory: string;
const opened: Servers[] = [];
let http: Server | null = null;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'mcp-'));
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ close }) => close()));
  http?.closeAllConnections();
  http?.close();
  http = null;
  rmSync(directory, { recursive: true });
});

const stdio = (
  mode = 'plain',
  more: { env?: Record<string, string>; needs?: 'read-only' | 'workspace-write' } = {},
) => ({
  command: process.execPath,
  args: [join(import.meta.dirname, 'mcp-server.mjs'), mode],
  ...more,
});

interface Given {
  timeouts?: { beginMs: number; callMs: number };
  env?: Record<string, string>;
  signal?: AbortSignal;
}

async function connect(servers: Record<string, ServerConfig>, given: Given = {}): Promise<Servers> {
  const { env = { PATH: process.env['PATH'] ?? '' }, signal = new AbortController().signal, timeouts } = given;
  const site = { cwd: directory, env, signal, clientInfo: { name: 'dev-cli', version: '1' } };
  const made = await connectServers(servers, { ...site, ...(timeouts && { timeouts }) });
  opened.push(made);
  return made;
}

let calls = 0;
const createSite = (given: { signal?: AbortSignal; directory?: string } = {}) => ({
  workTree: directory,
  root: directory,
  promised: [],
  own: '/none',
  directory: join(directory, `call-${calls++}`),
  clean: (text: string) => text.replaceAll('\u202e', '?'),
  signal: new AbortController().signal,
  ...given,
});

async function callTool({ tools }: Servers, name: string, input: JsonObject = {}, site = createSite()) {
  const tool = tools.find((one) => one.name === name);
  const plan = await tool?.prepare(input, site);
  if (plan === undefined || plan.kind === 'file') throw new Error(`no ${name}`);
  return plan.run();
}

/** Starts a server over HTTP; with `redirect`, it only redirects the client to that address. */
async function serve(redirect?: string): Promise<{ url: string; headers: unknown[] }> {
  const headers: unknown[] = [];
  http = createServer(async (request, response) => {
    headers.push(request.headers['x-own']);
    let body = '';
    for await (const chunk of request) body += chunk;
    if (redirect !== undefined) return response.writeHead(307, { location: redirect }).end();
    const said = request.method === 'POST' ? answer(JSON.parse(body), 'plain') : null;
    if (said === null) return response.writeHead(request.method === 'POST' ? 202 : 405).end();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(said));
  });
  const server = http;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, headers };
}

describe('servers of the Model Context Protocol', () => {
  it('are none without a configuration', async () => {
    expect(await connect({})).toMatchObject({ tools: [], warnings: [] });
  });

  it('give their tools over stdio', async () => {
    const servers = await connect({ 'My Server': stdio('plain', { env: { OWN: 'o' } }) }, { env: { GIVEN: 'g' } });
    expect(servers.warnings).toEqual([]);
    expect(servers.tools.map(({ name }) => name)).toContain('mcp__my_server__echo');
    const [echo] = servers.tools;
    expect(echo).toMatchObject({ description: 'does echo', needs: 'danger-full-access', isParallel: false });
    expect(echo?.schema).toEqual({ type: 'object', properties: { a: { type: 'string', description: 'ab' } } });
    expect(echo?.target({})).toBeNull();
    expect(echo?.toHook({ a: 1 })).toEqual({ tool: 'mcp__my_server__echo', input: { a: 1 } });
    const call = (name: string, input?: JsonObject) => callTool(servers, `mcp__my_server__${name}`, input);
    expect(await call('echo', { a: 'x' })).toEqual({ output: 'echo {"a":"x"}', isError: false });
    expect(await call('all')).toEqual({
      output: 'a?b\n[image image/png, 3 bytes]\n[audio audio/wav, 6 bytes]\nn file:///n\ninside\n[resource file:///b]',
      isError: false,
    });
    expect(await call('fails')).toEqual({ output: 'no luck', isError: true });
    expect(await call('throws')).toEqual({ output: expect.stringContaining('broken inside'), isError: true });
    expect(await call('env')).toEqual({ output: '{"own":"o","given":"g"}', isError: false });
    expect(await call('dies')).toMatchObject({ isError: true });
    expect(await call('echo')).toMatchObject({ isError: true });
  });

  it('give their tools over HTTP', async () => {
    const { url, headers } = await serve();
    const servers = await connect({ web: { url, headers: { 'x-own': 'h' }, needs: 'read-only' } });
    expect(servers.warnings).toEqual([]);
    expect(await callTool(servers, 'mcp__web__echo')).toEqual({ output: 'echo {}', isError: false });
    expect(await callTool(servers, 'mcp__web__fails')).toEqual({ output: 'no luck', isError: true });
    expect(new Set(headers)).toEqual(new Set(['h']));
  });

  it.each([
    ['http://example.invalid/mcp', 'its address must use https'],
    ['http://127.0.0.1.example.invalid/', 'its address must use https'],
    ['ftp://127.0.0.1/', 'its address must use https'],
    ['no address', 'Invalid URL'],
  ])('are refused at %s', async (url, why) => {
    expect(await connect({ web: { url } })).toMatchObject({
      tools: [],
      warnings: [`MCP server web is not available: ${why}`],
    });
  });

  it('are not followed where they redirect', async () => {
    const elsewhere = await serve();
    const target = http;
    const { url } = await serve(elsewhere.url);
    const servers = await connect({ web: { url, headers: { 'x-own': 'h' } } });
    target?.closeAllConnections();
    target?.close();
    expect(servers).toMatchObject({ tools: [], warnings: [expect.stringContaining('web is not available')] });
    expect(elsewhere.headers).toEqual([]);
  });

  it('that are dead or broken are told of, and hold up no other', async () => {
    const servers = await connect(
      {
        exits: stdio('exits'),
        missing: { command: './not-there' },
        toolless: stdio('toolless'),
        garbage: stdio('garbage'),
      },
      { timeouts: { beginMs: 30_000, callMs: 200 } },
    );
    expect(servers.warnings.toSorted()).toEqual([
      expect.stringMatching(/^MCP server exits is not available: .*cannot begin/),
      expect.stringMatching(/^MCP server missing is not available: .*ENOENT/),
    ]);
    expect(new Set(servers.tools.map(({ name }) => name.split('__')[1]))).toEqual(new Set(['garbage']));
    expect(await callTool(servers, 'mcp__garbage__sleeps')).toEqual({
      output: expect.stringContaining('timed out'),
      isError: true,
    });
  });

  it.each(['silent', 'silent-list'])('that never answer are not waited for: %s', async (mode) => {
    const servers = await connect({ a: stdio(mode) }, { timeouts: { beginMs: 300, callMs: 300 } });
    expect(servers).toMatchObject({
      tools: [],
      warnings: [expect.stringMatching(/^MCP server a is not available: .*timed out/)],
    });
  });

  it('end a call with its signal, and connecting with its own', async () => {
    const servers = await connect({ a: stdio() });
    const ended = new AbortController();
    const called = callTool(servers, 'mcp__a__sleeps', {}, createSite({ signal: ended.signal }));
    setTimeout(() => ended.abort(new Error('enough')), 20);
    await expect(called).rejects.toThrow('enough');
    await expect(connect({ a: stdio('silent') }, { signal: AbortSignal.abort(new Error('at once')) })).rejects.toThrow(
      'at once',
    );
  });

  it('are asked once for a call, unless it only reads', async () => {
    const servers = await connect({ a: stdio(), b: stdio('plain', { needs: 'read-only' }) });
    const site = createSite();
    expect(await callTool(servers, 'mcp__a__echo', {}, site)).toMatchObject({ isError: false });
    expect(await callTool(servers, 'mcp__a__echo', {}, site)).toEqual({
      output: 'interrupted; it may have run in part',
      isError: true,
    });
    expect(servers.tools.find(({ name }) => name === 'mcp__b__echo')).toMatchObject({
      needs: 'read-only',
      isParallel: true,
    });
    for (let n = 0; n < 2; n += 1)
      expect(await callTool(servers, 'mcp__b__echo', {}, site)).toMatchObject({ isError: false });
  });

  it('give names that every provider takes, each once', async () => {
    const servers = await connect({ h: stdio('hostile'), h_: stdio('hostile'), a__b: stdio(), ä: stdio() });
    const names = servers.tools.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^mcp__[a-z0-9][a-z0-9_-]*__[a-z0-9_-]+$/);
    for (const name of names) expect(name.length).toBeLessThanOrEqual(64);
    expect(names).toContain('mcp__a_b__echo');
    expect(names).toContain('mcp__server__echo');
    expect(names.filter((name) => /^mcp__h__echo(?:_[0-9a-f]{8})?$/.test(name))).toHaveLength(4);
    for (const { description } of servers.tools) expect(description.length).toBeLessThanOrEqual(1_024);
    expect(names.some((name) => name.endsWith('__large'))).toBe(false);
    expect(servers.warnings.filter((warning) => warning.endsWith(': its tool large is left out'))).toHaveLength(2);
    const [echo] = names.filter((name) => name.startsWith('mcp__h__echo_'));
    expect(await callTool(servers, echo ?? '')).toMatchObject({ output: expect.stringMatching(/^echo /i) });
  });

  it('give no more tools than a provider takes', async () => {
    const { tools, warnings } = await connect({ a: stdio('many') });
    expect(tools).toHaveLength(110);
    expect(warnings).toHaveLength(390);
  });
});
