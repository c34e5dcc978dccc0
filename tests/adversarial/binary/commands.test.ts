import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { identifyProcess } from '../../../src/store/process.js';
import { devCli, journalOf, runDir, writeProjectFile } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { END_BLOCK, PLAIN_BLOCK, tiny } from '../../support/tiny.js';
import { call, eventually, hooked, isRunning, isStopped, kill, pausedAt, runnersOf, trusted } from './victims.js';

useProject();

const NAME = 'run-1';
const THINK = ['step', 'complete', NAME, '--action', 'a1'];
const AT_ONCE = { DEV_CLI_ANSWER_WITHIN: '0' };
const WAIT = ['next', NAME, '--wait', '20'];

/** Makes the second block a judge: if its command fails, the run goes back to the first block. */
const JUDGES = '    revise: think\n';

/** Begins a run whose second block is an external command that records each run and takes `seconds`. */
function start(
  seconds = 0,
  more = '',
  outside = '\n  - id: outside\n    type: cli\n    command: sh effect.sh\n',
): void {
  writeProjectFile(project, 'effect.sh', `echo $$ >>effects.txt\nsleep ${seconds}\n`);
  const recipe = trusted(project, tiny(project, 'tiny', [PLAIN_BLOCK, outside + more, END_BLOCK]));
  expect(devCli(project, ['init', NAME, '--recipe', recipe]).code).toBe(0);
}

/** Returns the process id of each execution of the command. */
function effects(): number[] {
  const path = join(project.root, 'effects.txt');
  return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n').map(Number) : [];
}

const outcomes = (): unknown[] =>
  journalOf(project, NAME)
    .filter(({ type }) => type === 'command-finished')
    .map(({ data }) => (data as { outcome: string }).outcome);

/** Kills a call between committing the entry that the command starts and launching the command. */
async function startedOnly(): Promise<string> {
  const victim = await pausedAt(project, 'after-commit', THINK);
  kill(victim.pid);
  await victim.ended;
  const directory = join(runDir(project, NAME), 'actions/a2');
  mkdirSync(directory, { recursive: true });
  return join(directory, 'runner');
}

/** Starts a runner that hook.cjs stops at the given moment. */
async function pausedRunner(moment: string): Promise<number> {
  await call(project, THINK, { ...AT_ONCE, ...hooked({ DEV_CLI_TEST_PAUSE: moment }) });
  await eventually(`a runner stops at ${moment}`, () => runnersOf(project).some(isStopped));
  return runnersOf(project)[0] ?? -1;
}

const identity = identifyProcess();
const [machine, , space] = identity.host.split('@');
const claimed = (change: object): string =>
  JSON.stringify({ ...identity, token: 'abc', at: '2026-01-01T00:00:00.000Z', for: 'an external command', ...change });

describe('a claim left behind before the command began', () => {
  it.each([
    ['by an earlier boot', claimed({ host: `${machine}@another-boot@${space}` })],
    ['by a process whose number another one has now', claimed({ start: '1' })],
    ['by a power cut, empty', ''],
  ])('%s neither hangs nor doubles the command', { timeout: 60_000 }, async (_what, content) => {
    start();
    writeFileSync(await startedOnly(), content);
    expect((await call(project, WAIT)).json).toMatchObject({ block: 'last' });
    expect([effects().length, outcomes()]).toEqual([1, ['exit 0']]);
  });

  it.each<[string, (path: string) => void, RegExp]>([
    ['by another machine', (path) => writeFileSync(path, claimed({ host: 'web-1@b@1' })), /machine web-1/],
    ['torn', (path) => writeFileSync(path, '{"host":'), /not made by dev-cli/],
    ['as a link', (path) => symlinkSync('nowhere', path), /not made by dev-cli/],
    ['as a directory', (path) => mkdirSync(path), /not made by dev-cli/],
  ])('%s is told instead of waited for in vain', { timeout: 60_000 }, async (_what, leave, told) => {
    start();
    const path = await startedOnly();
    leave(path);
    const { code, json } = await call(project, WAIT);
    expect([code, json?.error?.code]).toEqual([4, 'LOCKED']);
    expect(json?.error?.message).toMatch(told);
    expect(json?.error?.message).toContain('.dev/specs/run-1/actions/a2/runner');
    expect(effects()).toEqual([]);
    rmSync(path, { recursive: true });
    expect((await call(project, WAIT)).json).toMatchObject({ block: 'last' });
    expect([effects().length, outcomes()]).toEqual([1, ['exit 0']]);
  });

  it('by another machine does not keep a run from being aborted', { timeout: 60_000 }, async () => {
    start();
    writeFileSync(await startedOnly(), claimed({ host: 'web-1@b@1' }));
    expect(devCli(project, ['abort', NAME, '--reason', 'enough']).json).toMatchObject({ ok: true, status: 'aborted' });
  });
});

