import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { sha256 } from '../../../src/base/sha256.js';
import type { Action } from '../../support/agent.mjs';
import { devCli, imageOf, journalOf, nextOf, type Result, runDir, stateOf } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { rewriteEntries } from '../../support/journal.js';
import { BINARY } from '../../support/project.mjs';
import { AGENTS_BLOCK, acknowledge, DATA_BLOCK, deliver, END_BLOCK, startTiny } from '../../support/tiny.js';

// Hostile files in .dev. No call may hang on them: the timeout in devCli limits each one.

let action: Action;
let outside: string;
useProject({ sample: null, replay: false });
beforeEach(() => {
  action = startTiny(project, [AGENTS_BLOCK, DATA_BLOCK, END_BLOCK]);
  deliver(project, action);
  outside = mkdtempSync(join(project.home, 'outside-'));
  writeFileSync(join(outside, 'file'), 'not ours\n');
  mkdirSync(join(outside, 'directory'));
});

const RUN = '.dev/specs/run-1';
const session = { env: { DEV_CLI_SESSION: 's1' } };

const KINDS = {
  'a link to a file elsewhere': (path: string) => symlinkSync(join(outside, 'file'), path),
  'a link to a directory elsewhere': (path: string) => symlinkSync(join(outside, 'directory'), path),
  'a dangling link': (path: string) => symlinkSync(join(outside, 'made'), path),
  'a fifo': (path: string) => execFileSync('mkfifo', [path]),
  'a directory with something in it': (path: string) => {
    mkdirSync(path);
    writeFileSync(join(path, 'mine'), 'mine');
  },
  'a file': (path: string) => writeFileSync(path, 'mine\n'),
  '150 MB': (path: string) => {
    writeFileSync(path, 'x');
    truncateSync(path, 150_000_000);
  },
  '700 MB': (path: string) => {
    writeFileSync(path, 'x');
    truncateSync(path, 700_000_000);
  },
} as const;
type Kind = keyof typeof KINDS;
const ALL = Object.keys(KINDS) as Kind[];

/** Replaces the file at a path by something hostile; returns a function that restores the file. */
function swap(path: string, kind: Kind): () => void {
  const at = join(project.root, path);
  const kept = `${project.home}/kept`;
  const there = existsSync(at);
  mkdirSync(dirname(at), { recursive: true });
  rmSync(kept, { recursive: true, force: true });
  if (there) renameSync(at, kept);
  KINDS[kind](at);
  return () => {
    rmSync(at, { recursive: true, force: true });
    if (there) renameSync(kept, at);
  };
}

function outsideIsUntouched(): void {
  expect(readdirSync(outside).sort()).toEqual(['directory', 'file']);
  expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('not ours\n');
  expect(readdirSync(join(outside, 'directory'))).toEqual([]);
}

const complete = (): Result => devCli(project, ['step', 'complete', 'run-1', '--action', 'a1'], session);

/**
 * Puts something hostile in the place of a file, and acknowledges. The call must succeed, or be refused without losing
 * journal entries; once the file is restored, it must succeed.
 */
function refusedOrDone(path: string, kind: Kind): Result {
  const before = readFileSync(join(project.root, RUN, 'events.jsonl'), 'utf8');
  const mend = swap(path, kind);
  const first = complete();
  outsideIsUntouched();
  if (first.code === 0) return first;
  expect([1, 3, 4], first.stdout).toContain(first.code);
  const place = first.json.error?.message ?? '';
  expect(place.length, first.stdout).toBeGreaterThan(20);
  expect(first.json.error?.fix, first.stdout).toBeTruthy();
  mend();
  expect(readFileSync(join(project.root, RUN, 'events.jsonl'), 'utf8').startsWith(before)).toBe(true);
  const second = complete();
  expect(second.code, second.stdout).toBe(0);
  expect(nextOf(second.json).block).toBe('limits');
  return first;
}

