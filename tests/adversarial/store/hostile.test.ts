import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeDocuments } from '../../../src/store/documents.js';
import type { Store } from '../../../src/store/store.js';
import { diskSubject, openStore, temporaryRoot } from '../../core/store/disk.js';
import { codeOf, type Sample, step } from '../../core/store/sample.js';

const uses: Record<string, (store: Store<Sample>) => Promise<unknown>> = {
  read: (store) => store.read('run'),
  journal: (store) => store.journal('run'),
  transact: (store) =>
    store.transact('run', step({ files: [{ path: 'a.md', content: 'a' }], marks: { guarded: true } })),
};

describe.each(Object.keys(uses))('%s meets', (name) => {
  const use = uses[name] as (store: Store<Sample>) => Promise<unknown>;

  it.each(['.dev', '.dev/specs', '.dev/specs/run'])(
    'a link out of the project at %s, and does not follow it',
    async (path) => {
      const { at, store } = diskSubject();
      const outside = temporaryRoot();
      mkdirSync(join(at(path), '..'), { recursive: true });
      symlinkSync(outside, at(path));
      expect(await codeOf(() => use(store))).toBe('IO');
      await expect(use(store)).rejects.toThrow('leads out of the project');
      expect(readdirSync(outside)).toEqual([]);
    },
  );

  it.each(['.dev', '.dev/specs', '.dev/specs/run'])('a dangling link out of the project at %s', async (path) => {
    const { at, store } = diskSubject();
    const outside = join(temporaryRoot(), 'made');
    mkdirSync(join(at(path), '..'), { recursive: true });
    symlinkSync(outside, at(path));
    expect(await codeOf(() => use(store))).toBe('IO');
    expect(existsSync(outside)).toBe(false);
  });

  it.each(['.dev', '.dev/specs', '.dev/specs/run'])('a file at %s, and names it', async (path) => {
    const { at, store } = diskSubject();
    mkdirSync(join(at(path), '..'), { recursive: true });
    writeFileSync(at(path), 'mine');
    expect(await codeOf(() => use(store))).toBe('IO');
    await expect(use(store)).rejects.toThrow(`${path}: a file stands where a directory is needed`);
    expect(readFileSync(at(path), 'utf8')).toBe('mine');
  });

  it.each(['state.json', 'events.jsonl'])('a directory, a fifo, and a link at %s', async (file) => {
    for (const make of [
      (path: string) => mkdirSync(path),
      (path: string) => execFileSync('mkfifo', [path]),
      (path: string) => symlinkSync('/etc/passwd', path),
      (path: string) => symlinkSync('nowhere', path),
    ]) {
      const { at, store } = diskSubject();
      mkdirSync(at('.dev/specs/run'), { recursive: true });
      make(at(`.dev/specs/run/${file}`));
      // A read of the journal alone does not notice a bad snapshot.
      const expected = name === 'journal' && file === 'state.json' ? 'no error' : 'IO';
      expect(await codeOf(() => use(store))).toBe(expected);
      expect(readdirSync(at('.dev/specs/run'))).toEqual([file]);
    }
  });
});

describe('a root', () => {
  it('that is not there, or vanishes, is not made anew', async () => {
    const root = join(temporaryRoot(), 'project');
    expect(await codeOf(() => openStore(root))).toBe('IO');
    mkdirSync(root);
    const store = openStore(root);
    execFileSync('rm', ['-r', root]);
    expect(await codeOf(() => store.transact('run', step({})))).toBe('IO');
    expect(existsSync(root)).toBe(false);
  });

  it('may be reached through a link', async () => {
    const { root, store } = diskSubject();
    const link = join(temporaryRoot(), 'link');
    symlinkSync(root, link);
    await openStore(link).transact('run', step({ files: [{ path: 'a.md', content: 'a' }] }));
    expect((await store.read('run')).files.read('a.md')?.toString()).toBe('a');
  });

  it.skipIf(process.getuid?.() === 0)('that is read-only is refused with a reason, and can still be read', async () => {
    const { at, store } = diskSubject();
    await store.transact('run', step({}));
    chmodSync(at('.dev/specs/run'), 0o555);
    expect(await codeOf(() => store.transact('run', step({})))).toBe('IO');
    expect((await store.read('run')).snapshot?.count).toBe(1);
    chmodSync(at('.dev/specs/run'), 0o755);
  });
});

