import { lstatSync, mkdirSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { RUN_LAYOUT } from '../../../src/project/layout.js';
import { createDiskFiles } from '../../../src/store/documents.js';
import { type ResolvedPath, resolveDirectory, resolvePath } from '../../../src/store/inside.js';
import { temporaryRoot } from './disk.js';
import { codeOf } from './sample.js';

let root: string;
let outside: string;
beforeEach(() => {
  root = realpathSync(temporaryRoot());
  outside = realpathSync(temporaryRoot());
  mkdirSync(join(outside, 'a/b'), { recursive: true });
  writeFileSync(join(outside, 'file'), 'not ours\n');
});

const at = (path: string): string => join(root, path);

function link(target: string, path: string): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  symlinkSync(target, at(path));
}

const inside = (path: string): ResolvedPath => ({ kind: 'inside', path: at(path) });
const OUTSIDE: ResolvedPath = { kind: 'outside' };

describe('a path without links', () => {
  it.each(['', 'a', 'a/b/c', 'a/file', 'a/file/below', 'nowhere/at/all', ' odd \n-name', '..a/...', 'a\\b'])(
    '%j stays what it is, whatever is there',
    (path) => {
      mkdirSync(at('a/b/c'), { recursive: true });
      writeFileSync(at('a/file'), '');
      mkdirSync(at(' odd \n-name'));
      expect(resolvePath(root, at(path))).toEqual(inside(path));
    },
  );

  it('is outside when it only begins like the root', () => {
    mkdirSync(`${root}-other`);
    try {
      expect(resolvePath(root, `${root}-other`)).toEqual(OUTSIDE);
      expect(resolvePath(root, dirname(root))).toEqual(OUTSIDE);
      expect(resolvePath(root, outside)).toEqual(OUTSIDE);
    } finally {
      rmSync(`${root}-other`, { recursive: true });
    }
  });

  it('is inside where the root is that of the file system', () => {
    expect(resolvePath('/', outside)).toEqual({ kind: 'inside', path: outside });
    expect(resolvePath('/', '/')).toEqual({ kind: 'inside', path: '/' });
    link(join(outside, 'a'), 'way');
    expect(resolvePath('/', at('way/b'))).toEqual({ kind: 'inside', path: join(outside, 'a/b') });
  });
});

describe('a link', () => {
  it.each(['way', 'x/way', 'x/y/z/way'])('out at %s is seen from every path through it', (path) => {
    link(outside, path);
    for (const below of ['', 'a', 'a/b', 'file', 'file/below', 'nowhere/at/all']) {
      expect(resolvePath(root, at(join(path, below))), below).toEqual(OUTSIDE);
    }
  });

  it('to something inside is followed', () => {
    mkdirSync(at('real/a'), { recursive: true });
    link('../real', 'x/way');
    link(at('real'), 'absolute');
    expect(resolvePath(root, at('x/way/a/new'))).toEqual(inside('real/a/new'));
    expect(resolvePath(root, at('absolute/a'))).toEqual(inside('real/a'));
  });

  it('behind one that stays inside is seen, too', () => {
    mkdirSync(at('real'));
    link('real', 'way');
    link(outside, 'real/out');
    expect(resolvePath(root, at('way/out/a'))).toEqual(OUTSIDE);
  });

  it('to nowhere leads where it would', () => {
    link(join(outside, 'made'), 'out');
    link('made/here', 'in');
    link('../../../../made', 'x/up');
    expect(resolvePath(root, at('out'))).toEqual(OUTSIDE);
    expect(resolvePath(root, at('out/deep'))).toEqual(OUTSIDE);
    expect(resolvePath(root, at('in/deep'))).toEqual(inside('made/here/deep'));
    expect(resolvePath(root, at('x/up'))).toEqual(OUTSIDE);
  });

  it('that leads to itself, at once or around, is a loop', () => {
    link('self', 'self');
    link('two', 'one');
    link('one', 'two');
    for (const path of ['self', 'self/below', 'one', 'two/a/b']) {
      expect(resolvePath(root, at(path)), path).toEqual({ kind: 'loop' });
    }
  });

  it('is refused where a directory of ours has to be', async () => {
    link(outside, '.dev/specs');
    expect(await codeOf(() => resolveDirectory(root, '.dev/specs/run'))).toBe('IO');
    expect(resolveDirectory(root, '.dev')).toBe(at('.dev'));
  });
});

