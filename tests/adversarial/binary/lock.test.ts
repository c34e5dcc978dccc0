import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { identifyProcess } from '../../../src/store/process.js';
import { devCli, journalOf, runDir } from '../../support/cli.js';
import { BINARY, createProject, type Project } from '../../support/project.mjs';
import { CHOICE_BLOCK, DATA_BLOCK, END_BLOCK, startTiny } from '../../support/tiny.js';
import { call, type Ended, eventually, hooked, isStopped, kill, pausedAt } from './victims.js';

let project: Project;
beforeAll(() => {
  project = createProject();
});
afterAll(() => project.remove());

const lockOf = (name: string): string => join(runDir(project, name), 'lock');
const red = (name: string): string[] => ['step', 'complete', name, '--action', 'a1', '--choice', 'red'];
const note = (name: string, text: string): string[] => [
  'draft',
  'update',
  name,
  '--section',
  'findings',
  '--append',
  '--data',
  JSON.stringify([text]),
];

function start(name: string, at = project): string {
  startTiny(at, [CHOICE_BLOCK, DATA_BLOCK, END_BLOCK], '', name);
  return name;
}

/** Returns how many times an action of a run was acknowledged. */
function times(name: string, actionId: string): number {
  return journalOf(project, name).filter(
    ({ type, data }) => type === 'acknowledged' && (data as { actionId: string }).actionId === actionId,
  ).length;
}

function whole(name: string): void {
  expect(devCli(project, ['replay', name, '--check', '--json']).json).toMatchObject({ ok: true, differences: [] });
  expect(readdirSync(runDir(project, name)).filter((file) => file.startsWith('lock'))).toEqual([]);
}

const identity = identifyProcess();

/** Writes a lock file as another process would have left it. */
function left(name: string, change: object = {}): void {
  const at = '2026-01-01T00:00:00.000Z';
  const holder = { ...identity, token: 'abc', at, for: 'step complete', ...change };
  writeFileSync(lockOf(name), `${JSON.stringify(holder)}\n`);
}

function refusal({ code, json }: Ended): string {
  expect([code, json?.error?.code]).toEqual([4, 'LOCKED']);
  return `${json?.error?.message} ${json?.error?.fix}`;
}

// A call that finds a lock waits ten seconds for it. These tests run concurrently, so that they wait together.

describe.concurrent('a paused holder', () => {
  it.each([
    ['locked', 0],
    ['before-commit', 0],
    ['after-commit', 1],
  ])(
    '(%s) keeps the lock: others are told who it is; when it goes on, nothing is lost',
    {
      timeout: 120_000,
    },
    async (moment, recorded) => {
      const name = start(`paused-${moment}`);
      const holder = await pausedAt(project, moment, red(name));
      const journal = readFileSync(join(runDir(project, name), 'events.jsonl'), 'utf8');
      const others = await Promise.all([call(project, red(name)), call(project, note(name, 'late'))]);
      for (const other of others) expect(refusal(other)).toContain(`held by process ${holder.pid}, since`);
      expect(isStopped(holder.pid)).toBe(true);
      expect(readFileSync(join(runDir(project, name), 'events.jsonl'), 'utf8')).toBe(journal);
      expect(times(name, 'a1')).toBe(recorded);
      process.kill(holder.pid, 'SIGCONT');
      expect(await holder.ended).toMatchObject({ code: 0, json: { ok: true, completed: 'colour' } });
      expect(devCli(project, red(name)).json).toMatchObject({ ok: true, duplicate: true });
      expect(devCli(project, note(name, 'late')).code).toBe(0);
      expect(times(name, 'a1')).toBe(1);
      whole(name);
    },
  );

  it('would be passed by without a lock: the planted defect', { timeout: 120_000 }, async () => {
    const name = start('paused-planted');
    const holder = await pausedAt(project, 'before-commit', red(name));
    const env = hooked({ DEV_CLI_TEST_PLANT: 'no-lock' });
    expect((await call(project, note(name, 'passed by'), env)).code).toBe(0);
    process.kill(holder.pid, 'SIGCONT');
    await holder.ended;
    expect(devCli(project, ['replay', name, '--check', '--json']).code).not.toBe(0);
    rmSync(runDir(project, name), { recursive: true });
  });
});

describe.concurrent('a holder that was killed', () => {
  it.each(['locked', 'before-commit', 'after-commit'])('(%s) is no obstacle', { timeout: 120_000 }, async (moment) => {
    const name = start(`dead-${moment}`);
    const holder = await pausedAt(project, moment, red(name));
    kill(holder.pid);
    await holder.ended;
    expect(existsSync(lockOf(name))).toBe(true);
    expect(await call(project, red(name))).toMatchObject({ code: 0 });
    expect(times(name, 'a1')).toBe(1);
    whole(name);
  });

  it('is broken by 8 at once without a lost or doubled word', { timeout: 120_000 }, async () => {
    const name = start('broken-by-8');
    const holder = await pausedAt(project, 'locked', red(name));
    kill(holder.pid);
    await holder.ended;
    const words = Array.from({ length: 8 }, (_, n) => `word ${n}`);
    const ends = await Promise.all(words.map((word) => call(project, note(name, word))));
    expect(ends.map(({ code }) => code)).toEqual(Array(8).fill(0));
    const draft = readFileSync(join(runDir(project, name), 'DRAFT.md'), 'utf8').split('\n');
    for (const word of words) expect(draft.filter((line) => line === `- ${word}`)).toHaveLength(1);
    whole(name);
  });
});

