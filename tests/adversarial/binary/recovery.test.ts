import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Action } from '../../support/agent.mjs';
import { devCli, imageOf, journalOf, nextOf, type Result, runDir, spawnDevCli, stateOf } from '../../support/cli.js';
import { BINARY, createProject, type Project } from '../../support/project.mjs';
import { AGENTS_BLOCK, acknowledge, DATA_BLOCK, deliver, END_BLOCK, startTiny } from '../../support/tiny.js';

// Trouble with the machine: a full disk, a tree that cannot be written or read, a clock that goes back, a directory
// that vanishes. The previous state must stay intact, the error must be clear, and the run must go on once the trouble
// is over.

const HOOKS = join(dirname(fileURLToPath(import.meta.url)), 'hooks');
const RUN = '.dev/specs/run-1';
const DATA = '{"boundaries":"Nothing else changes."}';
const second = ['step', 'complete', 'run-1', '--action', 'a2', '--data', DATA];

let project: Project;
afterEach(() => project.remove());

/** Begins a run whose second acknowledgement writes DRAFT.md. */
function begin(): void {
  const action: Action = startTiny(project, [AGENTS_BLOCK, DATA_BLOCK, END_BLOCK]);
  deliver(project, action);
  expect(acknowledge(project, action).code).toBe(0);
}

function withHook(name: string, args: string[], env: Record<string, string>): Result {
  return spawnDevCli(project, args, { env: { NODE_OPTIONS: `--require=${join(HOOKS, name)}`, ...env } });
}

function expectDone(): void {
  const done = devCli(project, second);
  expect(done.code, done.stdout).toBe(0);
  expect(nextOf(done.json).block).toBe('last');
  expect(readFileSync(join(runDir(project, 'run-1'), 'DRAFT.md'), 'utf8')).toContain('Nothing else changes.');
  expect(devCli(project, ['replay', 'run-1', '--check', '--json']).json['differences']).toEqual([]);
}

/** Returns the digests of the files below `.dev`, without leftovers of interrupted locks and writes. */
function essence(): Record<string, string> {
  return Object.fromEntries(Object.entries(imageOf(project)).filter(([path]) => !/\/lock|\.tmp$/.test(path)));
}

describe('a disk that is full from one write on', () => {
  it('at each write of an acknowledgement: refused with the state before, or recorded and finished later', {
    timeout: 240_000,
  }, () => {
    project = createProject({ sample: null, git: false });
    begin();
    const template = join(project.home, 'template');
    execFileSync('cp', ['-a', join(project.root, '.dev'), template]);
    const before = essence();
    let refused = 0;
    let recorded = 0;
    for (let from = 1; ; from += 1) {
      const child = spawnSync(process.execPath, [BINARY, ...second], {
        cwd: project.root,
        env: {
          ...project.env,
          NODE_OPTIONS: `--require=${join(HOOKS, 'full-disk.cjs')}`,
          TEST_FULL_FROM: String(from),
        },
        encoding: 'utf8',
      });
      if (child.status === 99) break;
      const printed = JSON.parse(child.stdout) as { error?: { code: string; message: string; fix: string } };
      expect([child.status, child.stderr, printed.error?.code], child.stdout).toEqual([1, '', 'IO']);
      expect(printed.error?.fix).toContain('Free some space');
      if (printed.error?.message.includes('is recorded')) recorded += 1;
      else {
        refused += 1;
        expect(essence(), `write ${from}`).toEqual(before);
      }
      expectDone();
      rmSync(join(project.root, '.dev'), { recursive: true });
      execFileSync('cp', ['-a', template, join(project.root, '.dev')]);
    }
    expect(refused).toBeGreaterThan(2);
    expect(recorded).toBeGreaterThan(1);
  });
});

describe('a disk that is full from the start', () => {
  it('leaves nothing of an init behind, whichever write fails first', () => {
    project = createProject({ sample: null, git: false });
    for (let from = 1; from <= 6; from += 1) {
      const full = withHook('full-disk.cjs', ['init', 'run-1', '--quick', '--goal', 'x'], {
        TEST_FULL_FROM: String(from),
      });
      expect([full.code, full.json.error?.code], full.stdout).toEqual([1, 'IO']);
      expect(existsSync(join(project.root, '.dev')), `write ${from}`).toBe(false);
    }
  });
});