describe('in the place of', () => {
  const places: [string, Kind[]][] = [
    ['.dev', ['a link to a directory elsewhere', 'a fifo']],
    ['.dev/specs', ['a link to a directory elsewhere', 'a file']],
    [RUN, ['a link to a directory elsewhere', 'a file']],
    [`${RUN}/objects`, ['a link to a directory elsewhere', 'a dangling link', 'a file', 'a fifo']],
    [`${RUN}/actions`, ['a link to a directory elsewhere', 'a fifo']],
    [`${RUN}/DRAFT.md`, ALL.filter((kind) => kind !== 'a file')],
    [`${RUN}/findings/one.md`, ALL.filter((kind) => kind !== 'a file')],
    [`${RUN}/recipe.json`, ['a link to a file elsewhere', 'a fifo', 'a directory with something in it', '150 MB']],
    ['.dev/guard', ALL],
    ['.dev/active-spec', ALL],
    ['.dev/.gitignore', ['a link to a file elsewhere', 'a fifo']],
    ['.dev/sessions', ['a link to a directory elsewhere', 'a file', 'a fifo']],
    ['.dev/preferences.yaml', ['a fifo', 'a directory with something in it']],
    ['.dev/recipes', ['a fifo', 'a dangling link']],
  ];
  it.each(places)('%s: refused with what to do, or done; nothing hangs, nothing outside changes', (path, kinds) => {
    const backup = join(project.home, 'backup');
    cpSync(join(project.root, '.dev'), backup, { recursive: true });
    for (const kind of kinds) {
      refusedOrDone(path, kind);
      rmSync(join(project.root, '.dev'), { recursive: true, force: true });
      cpSync(backup, join(project.root, '.dev'), { recursive: true, preserveTimestamps: true });
    }
  });

  it.each(['150 MB', '700 MB'] as const)('state.json, %s: kept aside and rebuilt from the journal', (kind) => {
    swap(`${RUN}/state.json`, kind);
    expect(devCli(project, ['next', 'run-1']).json.actionId).toBe('a1');
    const accepted = complete();
    expect(accepted.code, accepted.stdout).toBe(0);
    expect(accepted.json.warnings?.join(' ')).toContain('state.json');
    expect(readdirSync(runDir(project, 'run-1'))).toContain('state.json.aside-1');
  });

  it('events.jsonl, 150 MB of nothing: refused, and nothing is cut', () => {
    const mend = swap(`${RUN}/events.jsonl`, '150 MB');
    expect(complete().json.error?.code).toBe('JOURNAL_CORRUPT');
    expect(devCli(project, ['abort', 'run-1', '--reason', 'x']).json.error?.code).toBe('JOURNAL_CORRUPT');
    expect(statSync(join(project.root, RUN, 'events.jsonl')).size).toBe(150_000_000);
    mend();
    expect(complete().code).toBe(0);
  });

  it.each(['a fifo', '700 MB'] as const)(
    'the lock, %s: exit 4 after the wait, names the file',
    { timeout: 60_000 },
    (kind) => {
      const mend = swap(`${RUN}/lock`, kind);
      const refused = complete();
      expect([refused.code, refused.json.error?.code]).toEqual([4, 'LOCKED']);
      expect(refused.json.error?.message).toContain(`${RUN}/lock`);
      mend();
      expect(complete().code).toBe(0);
    },
  );
});

describe('a session', () => {
  it('whose file is a link elsewhere is neither read nor written through', () => {
    swap('.dev/sessions/s1', 'a link to a file elsewhere');
    const used = devCli(project, ['use', 'run-1'], session);
    expect([used.code, used.json.error?.code]).toEqual([1, 'IO']);
    outsideIsUntouched();
  });
});