describe('what is remembered', () => {
  it('is directories, and nothing that may become something else', () => {
    mkdirSync(at('a/b'), { recursive: true });
    writeFileSync(at('a/file'), '');
    link(outside, 'a/way');
    const known = new Set<string>();
    for (const path of ['a/b/missing/deeper', 'a/file/below', 'a/way/a/b', 'a/b']) resolvePath(root, at(path), known);
    expect([...known].sort()).toEqual([at('a'), at('a/b')]);
  });

  it('does not hide a link that came where nothing was, or where a file was', () => {
    mkdirSync(at('a'));
    writeFileSync(at('a/file'), '');
    const known = new Set<string>();
    for (const path of ['a/new', 'a/file']) {
      expect(resolvePath(root, at(`${path}/x`), known)).toEqual(inside(`${path}/x`));
      rmSync(at(path), { force: true });
      link(outside, path);
      expect(resolvePath(root, at(`${path}/x`), known), path).toEqual(OUTSIDE);
    }
  });
});

/** Generates what a name refers to: a directory, a file, or a link to some path. */
const THINGS = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ kind: 'directory' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'file' as const }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('link' as const),
      to: fc.constantFrom(
        'a',
        'b',
        '../a',
        '../../b',
        'a/b',
        'nowhere/a',
        '../../../../a',
        'OUT',
        'OUT/a',
        'OUT/none',
        'ROOT/b',
      ),
    }),
  },
);
const PATHS = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));

describe('in any tree', () => {
  it('the answer is that of the kernel, remembered or not, and has no link in it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(PATHS, THINGS), { maxLength: 12 }),
        fc.array(PATHS, { maxLength: 12 }),
        (things, paths) => {
          for (const name of readdirSync(root)) rmSync(at(name), { recursive: true });
          for (const [path, thing] of things) put(path, thing);
          const known = new Set<string>();
          const files = createDiskFiles(root, RUN_LAYOUT, 'run');
          for (const path of paths) {
            const location = resolvePath(root, at(path), known);
            expect(location).toEqual(resolvePath(root, at(path)));
            expectRight(path, location);
            expect(files.facts(`/${path}`).kind === 'outside').toBe(location.kind === 'outside');
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  function expectRight(path: string, location: ResolvedPath): void {
    const real = realPath(at(path));
    if (real !== null) expect(location).toEqual(isBelow(real) ? { kind: 'inside', path: real } : OUTSIDE);
    if (location.kind === 'inside') expect(linksOnTheWay(location.path)).toEqual([]);
  }

  /** Creates the thing, unless a link lies on its path, so that the tree outside stays unchanged. */
  function put(path: string, thing: { kind: 'directory' | 'file' } | { kind: 'link'; to: string }): void {
    if (linksOnTheWay(at(path)).length > 0) return;
    try {
      mkdirSync(thing.kind === 'directory' ? at(path) : dirname(at(path)), { recursive: true });
      if (thing.kind === 'file') writeFileSync(at(path), '', { flag: 'wx' });
      if (thing.kind === 'link') symlinkSync(thing.to.replace('OUT', outside).replace('ROOT', root), at(path));
    } catch {
      // Something is already there.
    }
  }

  function realPath(path: string): string | null {
    try {
      return realpathSync.native(path);
    } catch {
      return null;
    }
  }

  const isBelow = (path: string): boolean => path === root || path.startsWith(`${root}${sep}`);

  function linksOnTheWay(path: string): string[] {
    const names = path.slice(root.length + 1).split(sep);
    const ways = names.map((_, i) => at(names.slice(0, i + 1).join(sep)));
    return ways.filter((way) => {
      try {
        return lstatSync(way).isSymbolicLink();
      } catch {
        return false;
      }
    });
  }
});
