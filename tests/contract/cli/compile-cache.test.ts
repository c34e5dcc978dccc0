import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { project, useProject } from '../../support/each-project.js';
import { BINARY, CHECKOUT } from '../../support/project.mjs';

// tests/core/cli/compile-cache.test.ts tests which directories are suitable for compiled code.

let cache: string;
useProject({ sample: null });
beforeEach(() => {
  project.env['XDG_CACHE_HOME'] = join(project.home, '.cache');
  cache = join(project.home, '.cache/dev-cli/compile');
});

const ANSWER = { status: 0, stdout: '{"runs":[],"active":null}', stderr: '' };

/** A question that the full program answers. */
const question = () => ['list', '--json', '--root', project.root];

function call(words: string[], { env = {}, program = BINARY, flags = [] as string[] } = {}) {
  const options = { cwd: project.root, env: { ...project.env, ...env }, encoding: 'utf8', timeout: 20_000 } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, program, ...words], options);
  return { status, stdout: stdout.replace(/\s/g, ''), stderr };
}

const ask = (around = {}) => call(question(), around);

const kept = () => readdirSync(cache).map((name) => join(cache, name));
const contents = () => kept().map((file) => readFileSync(file, 'latin1'));
const entryOf = (part: string) => kept().find((file) => file.startsWith(join(cache, `${part}-`))) ?? '';

describe('what a call has compiled', () => {
  it('is kept in the directory of the user once, and answers the same from there', () => {
    expect(ask()).toEqual(ANSWER);
    expect(kept().length).toBeGreaterThan(0);
    const before = contents();
    expect(ask()).toEqual(ANSWER);
    expect(contents()).toEqual(before);
  });

  it('grows by what calls of another kind compile', () => {
    ask();
    const before = readFileSync(entryOf('cli.cjs'));
    const init = ['init', 'one', '--recipe', 'specify-standard-autopilot', '--goal', 'Add a route'];
    expect(call(init).status).toBe(0);
    expect(readFileSync(entryOf('cli.cjs')).length).toBeGreaterThan(before.length * 1.2);
  });

  it.each([
    ['cut', (bytes: Buffer) => bytes.subarray(0, 100)],
    ['empty', () => Buffer.alloc(0)],
    ['changed in its code', (bytes: Buffer) => bytes.fill(0x41, 400, 464)],
    ['changed at its end', (bytes: Buffer) => bytes.fill(0x41, bytes.length - 1)],
    ['for another source', (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 4), bytes.subarray(4).fill(7, 0, 8)])],
  ])('is not used where it is %s, and is made anew', (_, damage) => {
    ask();
    for (const file of kept()) writeFileSync(file, damage(readFileSync(file)));
    const damaged = contents();
    expect(ask()).toEqual(ANSWER);
    const anew = contents();
    expect(anew.filter((text, index) => text === damaged[index])).toEqual([]);
    expect(ask()).toEqual(ANSWER);
    expect(contents()).toEqual(anew);
  });

  it('is not used by a program that was changed in place, nor by a Node with other flags', () => {
    const copy = join(project.home, 'package');
    for (const part of ['bin', 'dist', 'package.json'])
      cpSync(join(CHECKOUT, part), join(copy, part), { recursive: true });
    symlinkSync(join(CHECKOUT, 'node_modules'), join(copy, 'node_modules'));
    const program = join(copy, 'bin/dev-cli.js');
    const refused = () => call(['nonsense', '--json'], { program }).stdout;
    expect(refused()).toContain('Unknowncommand');
    for (const name of readdirSync(join(copy, 'dist'))) {
      const file = join(copy, 'dist', name);
      const text = readFileSync(file, 'utf8');
      if (text.includes('Unknown command')) writeFileSync(file, text.replaceAll('Unknown command', 'Strange command'));
    }
    expect(refused()).toContain('Strangecommand');
    expect(ask({ program, flags: ['--no-opt'] })).toEqual(ANSWER);
    expect(ask({ program })).toEqual(ANSWER);
  });

  it('is not kept where the user says so, or has chosen another directory for Node', () => {
    expect(ask({ env: { NODE_DISABLE_COMPILE_CACHE: '1' } })).toEqual(ANSWER);
    expect(ask({ env: { NODE_COMPILE_CACHE: join(project.home, 'chosen') } })).toEqual(ANSWER);
    expect(existsSync(cache)).toBe(false);
  });

  it('is not kept where no directory is fit', () => {
    mkdirSync(join(project.home, '.cache'));
    writeFileSync(join(project.home, '.cache/dev-cli'), 'mine');
    expect(ask()).toEqual(ANSWER);
    expect(ask({ env: { XDG_CACHE_HOME: '/proc/nonexistent/cache' } })).toEqual(ANSWER);
  });

  it('is not kept where an entry cannot be written, and the call has its answer', () => {
    ask();
    for (const file of kept()) {
      const name = file.replace(cache, '');
      mkdirSync(join(project.home, 'xdg/dev-cli/compile', name, 'in-the-way'), { recursive: true, mode: 0o700 });
    }
    expect(ask({ env: { XDG_CACHE_HOME: join(project.home, 'xdg') } })).toEqual(ANSWER);
  });

  it('can be kept by many at once', async () => {
    const options = { cwd: project.root, env: project.env, stdio: 'ignore' } as const;
    const calls = Array.from({ length: 8 }, () => spawn(process.execPath, [BINARY, ...question()], options));
    const ended = await Promise.all(calls.map((call) => once(call, 'exit')));
    expect(ended).toEqual(calls.map(() => [0, null]));
    expect(ask()).toEqual(ANSWER);
    expect(kept().filter((file) => !/\.cjs-[0-9a-f]+$/.test(file))).toEqual([]);
  });
});
