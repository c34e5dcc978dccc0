import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { devCli, imageOf, journalOf, nextOf, runDir, runPrinted, stateOf } from '../../support/cli.js';
import { createProject, type Project } from '../../support/project.mjs';
import { findTerminal, NO_TERMINAL } from '../../support/terminal.mjs';
import { END_BLOCK, PLAIN_BLOCK, tiny } from '../../support/tiny.js';
import {
  begin,
  committed,
  type Dispatch,
  doAll,
  engineOf,
  git,
  goOn,
  hand,
  making,
  planOf,
  RUN,
  taskOf,
  waited,
} from './executing.js';
import { eventually, isRunning, runnersOf } from './victims.js';

// protocol.md, Place: a run from elsewhere starts no command until a person has reviewed its commands here.

const terminal = findTerminal();
const skipped = terminal === null;
const suffix = skipped ? ` (skipped: ${NO_TERMINAL})` : '';

let project: Project;
let elsewhere: string;
beforeEach(() => {
  project = createProject({ sample: null });
  elsewhere = realpathSync(mkdtempSync(join(tmpdir(), 'dev-cli-elsewhere-')));
});
afterEach(() => {
  rmSync(elsewhere, { recursive: true, force: true });
  project.remove();
});

const AT_ONCE = { env: { DEV_CLI_ANSWER_WITHIN: '0' } };
const EXTERNAL = (line: string): string => `\n  - id: outside\n    type: cli\n    command: ${line}\n`;

/** Runs a command as a person at a terminal. */
function person(at: Project, command: string, ...answers: string[]): string {
  const done = terminal?.(command, { cwd: at.root, env: at.env, answers });
  if (done === undefined) throw new Error(NO_TERMINAL);
  return done.output;
}

/** Begins a run of a trusted recipe whose second block runs a command, and stops before that block. */
function beforeCommand(line: string): void {
  tiny(project, 'tiny', [PLAIN_BLOCK, EXTERNAL(line), END_BLOCK]);
  expect(person(project, 'dev-cli trust tiny', 'y')).toContain('may now run');
  expect(devCli(project, ['init', 'run-1', '--recipe', 'tiny']).code).toBe(0);
}

/** Copies the project to another directory like `cp -r`. */
function copy(): Project {
  const root = join(elsewhere, 'copy');
  for (;;) {
    try {
      cpSync(project.root, root, { recursive: true, preserveTimestamps: true });
      return { ...project, root };
    } catch (error) {
      // Starts over if a runner has renamed a file while it was being copied.
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
      rmSync(root, { recursive: true, force: true });
    }
  }
}

/** Commits everything, `.dev` included, and clones the project. */
async function clone(): Promise<Project> {
  // Waits for the runners, because git fails if a runner removes its files at this moment.
  await eventually('the runners have ended', () => runnersOf(project).length === 0);
  git(project, 'add', '--all', '--force');
  git(project, 'commit', '--quiet', '--message', 'everything');
  const root = join(elsewhere, 'clone');
  execFileSync('git', ['clone', '--quiet', project.root, root], { env: project.env, stdio: 'pipe' });
  execFileSync('git', ['config', 'user.name', 'Somebody'], { cwd: root });
  execFileSync('git', ['config', 'user.email', 'somebody@example.invalid'], { cwd: root });
  return { ...project, root };
}

/** The directory of the pending action, relative to the run's directory. */
const pendingDirectory = (): string => `actions/${stateOf(project, RUN).pendingAction?.['actionId']}`;

/** Checks that a launch is refused, names a command for a person, and has had no effect. */
function refused(at: Project, args: string[], name = 'run-1'): void {
  const before = imageOf(at, '.');
  const { code, json } = devCli(at, args, AT_ONCE);
  expect([code, json.error?.code], JSON.stringify(json)).toEqual([3, 'RUN_UNTRUSTED']);
  expect(json.error).toMatchObject({ answer: `dev-cli trust ${name}` });
  expect(json.error?.fix).not.toContain('trust');
  expect(imageOf(at, '.')).toEqual(before);
}

