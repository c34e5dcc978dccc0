import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProject, type Project } from '../../support/project.mjs';
import { buildHouse } from '../../support/wing-house.js';

// memory.md, MCP: tested with the tools of a wing added from outside, which nothing in src/mcp/ knows.

let program: string;
let house: string;
let project: Project;
beforeAll(() => {
  house = buildHouse();
  program = join(house, 'bin/dev-cli.js');
  project = createProject();
}, 120_000);
afterAll(() => {
  project?.remove();
  rmSync(house, { recursive: true, force: true });
});

interface Message {
  id?: number | null;
  result?: Record<string, unknown> & { structuredContent?: Record<string, unknown>; isError?: true };
  error?: { code: number; message: string };
}

const INITIALIZE = {
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'claude-code', version: '1' } },
};
/** The tool groups of that wing. */
const SERVED = ['--tools', 'memos,shown'];

const INITIALIZED = { method: 'notifications/initialized' };

const call = (id: number, name: string, given?: object) => ({
  id,
  method: 'tools/call',
  params: { name, ...(given && { arguments: given }) },
});

const write = (message: object | string) =>
  typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...message });

function readLines(stdout: string): Message[] {
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Message]));
}

/** Sends all messages to a server at once, ends its input, and reads all its output. */
function talk(messages: (object | string)[], { args = SERVED, greet = true, end = '\n' } = {}) {
  const input = [...(greet ? [INITIALIZE, INITIALIZED] : []), ...messages].map(write).join('\n') + end;
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'mcp', ...args], {
    ...{ cwd: project.root, env: project.env, encoding: 'utf8', input },
    maxBuffer: 64 * 1024 * 1024,
  });
  const said = readLines(stdout).filter(({ id }) => !greet || id !== 0);
  return { status, said, stderr, answers: new Map(said.map(({ id, result }) => [id, result])) };
}

function start(): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [program, 'mcp', ...SERVED], { cwd: project.root, env: project.env });
}

async function hearOut(server: ChildProcessWithoutNullStreams) {
  const heard = { stdout: '', stderr: '' };
  server.stdout.on('data', (chunk: Buffer) => (heard.stdout += chunk.toString()));
  server.stderr.on('data', (chunk: Buffer) => (heard.stderr += chunk.toString()));
  const [status] = (await once(server, 'close')) as [number | null];
  return { status, said: readLines(heard.stdout), stderr: heard.stderr };
}

async function connect(mode: 'legacy' | { pin: string }, name = 'codex-mcp-client'): Promise<Client> {
  const client = new Client({ name, version: '1' }, { versionNegotiation: { mode } });
  const env = Object.fromEntries(Object.entries(project.env).flatMap(([key, value]) => (value ? [[key, value]] : [])));
  const server = { command: process.execPath, args: [program, 'mcp', ...SERVED], cwd: project.root, env };
  await client.connect(new StdioClientTransport(server));
  return client;
}

const refused = (message: string | RegExp, code = 'USAGE') => ({
  isError: true,
  structuredContent: {
    ok: false,
    error: { code, message: typeof message === 'string' ? message : expect.stringMatching(message) },
  },
});