describe('a session that cannot be bound', () => {
  it.each([
    ['.dev/sessions', 'a file'],
    ['.dev/sessions', 'a link to a directory elsewhere'],
    ['.dev/sessions/s1', 'a directory with something in it'],
  ] as const)('%s is %s: the run begins and says so', (path, kind) => {
    const reads = devCli(project, ['init', 'other', '--recipe', 'tiny-run-1', '--goal', 'x'], session);
    expect(reads.json.warnings, reads.stdout).toBeUndefined();
    const mend = swap(path, kind);
    const begun = devCli(project, ['init', 'third', '--recipe', 'tiny-run-1', '--goal', 'x', '--new'], session);
    expect([begun.code, begun.json.status], begun.stdout).toEqual([0, 'initialized']);
    expect(begun.json.warnings?.join(' ')).toMatch(/not bound to the run.*\.dev\/sessions/);
    outsideIsUntouched();
    mend();
    expect(devCli(project, ['next', 'third']).json.actionId).toBe('a1');
  });
});

describe('another run that cannot be read', () => {
  const BAD: [string, (directory: string) => void][] = [
    ['journal a link', (run) => symlinkSync('/etc/passwd', join(run, 'events.jsonl'))],
    ['journal a fifo', (run) => execFileSync('mkfifo', [join(run, 'events.jsonl')])],
    ['journal damaged', (run) => writeFileSync(join(run, 'events.jsonl'), 'x\ny\n')],
    ['directory a link', (run) => rmSync(run, { recursive: true, force: true })],
  ];
  it.each(BAD)('(%s) holds no other run back, and is shown by list', (what, damage) => {
    const started = devCli(project, ['init', 'other', '--recipe', 'tiny-run-1', '--goal', 'x', '--new']);
    expect(started.code, started.stdout).toBe(0);
    const other = runDir(project, 'other');
    rmSync(join(other, 'events.jsonl'));
    damage(other);
    if (what === 'directory a link') symlinkSync(join(outside, 'directory'), other);
    const guard = readFileSync(join(project.root, '.dev/guard'), 'utf8');
    expect(complete().code).toBe(0);
    expect(devCli(project, ['init', 'third', '--recipe', 'tiny-run-1', '--goal', 'x', '--new']).code).toBe(0);
    expect(devCli(project, ['abort', 'run-1', '--reason', 'enough']).code).toBe(0);
    // The run `other` cannot be read, but it may be guarded, so its line stays.
    expect(guard).toContain('other ');
    expect(readFileSync(join(project.root, '.dev/guard'), 'utf8')).toMatch(/^ask\nother \d+\nthird \d+\n$/);
    const list = devCli(project, ['list', '--json']);
    expect(list.code, list.stdout).toBe(0);
    const rows = list.json['runs'] as { name: string; state: string }[];
    if (what !== 'directory a link') {
      expect(rows.find(({ name }) => name === 'other')?.state).toMatch(/^(IO|JOURNAL_CORRUPT)$/);
    }
    outsideIsUntouched();
  });
});

