import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { project, useProject } from '../../support/each-project.js';
import { BINARY } from '../../support/project.mjs';

// memory.md, MCP: the tools of the group `memory`.

useProject();

interface Result {
  tools?: { name: string; inputSchema: { properties: object; required?: string[] }; annotations: object }[];
  structuredContent?: Record<string, unknown>;
  content?: { text: string }[];
  isError?: true;
}

const INITIALIZE = {
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'claude-code', version: '1' } },
};

const write = (requests: object[]) =>
  [INITIALIZE, ...requests].map((one, id) => `${JSON.stringify({ jsonrpc: '2.0', id, ...one })}\n`).join('');

const call = (name: string, given: object = {}) => ({ method: 'tools/call', params: { name, arguments: given } });

function readResults(stdout: string): (Result | undefined)[] {
  const lines = stdout.trim().split('\n').slice(1);
  return lines.map((line) => (JSON.parse(line) as { result?: Result }).result);
}

function serve(...requests: object[]): (Result | undefined)[] {
  const options = { cwd: project.root, env: project.env, encoding: 'utf8', input: write(requests) } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [BINARY, 'mcp', '--tools', 'memory'], options);
  expect(status, stderr).toBe(0);
  return readResults(stdout);
}

interface Book {
  decision: Record<string, { text: string; by: object }>;
}

const readBook = () => JSON.parse(readFileSync(join(project.root, '.dev/memory/book/state.json'), 'utf8')) as Book;

describe('the group memory', () => {
  it('is told in at most 4,500 bytes, in its order', () => {
    const [told] = serve({ method: 'tools/list' });
    expect(Buffer.byteLength(JSON.stringify({ jsonrpc: '2.0', id: 1, result: told }))).toBeLessThanOrEqual(4500);
    const shown = (told?.tools ?? []).map(({ name, inputSchema: { properties, required = [] } }) => {
      const optional = Object.keys(properties).filter((key) => !required.includes(key));
      return `${name} ${required.join(' ')}; ${optional.join(' ')}`.trim();
    });
    const hinted = (hint: object) =>
      (told?.tools ?? []).flatMap(({ name, annotations }) =>
        Object.entries(hint).every(([key, value]) => (annotations as Record<string, unknown>)[key] === value)
          ? [name]
          : [],
      );
    expect(shown).toEqual([
      'transfer_set_decision text; reason supersedes',
      'transfer_set_verification text; outcome',
      'transfer_set_relevant path; why',
      'checkpoint_create message;',
      'guard_check ;',
      'handoff_create session_summary first_next_action; done_when decision verification tried blocked_by switched_to status reason',
      'project_context_get ; format',
    ]);
    expect(hinted({ readOnlyHint: true })).toEqual(['project_context_get']);
    expect(hinted({ idempotentHint: true })).toEqual([
      'transfer_set_decision',
      'transfer_set_verification',
      'transfer_set_relevant',
    ]);
  });

  it('keeps what the command line would', () => {
    const [decision, again, claim, relevant, checkpoint, checked] = serve(
      call('transfer_set_decision', { text: 'Sessions live in Redis', reason: 'they outlive a deploy' }),
      call('transfer_set_decision', { text: 'Sessions live in Redis', reason: 'they outlive a deploy' }),
      call('transfer_set_verification', { text: 'curl /health -> 200', outcome: 'passed' }),
      call('transfer_set_relevant', { path: './package.json', why: 'the scripts' }),
      call('checkpoint_create', { message: 'before the store' }),
      call('guard_check'),
    ).map((result) => result?.structuredContent);
    expect(decision).toMatchObject({ ok: true, stored: 'added', entry: { reason: 'they outlive a deploy' } });
    expect(again).toMatchObject({ ok: true, stored: 'none' });
    expect(claim).toMatchObject({ ok: true, entry: { command: 'curl /health', how: 'told', outcome: 'passed' } });
    expect(relevant).toMatchObject({ ok: true, entry: { path: 'package.json' } });
    expect(checkpoint).toMatchObject({ ok: true, stored: 'added' });
    expect(checked).toMatchObject({ ok: true, stored: 'none', ran: [] });
    const [{ by } = { by: {} }] = Object.values(readBook().decision);
    expect(by).toMatchObject({ kind: 'agent', via: 'mcp', harness: 'claude-code' });
  });

  it('hands over, and tells the next session what the command line would', () => {
    const [handoff, context, again] = serve(
      call('handoff_create', {
        session_summary: 'Sessions are kept in Redis',
        first_next_action: 'Expire them',
        decision: ['Keep, for a week', 'Tell nobody'],
      }),
      call('project_context_get'),
      call('project_context_get', { format: 'json' }),
    );
    expect(handoff?.structuredContent).toMatchObject({ ok: true, region: 'PROJECT_CONTEXT.md' });
    expect(readFileSync(join(project.root, 'PROJECT_CONTEXT.md'), 'utf8')).toContain('Expire them');
    const options = { cwd: project.root, env: project.env, encoding: 'utf8' } as const;
    const print = (...args: string[]) => spawnSync(process.execPath, [BINARY, 'context', ...args], options).stdout;
    expect(context?.content?.[0]?.text).toBe(print('--text'));
    expect(context?.structuredContent).toEqual(JSON.parse(print('--json')));
    expect(again?.content?.[0]?.text).toBe(print('--format', 'json'));
    expect(print()).toContain('Keep, for a week');
  });

  it.each([
    ['/etc/passwd', 'PATH_UNSAFE'],
    ['@/etc/passwd', null],
    ['../x', 'PATH_UNSAFE'],
  ])('judges the path %s as the command line does', (path, code) => {
    const [result] = serve(call('transfer_set_relevant', { path }));
    expect([result?.isError ?? false, result?.structuredContent]).toMatchObject(
      code === null ? [false, { entry: { path } }] : [true, { ok: false, error: { code } }],
    );
  });

  it('loses nothing of two servers and the command line at once', async () => {
    const run = promisify(execFile);
    const options = { cwd: project.root, env: project.env };
    const texts = (from: string, count: number) => Array.from({ length: count }, (_, at) => `${from} ${at}`);
    const byTool = async (from: string) => {
      const told = run(process.execPath, [BINARY, 'mcp'], options);
      told.child.stdin?.end(write(texts(from, 12).map((text) => call('transfer_set_decision', { text }))));
      return readResults((await told).stdout).filter((result) => result?.isError === undefined).length;
    };
    const byHand = async (text: string) => {
      const { stdout } = await run(process.execPath, [BINARY, 'memory', 'decide', '--text', text], options);
      return (JSON.parse(stdout) as { ok: boolean }).ok;
    };
    const [one, two, hands] = await Promise.all([
      byTool('one'),
      byTool('two'),
      Promise.all(texts('hand', 3).map(byHand)),
    ]);
    expect([one, two, hands]).toEqual([12, 12, [true, true, true]]);
    const kept = Object.values(readBook().decision).map(({ text }) => text);
    expect(kept.toSorted()).toEqual([...texts('one', 12), ...texts('two', 12), ...texts('hand', 3)].toSorted());
  });
});
