import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RUN_LAYOUT } from '../../../src/project/layout.js';
import { createReadRuns } from '../../../src/project/runs.js';
import { createReadMedium, createStorePaths } from '../../../src/store/directory-reading.js';
import type { ReadMedium } from '../../../src/store/medium.js';
import { createReadStore, createStreamOpener } from '../../../src/store/read-store.js';
import { runsSuite } from '../project/suite.js';
import { diskSubject, openStore } from './disk.js';
import { codeOf, sampleCodec, step, steppingClock } from './sample.js';
import { storeSuite } from './suite.js';

storeSuite('directory store', diskSubject);
runsSuite('directory store', diskSubject);

describe('a lock that a decision holds', () => {
  it('is there until the transaction has ended, however it ends', async () => {
    const { store, at } = diskSubject();
    const path = at('.dev/lock.plans');
    const seen: boolean[] = [];
    await store.transact('run', (head, neighbours) => {
      neighbours.hold('plans');
      seen.push(existsSync(path));
      return step({})(head, neighbours);
    });
    seen.push(existsSync(path));
    const refused = store.transact('run', (_, { hold }) => {
      hold('plans');
      throw new Error('no');
    });
    await expect(refused).rejects.toThrow('no');
    expect([...seen, existsSync(path)]).toEqual([true, false, false]);
  });

  it('is waited for, and then refused with nothing written', async () => {
    const { root, store, at } = diskSubject();
    await store.transact('run', step({}));
    const holder = { host: 'elsewhere', pid: 1, start: null, token: 'ab', at: '2026-01-01T00:00:00.000Z', for: 'init' };
    writeFileSync(at('.dev/lock.plans'), JSON.stringify(holder));
    const waiting = openStore(root, 20);
    const asked = (kind: string) =>
      codeOf(() =>
        waiting.transact('run', (head, neighbours) => {
          neighbours.hold(kind);
          return step({})(head, neighbours);
        }),
      );
    expect(await asked('plans')).toBe('LOCKED');
    expect(await asked('others')).toBe('no error');
    expect((await store.read('run')).seq).toBe(2);
    expect(readdirSync(at('.dev/specs/run'))).not.toContain('lock');
  });
});

