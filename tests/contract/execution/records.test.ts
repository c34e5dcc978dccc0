import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { PlanAcceptance } from '../../../src/plan/model/schema.js';
import type { CommandEvidence } from '../../../src/run/engine-rows.js';
import {
  begin,
  type Dispatch,
  doAll,
  engineOf,
  goOn,
  hand,
  making,
  planOf,
  RUN,
  taskOf,
  worker,
} from '../../adversarial/binary/executing.js';
import { eventually, runnersOf } from '../../adversarial/binary/victims.js';
import { type Document, devCli, journalOf, nextOf, runDir, runPrinted, writeProjectFile } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';

// The files that a command leaves, and what dev-cli still knows once they are gone (protocol.md §4).

useProject({ sample: null });

const DONE = { done: true, outcome: 'completed' };
const evidence = (): readonly CommandEvidence[] => engineOf(project).todos['todo-1']?.evidence ?? [];
const outcomes = (): string[] =>
  journalOf(project, RUN).flatMap(({ type, data }) =>
    type === 'command-finished' ? [(data as { outcome: string }).outcome] : [],
  );
/** Counts how often the command ran. */
const ran = (): number => {
  const file = join(project.root, '../ran');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0;
};

const SAYING: PlanAcceptance = {
  ...{ id: 'says', kind: 'command', run: ['sh', '-c', 'echo x >>../ran; echo all is well'] },
  expect: { exitCode: 0, stdoutContains: 'all is well' },
};
const ASSERTED: PlanAcceptance = { id: 'as-1', kind: 'assertion', text: 'It reads well.' };

/** Plays a worker that does its todo and runs the check named in its prompt. */
function checkedByWorker(...acceptance: PlanAcceptance[]): Dispatch {
  const first = begin(project, planOf(making('todo-1', [], { acceptance })));
  const task = taskOf(first);
  writeProjectFile(project, 'made/todo-1.txt', '1\n');
  const checked = devCli(project, ['check', RUN, '--action', task.actionId]);
  expect(checked.code, checked.stdout).toBe(0);
  hand(project, task, worker({ filesChanged: ['made/todo-1.txt'] }));
  return first;
}

/** Returns the path of the log of the worker's own check. */
function keptLog(): string {
  const logs = journalOf(project, RUN).flatMap(({ type, data }) =>
    type === 'command-finished' ? [(data as { log: string }).log] : [],
  );
  return join(runDir(project, RUN), logs.at(-1) ?? '');
}

describe('an acceptance that must print something, and that its worker has checked', () => {
  it('is reused by the collect, with the output that proves it', () => {
    const first = checkedByWorker(SAYING, ASSERTED);
    const judging = nextOf(runPrinted(project, first.ack ?? '').json) as Dispatch;
    expect(evidence()).toMatchObject([{ id: 'says', ok: true, reused: true }]);
    const log = join(runDir(project, RUN), evidence()[0]?.log ?? '');
    expect(readFileSync(log, 'utf8')).toBe('all is well\n');
    expect(ran()).toBe(1);
    const prompt = readFileSync(join(project.root, taskOf(judging).promptFile), 'utf8');
    const [named = ''] = /\S+command\.log/.exec(prompt) ?? [];
    expect(existsSync(join(project.root, named.replace(project.root, '')))).toBe(true);
  });

  it('is reused by a second check as well, and its log is named', () => {
    const first = begin(project, planOf(making('todo-1', [], { acceptance: [SAYING] })));
    const check = () => devCli(project, ['check', RUN, '--action', taskOf(first).actionId]).json;
    const [one] = check()['commands'] as { log: string }[];
    const [two] = check()['commands'] as { log: string; reused?: boolean }[];
    expect(two).toMatchObject({ ok: true, reused: true, log: one?.log });
    expect(existsSync(join(project.root, two?.log ?? ''))).toBe(true);
    expect(ran()).toBe(1);
  });

  it('is reused with the exit status that it had, which is shown as it runs', () => {
    const run = ['sh', '-c', 'grep "two  blanks" made/todo-1.txt'];
    const acceptance: PlanAcceptance[] = [{ id: 'lacks', kind: 'command', run, expect: { exitCode: 1 } }, ASSERTED];
    const first = checkedByWorker(...acceptance);
    const told = readFileSync(join(project.root, taskOf(first).promptFile), 'utf8');
    expect(told).toContain('two  blanks');
    runPrinted(project, first.ack ?? '');
    expect(evidence()).toMatchObject([{ id: 'lacks', ok: true, reused: true, exit: 1 }]);
  });

  it.each<[string, (log: string) => void]>([
    ['gone', (log) => rmSync(log)],
    ['gone with all that lay beside it', (log) => rmSync(dirname(log), { recursive: true })],
    ['empty', (log) => writeFileSync(log, '')],
    ['torn', (log) => writeFileSync(log, readFileSync(log).subarray(0, 5))],
    [
      'a directory',
      (log) => {
        rmSync(log);
        mkdirSync(log);
      },
    ],
  ])('is run again where that output is %s', (_what, damage) => {
    const first = checkedByWorker(SAYING);
    damage(keptLog());
    expect(goOn(project, nextOf(runPrinted(project, first.ack ?? '').json))).toMatchObject(DONE);
    expect(evidence()).toMatchObject([{ ok: true }]);
    expect(evidence()[0]?.reused).toBeUndefined();
    expect(ran()).toBe(2);
  });
});

