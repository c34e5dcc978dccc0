import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readContextBudget, readGoals } from '../../../src/documents/goals.js';
import { HARNESS_IDS } from '../../../src/generated/harnesses.js';
import { DISK_READER } from '../../../src/project/reader.js';
import { readLoopFiles } from '../../../src/wings/loop/files.js';
import { devCli } from '../../support/cli.js';
import { callDoor } from '../../support/door.js';
import { project, useProject } from '../../support/each-project.js';
import { CHECKOUT } from '../../support/project.mjs';

// loop-core.md, Commands; auto: `init` without a name, and trust in the configuration's commands.

useProject({ sample: null });

const at = (path: string) => join(project.root, path);
const read = (path: string) => readFileSync(at(path), 'utf8');
const put = (path: string, text: string) => writeFileSync(at(path), text);
const setUp = (...more: string[]) => devCli(project, ['init', ...more], { env: { PATH: at('bin') } });
const files = () => readLoopFiles({ root: project.root, reader: DISK_READER });

describe('init without a name', () => {
  it('writes files that hold, says what is next, and writes over nothing', () => {
    const { code, stdout } = setUp();
    expect([code, stdout]).toEqual([0, expect.stringContaining('written  .ai/config.yaml\n')]);
    expect(stdout).toMatch(
      /Next:\n1\. Correct \.ai\/config\.yaml: no agent was found, [\s\S]*AGENTS\.md[\s\S]*## Goals\n/,
    );
    expect(readdirSync(at('.ai')).sort()).toEqual(['.gitignore', 'config.yaml', 'goals.yaml', 'handoffs', 'rules.md']);
    expect(files()).toMatchObject({
      config: { test_command: 'pytest', ai_tool: 'claude -p {prompt}', ai_tools: {}, max_retries: 3 },
      goals: [{ status: 'pending' }],
      warnings: [],
    });
    expect([readGoals(read('.ai/goals.yaml')).ok, readContextBudget(read('.ai/config.yaml'))]).toEqual([
      true,
      { bytes: 120_000 },
    ]);
    expect(existsSync(at('.dev/.gitignore'))).toBe(true);
    // The commented-out settings are the defaults.
    const { queue, observe } = files().config;
    const shown = read('.ai/config.yaml').replace(/^# (?=queue:|observe:| {2}m)/gm, '');
    expect(shown).toMatch(/^queue: [\s\S]*^observe:$/m);
    put('.ai/config.yaml', shown);
    expect(files()).toMatchObject({ config: { queue, observe }, warnings: [] });
    const before = ['.ai/config.yaml', '.ai/.gitignore', '.ai/goals.yaml', '.ai/rules.md'].map(read);
    const again = setUp('--json');
    expect(again.json).toMatchObject({ ok: true, written: [], kept: expect.arrayContaining(['.ai/config.yaml']) });
    expect(again.json).not.toHaveProperty('test_command');
    const first = () => (setUp('--json').json['next_steps'] as string[])[0];
    expect(first()).toMatch(/^Correct \.ai\/config\.yaml: no agent was found/);
    expect(['.ai/config.yaml', '.ai/.gitignore', '.ai/goals.yaml', '.ai/rules.md'].map(read)).toEqual(before);
    put(
      '.ai/config.yaml',
      shown.replace(/^ai_tool: .*$/m, 'ai_tool: "claude -p {prompt} --permission-mode acceptEdits"'),
    );
    expect(first()).toMatch(/^Check \.ai\/config\.yaml/);
  });

  it.each([
    [{ 'package.json': '{"scripts": {"test": "vitest run"}}' }, 'npm test'],
    [{ 'package.json': '{"scripts": {"test": "x"}}', 'pnpm-lock.yaml': '' }, 'pnpm test'],
    [
      { 'package.json': '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}', 'go.mod': '' },
      'go test ./...',
    ],
    [{ 'Cargo.toml': '' }, 'cargo test'],
    [{ Makefile: 'all:\n\ntest: all\n\ttrue\n' }, 'make test'],
  ])('finds the tests of %o', (there, command) => {
    for (const [name, text] of Object.entries(there)) put(name, text);
    expect(setUp('--json').json).toMatchObject({ test_command: command });
    expect(files().config.test_command).toBe(command);
  });

  it('finds agents on the PATH, each with the line of docs/loop.md, and adds its lines to ignore rules that are there, once', () => {
    mkdirSync(at('bin'));
    for (const name of HARNESS_IDS) writeFileSync(at(`bin/${name}`), '', { mode: 0o755 });
    const page = readFileSync(join(CHECKOUT, 'docs/loop.md'), 'utf8');
    mkdirSync(at('.ai'));
    put('.ai/.gitignore', '*.log');
    setUp();
    const { ai_tool: tool, ai_tools: tools } = files().config;
    expect(tool).toMatch(/^claude -p /);
    expect(Object.keys(tools)).toEqual(HARNESS_IDS);
    for (const [name, line] of Object.entries(tools)) expect(page).toContain(`\n  ${name}: ${line}\n`);
    const rules = read('.ai/.gitignore');
    expect(rules).toMatch(/^\*\.log\n# Written by dev-cli\./);
    setUp();
    expect(read('.ai/.gitignore')).toBe(rules);
  });

  it('takes no option of a run', () => {
    const argv = ['init', '--goal', 'X', '--quick'];
    const { exit, stderr } = callDoor({ argv, cwd: project.root, env: project.env });
    expect([exit, stderr]).toEqual([2, expect.stringContaining('--quick is an option for a run')]);
    expect(existsSync(at('.ai'))).toBe(false);
  });
});

describe('trust config', () => {
  const trust = (...typed: string[]) =>
    callDoor({ argv: ['trust', 'config'], cwd: project.root, env: project.env, typed });

  it('shows a person every command, once for each version of them', () => {
    setUp();
    put(
      '.ai/config.yaml',
      'test_command: npm test\nai_tool: claude {prompt}\nai_tools: {b: "b {stdin}"}\nworktree_setup: [npm ci]\n',
    );
    put('.ai/goals.yaml', 'goals: [{id: a, title: A, status: active, acceptance: [x, {run: "test -f a\\ntrue"}]}]\n');
    expect(devCli(project, ['trust', 'config']).json.error).toMatchObject({ code: 'TERMINAL_REQUIRED' });
    const refused = trust('n');
    expect([refused.exit, refused.stderr]).toEqual([3, expect.stringContaining('CONFIG_UNTRUSTED')]);
    const shown = trust('y');
    expect(shown.exit, shown.stderr).toBe(0);
    for (const line of [
      'test_command: npm test',
      'ai_tool: claude {prompt}',
      'ai_tools.b: b {stdin}',
      'worktree_setup: npm ci',
    ])
      expect(shown.stdout).toContain(`  ${line}\n`);
    expect(shown.stdout).toContain('  acceptance of a: test -f a\n      | true\n');
    expect(trust('').stdout).toContain('They are trusted');
    put('.ai/config.yaml', `${read('.ai/config.yaml')}timeout_minutes: 5\n`);
    expect(trust('').stdout).toContain('They are trusted');
    put('.ai/config.yaml', read('.ai/config.yaml').replace('npm ci', 'npm i'));
    expect(trust('n').exit).toBe(3);
  });

  it('is refused without a project', () => {
    expect(trust('y').stderr).toContain('NO_PROJECT');
  });
});
