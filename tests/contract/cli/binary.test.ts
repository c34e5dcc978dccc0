import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REGISTRY } from '../../../src/registry/find.js';
import { callDoor } from '../../support/door.js';
import { BINARY } from '../../support/project.mjs';

/** A directory without a project. */
let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'dev-cli-binary-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

function run(argv: string[], stdin: string | Buffer = '') {
  const { exit: status, ...printed } = callDoor({ argv, stdin, cwd: directory, env: process.env });
  return { status, ...printed };
}

function spawned(argv: string[], input: string | Buffer = '') {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BINARY, ...argv], { encoding: 'utf8', input });
  return { status, stdout, stderr };
}

const errorOf = (stdout: string) =>
  (JSON.parse(stdout) as { error: { code: string; message: string; fix?: string } }).error;

describe('the binary', () => {
  it('names the words that an option of `recipe new` and `recipe graph` takes', () => {
    expect(run(['recipe', 'new', '--help']).stdout).toContain('--type <sequential|engine|meta>');
    expect(run(['recipe', 'graph', '--help']).stdout).toContain('--format <ascii|svg|mermaid|xstate>');
  });

  it.each([[[]], [['help']], [['--help']], [['-h']]])('explains itself: dev-cli %j', (argv) => {
    const { status, stdout, stderr } = run(argv);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    for (const { name } of REGISTRY.commands) expect(stdout).toMatch(new RegExp(`\n  ${name} `));
    expect(stdout).toContain('130 interrupted');
  });

  it('explains a command in three ways, and as data', () => {
    const help = run(['help', 'step', 'complete']).stdout;
    expect(help).toContain('dev-cli step complete add-auth --action a6');
    expect(help).not.toContain('—');
    expect(run(['step', 'complete', '--help']).stdout).toBe(help);
    expect(run(['step', 'complete', '-h']).stdout).toBe(help);
    expect(JSON.parse(run(['help', 'step', 'complete', '--json']).stdout)).toMatchObject({
      ok: true,
      commands: [{ name: 'step complete' }],
    });
  });

  it('knows its version', () => {
    const file = join(import.meta.dirname, '../../../package.json');
    const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
    expect(spawned(['--version'])).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
    expect(JSON.parse(run(['--version', '--json']).stdout)).toEqual({ ok: true, version });
  });

  it.each([
    [['nxt'], 'UNKNOWN_COMMAND', 'dev-cli help'],
    [['help', 'nxt'], 'UNKNOWN_COMMAND', 'dev-cli help'],
    [['help', 'next', 'x'], 'UNKNOWN_COMMAND', 'dev-cli help next'],
    [['step', 'compete'], 'UNKNOWN_COMMAND', 'dev-cli help step'],
    [['next', '--bogus'], 'USAGE', 'dev-cli help next'],
    [['step', 'complete', 'x'], 'USAGE', 'dev-cli help step complete'],
  ])('answers %j with one document and a fix that runs', (argv, code, fix) => {
    const { status, stdout, stderr } = run([...argv, '--json']);
    expect({ status, stderr, lines: stdout.split('\n').length }).toEqual({ status: 2, stderr: '', lines: 2 });
    expect(errorOf(stdout)).toMatchObject({ code, fix });
    expect(run(fix.split(' ').slice(1)).status).toBe(0);
  });

  it('reads data from standard input, once', () => {
    const empty = run(['draft', 'update', 'x', '--data', '-']);
    expect({ status: empty.status, code: errorOf(empty.stdout).code }).toEqual({ status: 2, code: 'DATA_MISSING' });
    const twice = run(
      ['step', 'complete', 'x', '--action', 'a1', '--choice', 'c', '--note', '-', '--result', '-'],
      'text',
    );
    expect(errorOf(twice.stdout).code).toBe('USAGE');
  });

  it('refuses 50 MB without a word on standard error', () => {
    const { status, stdout, stderr } = spawned(['draft', 'update', 'x', '--data', '-'], Buffer.alloc(50_000_000, 120));
    expect({ status, stderr, code: errorOf(stdout).code }).toEqual({ status: 2, stderr: '', code: 'DATA_MALFORMED' });
  });

  it('writes all of a long answer into a slow pipe, and nothing when the reader is gone', () => {
    const script = (reader: string) => `"$0" "$1" help --json | { ${reader}; }; echo "\${PIPESTATUS[0]}"`;
    const bash = (reader: string) =>
      spawnSync('bash', ['-c', script(reader), process.execPath, BINARY], { encoding: 'utf8' });
    expect(JSON.parse(run(['help', '--json']).stdout)).toHaveProperty('ok', true);
    expect(bash('sleep 0.5; wc -c').stdout).toBe(`${Buffer.byteLength(run(['help', '--json']).stdout)}\n0\n`);
    expect(bash('exec 0<&-; sleep 0.5')).toMatchObject({ stdout: '0\n', stderr: '' });
  });
});