describe('documents', () => {
  it('that are links out, fifos, directories or too large are refused and never block', async () => {
    const { at, store } = diskSubject();
    const secret = join(temporaryRoot(), 'secret');
    writeFileSync(secret, 'secret');
    mkdirSync(at('.dev/specs/run/dir'), { recursive: true });
    const run = (name: string): string => at(`.dev/specs/run/${name}`);
    symlinkSync(secret, run('link'));
    symlinkSync(join(secret, '..'), run('linked'));
    symlinkSync('loop', run('loop'));
    symlinkSync(join(secret, 'not-there'), run('dangling'));
    execFileSync('mkfifo', [run('fifo')]);
    writeFileSync(run('large'), Buffer.alloc(8 * 1024 * 1024 + 1));
    writeFileSync(run('largest'), Buffer.alloc(8 * 1024 * 1024));
    const { files } = await store.read('run');
    const kinds = {
      link: 'outside',
      'linked/secret': 'outside',
      'linked/new': 'outside',
      dangling: 'outside',
      loop: 'special',
      fifo: 'special',
      dir: 'directory',
      large: 'file',
    };
    for (const [path, kind] of Object.entries(kinds)) {
      expect(files.facts(path).kind, path).toBe(kind);
      expect(await codeOf(() => files.read(path)), path).toBe('EVIDENCE_INVALID');
    }
    expect(files.read('largest')?.length).toBe(8 * 1024 * 1024);
    expect(await codeOf(() => files.list('linked'))).toBe('EVIDENCE_INVALID');
  });

  it('may be links that stay inside', async () => {
    const { at, store } = diskSubject();
    mkdirSync(at('.dev/specs/run'), { recursive: true });
    mkdirSync(at('src'));
    writeFileSync(at('src/a.md'), 'a');
    symlinkSync('../../../src', at('.dev/specs/run/linked'));
    symlinkSync('../../../src/new.md', at('.dev/specs/run/new'));
    const { files } = await store.read('run');
    expect(files.read('linked/a.md')?.toString()).toBe('a');
    expect(files.facts('new').kind).toBe('missing');
  });

  it('are not written through links out', async () => {
    const { at, store } = diskSubject();
    const outside = temporaryRoot();
    mkdirSync(at('.dev/specs/run'), { recursive: true });
    symlinkSync(outside, at('.dev/specs/run/linked'));
    symlinkSync(join(outside, 'x.md'), at('.dev/specs/run/x.md'));
    for (const path of ['linked/a.md', 'linked/deep/a.md', 'x.md']) {
      expect(await codeOf(() => store.transact('run', step({ files: [{ path, content: 'x' }] }))), path).toBe('IO');
    }
    expect(readdirSync(outside)).toEqual([]);
    expect(readdirSync(at('.dev/specs/run')).sort()).toEqual(['linked', 'x.md']);
  });

  /** Prepares a commit of two documents; `swap` attacks their directory before the second one is put in place. */
  function placedAround(swap: (directory: string, outside: string) => void): { outside: string; place: () => void } {
    const root = realpathSync(temporaryRoot());
    const outside = temporaryRoot();
    const directory = join(root, '.dev/specs/run/d');
    mkdirSync(directory, { recursive: true });
    const placement = (name: string) => ({
      path: `.dev/specs/run/d/${name}`,
      content: Buffer.from(name),
      durable: true,
    });
    const second = {
      ...placement('b.md'),
      get content() {
        swap(directory, outside);
        return Buffer.from('b.md');
      },
    };
    return { outside, place: () => writeDocuments(root, [placement('a.md'), second]) };
  }

  it('are not written through a link that took the place of their directory between two of them', async () => {
    const { outside, place } = placedAround((directory, elsewhere) => {
      renameSync(directory, `${directory}.kept`);
      symlinkSync(elsewhere, directory);
    });
    expect([await codeOf(place), readdirSync(outside)]).toEqual(['IO', []]);
  });

  it('find their directory again when it vanished between two of them', () => {
    const { place } = placedAround((directory) => renameSync(directory, `${directory}.kept`));
    expect(place).not.toThrow();
  });
});