describe.skipIf(skipped)(`a run from elsewhere${suffix}`, () => {
  it('copied with cp -r: an acknowledgement that leads to a command is taken, the command waits for a person', () => {
    beforeCommand('touch ran.txt');
    const there = copy();
    const acknowledged = devCli(there, ['step', 'complete', 'run-1', '--action', 'a1'], AT_ONCE);
    expect([acknowledged.code, acknowledged.json.error?.code]).toEqual([3, 'RUN_UNTRUSTED']);
    refused(there, ['next', 'run-1', '--wait', '5']);
    refused(there, ['init', 'run-1', '--recipe', 'tiny']);
    for (const question of ['status', 'manifest', 'history']) {
      expect(devCli(there, [question, 'run-1', '--json']).code, question).toBe(0);
    }
    expect(devCli(there, ['journal', 'run-1']).code).toBe(0);

    expect(devCli(there, ['trust', 'run-1']).json.error).toMatchObject({
      code: 'TERMINAL_REQUIRED',
      answer: 'dev-cli trust run-1',
    });
    expect(person(there, 'dev-cli trust run-1', 'n')).toContain('RUN_UNTRUSTED');
    refused(there, ['next', 'run-1']);
    expect(existsSync(join(there.root, 'ran.txt'))).toBe(false);

    const said = person(there, 'dev-cli trust run-1', 'y');
    expect(said).toContain('  touch ran.txt\n');
    const next = devCli(there, ['next', 'run-1', '--wait', '20']);
    expect(next.json, next.stdout).toMatchObject({ block: 'last' });
    expect(existsSync(join(there.root, 'ran.txt'))).toBe(true);
    expect(existsSync(join(project.root, 'ran.txt'))).toBe(false);
    // The person is asked only once.
    expect(person(there, 'dev-cli trust run-1')).not.toContain('y or n');
  });

  it('is trusted in one place only', () => {
    beforeCommand('touch ran.txt');
    const there = copy();
    person(there, 'dev-cli trust run-1', 'y');
    renameSync(there.root, join(elsewhere, 'trusted'));
    const again = copy();
    renameSync(again.root, join(elsewhere, 'second'));
    const second = { ...project, root: join(elsewhere, 'second') };
    expect(devCli(second, ['step', 'complete', 'run-1', '--action', 'a1']).json.error?.code).toBe('RUN_UNTRUSTED');
    expect(existsSync(join(second.root, 'ran.txt'))).toBe(false);
  });

  it('renamed with its project it is where it was', () => {
    beforeCommand('touch ran.txt');
    const root = join(elsewhere, 'renamed');
    renameSync(project.root, root);
    const there = { ...project, root };
    const answer = devCli(there, ['step', 'complete', 'run-1', '--action', 'a1']);
    expect(answer.code, answer.stdout).toBe(0);
    expect(existsSync(join(root, 'ran.txt'))).toBe(true);
    renameSync(root, project.root);
  });

  it('a repository that ships a run with a command of its own making starts nothing, and all of it is shown', async () => {
    beforeCommand('ls');
    const acknowledged = devCli(project, ['step', 'complete', 'run-1', '--action', 'a1']);
    expect(nextOf(acknowledged.json).block).toBe('last');
    project.replay = false;
    const path = join(runDir(project, 'run-1'), 'state.json');
    const state = JSON.parse(readFileSync(path, 'utf8'));
    const hidden = 'touch \u202eowned.txt\u001b[8m';
    state.commands = {
      a2: {
        key: 'k',
        actionId: 'a2',
        block: 'outside',
        argv: ['sh', '-c', hidden],
        shell: false,
        cwd: '.',
        timeout: 60,
        directory: 'actions/a9',
        startedAt: state.updatedAt,
      },
    };
    state.pendingAction = {
      ...state.pendingAction,
      ...{ run: 'run-1', block: 'outside', action: 'running', actionId: 'a2', instruction: 'Wait.', progress: '2/3' },
      ...{ commands: [], poll: { command: 'next', input: { name: 'run-1', wait: 45 } } },
    };
    writeFileSync(path, JSON.stringify(state));
    const there = await clone();
    refused(there, ['next', 'run-1', '--wait', '5']);
    const said = person(there, 'dev-cli trust run-1', 'n');
    expect(said).toContain("  sh -c 'touch \\u{202e}owned.txt\\u{1b}[8m'");
    expect(said).not.toMatch(/\u001b\[8m|\u202e/);
    refused(there, ['next', 'run-1']);
    expect(existsSync(join(there.root, 'owned.txt'))).toBe(false);
  });

  it('an execution: no check, no acceptance, no commit', () => {
    const dispatch = begin(project, planOf(making('todo-1', [['sh', '-c', 'echo ran >>../ran-here']])));
    const there = copy();
    const task = taskOf(dispatch);
    refused(there, ['check', RUN, '--action', task.actionId], RUN);
    for (const what of ['branch', 'open']) refused(there, ['pull-request', what, RUN], RUN);
    writeFileSync(join(there.root, 'README.md'), 'changed by the worker\n');
    hand(there, task);
    const collected = runPrinted(there, dispatch.ack ?? '', AT_ONCE);
    expect(collected.json.error?.code, collected.stdout).toBe('RUN_UNTRUSTED');
    refused(there, ['next', RUN, '--wait', '5'], RUN);
    expect(existsSync(join(elsewhere, 'ran-here'))).toBe(false);
    expect(committed(there)).toEqual([]);

    expect(person(there, `dev-cli trust ${RUN}`, 'y')).toMatch(/sh -c 'echo ran >>\.\.\/ran-here'\n.*git commit/s);
    const next = devCli(there, ['next', RUN, '--wait', '20'], AT_ONCE).json;
    expect(goOn(there, next as unknown as Dispatch)).toMatchObject({ done: true });
    expect(readFileSync(join(elsewhere, 'ran-here'), 'utf8')).toContain('ran');
  });

  it('a commit that waits to be made starts no hook of the copy', async () => {
    const hook = (at: Project, text: string): void => {
      mkdirSync(join(at.root, '.git/hooks'), { recursive: true });
      writeFileSync(join(at.root, '.git/hooks/pre-commit'), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    };
    hook(project, 'while ! test -e ../go; do sleep 0.05; done');
    const dispatch = begin(project, planOf(making('todo-1')));
    expect(doAll(project, dispatch, AT_ONCE).code).toBe(0);
    await eventually('the commit is being made', () => {
      devCli(project, ['next', RUN], AT_ONCE);
      const { job } = engineOf(project);
      return job?.kind === 'commit' && existsSync(join(runDir(project, RUN), pendingDirectory(), 'started.json'));
    });
    const there = copy();
    writeFileSync(join(project.root, '../go'), '');
    rmSync(join(runDir(there, RUN), pendingDirectory()), { recursive: true });
    rmSync(join(there.root, '.git/index.lock'), { force: true });
    hook(there, 'touch hook-ran');
    refused(there, ['next', RUN, '--wait', '5'], RUN);
    expect(existsSync(join(there.root, 'hook-ran'))).toBe(false);
    expect(committed(there)).toEqual([]);
    expect(goOn(project, waited(project))).toMatchObject({ done: true });
  });

  it('what was approved in it is asked again by a run that is begun here', async () => {
    const plan = planOf(making('todo-1', [['sh', '-c', 'echo ran >>../ran-here']]));
    begin(project, plan, { flags: [] });
    project.replay = false;
    const path = join(runDir(project, RUN), 'state.json');
    const waiting = JSON.parse(readFileSync(path, 'utf8'));
    expect(waiting.pendingAction).toMatchObject({ action: 'wait-for-user' });
    const digest = person(project, `dev-cli approve ${RUN} --choice approve`, 'yes');
    expect(digest).not.toContain('UNKNOWN_CHOICE');
    expect(devCli(project, ['abort', RUN, '--reason', 'shipped']).code).toBe(0);
    const there = await clone();
    const begun = devCli(there, ['init', RUN, '--recipe', 'short'], AT_ONCE);
    expect(nextOf(begun.json), begun.stdout).toMatchObject({ action: 'wait-for-user', human: 'required' });
    expect(existsSync(join(elsewhere, 'ran-here'))).toBe(false);
  });

  it('aborting a copy leaves the command of the original at work', async () => {
    beforeCommand("sh -c 'echo $$ >../pid; exec sleep 60'");
    expect(devCli(project, ['step', 'complete', 'run-1', '--action', 'a1'], AT_ONCE).code).toBe(0);
    const pid = join(project.root, '../pid');
    await eventually('the command is at work', () => existsSync(pid) && readFileSync(pid, 'utf8').trim() !== '');
    const there = copy();
    expect(devCli(there, ['abort', 'run-1', '--reason', 'a copy']).code).toBe(0);
    expect(isRunning(Number(readFileSync(pid, 'utf8')))).toBe(true);
    expect(devCli(project, ['abort', 'run-1', '--reason', 'seen']).code).toBe(0);
    expect(isRunning(Number(readFileSync(pid, 'utf8')))).toBe(false);
  });
});

describe('the place of a run', () => {
  it('is recorded at init and at fork, and tells nothing of the machine', () => {
    writeFileSync(join(project.root, '.gitkeep'), '');
    tiny(project, 'tiny', [PLAIN_BLOCK, END_BLOCK]);
    expect(devCli(project, ['init', 'run-1', '--recipe', 'tiny']).code).toBe(0);
    const place = (name: string) => (stateOf(project, name) as unknown as { place: string }).place;
    expect(place('run-1')).toMatch(/^[0-9a-f]{64}$/);
    const at = String(journalOf(project, 'run-1').at(-1)?.['seq']);
    expect(devCli(project, ['fork', 'run-1', '--at', at, '--as', 'run-2']).code).toBe(0);
    expect(place('run-2')).toMatch(/^[0-9a-f]{64}$/);
    expect(place('run-2')).not.toBe(place('run-1'));
  });

  it('does not matter where nothing is started', () => {
    tiny(project, 'tiny', [PLAIN_BLOCK, END_BLOCK]);
    expect(devCli(project, ['init', 'run-1', '--recipe', 'tiny']).code).toBe(0);
    const there = copy();
    expect(nextOf(devCli(there, ['step', 'complete', 'run-1', '--action', 'a1']).json).block).toBe('last');
    expect(nextOf(devCli(there, ['step', 'complete', 'run-1', '--action', 'a2']).json)).toMatchObject({ done: true });
    expect(devCli(there, ['replay', 'run-1', '--check', '--json']).json['differences']).toEqual([]);
  });
});
