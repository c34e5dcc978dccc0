import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isPrivateDirectory, isSafeAbove, prepareCompileCache } from '../../../src/cli/compile-cache.js';

const USER = process.geteuid?.() ?? 0;
const SOMEBODY = USER + 1;

let home: string;
/** dev-cli's directory in the user's cache, below which Node stores compiled code. */
let own: string;
let cache: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'dev-cli-cache-')));
  own = join(home, '.cache/dev-cli');
  cache = join(own, 'compile');
});
afterEach(() => rmSync(home, { recursive: true }));

const prepare = (env: NodeJS.ProcessEnv = { HOME: home }, user?: number) => prepareCompileCache(env, user);
const modeOf = (path: string) => lstatSync(path).mode & 0o777;

describe('the directory for compiled code', () => {
  it('is made, closed to everybody else, and found again', () => {
    expect(prepare()).toBe(cache);
    expect([join(home, '.cache'), own, cache].map(modeOf)).toEqual([0o700, 0o700, 0o700]);
    expect(prepare()).toBe(cache);
  });

  it('lies where XDG_CACHE_HOME says, unless that is relative', () => {
    expect(prepare({ HOME: home, XDG_CACHE_HOME: join(home, 'mine') })).toBe(join(home, 'mine/dev-cli/compile'));
    expect(prepare({ HOME: home, XDG_CACHE_HOME: 'mine' })).toBe(cache);
  });

  it('is the one that a link of the user leads to', () => {
    mkdirSync(join(home, 'elsewhere'));
    symlinkSync(join(home, 'elsewhere'), join(home, '.cache'));
    expect(prepare()).toBe(join(home, 'elsewhere/dev-cli/compile'));
  });

  it.each<[string, NodeJS.ProcessEnv]>([
    ['no home', {}],
    ['a home that is relative', { HOME: 'home' }],
    ['a home that is not there', { HOME: '/nonexistent/home' }],
    ['a home that cannot be', { HOME: '/proc/nonexistent' }],
    ['a home whose name no system takes', { HOME: '/home\0' }],
  ])('is none with %s', (_, env) => {
    expect(prepare(env)).toBe(null);
  });

  it('is none where the user wants none', () => {
    expect(prepare({ HOME: home, NODE_DISABLE_COMPILE_CACHE: '1' })).toBe(null);
    expect(lstatSync(join(home, '.cache'), { throwIfNoEntry: false })).toBe(undefined);
  });

  it.each(['.cache', '.cache/dev-cli', '.cache/dev-cli/compile'])('is none with a file in its way: %s', (path) => {
    mkdirSync(join(home, path, '..'), { recursive: true, mode: 0o700 });
    writeFileSync(join(home, path), 'mine');
    expect(prepare()).toBe(null);
  });

  it.each(['.cache/dev-cli', '.cache/dev-cli/compile'])('is none with a link in its place: %s', (path) => {
    mkdirSync(join(home, 'elsewhere'), { mode: 0o700 });
    mkdirSync(join(home, path, '..'), { recursive: true, mode: 0o700 });
    symlinkSync(join(home, 'elsewhere'), join(home, path));
    expect(prepare()).toBe(null);
  });

  it.each([0o500, 0o600, 0o750, 0o701, 0o777])('is none with another mode than 700: %o', (mode) => {
    for (const directory of [cache, own]) {
      expect(prepare()).toBe(cache);
      chmodSync(directory, mode);
      expect(prepare()).toBe(null);
      chmodSync(directory, 0o700);
    }
  });

  it.each(['.', '.cache'])('is none where others can exchange it: %s', (path) => {
    expect(prepare()).toBe(cache);
    chmodSync(join(home, path), 0o777);
    expect(prepare()).toBe(null);
    chmodSync(join(home, path), 0o1777);
    expect(prepare()).toBe(cache);
  });

  it('is none that belongs to somebody else, and none is made in their home', () => {
    expect(prepare({ HOME: home }, SOMEBODY)).toBe(null);
    expect(lstatSync(join(home, '.cache'), { throwIfNoEntry: false })).toBe(undefined);
    expect(prepare()).toBe(cache);
    expect(prepare({ HOME: home }, SOMEBODY)).toBe(null);
  });
});

/** Whether this process may mount a file system on a directory. */
function canMount(): boolean {
  const place = mkdtempSync(join(tmpdir(), 'dev-cli-mount-'));
  const mounted = mount(place, 'size=64k');
  if (mounted) spawnSync('umount', [place]);
  rmSync(place, { recursive: true });
  return mounted;
}

function mount(place: string, options: string): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `mode=700,${options}`, 'tmpfs', place]).status === 0;
}

const mountable = canMount();

describe.skipIf(!mountable)(
  `on a file system of its own${mountable ? '' : ' (skipped: nobody here may mount one)'}`,
  () => {
    it.each([
      ['is the one that has room', 'size=64m', true],
      ['is none where the disk is full', 'size=64k', false],
      ['is none that cannot be written to', 'size=64m,ro', false],
    ])('%s', (_, options, found) => {
      mkdirSync(cache, { recursive: true, mode: 0o700 });
      expect(mount(cache, options)).toBe(true);
      try {
        expect(prepare()).toBe(found ? cache : null);
      } finally {
        spawnSync('umount', [cache]);
      }
    });
  },
);

describe('what it is judged by', () => {
  const directory = { isDirectory: true, owner: USER };

  it('private is a directory of the user with mode 700, whatever else the mode says', () => {
    expect(isPrivateDirectory({ ...directory, mode: 0o40700 }, USER)).toBe(true);
    expect(isPrivateDirectory({ ...directory, mode: 0o42700 }, USER)).toBe(true);
    expect(isPrivateDirectory({ ...directory, mode: 0o40700, isDirectory: false }, USER)).toBe(false);
    expect(isPrivateDirectory({ ...directory, mode: 0o40700, owner: SOMEBODY }, USER)).toBe(false);
    for (let bit = 1; bit < 0o1000; bit *= 2) {
      expect(isPrivateDirectory({ ...directory, mode: 0o40700 ^ bit }, USER)).toBe(false);
    }
  });

  it('nobody else can exchange what lies in a directory of the user or of root that is closed, or sticky', () => {
    expect(isSafeAbove({ ...directory, mode: 0o755 }, USER)).toBe(true);
    expect(isSafeAbove({ ...directory, mode: 0o1777 }, USER)).toBe(true);
    expect(isSafeAbove({ ...directory, mode: 0o755, owner: 0 }, SOMEBODY)).toBe(true);
    expect(isSafeAbove({ ...directory, mode: 0o1777, owner: SOMEBODY + 1 }, SOMEBODY)).toBe(false);
    expect(isSafeAbove({ ...directory, mode: 0o775 }, USER)).toBe(false);
    expect(isSafeAbove({ ...directory, mode: 0o757 }, USER)).toBe(false);
    expect(isSafeAbove({ ...directory, mode: 0o755, isDirectory: false }, USER)).toBe(false);
  });
});
