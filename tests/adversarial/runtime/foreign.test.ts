import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { eventually, isRunning } from '../binary/victims.js';
import { inOrder, openStage, type Stage } from './stage.js';

// runtime.md, Tools, Hooks: if a server or a hook misbehaves, the turn goes on, and the model is told about it.

const SERVER = join(import.meta.dirname, '../../wings/runtime/mcp-server.mjs');
const serve = (mode: string) =>
  `{ command: ${JSON.stringify(process.execPath)}, args: [${JSON.stringify(SERVER)}, ${mode}] }`;
type Sent = { tools: { function: { name: string } }[] };

async function open(script: Parameters<typeof openStage>[0], ...lines: string[]): Promise<Stage> {
  const stage = await openStage(script, lines);
  return stage;
}

const ask = (stage: Stage) => stage.run('prompt', 'Do it.', '--config', stage.config, '--json');

it('servers: one that never begins, one with 500 tools, one with hostile names, one that dies in a call', async () => {
  const stage = await open(
    inOrder(
      {
        calls: [
          { name: 'mcp__plain__dies', input: {} },
          { name: 'mcp__plain__echo', input: { a: 'x' } },
        ],
      },
      { text: 'Done.' },
    ),
    'mcpServers:',
    '  dead: { command: "false" }',
    '  missing: { command: /nowhere/at-all }',
    `  plain: ${serve('plain')}`,
    `  hostile: ${serve('hostile')}`,
    `  many: ${serve('many')}`,
  );
  const { exit, json, stdout, stderr } = await ask(stage);
  expect([exit, json.status, stderr], stdout).toEqual([0, 'completed', '']);
  const names = (JSON.parse(stage.served.requests[0]?.body ?? '') as Sent).tools.map((tool) => tool.function.name);
  expect(names.length).toBeLessThanOrEqual(128);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[a-z0-9_-]{1,64}$/);
  expect(json.tool_results?.map(({ is_error: isError }) => isError)).toEqual([true, true]);
  for (const server of ['dead', 'missing'])
    expect(json.warnings?.join('\n')).toContain(`MCP server ${server} is not available`);
});

it.each<[string, string[], object]>([
  ['prompt', ['Do it.'], { error: { code: 'INTERRUPTED' } }],
  ['drive', ['a-run'], { status: 'interrupted' }],
])(
  'Ctrl-C of %s while a server takes its time to begin: interrupted, and no process of it is left',
  async (command, args, told) => {
    const stage = await open(
      () => () => ({ text: 'Never.' }),
      'mcpServers: { slow: { command: sh, args: ["-c", "echo $$ > $HOME/slow; exec sleep 1000"] } }',
    );
    await stage.run('init', 'a-run', '--recipe', 'specify-quick-autopilot', '--goal', 'x');
    const pid = join(stage.project.home, 'slow');
    const { child, ended } = stage.start([command, ...args, '--config', stage.config, '--json']);
    while (!existsSync(pid) || readFileSync(pid, 'utf8') === '') await sleep(5);
    child.kill('SIGINT');
    const { exit, json, stdout, stderr } = await ended;
    expect([exit, json.ok, stderr], stdout).toEqual([130, false, '']);
    expect(json).toMatchObject(told);
    expect(stage.served.requests).toHaveLength(0);
    await eventually('the server ends', () => !isRunning(Number(readFileSync(pid, 'utf8'))));
  },
);

it('hooks: one that hangs, one that says 1 MB, one that reads nothing, broken JSON, a denial, an odd exit', async () => {
  const write = (path: string) => ({ name: 'write_file', input: { path, content: 'x'.repeat(50_000) } });
  const stage = await open(
    inOrder(
      {
        calls: [
          { name: 'bash', input: { command: 'echo ran' } },
          { name: 'read_file', input: { path: 'package.json' } },
          write('large.txt'),
          { name: 'glob_search', input: { pattern: '*.json' } },
          { name: 'grep_search', input: { pattern: 'todo' } },
        ],
      },
      { text: 'Done.' },
    ),
    'hooks:',
    '  PreToolUse:',
    '    - { match: bash, command: "sleep 1000 & echo $! > $HOME/hanging; wait", timeout: 1 }',
    '    - { match: read_file, command: "head -c 1000000 /dev/zero | tr \'\\\\0\' y" }',
    '    - { match: write_file, command: "exec <&-; true" }',
    '    - { match: glob_search, command: "echo \'{\\"decision\\": \'; exit 7" }',
    '    - { match: grep_search, command: "echo not today; exit 2" }',
  );
  const { exit, json, stdout, stderr } = await ask(stage);
  expect([exit, json.status, stderr], stdout.slice(0, 2_000)).toEqual([0, 'completed', '']);
  const [bash, read, write500, glob, grep] = json.tool_results ?? [];
  expect(bash?.output).toMatch(/^ran\n[\s\S]*Hook feedback:/);
  expect(read?.output).toContain('yyyy');
  expect(read?.output.length).toBeLessThan(100_000);
  expect(write500).toMatchObject({ is_error: false, output: expect.stringContaining('Created large.txt') });
  expect(glob?.output).toContain('package.json');
  expect(glob?.is_error).toBe(false);
  expect(grep).toMatchObject({ is_error: true, output: expect.stringContaining('not today') });
  const hanging = Number(readFileSync(join(stage.project.home, 'hanging'), 'utf8'));
  await eventually('what the hook began ends', () => !isRunning(hanging));
  expect(stage.served.requests.every(({ status }) => status === 200)).toBe(true);
});
