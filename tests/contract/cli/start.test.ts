import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CHECKOUT, createProject, type Project } from '../../support/project.mjs';

// A program comes with what V8 compiled of it (scripts/start.cjs). Whatever is wrong with that, the program runs as it is
// written: an installation that was damaged, half replaced, made by another Node or may not be written to answers the same.

let project: Project;
let installed: string;
const compiled = () => join(installed, 'dist/hot.program.bin');
const program = () => join(installed, 'dist/hot.program.js');

beforeAll(() => {
  project = createProject();
  installed = join(project.home, 'installed');
  for (const part of ['bin', 'dist', 'recipes', 'agents', 'schemas', 'package.json']) copy(part);
  symlinkSync(join(CHECKOUT, 'node_modules'), join(installed, 'node_modules'));
  call('init', 'one', '--recipe', 'specify-standard-autopilot', '--goal', 'Add a route');
});
beforeEach(() => copy('dist'));
afterAll(() => project.remove());

function copy(part: string): void {
  cpSync(join(CHECKOUT, part), join(installed, part), { recursive: true });
}

function call(...args: string[]): string {
  return node([], args).stdout;
}

function node(flags: string[], args: string[]) {
  const options = { cwd: project.root, env: project.env, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...flags, join(installed, 'bin/dev-cli.js'), ...args],
    options,
  );
  expect(status, stdout + stderr).toBe(0);
  return { stdout };
}

/** Whether V8 took what it was given; the answer is compared anyway. */
function usedBy(flags: string[] = []): boolean {
  const notes = join(project.home, 'loaded.json');
  project.env['DEV_CLI_TEST_LOADED'] = notes;
  node([...flags, '--require', join(CHECKOUT, 'tests/support/loaded.cjs')], ['next', 'one']);
  const { programs } = JSON.parse(readFileSync(notes, 'utf8')) as { programs: Record<string, boolean> };
  return programs[program()] ?? false;
}

describe('a program is started compiled', () => {
  it('as it was built', () => {
    expect(usedBy()).toBe(true);
  });

  it.each([
    ['is not there', () => rmSync(compiled())],
    ['is empty', () => writeFileSync(compiled(), '')],
    ['was cut', () => writeFileSync(compiled(), readFileSync(compiled()).subarray(0, 5000))],
    ['is something else', () => writeFileSync(compiled(), 'nothing of the kind\n'.repeat(1000))],
    ['has a changed byte', () => flip(compiled(), 40_000)],
    [
      'belongs to a program of the same length',
      () => replaceIn(program(), 'Print the pending action.', 'Print the waiting action.'),
    ],
    ['belongs to another program', () => renameSync(join(installed, 'dist/cli.program.bin'), compiled())],
  ])('and as it is written when what V8 made %s', (_what, damage) => {
    const before = call('next', 'one');
    damage();
    expect(call('next', 'one')).toBe(before);
    expect(usedBy()).toBe(false);
  });

  it('and as it is written by a V8 with other flags', () => {
    const before = call('next', 'one');
    expect(node(['--no-opt'], ['next', 'one']).stdout).toBe(before);
    expect(usedBy(['--no-opt'])).toBe(false);
  });

  it('and writes nothing where it is installed', () => {
    rmSync(compiled());
    call('next', 'one');
    expect(existsSync(compiled())).toBe(false);
  });
});

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

function replaceIn(path: string, from: string, to: string): void {
  const text = readFileSync(path, 'latin1');
  expect(text.includes(from)).toBe(true);
  writeFileSync(path, text.replace(from, to));
}