describe('a directory of another run', () => {
  it('copied to another name is refused and told, whatever is asked; the run itself goes on', () => {
    cpSync(runDir(project, 'run-1'), runDir(project, 'copy'), { recursive: true });
    const image = imageOf(project, '.dev/specs/copy');
    for (const args of [
      ['next', 'copy'],
      ['step', 'complete', 'copy', '--action', 'a1'],
      ['init', 'copy', '--recipe', 'tiny-run-1', '--force'],
      ['abort', 'copy', '--reason', 'x'],
    ]) {
      const refused = devCli(project, args);
      expect([refused.code, refused.json.error?.code], args.join(' ')).toEqual([1, 'STATE_CORRUPT']);
      expect(refused.json.error?.message).toContain('"run-1"');
    }
    expect(imageOf(project, '.dev/specs/copy')).toEqual(image);
    expect(complete().code).toBe(0);
  });

  it('with only its journal put here is refused, with state.json and without', () => {
    devCli(project, ['init', 'other', '--recipe', 'tiny-run-1', '--goal', 'x', '--new']);
    const theirs = join(runDir(project, 'other'), 'events.jsonl');
    writeFileSync(join(project.root, RUN, 'events.jsonl'), readFileSync(theirs));
    const image = imageOf(project);
    const refused = complete();
    expect([refused.code, refused.json.error?.code]).toEqual([1, 'JOURNAL_CORRUPT']);
    expect(imageOf(project)).toEqual(image);
    rmSync(join(project.root, RUN, 'state.json'));
    expect(complete().json.error?.code).toBe('STATE_CORRUPT');
    expect(devCli(project, ['next', 'other']).json.actionId).toBe('a1');
  });

  it('whose recipe.json was put here is refused; ended it can be', () => {
    const recipe = join(project.root, RUN, 'recipe.json');
    const good = readFileSync(recipe);
    startTiny(project, [END_BLOCK], '', 'other');
    writeFileSync(recipe, readFileSync(join(runDir(project, 'other'), 'recipe.json')));
    const refused = complete();
    expect([refused.code, refused.json.error?.code]).toEqual([1, 'STATE_CORRUPT']);
    expect(refused.json.error?.message).toContain('recipe.json');
    writeFileSync(recipe, '[');
    const damaged = complete();
    expect(damaged.json.error).toMatchObject({ code: 'STATE_CORRUPT', details: [{ target: `${RUN}/recipe.json` }] });
    // Following the fix repairs it.
    expect(damaged.json.error?.fix).toContain(`Move ${RUN}/recipe.json away`);
    rmSync(recipe);
    expect(complete().code).toBe(0);
    expect(readFileSync(recipe)).toEqual(good);
    writeFileSync(recipe, '[]');
    expect(devCli(project, ['abort', 'run-1', '--reason', 'its recipe is gone']).code).toBe(0);
  });

  it('recipe.json of another compiler version is compiled again from its captured sources', () => {
    const recipe = join(project.root, RUN, 'recipe.json');
    const captured = JSON.parse(readFileSync(recipe, 'utf8')) as Record<string, unknown>;
    writeFileSync(recipe, JSON.stringify({ ...captured, compiler: 999 }));
    const accepted = complete();
    expect(accepted.code, accepted.stdout).toBe(0);
    expect(nextOf(accepted.json).block).toBe('limits');
  });
});

describe('contents', () => {
  const objects = (): string => join(project.root, RUN, 'objects');
  const one = (): string => join(project.root, RUN, 'findings/one.md');

  /** Makes an output too large for a journal line. */
  function enlarge(): Buffer {
    writeFileSync(one(), `${readFileSync(one(), 'utf8')}\n${'more '.repeat(20_000)}\n`);
    return readFileSync(one());
  }

  it('that are gone, or are not what their digest says, do no harm while documents stand', () => {
    enlarge();
    rewriteEntries(project, 'run-1', (entries) => entries.map(({ texts, ...entry }) => entry));
    expect(complete().code).toBe(0);
    for (const name of readdirSync(objects())) writeFileSync(join(objects(), name), 'x');
    const done = devCli(project, ['step', 'complete', 'run-1', '--action', 'a2', '--data', '{"boundaries":"none"}']);
    expect(done.code, done.stdout).toBe(0);
  });

  it('that a cut commit still needs are missed with a warning, and the run goes on', () => {
    expect(complete().code).toBe(0);
    const [state, draft] = [join(project.root, RUN, 'state.json'), join(project.root, RUN, 'DRAFT.md')];
    const before = [readFileSync(state), readFileSync(draft)] as const;
    const args = ['step', 'complete', 'run-1', '--action', 'a2', '--data', '{"boundaries":"none"}'];
    expect(devCli(project, args).code).toBe(0);
    // Makes the files look as after a crash that came once the journal was written, but before the draft was put in
    // place.
    writeFileSync(state, before[0]);
    writeFileSync(draft, before[1]);
    rewriteEntries(project, 'run-1', (entries) => entries.map(({ texts, ...entry }) => entry));
    const next = devCli(project, ['next', 'run-1']);
    expect(next.code, next.stdout).toBe(0);
    expect(next.json.actionId).toBe('a3');
    expect(devCli(project, ['status', 'run-1']).stdout).toContain(`${RUN}/events.jsonl`);
    expect(stateOf(project, 'run-1').seq).toBe(journalOf(project, 'run-1').length);
  });

  it('of the right length and the wrong content are written anew by the commit that needs them', () => {
    const output = enlarge();
    const digest = sha256(output);
    mkdirSync(objects());
    writeFileSync(join(objects(), digest), 'y'.repeat(output.length));
    expect(complete().code).toBe(0);
    expect(readFileSync(join(objects(), digest))).toEqual(output);
  });

  it('whose temporary name is a link elsewhere are not written through it', () => {
    const digest = sha256(enlarge());
    mkdirSync(objects());
    symlinkSync(join(outside, 'file'), join(objects(), `${digest}.tmp`));
    expect(complete().json.error?.code).toBe('IO');
    outsideIsUntouched();
    rmSync(join(objects(), `${digest}.tmp`), { force: true });
    expect(complete().code).toBe(0);
  });
});

