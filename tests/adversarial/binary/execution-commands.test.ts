import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PlanAcceptance } from '../../../src/plan/model/schema.js';
import type { CommandEvidence } from '../../../src/run/engine-rows.js';
import { aCommand } from '../../core/plan/fixture.js';
import { devCli, journalOf, nextOf, runDir, runPrinted, writeProjectFile } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import {
  begin,
  committed,
  type Dispatch,
  doAll,
  document,
  engineOf,
  git,
  goOn,
  hand,
  making,
  planOf,
  RUN,
  status,
  taskOf,
  waited,
  worker,
} from './executing.js';
import { eventually, isRunning, kill, runnersOf, startCall } from './victims.js';

useProject({ sample: null });

const DONE = { done: true, outcome: 'completed' };
const AT_ONCE = { env: { DEV_CLI_ANSWER_WITHIN: '0' } };
const script = (name: string, text: string) => writeProjectFile(project, name, `${text}\n`);
const evidence = (todo = 'todo-1'): readonly CommandEvidence[] => engineOf(project).todos[todo]?.evidence ?? [];
const finished = (): string[] =>
  journalOf(project, RUN).flatMap(({ type, data }) =>
    type === 'command-finished' ? [(data as { outcome: string }).outcome] : [],
  );
const numbersIn = (path: string): number[] => {
  const file = join(project.root, path);
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : [];
};

/** A command that records its process id each time it runs. The first time, it waits until the file `go` exists. */
const HELD = 'echo $$ >>../ran; n=$(wc -l <../ran); while ! test -e ../go && test "$n" -le 1; do sleep 0.05; done';
const ran = (): number[] => numbersIn('../ran');
const letGo = (): void => writeFileSync(join(project.root, '../go'), '');

describe('a command that misbehaves', () => {
  it('each is ended, told from the others and bounded, and only the work is blamed for what the work did', () => {
    script('group.sh', 'sleep 300 & echo $! >../left; sleep 300');
    script('leaves.sh', '(sleep 300) & echo $! >../orphan; exit 0');
    const hangs: PlanAcceptance = { id: 'hangs', kind: 'command', run: ['sh', 'group.sh'], timeout: 1 };
    const holds: PlanAcceptance = {
      id: 'holds',
      kind: 'command',
      run: ['sh', '-c', 'echo seen; exit 3'],
      expect: { exitCode: 3, stdoutContains: 'seen' },
    };
    const acceptance = [
      hangs,
      holds,
      aCommand('kills', ['sh', '-c', 'kill -9 $$']),
      aCommand('segv', ['sh', '-c', 'kill -SEGV $$']),
      aCommand('asks', ['sh', '-c', 'read -r answer || exit 7']),
      aCommand('leaves', ['sh', 'leaves.sh']),
      aCommand('env', ['sh', '-c', 'env | grep ^DEV_CLI_ && exit 1; exit 0']),
    ];
    const first = begin(project, planOf(making('todo-1', [], { acceptance })));
    const second = nextOf(doAll(project, first).json) as Dispatch;
    expect(evidence().map(({ id, outcome }) => [id, outcome])).toEqual([
      ['hangs', 'timed out after 1 s'],
      ['holds', 'exit 3, as expected'],
      ['kills', 'ended by SIGKILL'],
      ['segv', 'ended by SIGSEGV'],
      ['asks', 'exit 7'],
      ['leaves', 'exit 0'],
      ['env', 'exit 0'],
    ]);
    expect(
      evidence()
        .filter(({ ok }) => ok)
        .map(({ id }) => id),
    ).toEqual(['holds', 'leaves', 'env']);
    for (const pid of [...numbersIn('../left'), ...numbersIn('../orphan')]) expect(isRunning(pid)).toBe(false);
    expect(taskOf(second)).toMatchObject({ attempt: 2, why: expect.stringContaining('timed out after 1 s') });
  });

  it.each([
    ['not found', ['no-such-program']],
    ['not executable', ['./README.md']],
    ['without its directory', ['true']],
    ['with a null character', ['echo', 'a\0b']],
  ])('%s: the environment failed, and nobody is asked to work again', (what, run) => {
    const cwd = what === 'without its directory' ? { cwd: 'nowhere' } : {};
    const acceptance: PlanAcceptance[] = [{ id: 'ac-1', kind: 'command', run, ...cwd }];
    const generated =
      what === 'with a null character'
        ? tryBegin(acceptance)
        : begin(project, planOf(making('todo-1', [], { acceptance })), { retries: 3 });
    if (generated === null) return;
    expect(nextOf(doAll(project, generated).json)).toMatchObject({ done: true, outcome: 'halted' });
    expect(engineOf(project).todos['todo-1']).toMatchObject({ attempt: 1, retries: 0, status: 'failed' });
    expect(engineOf(project).todos['todo-1']?.why).toMatch(/^the environment: /);
  });

  /** Begins an execution; null if the plan itself is refused. */
  function tryBegin(acceptance: PlanAcceptance[]): Dispatch | null {
    writeProjectFile(project, 'plan.json', JSON.stringify(planOf(making('todo-1', [], { acceptance }))));
    const { code } = devCli(project, ['plan', 'generate', RUN, '--data', '@plan.json']);
    return code === 0 ? begin(project, planOf(making('todo-1', [], { acceptance }))) : null;
  }

  it('one that writes without end has a bounded log', { timeout: 120_000 }, () => {
    const bytes = process.env['DEV_CLI_TEST_LOG_BYTES'] ?? '100000000';
    const acceptance = [aCommand('ac-1', ['sh', '-c', `head -c ${bytes} /dev/zero | tr '\\0' 'x'; echo the end`])];
    const first = begin(project, planOf(making('todo-1', [], { acceptance })));
    expect(goOn(project, nextOf(doAll(project, first).json))).toMatchObject(DONE);
    const log = join(runDir(project, RUN), evidence()[0]?.log ?? '');
    expect(statSync(log).size).toBeLessThan(11 * 1024 * 1024);
    expect(readFileSync(log, 'utf8').endsWith('the end\n')).toBe(true);
  });

  it('one that changes what is tracked is noted', () => {
    const first = begin(project, planOf(making('todo-1', [['sh', '-c', 'echo more >>README.md']])));
    expect(nextOf(doAll(project, first).json)).toMatchObject(DONE);
    expect(document(project, 'report.md')).toContain('todo-1 ac-1: the command changed files of the work tree');
    expect(status(project)).toBe(' M README.md\0');
  });
});