describe('an acceptance that its worker has checked, where git ignores what it reads', () => {
  const BUILT: PlanAcceptance = {
    ...{
      id: 'built',
      kind: 'command',
      run: ['sh', '-c', 'echo x >>../ran; grep -q right build/deep/out || test ! -e build'],
    },
    expect: { exitCode: 0 },
  };
  const path = (below = ''): string => join(project.root, 'build', below);
  beforeEach(() => {
    writeProjectFile(project, '.gitignore', 'build/\n');
    writeProjectFile(project, 'build/deep/out', 'right\n');
    writeProjectFile(project, 'build/other', '1\n');
  });

  it.each<[string, () => void]>([
    ['written anew', () => writeFileSync(path('deep/out'), 'right, too\n')],
    [
      'written anew, with its time set back',
      () => {
        const { atime, mtime } = statSync(path('deep/out'));
        writeFileSync(path('deep/out'), 'right!\n');
        utimesSync(path('deep/out'), atime, mtime);
      },
    ],
    ['moved', () => renameSync(path('other'), path('another'))],
    ['added', () => writeFileSync(path('deep/more'), '1\n')],
    ['removed', () => rmSync(path('other'))],
    ['removed as a whole', () => rmSync(path(), { recursive: true })],
  ])('is run again where that was %s', (_, change) => {
    const first = checkedByWorker(BUILT);
    change();
    expect(goOn(project, nextOf(runPrinted(project, first.ack ?? '').json))).toMatchObject(DONE);
    expect(evidence()[0]).toMatchObject({ ok: true, exit: 0 });
    expect(evidence()[0]?.reused).toBeUndefined();
    expect(ran()).toBe(2);
  });

  it('is red where it no longer holds, although git sees no difference', () => {
    const first = checkedByWorker(BUILT);
    writeFileSync(path('deep/out'), 'wrong\n');
    expect(nextOf(runPrinted(project, first.ack ?? '').json)).toMatchObject({ tasks: [{ attempt: 2 }] });
    expect(ran()).toBe(2);
  });

  it('is reused where that was changed before, or by the command itself', () => {
    const writes = ['sh', '-c', 'echo x >>../ran; date >build/deep/cache'];
    const first = checkedByWorker({ ...BUILT, run: writes }, ASSERTED);
    runPrinted(project, first.ack ?? '');
    expect(evidence()).toMatchObject([{ ok: true, reused: true }]);
    expect(ran()).toBe(1);
  });
});

describe('a command whose records vanish', () => {
  const AT_ONCE = { env: { DEV_CLI_ANSWER_WITHIN: '0' } };

  /** Waits until the command has ended, then removes its files. */
  async function vanish(times: number, action: Document): Promise<void> {
    await eventually('it has run', () => ran() === times && runnersOf(project).length === 0);
    const { log } = action.commands?.[0] ?? { log: '' };
    rmSync(dirname(join(project.root, log)), { recursive: true });
  }

  it('is launched at most twice, then interrupted: the environment is to blame', async () => {
    const first = begin(project, planOf(making('todo-1', [['sh', '-c', 'echo x >>../ran']])), { options: AT_ONCE });
    const running = nextOf(doAll(project, first, AT_ONCE).json);
    expect(running).toMatchObject({ action: 'running' });
    await vanish(1, running as Document);
    const again = devCli(project, ['next', RUN]);
    expect(again.json).toEqual(running);
    await vanish(2, running as Document);
    const last = devCli(project, ['next', RUN, '--wait', '10']).json;
    expect(last).toMatchObject({ done: true, outcome: 'halted' });
    expect([ran(), outcomes()]).toEqual([2, ['interrupted: its records vanished']]);
    expect(evidence()).toMatchObject([{ ok: false, unrunnable: true }]);
  });

  it('is launched once more when they vanish once, and the run goes on', async () => {
    const first = begin(project, planOf(making('todo-1', [['sh', '-c', 'echo x >>../ran']])), { options: AT_ONCE });
    const running = nextOf(doAll(project, first, AT_ONCE).json);
    await vanish(1, running as Document);
    expect(goOn(project, devCli(project, ['next', RUN, '--wait', '10']).json as never)).toMatchObject(DONE);
    expect([ran(), outcomes()]).toEqual([2, ['exit 0']]);
  });

  it('is run once more where only what it printed is gone, and that was to be searched', async () => {
    const first = begin(project, planOf(making('todo-1', [], { acceptance: [SAYING] })), { options: AT_ONCE });
    const running = nextOf(doAll(project, first, AT_ONCE).json) as Document;
    await eventually('it has run', () => ran() === 1 && runnersOf(project).length === 0);
    rmSync(join(project.root, running.commands?.[0]?.log ?? ''));
    expect(goOn(project, devCli(project, ['next', RUN, '--wait', '10']).json as never)).toMatchObject(DONE);
    expect([ran(), outcomes()]).toEqual([2, ['interrupted: its records vanished', 'exit 0']]);
  });
});