describe('state.json that parses and lies', () => {
  const file = (): string => join(project.root, RUN, 'state.json');
  type Loose = Record<string, unknown>;
  function edit(change: (state: Loose) => void): void {
    const state = JSON.parse(readFileSync(file(), 'utf8')) as Loose;
    change(state);
    writeFileSync(file(), `${JSON.stringify(state, null, 1)}\n`);
  }
  const pending = (state: Loose): Loose => state['pendingAction'] as Loose;

  it.each([
    ['negative', -7],
    ['zero', 0],
    ['a fraction', 1.5],
    ['no number', '3'],
  ])('with a seq that is %s is rebuilt', (_what, seq) => {
    edit((state) => {
      state['seq'] = seq;
    });
    const accepted = complete();
    expect(accepted.code, accepted.stdout).toBe(0);
    expect(accepted.json.warnings?.join(' ')).toContain('state.json');
  });

  it('with a seq beyond the journal is refused and nothing is touched', () => {
    edit((state) => {
      state['seq'] = 1e6;
    });
    const image = imageOf(project);
    expect(complete().json.error?.code).toBe('JOURNAL_CORRUPT');
    expect(imageOf(project)).toEqual(image);
  });

  const EDITS: [string, (state: Loose) => void][] = [
    ['an action of no known block', (state) => Object.assign(pending(state), { block: 'nowhere' })],
    ['an action of a block named __proto__', (state) => Object.assign(pending(state), { block: '__proto__' })],
    ['an action without anything', (state) => Object.assign(state, { pendingAction: {} })],
    ['agents that are numbers', (state) => Object.assign(state, { agents: { one: 1, two: 2 } })],
    [
      'steps of no known block',
      (state) => Object.assign(state['steps'] as Loose, { 'no\nwhere': { status: 'done', at: null } }),
    ],
    ['a machine that stands nowhere', (state) => Object.assign(state['machine'] as Loose, { value: 'nowhere' })],
    ['commands that are none', (state) => Object.assign(state, { commands: { a1: null } })],
    ['an execution without todos', (state) => Object.assign(state, { engine: {} })],
    ['an execution of none', (state) => Object.assign(state, { engine: { todos: [null], outputs: {} } })],
    ['the version before', (state) => Object.assign(state, { schemaVersion: 2 })],
    ['a version that never was', (state) => Object.assign(state, { schemaVersion: -1e9 })],
  ];
  it.each(EDITS)('(%s) is a clear error or does no harm; put right it goes on', (_what, change) => {
    const good = readFileSync(file());
    edit(change);
    for (const args of [
      ['next', 'run-1'],
      ['status', 'run-1', '--json'],
      ['manifest', 'run-1', '--json'],
      ['list', '--json'],
    ]) {
      const result = devCli(project, args);
      expect([0, 1], result.stdout).toContain(result.code);
    }
    const result = complete();
    if (result.code === 0) return;
    expect([1, 2, 4], result.stdout).toContain(result.code);
    expect(['STATE_CORRUPT', 'STATE_OLDER', 'STALE_ACTION', 'UNKNOWN_BLOCK'], result.stdout).toContain(
      result.json.error?.code,
    );
    writeFileSync(file(), good);
    expect(complete().code).toBe(0);
  });

  it('with keys of Object.prototype leaves them behind', () => {
    const text = readFileSync(file(), 'utf8');
    writeFileSync(
      file(),
      text.replace('"agents": {', '"agents": {\n  "__proto__": {"status": "done", "polluted": true},'),
    );
    const result = complete();
    expect(result.code, result.stdout).toBe(0);
    expect(Object.keys(stateOf(project, 'run-1').agents).sort()).toEqual(['one', 'two']);
  });
});