describe('the result of a command', () => {
  it('is used again on the same tree, and only for one of whom the same is wanted', () => {
    script('../count.sh', 'echo 1 >>"$1"; exit 1');
    const run = ['sh', join(project.root, '../count.sh'), join(project.root, '../ran')];
    const fails = (id: string): PlanAcceptance => ({ id, kind: 'command', run, expect: { exitCode: 1 } });
    const acceptance = [fails('one'), fails('two'), aCommand('three', run)];
    const first = begin(project, planOf(making('todo-1', [], { acceptance })), { retries: 0 });
    expect(nextOf(doAll(project, first).json)).toMatchObject({ done: true, outcome: 'halted' });
    expect(evidence().map(({ id, ok, reused }) => [id, ok, reused ?? false])).toEqual([
      ['one', true, false],
      ['two', true, true],
      ['three', false, false],
    ]);
    expect(ran().length).toBe(2);
  });

  it('holds what it must hold, again as at first', () => {
    const say = (id: string, stdoutContains: string): PlanAcceptance => ({
      ...{ id, kind: 'command', run: ['echo', 'hello'] },
      expect: { exitCode: 0, stdoutContains },
    });
    const first = begin(project, planOf(making('todo-1', [], { acceptance: [say('a', 'hello'), say('b', 'bye')] })));
    expect(taskOf(nextOf(doAll(project, first).json) as Dispatch).attempt).toBe(2);
    expect(evidence().map(({ ok }) => ok)).toEqual([true, false]);
  });
});

