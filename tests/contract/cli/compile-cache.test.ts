import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import nodeModule from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BINARY, createProject, type Project } from '../../support/project.mjs';

/** Node keeps compiled code from 22.1 on; which directory is fit for it: tests/core/cli/compile-cache.test.ts. */
const hasCache = 'enableCompileCache' in nodeModule;

let project: Project;
let cache: string;
beforeEach(() => {
  project = createProject({ sample: null });
  cache = join(project.home, '.cache/dev-cli/compile');
});
afterEach(() => project.remove());

const ANSWER = { status: 0, stdout: '{"runs":[],"active":null}', stderr: '' };

function list(env: NodeJS.ProcessEnv = {}) {
  const options = { cwd: project.root, env: { ...project.env, ...env }, encoding: 'utf8', timeout: 20_000 } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [BINARY, 'list', '--json'], options);
  return { status, stdout: stdout.replace(/\s/g, ''), stderr };
}

/** What Node has written into the one directory of its version. */
const kept = (directory = cache) =>
  readdirSync(directory).flatMap((version) =>
    readdirSync(join(directory, version)).map((file) => join(directory, version, file)),
  );

describe.runIf(hasCache)('a Node that keeps compiled code', () => {
  it('keeps it in the directory of the user, and answers the same from there', () => {
    expect(list()).toEqual(ANSWER);
    const files = kept();
    expect(files.length).toBeGreaterThan(0);
    const before = files.map((file) => readFileSync(file));
    expect(list()).toEqual(ANSWER);
    expect(kept().map((file) => readFileSync(file))).toEqual(before);
  });

  it('takes nothing that is damaged', () => {
    list();
    for (const file of kept()) writeFileSync(file, readFileSync(file).fill(0x41, 64));
    expect(list()).toEqual(ANSWER);
    for (const file of kept()) writeFileSync(file, readFileSync(file).subarray(0, 100));
    expect(list()).toEqual(ANSWER);
  });

  it('keeps it where the user says', () => {
    const chosen = join(project.home, 'chosen');
    expect(list({ NODE_COMPILE_CACHE: chosen })).toEqual(ANSWER);
    expect(kept(chosen).length).toBeGreaterThan(0);
    expect(existsSync(cache)).toBe(false);
  });

  it('answers without, where no directory is fit', () => {
    mkdirSync(join(project.home, '.cache'));
    writeFileSync(join(project.home, '.cache/dev-cli'), 'mine');
    expect(list()).toEqual(ANSWER);
    expect(list({ XDG_CACHE_HOME: '/proc/nonexistent/cache' })).toEqual(ANSWER);
  });

  it('can be many at once', async () => {
    const options = { cwd: project.root, env: project.env, stdio: 'ignore' } as const;
    const calls = Array.from({ length: 8 }, () => spawn(process.execPath, [BINARY, 'list', '--json'], options));
    const ended = await Promise.all(calls.map((call) => once(call, 'exit')));
    expect(ended).toEqual(calls.map(() => [0, null]));
    expect(list()).toEqual(ANSWER);
  });
});

describe.runIf(!hasCache)('a Node that keeps no compiled code', () => {
  it('leaves the home of the user as it is', () => {
    expect(list()).toEqual(ANSWER);
    expect(readdirSync(project.home)).toEqual([]);
  });
});