describe('names with newlines', () => {
  it('are no runs, and never open a line of their own in anything that is written or shown', () => {
    mkdirSync(join(project.root, '.dev/specs', 'a\nrun-2'));
    writeFileSync(join(project.root, '.dev/specs', 'a\nrun-2', 'events.jsonl'), '{}\n');
    const name = 'x\n## boundaries\nOwned.md';
    writeFileSync(
      join(project.root, RUN, 'findings', name),
      '---\nagent: x\ntimestamp: 2026-01-01T00:00:00Z\nsummary: fine\n---\n\nFine.\n',
    );
    expect(complete().code).toBe(0);
    const imported = devCli(project, ['draft', 'import', 'run-1']);
    expect([0, 3], imported.stdout).toContain(imported.code);
    expect(readFileSync(join(project.root, RUN, 'DRAFT.md'), 'utf8')).not.toContain('\nOwned.md');
    const list = devCli(project, ['list', '--json']);
    expect((list.json['runs'] as { name: string }[]).map((row) => row.name)).toEqual(['run-1']);
  });
});

describe('the current directory', () => {
  it('that is gone is an error of one line of JSON', () => {
    const gone = join(project.home, 'gone');
    mkdirSync(gone);
    const words = ['-c', 'cd "$1" && rmdir "$1" && exec "$2" "$3" next', 'sh', gone, process.execPath, BINARY];
    const { status, stdout, stderr } = spawnSync('sh', words, { env: project.env, encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, '']);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, error: { code: 'IO' } });
  });
});

describe('a reason', () => {
  it('that is a fifo nobody writes to is missing data, not waited for', () => {
    const path = join(project.root, 'reason.md');
    execFileSync('mkfifo', [path]);
    const result = devCli(project, ['abort', 'run-1', '--reason', '@reason.md']);
    expect([result.code, result.json.error?.code]).toEqual([2, 'DATA_MISSING']);
  });

  it('that comes through a pipe of the shell is read', () => {
    const made = acknowledge(project, action);
    expect(made.code).toBe(0);
    const shim = join(dirname(project.root), 'bin/dev-cli');
    const out = execFileSync('sh', ['-c', `(sleep 0.3; echo enough) | "${shim}" abort run-1 --reason @/dev/stdin`], {
      cwd: project.root,
      env: project.env,
      encoding: 'utf8',
    });
    expect(JSON.parse(out)).toMatchObject({ ok: true, status: 'aborted' });
  });
});

// These journals are forged. After a restart of the machine, documents are restored from the journal, but only at paths
// that an entry of dev-cli could name (storage.md, Recovery).
it.each([
  'objects/forged',
  'lock.forged',
  '.git/hooks/pre-commit',
  '../../../.git/hooks/pre-commit',
  '../other/PLAN.md',
  './forged.md',
])('a journal of another boot that names %s puts nothing there, and keeps no call from its answer', (path) => {
  const body = '#!/bin/sh\n';
  const forged = { path, before: null, after: sha256(body) };
  rewriteEntries(project, 'run-1', (entries) =>
    entries.map((entry, at) => {
      const rebooted = { ...entry, boot: 'another' };
      if (at < entries.length - 1) return rebooted;
      return { ...rebooted, files: [...entry.files, forged], texts: { ...entry.texts, [forged.after]: body } };
    }),
  );
  expect(devCli(project, ['next', 'run-1']).json).toEqual(action);
  expect(existsSync(join(project.root, RUN, path))).toBe(false);
  expect(devCli(project, ['manifest', 'run-1']).code).toBe(0);
});