describe('a command at work', () => {
  it('is shown, waited for, survives kill -9 of who waits, and its result is committed once', async () => {
    script('held.sh', HELD);
    const first = begin(project, planOf(making('todo-1', [['sh', 'held.sh']])), { options: AT_ONCE });
    const running = nextOf(doAll(project, first, AT_ONCE).json);
    expect(running).toMatchObject({ action: 'running', commands: [{ todoId: 'todo-1', id: 'ac-1' }] });
    await eventually('it runs', () => ran().length === 1);
    const victim = startCall(project, ['next', RUN, '--wait', '30']);
    await new Promise((resolve) => setTimeout(resolve, 300));
    kill(victim.pid);
    await victim.ended;
    const refused = runPrinted(project, `dev-cli step complete ${RUN} --action ${running.actionId}`);
    expect(refused.json.error?.code).toBe('DATA_UNEXPECTED');
    letGo();
    expect(goOn(project, waited(project))).toMatchObject(DONE);
    expect([ran().length, finished()]).toEqual([1, ['exit 0']]);
    expect(committed(project)).toEqual(['todo-1']);
  });

  it('whose runner is killed is ended, run once more, and costs no attempt', async () => {
    script('held.sh', HELD);
    const first = begin(project, planOf(making('todo-1', [['sh', 'held.sh']])), { options: AT_ONCE });
    doAll(project, first, AT_ONCE);
    await eventually('it runs', () => ran().length === 1);
    for (const pid of runnersOf(project)) kill(pid);
    expect(goOn(project, waited(project))).toMatchObject(DONE);
    expect(isRunning(ran()[0] ?? -1)).toBe(false);
    expect([ran().length, finished()]).toEqual([2, ['interrupted: its runner died', 'exit 0']]);
    expect(engineOf(project).todos['todo-1']).toMatchObject({ attempt: 1, retries: 0 });
  });

  it.each([
    ['abort', ['abort', RUN, '--reason', 'enough']],
    ['step invalidate', ['step', 'invalidate', RUN, '--step', 'todo-1']],
    ['init --force', ['init', RUN, '--recipe', 'short', '--autopilot', '--force']],
  ])('is ended by %s', async (_what, args) => {
    script('held.sh', HELD);
    const first = begin(project, planOf(making('todo-1', [['sh', 'held.sh']])), { options: AT_ONCE });
    doAll(project, first, AT_ONCE);
    await eventually('it runs', () => ran().length === 1);
    const { code, stdout, json } = devCli(project, args, AT_ONCE);
    expect(code, stdout).toBe(0);
    expect(isRunning(ran()[0] ?? -1)).toBe(false);
    await eventually('no runner is left', () => runnersOf(project).length === 0);
    expect(committed(project)).toEqual([]);
    if (args[0] === 'abort') return;
    expect(goOn(project, nextOf(json))).toMatchObject(DONE);
    // `init --force` begins a new run. It takes the files that the previous run left uncommitted to be the user's own,
    // and so does not commit them.
    expect(committed(project)).toEqual(args[0] === 'step' ? ['todo-1'] : []);
  });

  it('is ended by step invalidate even when that is killed as soon as it is committed', async () => {
    script('held.sh', HELD);
    const first = begin(project, planOf(making('todo-1', [['sh', 'held.sh']])), { options: AT_ONCE });
    doAll(project, first, AT_ONCE);
    await eventually('it runs', () => ran().length === 1);
    const { pausedAt } = await import('./victims.js');
    const victim = await pausedAt(project, 'after-commit', ['step', 'invalidate', RUN, '--step', 'todo-1']);
    kill(victim.pid);
    await victim.ended;
    devCli(project, ['next', RUN]);
    await eventually('it is ended', () => !isRunning(ran()[0] ?? -1));
  });

  it('begun by check --action is ended with the task that it is about', async () => {
    script('held.sh', HELD);
    const { actionId } = taskOf(begin(project, planOf(making('todo-1', [['sh', 'held.sh']]))));
    const running = devCli(project, ['check', RUN, '--action', actionId], AT_ONCE);
    expect([running.code, running.json]).toMatchObject([0, { ok: true, status: 'running', running: { id: 'ac-1' } }]);
    expect(running.json['poll']).toMatch(`dev-cli check ${RUN} --action ${actionId} --wait `);
    await eventually('it runs', () => ran().length === 1);
    expect(devCli(project, ['step', 'invalidate', RUN, '--step', 'todo-1']).code).toBe(0);
    expect(isRunning(ran()[0] ?? -1)).toBe(false);
    await eventually('no runner is left', () => runnersOf(project).length === 0);
  });

  it('check --action tells what is out and no task of a todo from what is not out', () => {
    const first = begin(project, planOf(making('todo-1', [['test', '-f', 'made/todo-1.txt']])));
    const checked = (action: string) => {
      const { code, json } = devCli(project, ['check', RUN, '--action', action]);
      return [code, json.error?.code, json.error?.fix];
    };
    const { actionId } = taskOf(first);
    expect(checked(first.actionId)).toEqual([2, 'USAGE', `Name a task: ${actionId}.`]);
    writeProjectFile(project, 'made/todo-1.txt', '1');
    hand(project, taskOf(first), worker({ filesChanged: ['made/todo-1.txt'] }));
    runPrinted(project, first.ack ?? '');
    expect(checked(actionId)).toEqual([4, 'STALE_ACTION', `dev-cli next ${RUN}`]);
  });

  it('check --action runs what verify will, and the worker is not made to pay for it', () => {
    const first = begin(project, planOf(making('todo-1', [['test', '-f', 'made/todo-1.txt']])));
    const { actionId } = taskOf(first);
    expect(devCli(project, ['check', RUN, '--action', actionId]).code).toBe(3);
    writeProjectFile(project, 'made/todo-1.txt', '1');
    expect(devCli(project, ['check', RUN, '--action', actionId]).code).toBe(0);
    hand(project, taskOf(first), worker({ filesChanged: ['made/todo-1.txt'] }));
    expect(nextOf(runPrinted(project, first.ack ?? '').json)).toMatchObject(DONE);
    expect(evidence()).toMatchObject([{ ok: true, reused: true }]);
  });
});