describe.concurrent('a lock file whose process is certainly gone is broken', () => {
  const [machine, , space] = identity.host.split('@');
  it.each<[string, (name: string) => void]>([
    ['from an earlier boot', (name) => left(name, { host: `${machine}@another-boot@${space}` })],
    ['of a reused number: same pid, other start', (name) => left(name, { start: '1' })],
    ['of a free number', (name) => left(name, { pid: 2 ** 22 + 1 })],
    ['empty, as a power cut leaves it', (name) => writeFileSync(lockOf(name), '')],
    ['zeros, as a power cut leaves it', (name) => writeFileSync(lockOf(name), '\0'.repeat(160))],
  ])('%s', (what, leave) => {
    const name = start(`gone-${what.replace(/\W+/g, '-').slice(0, 40)}`);
    leave(name);
    expect(devCli(project, red(name)).json).toMatchObject({ ok: true, completed: 'colour' });
    whole(name);
  });
});

describe.concurrent('a lock file that cannot be judged is never broken, and a person is told what to look at', () => {
  const [machine, boot] = identity.host.split('@');
  const cases: [string, (name: string) => void, RegExp][] = [
    ['of a living process', (name) => left(name), new RegExp(`held by process ${process.pid}, since`)],
    ['host', (name) => left(name, { host: 'web-1@b@1', pid: 4242 }), /on the machine web-1,.*ps -p 4242\).*moved away/],
    ['sandbox', (name) => left(name, { host: `${machine}@${boot}@1` }), /another container or sandbox of this machine/],
    ['torn', (name) => writeFileSync(lockOf(name), '{"host":"a","pi'), /not made by dev-cli.*moved away/],
    ['dangling-link', (name) => symlinkSync(join(project.home, 'nowhere'), lockOf(name)), /not made by dev-cli/],
    ['link', (name) => symlinkSync(join(project.root, 'README.md'), lockOf(name)), /not made by dev-cli/],
    ['fifo', (name) => execFileSync('mkfifo', [lockOf(name)]), /not made by dev-cli/],
    ['directory', (name) => mkdirSync(lockOf(name)), /not made by dev-cli/],
  ];
  it.each(cases)('%s', { timeout: 120_000 }, async (what, leave, told) => {
    const name = start(`kept-${what.replace(/\W+/g, '-')}`);
    leave(name);
    const before = lstatSync(lockOf(name));
    expect(refusal(await call(project, red(name)))).toMatch(told);
    const after = lstatSync(lockOf(name));
    expect([after.ino, after.size, after.mtimeMs]).toEqual([before.ino, before.size, before.mtimeMs]);
    expect(existsSync(join(project.home, 'nowhere'))).toBe(false);
    expect(times(name, 'a1')).toBe(0);
    // Once a person has moved the lock away, as the message says, the run goes on.
    rmSync(lockOf(name), { recursive: true });
    expect(devCli(project, red(name)).code).toBe(0);
    whole(name);
  });

  it('the lock of the root too', { timeout: 120_000 }, async ({ onTestFinished }) => {
    const alone = createProject();
    onTestFinished(() => alone.remove());
    const name = start('root-lock', alone);
    const holder = { ...identity, host: 'web-2@b@1', token: 'abc', at: 'then', for: 'use' };
    writeFileSync(join(alone.root, '.dev/lock'), JSON.stringify(holder));
    expect(refusal(await call(alone, ['use', name]))).toContain('web-2');
    rmSync(join(alone.root, '.dev/lock'));
    expect(devCli(alone, ['use', name]).code).toBe(0);
  });
});

const SANDBOX = ['--pid', '--fork', '--mount-proc', '--kill-child'];
const canSandbox = spawnSync('unshare', [...SANDBOX, 'true']).status === 0;

describe.skipIf(!canSandbox)(
  `a holder in a sandbox${canSandbox ? '' : ' (skipped: no process namespaces here)'}`,
  { concurrent: true },
  () => {
    /** Starts a call in its own process namespace and stops it while it holds the lock. */
    async function sandboxed(name: string, plant: Record<string, string>): Promise<() => void> {
      const env = { ...project.env, ...hooked({ DEV_CLI_TEST_PAUSE: 'locked', ...plant }) };
      // The first process of a namespace cannot stop itself, so a shell comes first.
      const script = 'NODE_OPTIONS="$1"; export NODE_OPTIONS; shift; "$@"; true';
      const words = [
        ...SANDBOX,
        'sh',
        '-c',
        script,
        'sh',
        env['NODE_OPTIONS'] ?? '',
        process.execPath,
        BINARY,
        ...red(name),
      ];
      const sandbox = spawn('unshare', words, {
        cwd: project.root,
        env: { ...env, NODE_OPTIONS: '' },
        stdio: 'ignore',
      });
      await eventually('the lock is held in the sandbox', () => existsSync(lockOf(name)));
      return () => void sandbox.kill('SIGKILL');
    }

    it('is alive, whatever process has its number here', { timeout: 120_000 }, async () => {
      const name = start('sandboxed');
      const end = await sandboxed(name, {});
      expect(refusal(await call(project, note(name, 'outside')))).toContain('sandbox of this machine');
      expect(existsSync(lockOf(name))).toBe(true);
      end();
    });

    it('would be taken for dead by its number alone: the planted defect', { timeout: 120_000 }, async () => {
      const name = start('sandboxed-planted');
      const plant = { DEV_CLI_TEST_PLANT: 'no-namespace' };
      const end = await sandboxed(name, plant);
      expect((await call(project, note(name, 'outside'), hooked(plant))).code).toBe(0);
      end();
    });
  },
);