describe('layout', () => {
  it('is the one described (storage.md, Layout), with nothing temporary left', async () => {
    const { store, at } = diskSubject();
    await store.transact(
      'run',
      step({
        files: [
          { path: 'DRAFT.md', content: 'd' },
          { path: 'large.md', content: 'd'.repeat(64 * 1024 + 1) },
        ],
        marks: { guarded: true, pointer: 'set' },
      }),
    );
    expect(readdirSync(at('.dev')).sort()).toEqual(['.gitignore', 'active-spec', 'guard', 'specs']);
    expect(readdirSync(at('.dev/specs/run')).sort()).toEqual([
      'DRAFT.md',
      'events.jsonl',
      'large.md',
      'objects',
      'state.json',
    ]);
    expect(readdirSync(at('.dev/specs/run/objects'))).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
    expect(readFileSync(at('.dev/active-spec'), 'utf8')).toBe('run\n');
    expect(readFileSync(at('.dev/guard'), 'utf8')).toBe('ask\nrun 1\n');
  });

  it('lets git see only what is shared', async () => {
    const { store, at, root } = diskSubject();
    await store.transact(
      'run',
      step({
        files: [
          { path: 'PLAN.md', content: 'p' },
          { path: 'DRAFT.md', content: 'd' },
        ],
      }),
    );
    const tracked = ['.dev/preferences.yaml', '.dev/recipes/a/b.yaml', '.dev/agents/x.md', '.dev/specs/run/PLAN.md'];
    const ignored = [
      '.dev/.gitignore',
      '.dev/guard',
      '.dev/specs/stray',
      '.dev/specs/run/DRAFT.md',
      '.dev/specs/run/findings/PLAN.md',
      '.dev/sessions/s',
    ];
    for (const path of [...tracked, ...ignored]) {
      mkdirSync(dirname(at(path)), { recursive: true });
      if (!existsSync(at(path))) writeFileSync(at(path), '');
    }
    execFileSync('git', ['init', '-q'], { cwd: root });
    const seen = execFileSync('git', ['ls-files', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
    expect(seen.trim().split('\n').sort()).toEqual([...tracked].sort());
  });

  it('leaves a .gitignore that is there alone', async () => {
    const { store, at } = diskSubject();
    mkdirSync(at('.dev'));
    writeFileSync(at('.dev/.gitignore'), '# ours\n');
    await store.transact('run', step({}));
    expect(readFileSync(at('.dev/.gitignore'), 'utf8')).toBe('# ours\n');
  });

  it('keeps directories that were there when nothing is committed', async () => {
    const { store, at } = diskSubject();
    mkdirSync(at('.dev/specs/run'), { recursive: true });
    await store.transact('run', () => ({ answer: null }));
    expect(readdirSync(at('.dev/specs/run'))).toEqual([]);
  });

  it('lists no directory that holds no run', async () => {
    const { store, at } = diskSubject();
    await store.transact('run', step({}));
    mkdirSync(at('.dev/specs/other'));
    mkdirSync(at('.dev/specs/empty'));
    writeFileSync(at('.dev/specs/empty/events.jsonl'), '');
    writeFileSync(at('.dev/specs/file'), '');
    symlinkSync('run', at('.dev/specs/link'));
    expect(await store.streams()).toEqual(['run']);
  });
});

describe('a store that only reads', () => {
  type Disk = ReturnType<typeof diskSubject>;
  const draft = (content: string) => [
    { path: 'DRAFT.md', content },
    { path: 'findings/a.md', content },
  ];

  /** Returns the answers of the read-only store and of the full store about the same run, without their times. */
  async function told({ root, store }: Disk): Promise<[unknown, unknown]> {
    const reader = createReadRuns({ root, codec: sampleCodec, clock: steppingClock() });
    const [one, other] = await Promise.all(
      [reader, store].map(async (asked) => {
        const { at: _at, past: _past, files, ...head } = await asked.read('run');
        const documents = files.list('').flatMap((name) => [name, files.list(name), files.facts(name).kind]);
        const text = ['DRAFT.md', 'findings/a.md'].map((path) => files.read(path)?.toString());
        return {
          head,
          documents,
          text,
          marks: [await asked.streams(), await asked.active(), await asked.session('s')],
        };
      }),
    );
    return [one, other];
  }

  const standings: Record<string, (disk: Disk, first: string) => void> = {
    'that is settled': () => {},
    'whose last commit was cut short behind the journal': ({ setState, at }, first) => {
      setState('run', first);
      rmSync(at('.dev/specs/run/DRAFT.md'));
      rmSync(at('.dev/specs/run/findings'), { recursive: true });
    },
    'without a snapshot': ({ setState }) => setState('run', null),
    'with an unusable snapshot': ({ setState }) => setState('run', '{'),
    'with a torn end': ({ journal, setJournal }) =>
      setJournal('run', Buffer.concat([journal('run'), Buffer.from('{"v":1')])),
  };
  it.each(Object.keys(standings))('tells the same of a run %s, and leaves everything as it was', async (standing) => {
    const disk = diskSubject();
    const { store } = disk;
    await store.transact('run', step({ files: draft('one'), marks: { guarded: true, pointer: 'set' } }));
    const first = disk.state('run') ?? '';
    await store.transact('run', step({ entries: ['x', 'y'], files: draft('two'), marks: { guarded: true } }));
    await store.changeSession('s', { becomes: 'bound', run: 'run', before: [] });
    standings[standing]?.(disk, first);
    const before = imageOf(disk.root);
    const [one, other] = await told(disk);
    expect(one).toEqual(other);
    expect(one).toMatchObject({
      head: { seq: 3, snapshot: { count: 2 } },
      documents: expect.arrayContaining(['DRAFT.md', 'findings']),
      text: ['two', 'two'],
      marks: [['run'], 'run', 'run'],
    });
    expect(imageOf(disk.root)).toEqual(before);
  });

  it('makes nothing where there was nothing, and wants a root', async () => {
    const { root, untouched } = diskSubject();
    const options = { codec: sampleCodec, clock: steppingClock() };
    const reader = createReadRuns({ root, ...options });
    expect([(await reader.read('run')).seq, await reader.streams(), await reader.active()]).toEqual([0, [], null]);
    expect(untouched()).toBe(true);
    expect(await codeOf(() => createReadRuns({ root: `${root}/nowhere`, ...options }))).toBe('IO');
    expect(await codeOf(() => reader.read('../x'))).toBe('NAME_INVALID');
  });

  /** Returns every file below a root with its content. */
  function imageOf(root: string): string[] {
    return readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => `${parentPath}/${name}: ${readFileSync(`${parentPath}/${name}`, 'latin1')}`)
      .sort();
  }
});

describe('guard', () => {
  it('is written only when it changes', async () => {
    const { store, at } = diskSubject();
    await store.transact('run', step({ marks: { guarded: true, pointer: 'set' } }));
    const before = [statSync(at('.dev/guard')).ino, statSync(at('.dev/active-spec')).ino];
    await store.transact('run', step({ marks: { guarded: true, pointer: 'set' } }));
    expect([statSync(at('.dev/guard')).ino, statSync(at('.dev/active-spec')).ino]).toEqual(before);
    await store.transact('run', step({ marks: { guarded: false } }));
    expect(readFileSync(at('.dev/guard'), 'utf8')).toBe('open\n');
  });

  it('loses the line of a run whose last commit was cut short just before it, at whatever is asked of it next', async () => {
    const { store, at } = diskSubject();
    await store.transact('run', step({ marks: { guarded: true, pointer: 'set' } }));
    await store.transact('run', step({ marks: { guarded: false, pointer: 'clear' } }));
    writeFileSync(at('.dev/guard'), 'ask\nrun 1\n');
    await store.transact('run', () => ({ answer: null }));
    expect(readFileSync(at('.dev/guard'), 'utf8')).toBe('open\n');
  });

  it('loses lines without a run that guards at the next commit, but not that of one under way', async () => {
    const { store, at } = diskSubject();
    await store.transact('ended', step({}));
    await store.transact('busy', step({}));
    await store.transact('live', step({ marks: { guarded: true } }));
    writeFileSync(at('.dev/specs/busy/lock'), '{}');
    writeFileSync(at('.dev/guard'), 'ask\nbusy 2\nended 1\nlive 1\nnever 1\n../x 1\nrubbish\n');
    await store.transact('run', step({}));
    expect(readFileSync(at('.dev/guard'), 'utf8')).toBe('ask\nbusy 2\nlive 1\n');
  });

  it('gets its line back when somebody took it out', async () => {
    const { store, at } = diskSubject();
    await store.transact('run', step({ marks: { guarded: true } }));
    writeFileSync(at('.dev/guard'), 'open\n');
    await store.transact('run', step({ marks: { guarded: true } }));
    expect(readFileSync(at('.dev/guard'), 'utf8')).toBe('ask\nrun 2\n');
  });
});

describe('a failed commit', () => {
  it('takes everything back when a directory is where a document should be', async () => {
    const subject = diskSubject();
    mkdirSync(subject.at('PLAN.md'));
    const files = [
      { path: 'a/b/c.md', content: 'c' },
      { path: '/PLAN.md', content: 'p' },
    ];
    expect(await codeOf(() => subject.store.transact('run', step({ files, marks: { guarded: true } })))).toBe('IO');
    expect(readdirSync(subject.root)).toEqual(['PLAN.md']);
  });

  it('takes everything back when a file is where a directory should be', async () => {
    const subject = diskSubject();
    writeFileSync(subject.at('docs'), '');
    const files = [
      { path: 'a/b/c.md', content: 'c' },
      { path: '/docs/x.md', content: 'x' },
    ];
    const failed = subject.store.transact('run', step({ files, marks: { guarded: true } }));
    await expect(failed).rejects.toThrow('docs: a file stands where a directory is needed');
    expect(readdirSync(subject.root)).toEqual(['docs']);
  });

  it('takes everything back when the journal cannot be appended to', async () => {
    const subject = diskSubject();
    const first = openStore(subject.root);
    await first.transact('other', step({}));
    mkdirSync(subject.at('.dev/specs/run'));
    symlinkSync('nowhere', subject.at('.dev/specs/run/events.jsonl'));
    const files = [{ path: 'c.md', content: 'c' }];
    expect(await codeOf(() => subject.store.transact('run', step({ files, marks: { guarded: true } })))).toBe('IO');
    expect(readdirSync(subject.at('.dev/specs/run'))).toEqual(['events.jsonl']);
    expect(existsSync(subject.at('.dev/guard'))).toBe(false);
  });
});

describe('speed', () => {
  it('reads a journal of 100,000 lines by its end', async () => {
    const { store, at } = diskSubject();
    for (let i = 0; i < 2; i++) await store.transact('run', step({}));
    const path = at('.dev/specs/run/events.jsonl');
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    const filler = `${lines[0]}\n`.repeat(100_000);
    writeFileSync(path, `${filler}${lines[1]}\n`);
    let read = 0;
    const medium = createReadMedium(createStorePaths(at('.'), RUN_LAYOUT));
    const counting: ReadMedium = {
      ...medium,
      journal: (stream, use) =>
        medium.journal(stream, (journal) =>
          use({
            ...journal,
            read(from, to) {
              const part = journal.read(from, to);
              read += part.length;
              return part;
            },
          }),
        ),
    };
    const options = { layout: RUN_LAYOUT, medium: counting, codec: sampleCodec, clock: steppingClock() };
    await createReadStore(options, createStreamOpener(options)).read('run');
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThan(32 * 1024);
  });
});