describe.each<[string, 'legacy' | { pin: string }]>([
  ['2025-11-25', 'legacy'],
  ['2026-07-28', { pin: '2026-07-28' }],
])('the official client, revision %s', (revision, mode) => {
  let client: Client;
  beforeAll(async () => {
    client = await connect(mode);
  });
  afterAll(() => client?.close());

  it('agrees on the revision, and is told the tools', async () => {
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    expect(client.getServerVersion()).toMatchObject({ name: 'dev-cli' });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['memo_keep', 'memo_week', 'memo_show']);
    expect(tools[0]).toMatchObject({
      description: 'Keep a memo.',
      inputSchema: {
        type: 'object',
        required: ['memo'],
        additionalProperties: false,
        properties: { memo: { type: 'string' }, because: { type: 'array', items: { type: 'string' } }, days: {} },
      },
      annotations: { destructiveHint: false, idempotentHint: true },
    });
    expect(tools[2]).toMatchObject({ description: 'Show it.', annotations: { readOnlyHint: true } });
  });

  it('gets what `--json` prints, and the caller is known', async () => {
    const options = { cwd: project.root, env: project.env, encoding: 'utf8' } as const;
    const { stdout } = spawnSync(process.execPath, [program, 'memo', 'add', '--memo', 'a b', '--json'], options);
    const printed = JSON.parse(stdout) as Record<string, unknown>;
    const { structuredContent, content, isError } = await client.callTool({
      name: 'memo_keep',
      arguments: { memo: 'a b' },
    });
    expect(structuredContent).toEqual({
      ...printed,
      caller: { kind: 'agent', via: 'mcp', harness: 'codex-mcp-client' },
    });
    expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }]);
    expect(isError).toBeUndefined();
  });

  it('is refused as the command line is', async () => {
    expect(await client.callTool({ name: 'memo_keep', arguments: { memo: 'nothing' } })).toMatchObject(
      refused('Nothing to keep.', 'DATA_MISSING'),
    );
    await expect(client.callTool({ name: 'memo_lose', arguments: {} })).rejects.toThrow('There is no tool memo_lose.');
  });
});

describe('a call', () => {
  it.each([
    ['missing', {}, /^"memo" is missing$/],
    ['missing altogether', undefined, /^"memo" is missing$/],
    ['null', { memo: null }, /^memo is null, not a text$/],
    ['a number', { memo: 7 }, /^memo is 7, not a text$/],
    ['a text in place of a list', { memo: 'a', because: 'b' }, /^because is "b", not a list$/],
    ['a number within a list', { memo: 'a', because: ['b', 1] }, /^because\/1 is 1, not a text$/],
    ['a fraction', { memo: 'a', days: 1.5 }, /^days is 1.5, not a whole number$/],
    ['unknown', { memo: 'a', dayz: 1 }, /^unknown key "dayz"; did you mean "days"\?$/],
    ['none of the words', { memo: 'a', because: ['b'], kind: 'goal' }, /^kind is "goal"/],
    ['given without the one it needs', { memo: 'a', kind: 'aim' }, /^kind requires because\.$/],
    ['several at fault', { memo: 1, days: 'x' }, /\(and 1 more\)$/],
  ])('with an argument that is %s is refused, and the argument named', (_, given, message) => {
    expect(talk([call(1, 'memo_keep', given)]).answers.get(1)).toMatchObject(refused(message));
  });

  it('with a text that is blank or too long is refused', () => {
    const { answers } = talk([
      call(1, 'memo_keep', { memo: ' \n' }),
      call(2, 'memo_keep', { memo: 'x'.repeat(20_001) }),
      call(3, 'memo_keep', { memo: 'a', because: ['b', ''] }),
    ]);
    expect(answers.get(1)).toMatchObject(refused('memo is empty.', 'DATA_MISSING'));
    expect(answers.get(2)).toMatchObject(refused(/^memo has 20001 characters/, 'DATA_MALFORMED'));
    expect(answers.get(3)).toMatchObject(refused('because is empty.', 'DATA_MISSING'));
  });

  it('follows no reference: a text is that text', () => {
    const { answers } = talk([
      call(1, 'memo_keep', { memo: '@/etc/passwd', because: ['@/etc/passwd', '-'] }),
      call(2, 'memo_keep', { memo: '-' }),
    ]);
    expect(answers.get(1)?.structuredContent).toMatchObject({
      kept: '@/ETC/PASSWD',
      because: ['@/etc/passwd', '-'],
    });
    expect(answers.get(2)?.structuredContent).toMatchObject({ kept: '-' });
  });

  it('has what its tool always gives, and gets no other', () => {
    const { answers } = talk([call(1, 'memo_week', { memo: 'a' }), call(2, 'memo_week', { memo: 'a', days: 1 })]);
    expect(answers.get(1)?.structuredContent).toMatchObject({ until: 8 });
    expect(answers.get(2)).toMatchObject(refused(/^unknown key "days"/));
  });

  it('shows the text of a command that prints text, and what it warns of as a further item', () => {
    expect(talk([call(1, 'memo_show')]).answers.get(1)).toEqual({
      content: [
        { type: 'text', text: '# Memos\n\none\n' },
        { type: 'text', text: 'One is old.' },
      ],
      structuredContent: { ok: true, memos: ['one'] },
    });
  });

  it('that ends red is an error with its document; a defect is told as one', () => {
    const { answers } = talk([call(1, 'memo_keep', { memo: 'red' }), call(2, 'memo_keep', { memo: 'defect' })]);
    expect(answers.get(1)).toMatchObject({ isError: true, structuredContent: { ok: false, kept: 'RED' } });
    expect(answers.get(2)).toMatchObject(refused('Unexpected: broken', 'INTERNAL'));
  });

  it('knows no harness by a name that is none', () => {
    const named = { ...INITIALIZE.params, clientInfo: { name: 'A client: 1.0', version: '1' } };
    const { answers } = talk([{ ...INITIALIZE, params: named }, call(1, 'memo_keep', { memo: 'a' })], { greet: false });
    expect(answers.get(1)?.structuredContent?.['caller']).toEqual({ kind: 'agent', via: 'mcp' });
  });

  it('is carried out after those before it', () => {
    const messages = [
      call(1, 'memo_keep', { memo: 'slow' }),
      call(2, 'memo_keep', { memo: 'a' }),
      call(3, 'memo_show'),
    ];
    expect(talk(messages).said.map(({ id }) => id)).toEqual([1, 2, 3]);
  });

  it('that is taken back before its turn is not carried out', () => {
    const { said, status } = talk([
      call(1, 'memo_keep', { memo: 'slow' }),
      call(2, 'memo_keep', { memo: 'slow' }),
      { method: 'notifications/cancelled', params: { requestId: 2 } },
      call(3, 'memo_show'),
    ]);
    expect([status, said.map(({ id }) => id)]).toEqual([0, [1, 3]]);
  });
});