describe('a commit at work', () => {
  /** Begins an execution with a git hook that delays the commit. */
  function held(): Dispatch {
    const first = begin(project, planOf(making('todo-1')), { options: AT_ONCE });
    const path = writeProjectFile(project, '.git/hooks/pre-commit', `#!/bin/sh\n${HELD}\n`);
    runPrinted(project, `chmod 755 ${path}; dev-cli list --json`);
    return first;
  }

  it('outlives who waits for it, and is made once', async () => {
    doAll(project, held(), AT_ONCE);
    await eventually('the hook runs', () => {
      devCli(project, ['next', RUN]);
      return ran().length === 1;
    });
    expect(waitedShortly().action).toBe('running');
    const calls = [0, 1, 2].map(() => startCall(project, ['next', RUN, '--wait', '20']));
    letGo();
    const answers = await Promise.all(calls.map(({ ended }) => ended));
    expect(answers.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(goOn(project, waited(project))).toMatchObject(DONE);
    expect([committed(project), ran().length]).toEqual([['todo-1'], 1]);
  });

  it.each([
    ['abort', ['abort', RUN, '--reason', 'enough']],
    ['step invalidate', ['step', 'invalidate', RUN, '--step', 'todo-1']],
  ])('is ended by %s, and the index is as it was', async (_what, args) => {
    doAll(project, held(), AT_ONCE);
    await eventually('the hook runs', () => {
      devCli(project, ['next', RUN]);
      return ran().length === 1;
    });
    const { code, stdout } = devCli(project, args, AT_ONCE);
    expect(code, stdout).toBe(0);
    await eventually('the runner has ended', () => runnersOf(project).length === 0);
    expect(isRunning(ran()[0] ?? -1)).toBe(false);
    expect([committed(project), status(project)]).toEqual([[], '?? made/todo-1.txt\0']);
    expect(existsSync(join(project.root, '.git/index.lock'))).toBe(false);
  });

  it('whose runner is killed is made by a later call, or said not to be made', async () => {
    doAll(project, held(), AT_ONCE);
    await eventually('the hook runs', () => {
      devCli(project, ['next', RUN]);
      return ran().length === 1;
    });
    for (const pid of runnersOf(project)) kill(pid);
    rmSync(join(project.root, '.git/hooks/pre-commit'));
    expect(goOn(project, waited(project))).toMatchObject(DONE);
    expect(committed(project).length).toBe(1);
    expect(git(project, 'rev-list', '--count', 'HEAD').trim()).toBe('2');
  });

  const waitedShortly = () => devCli(project, ['next', RUN]).json;
});
