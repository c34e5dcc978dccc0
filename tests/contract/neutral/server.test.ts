import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { devCli } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { BINARY, CHECKOUT } from '../../support/project.mjs';

// neutral.md, Doors: the server, started as its clients start it.

useProject();

const INITIALIZE = {
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'codex', version: '1' } },
};
const call = (id: number, name: string, given: object = {}) => ({
  id,
  method: 'tools/call',
  params: { name, arguments: given },
});
const add = (id: number, title: string) => call(id, 'task_add', { title, context: 'c' });
const titles = () =>
  (devCli(project, ['nexus', 'call', 'task_list']).json['tasks'] as unknown as { title: string }[]).map(
    ({ title }) => title,
  );

interface Message {
  id: number | null;
  error?: { code: number };
  result?: { isError?: true; content: { text: string }[]; structuredContent: Record<string, unknown> };
}

/** Sends all messages to the server at once, then ends its input. */
function talk(messages: readonly object[], { end = '\n', binary = BINARY, cwd = project.root } = {}) {
  const input = [INITIALIZE, ...messages].map((message) => JSON.stringify({ jsonrpc: '2.0', ...message })).join('\n');
  const { status, stdout, stderr } = spawnSync(process.execPath, [binary, 'mcp', '--tools', 'neutral'], {
    ...{ cwd, env: project.env, input: input + end, encoding: 'utf8' },
  });
  const said = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Message]));
  return { status, stderr, said, of: (id: number) => said.find((message) => message.id === id)?.result };
}

describe('dev-cli mcp --tools neutral', () => {
  it('tells eleven tools in 5 kB, and no event', () => {
    const { said, status } = talk([{ id: 1, method: 'tools/list', params: {} }]);
    const { tools = [] } = (said[1]?.result ?? {}) as { tools?: { name: string }[] };
    expect([status, tools.length]).toEqual([0, 11]);
    expect(tools.map(({ name }) => name)).not.toContain('session_start');
    expect(Buffer.byteLength(JSON.stringify(said[1]))).toBeLessThan(5_000);
  });

  it('starts through a link, from a path with blanks and in a directory below', () => {
    const package_ = join(project.home, 'a package');
    symlinkSync(CHECKOUT, package_);
    const binary = join(project.home, 'dev-cli');
    symlinkSync(join(package_, 'bin/dev-cli.js'), binary);
    const cwd = join(project.root, 'a directory');
    mkdirSync(cwd);
    for (const one of [binary, join(package_, 'bin/dev-cli.js')]) {
      const { status, of } = talk([add(1, one)], { binary: one, cwd });
      expect([status, of(1)?.isError]).toEqual([0, undefined]);
    }
    expect(titles()).toHaveLength(2);
  });

  it('answers with the value, a refusal, and warnings apart', () => {
    const { of } = talk([
      call(1, 'task_update', { id: 1, status: 'pending' }),
      call(2, 'task_add', { title: 't', context: 'c', nope: 1 }),
    ]);
    expect(of(1)).toMatchObject({ isError: true, structuredContent: { error: 'tasks.json not found' } });
    expect(of(1)?.content.map(({ text }) => text)).toEqual(['{"error":"tasks.json not found"}']);
    expect(Object.keys(of(2)?.structuredContent ?? {})).toEqual(['task']);
    expect(of(2)?.content[1]?.text).toBe('There is no parameter "nope".');
  });

  it('does what was asked in its order, and what came whole before half a line', () => {
    const { status, said, stderr } = talk([add(1, 'one'), add(2, 'two')], {
      end: '\n{"jsonrpc": "2.0", "id": 3, "meth',
    });
    expect([status, stderr]).toEqual([0, '']);
    expect(said.at(-1)).toMatchObject({ id: null, error: { code: -32700 } });
    expect(titles()).toEqual(['one', 'two']);
  });

  it('does nothing of a call that is cancelled before its turn', () => {
    const cancelled = { method: 'notifications/cancelled', params: { requestId: 2, reason: 'x' } };
    const { status, of } = talk([add(1, 'one'), add(2, 'two'), cancelled, add(3, 'three')]);
    expect([status, of(2)]).toEqual([0, undefined]);
    expect(titles()).toEqual(['one', 'three']);
  });
});