describe('a server', () => {
  it.each(['2025-06-18', '2025-03-26', '2024-11-05'])('speaks revision %s, too', (protocolVersion) => {
    const older = { ...INITIALIZE, params: { ...INITIALIZE.params, protocolVersion } };
    const { said } = talk([older, { id: 1, method: 'tools/list' }], { greet: false });
    expect(said).toMatchObject([{ result: { protocolVersion } }, { result: { tools: [{}, {}, {}] } }]);
  });

  it('serves the groups that are named, and knows no others', () => {
    const list = { id: 1, method: 'tools/list' };
    const { answers } = talk([list, call(2, 'memo_keep', { memo: 'a' })], { args: ['--tools', 'shown'] });
    expect(answers.get(1)).toMatchObject({ tools: [{ name: 'memo_show' }] });
    expect(answers.get(2)).toBeUndefined();
    expect(talk([list], { args: ['--tools', 'shown,memos'] }).answers.get(1)).toMatchObject({ tools: [{}, {}, {}] });
    expect(talk([list], { args: ['--tools', 'shown,nothing', '--json'] })).toMatchObject({
      status: 2,
      said: [],
      stderr: expect.stringContaining(
        'USAGE: There is no group of tools named "nothing". Name one or more of these: memos, shown, memory, neutral.',
      ),
    });
  });

  it('says what is wrong with a line, and goes on', () => {
    const { status, said } = talk([
      '{"jsonrpc": "2.0", ',
      '[]',
      '{"id": 1}',
      '\n'.repeat(100_000),
      { id: 2, method: 'tools/sell' },
      call(3, 'memo_lose'),
      { id: 4, method: 'tools/call', params: { name: 'memo_keep', arguments: 'a' } },
      call(5, 'memo_show'),
    ]);
    expect(status).toBe(0);
    expect(said.map(({ id, error }) => [id, error?.code])).toEqual([
      [null, -32700],
      [null, -32600],
      [null, -32600],
      [2, -32601],
      [3, -32602],
      [4, -32602],
      [5, undefined],
    ]);
  });

  it('takes a message of 9 MB, and ends at one of 11', () => {
    const large = (mb: number) => call(1, 'memo_keep', { memo: 'x'.repeat(mb * 1024 * 1024) });
    const taken = talk([large(9), call(2, 'memo_show')]);
    expect(taken.answers.get(1)).toMatchObject(refused(/^memo has 9437184 characters/, 'DATA_MALFORMED'));
    expect([taken.status, taken.answers.get(2)]).toMatchObject([0, { structuredContent: { ok: true } }]);
    const { status, said, stderr } = talk([large(11), call(2, 'memo_show')]);
    expect([status, said]).toEqual([1, []]);
    expect(stderr).toBe('IO: A message is larger than 10 MB. Send less in one message.\n');
  });

  it('finishes what is at work when its input ends, also with a last line that has no end', () => {
    const { status, answers } = talk([call(1, 'memo_keep', { memo: 'slow' }), call(2, 'memo_show')], { end: '' });
    expect([status, answers.get(1), answers.get(2)]).toMatchObject([
      0,
      { structuredContent: { kept: 'SLOW' } },
      { structuredContent: { ok: true } },
    ]);
  });

  it('that is asked nothing says nothing', () => {
    expect(talk([], { greet: false, end: '' })).toMatchObject({ status: 0, said: [], stderr: '' });
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'mcp'], {
      ...{ cwd: project.root, env: project.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    expect([status, stdout.length, stderr.length]).toEqual([0, 0, 0]);
  });

  it('waits for a slow client', async () => {
    const server = start();
    const heard = hearOut(server);
    const text = `${[INITIALIZE, call(1, 'memo_keep', { memo: 'müde' })].map(write).join('\n')}\n`;
    for (const byte of Buffer.from(text)) {
      server.stdin.write(Buffer.from([byte]));
      if (byte % 7 === 0) await setTimeout(2);
    }
    server.stdin.end();
    expect(await heard).toMatchObject({
      status: 0,
      said: [{ id: 0 }, { id: 1, result: { structuredContent: { kept: 'MÜDE' } } }],
    });
  });

  it('ends quietly when nobody reads it any more', async () => {
    const server = start();
    server.stdout.destroy();
    server.stdin.on('error', () => undefined);
    server.stdin.write(`${[INITIALIZE, call(1, 'memo_show')].map(write).join('\n')}\n`);
    let stderr = '';
    server.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const [status] = (await once(server, 'exit')) as [number | null];
    expect([status, stderr]).toEqual([0, '']);
  });

  it('is interrupted as every command is', async () => {
    const server = start();
    const heard = hearOut(server);
    server.stdin.write(`${[INITIALIZE, call(1, 'memo_keep', { memo: 'slow' })].map(write).join('\n')}\n`);
    await once(server.stdout, 'data');
    server.kill('SIGTERM');
    expect(await heard).toMatchObject({
      status: 130,
      said: [{ id: 0 }],
      stderr: expect.stringContaining('INTERRUPTED'),
    });
  });

  it('works beside another one over the same project', async () => {
    const clients = await Promise.all([connect('legacy', 'one'), connect({ pin: '2026-07-28' }, 'two')]);
    const calls = Array.from({ length: 20 }, (_, at) => ({ name: 'memo_keep', arguments: { memo: `m${at}` } }));
    const replies = await Promise.all(clients.flatMap((client) => calls.map((one) => client.callTool(one))));
    await Promise.all(clients.map((client) => client.close()));
    const kept = replies.map(({ structuredContent }) => (structuredContent as { kept: string }).kept);
    expect(kept).toEqual([...calls, ...calls].map((one) => one.arguments.memo.toUpperCase()));
  });
});