describe('a runner that dies', () => {
  it.each(['claimed', 'before-started'])(
    '(%s) before its first write: the next call starts the command, once',
    {
      timeout: 60_000,
    },
    async (moment) => {
      start();
      kill(await pausedRunner(moment));
      expect((await call(project, WAIT)).json).toMatchObject({ block: 'last' });
      expect([effects().length, outcomes()]).toEqual([1, ['exit 0']]);
    },
  );

  it('after it, before the command began: interrupted, and nothing has run', { timeout: 60_000 }, async () => {
    start();
    kill(await pausedRunner('after-started'));
    expect((await call(project, WAIT)).json).toMatchObject({ outcome: 'halted' });
    expect([effects(), outcomes()]).toEqual([[], ['interrupted: its runner died']]);
  });

  it('the same, where the command only judges: it is run once more', { timeout: 60_000 }, async () => {
    start(0, JUDGES);
    kill(await pausedRunner('after-started'));
    expect((await call(project, WAIT)).json).toMatchObject({ block: 'last' });
    expect([effects().length, outcomes()]).toEqual([1, ['interrupted: its runner died', 'exit 0']]);
  });

  it.each([
    ['it is not begun again', '', '', [1, ['interrupted: its runner died']]],
    [
      'one that only judges is ended, and run once more as a new action',
      JUDGES,
      '',
      [2, ['interrupted: its runner died']],
    ],
    ['it is begun again with the planted defect', '', 'start-not-read', [2, []]],
  ])('while the command is at work: %s', { timeout: 60_000 }, async (_what, more, plant, found) => {
    const env = plant === '' ? {} : hooked({ DEV_CLI_TEST_PLANT: plant });
    start(20, more);
    await call(project, THINK, { ...AT_ONCE, ...env });
    await eventually('the command is at work', () => effects().length === 1);
    for (const runner of runnersOf(project)) kill(runner);
    await call(project, ['next', NAME, '--wait', '1'], env);
    if (plant !== '' || more !== '') await eventually('the command runs again', () => effects().length === 2);
    if (more !== '') expect(isRunning(effects()[0] ?? -1)).toBe(false);
    expect([effects().length, outcomes()]).toEqual(found);
    for (const runner of runnersOf(project)) kill(runner);
    for (const pid of effects()) kill(pid);
  });

  /** Twice lets the command begin and kills its runner; returns the action that is then pending. */
  async function diesTwice(begun: string[] = THINK) {
    await call(project, begun, AT_ONCE);
    for (const times of [1, 2]) {
      await eventually('the command is at work', () => effects().length === times);
      for (const runner of runnersOf(project)) kill(runner);
      const { json } = await call(project, ['next', NAME, '--wait', '1']);
      if (times === 2) return json;
      expect(json).toMatchObject({ action: 'running', block: 'outside' });
    }
    return null;
  }
  const rounds = () => journalOf(project, NAME).filter(({ type }) => type === 'round').length;
  const TWICE = ['interrupted: its runner died', 'interrupted: its runner died'];

  it('twice: onError decides and no round is spent; the next action says so', { timeout: 60_000 }, async () => {
    start(20, `${JUDGES}    onError: continue\n`);
    const next = await diesTwice();
    expect(next).toMatchObject({ block: 'last' });
    expect(next?.['instruction']).toMatch(/ outside has no result: interrupted: its runner died\.$/);
    expect([outcomes(), rounds()]).toEqual([TWICE, 0]);
    const shown = devCli(project, ['status', NAME]).stdout;
    expect(shown).toMatch(/✗ outside .*sh effect\.sh: interrupted: its runner died/);
  });

  it('twice, as the exit check of a loop: the same', { timeout: 60_000 }, async () => {
    start(20, '', '\n  - id: outside\n    type: llm-loop\n    instruction: Mend it.\n    exitCheck: sh effect.sh\n');
    await call(project, THINK);
    const done = await diesTwice(['step', 'complete', NAME, '--action', 'a2']);
    expect(done).toMatchObject({ outcome: 'halted', failed: [{ id: 'outside' }] });
    expect(done?.['summary']).toMatch(/interrupted: its runner died; log .*actions\/a4\/command\.log/);
    expect([outcomes(), rounds()]).toEqual([TWICE, 0]);
  });
});

const GIVING_UP: [string, string[]][] = [
  ['abort', ['abort', NAME, '--reason', 'enough']],
  ['invalidate', ['step', 'invalidate', NAME, '--step', 'think']],
  ['init --force', ['init', NAME, '--recipe', 'tiny', '--force']],
];

describe('a command that its run has given up', () => {
  it.each(GIVING_UP)(
    'by an %s killed after its commit is ended all the same',
    { timeout: 60_000 },
    async (_what, args) => {
      start(60);
      await call(project, THINK, AT_ONCE);
      await eventually('the command is at work', () => effects().length === 1);
      const victim = await pausedAt(project, 'after-commit', args);
      kill(victim.pid);
      await victim.ended;
      expect(devCli(project, ['next', NAME]).code).toBe(0);
      await eventually('the command is ended', () => effects().every((pid) => !isRunning(pid)));
      expect(effects()).toHaveLength(1);
    },
  );

  it.each(GIVING_UP)(
    'by an %s is not begun by a call that was slow to launch it',
    { timeout: 60_000 },
    async (_what, args) => {
      start();
      const slow = await pausedAt(project, 'before-launch', THINK);
      expect(devCli(project, args).json).toMatchObject({ ok: true });
      process.kill(slow.pid, 'SIGCONT');
      expect((await slow.ended).code).toBe(0);
      await eventually('every runner has left', () => runnersOf(project).length === 0);
      expect(effects()).toEqual([]);
    },
  );

  it('would be begun if nobody looked: the planted defect', { timeout: 60_000 }, async () => {
    start();
    const slow = await pausedAt(project, 'before-launch', THINK, {
      ...AT_ONCE,
      ...hooked({ DEV_CLI_TEST_PAUSE: 'before-launch', DEV_CLI_TEST_PLANT: 'withdrawn-not-read' }),
    });
    expect(devCli(project, ['abort', NAME, '--reason', 'enough']).code).toBe(0);
    process.kill(slow.pid, 'SIGCONT');
    await slow.ended;
    await eventually('the command runs', () => effects().length === 1);
  });
});