const root = process.getuid?.() === 0;
const tmpfs = root && canMount();
const suffix = tmpfs ? '' : ' (skipped: nobody here may mount a tmpfs)';

function canMount(): boolean {
  const probe = createProject({ sample: null, git: false });
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', probe.root]).status === 0;
  if (mounted) execFileSync('umount', [probe.root]);
  probe.remove();
  return mounted;
}

describe.skipIf(!tmpfs)(`a file system of its own${suffix}`, () => {
  beforeEach(() => {
    project = createProject({ sample: null, git: false });
    mkdirSync(join(project.root, '.dev'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', join(project.root, '.dev')]);
    begin();
  });
  afterEach(() => {
    execFileSync('umount', [join(project.root, '.dev')]);
  });

  it('that is full: exit 1, nothing lost, and goes on when there is room', () => {
    const filler = join(project.root, '.dev/filler');
    const before = essence();
    for (const free of [0, 4096, 16384, 32768]) {
      spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4096'], { stdio: 'ignore' });
      truncateSync(filler, Math.max(0, statSync(filler).size - free));
      const result = devCli(project, second);
      rmSync(filler);
      if (result.code === 0) continue;
      expect([result.code, result.json.error?.code], result.stdout).toEqual([1, 'IO']);
      if (result.json.error?.message.includes('is recorded') !== true) expect(essence()).toEqual(before);
      expect(devCli(project, ['next', 'run-1']).code).toBe(0);
    }
    expectDone();
  });

  it('that is read-only: reading goes on, writing is exit 1 and says why', () => {
    const place = join(project.root, '.dev');
    const before = imageOf(project);
    const pending = devCli(project, ['next', 'run-1']).stdout;
    execFileSync('mount', ['-o', 'remount,ro', place]);
    const refused = devCli(project, second);
    const started = devCli(project, ['init', 'run-2', '--recipe', 'tiny-run-1', '--goal', 'x', '--new']);
    const read = ['next', 'manifest', 'status'].map((command) => devCli(project, [command, 'run-1']));
    execFileSync('mount', ['-o', 'remount,rw', place]);
    for (const result of [refused, started]) {
      expect([result.code, result.json.error?.code], result.stdout).toEqual([1, 'IO']);
      expect(result.json.error?.message).toContain('read-only');
    }
    expect(read.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(read[0]?.stdout).toBe(pending);
    expect(imageOf(project)).toEqual(before);
    expectDone();
  });
});

const setpriv =
  root && spawnSync('setpriv', ['--reuid=65534', '--clear-groups', process.execPath, '-e', '0']).status === 0;

describe.skipIf(!setpriv)(`another user${setpriv ? '' : ' (skipped: nobody here can become one)'}`, () => {
  function asNobody(args: string[]): { status: number | null; stdout: string; stderr: string } {
    const words = ['--reuid=65534', '--clear-groups', process.execPath, BINARY, ...args];
    return spawnSync('setpriv', words, { cwd: project.root, env: project.env, encoding: 'utf8' });
  }
  beforeEach(() => {
    project = createProject({ sample: null, git: false });
    begin();
    chmodSync(dirname(project.root), 0o755);
  });

  it('who may read and not write: next answers, an acknowledgement is exit 1, nothing changes', () => {
    const before = imageOf(project);
    expect(asNobody(['next', 'run-1']).stdout).toBe(devCli(project, ['next', 'run-1']).stdout);
    for (const args of [second, ['abort', 'run-1', '--reason', 'x'], ['init', 'run-2', '--quick', '--goal', 'x']]) {
      const { status, stdout, stderr } = asNobody(args);
      expect([status, stderr], stdout).toEqual([1, '']);
      expect(JSON.parse(stdout), stdout).toMatchObject({ ok: false, error: { code: 'IO' } });
      expect(stdout).toContain('permission denied');
    }
    expect(imageOf(project)).toEqual(before);
    expectDone();
  });

  it.each(['state.json', 'events.jsonl', 'recipe.json', '.'])('who may not even read %s: exit 1, named', (file) => {
    const path = join(project.root, RUN, file);
    chmodSync(path, file === '.' ? 0o700 : 0o600);
    for (const args of [['next', 'run-1'], second]) {
      const { status, stdout, stderr } = asNobody(args);
      if (file === 'recipe.json' && args[0] === 'next') {
        expect(status, stdout).toBe(0);
        continue;
      }
      expect([status, stderr], stdout).toEqual([1, '']);
      expect(stdout).toContain('permission denied');
      expect(stdout).toContain('.dev/specs/run-1');
    }
    const list = asNobody(['list', '--json']);
    expect(list.status, list.stdout + list.stderr).toBe(0);
    expectDone();
  });
});

describe('a clock that goes back', () => {
  it('between commands and at every look: order, durations and evidence hold', () => {
    project = createProject({ sample: null });
    const action: Action = startTiny(project, [AGENTS_BLOCK, DATA_BLOCK, END_BLOCK]);
    const at = (hours: number, args: string[], back = '0') =>
      withHook('shifted-clock.cjs', args, { TEST_CLOCK_SHIFT: String(hours * 3_600_000), TEST_CLOCK_BACK: back });
    // Although the clock is two days ahead, the missing output is noticed.
    expect(at(48, ['step', 'complete', 'run-1', '--action', 'a1']).json.error?.code).toBe('EVIDENCE_MISSING');
    deliver(project, action);
    const accepted = at(-24, ['step', 'complete', 'run-1', '--action', 'a1'], '1');
    expect(accepted.code, accepted.stdout).toBe(0);
    expect(at(-72, second, '1').code).toBe(0);
    expect(at(-480, ['step', 'complete', 'run-1', '--action', 'a3']).json.next?.done).toBe(true);

    const entries = journalOf(project, 'run-1');
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1));
    const instants = entries.map((entry) => String(entry['at']));
    expect([...instants].sort()).not.toEqual(instants);
    for (const args of [['status', 'run-1'], ['list'], ['manifest', 'run-1'], ['history', 'run-1']]) {
      const shown = at(-1000, args);
      expect(shown.code).toBe(0);
      expect(shown.stdout, args[0]).not.toMatch(/-\d+(\.\d+)? ?(ms|s|m|h|d)\b/);
    }
    expect(stateOf(project, 'run-1').status).toBe('completed');
    expect(devCli(project, ['replay', 'run-1', '--check', '--json']).json['differences']).toEqual([]);
  });
});

describe('a directory that vanishes between two calls', () => {
  beforeEach(() => {
    project = createProject({ sample: null, replay: false });
    begin();
  });

  it.each([RUN, '.dev/specs', '.dev'])(
    '%s: there is no such run, nothing is made anew by asking, init begins again',
    (path) => {
      rmSync(join(project.root, path), { recursive: true });
      const before = imageOf(project);
      for (const args of [
        ['next', 'run-1'],
        second,
        ['status', 'run-1', '--json'],
        ['abort', 'run-1', '--reason', 'x'],
      ]) {
        const gone = devCli(project, args);
        expect([gone.code, gone.json.error?.code], gone.stdout).toEqual([2, 'NO_SUCH_RUN']);
      }
      expect(imageOf(project)).toEqual(before);
      const again = devCli(project, ['init', 'run-1', '--quick', '--goal', 'once more']);
      expect([again.code, again.json.status], again.stdout).toEqual([0, 'initialized']);
    },
  );

  it('the root: exit 2, and it is not made anew', () => {
    const root = project.root;
    execFileSync('rm', ['-r', root]);
    const gone = devCli(project, ['next', 'run-1', '--root', root], { cwd: project.home });
    expect([gone.code, gone.json.error?.code]).toEqual([2, 'USAGE']);
    expect(existsSync(root)).toBe(false);
  });

  it('the directory of the pending action, and of large contents: made again by what needs them', () => {
    rmSync(join(project.root, RUN, 'actions'), { recursive: true });
    rmSync(join(project.root, RUN, 'objects'), { recursive: true, force: true });
    const data = JSON.stringify({ boundaries: 'Nothing else changes. '.repeat(4000) });
    const done = devCli(project, [...second.slice(0, -1), data]);
    expect(done.code, done.stdout).toBe(0);
    expect(readdirSync(join(project.root, RUN))).toContain('objects');
  });
});
