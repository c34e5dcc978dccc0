import { execFileSync, spawnSync } from 'node:child_process';
import {
  closeSync,
  cpSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { devCli, imageOf, runDir, runPrinted, spawnDevCli, stateOf } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { BINARY } from '../../support/project.mjs';
import { acknowledge, END_BLOCK, PLAIN_BLOCK, startTiny } from '../../support/tiny.js';
import { begin, doAll, document, engineOf, generate, goOn, hand, making, planOf, RUN } from './executing.js';

/** The surroundings of dev-cli are broken: it works nevertheless, or says what a person can do. */

useProject({ sample: null });

const ACK = ['step', 'complete', 'run-1', '--action', 'a1'];

describe('a file system without hard links', () => {
  const env = (code: string) => ({
    NODE_OPTIONS: `--require=${join(import.meta.dirname, 'hooks/no-links.cjs')}`,
    TEST_LINK_CODE: code,
  });

  it.each(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])('(%s) is named, with what to do', (code) => {
    const refused = spawnDevCli(project, ['init', 'run-1', '--quick', '--goal', 'x'], { env: env(code) });
    expect([refused.code, refused.json.error?.code], refused.stdout).toEqual([1, 'IO']);
    expect(refused.json.error?.message).toContain(`lacks hard links (${code})`);
    expect(refused.json.error?.fix).toMatch(/move the project to a file system with hard links/);
    expect(existsSync(join(project.root, '.dev'))).toBe(false);
  });

  it('answers questions, and a project that comes back from it goes on', () => {
    const first = startTiny(project, [PLAIN_BLOCK, END_BLOCK]);
    const image = imageOf(project);
    expect(spawnDevCli(project, ['next', 'run-1'], { env: env('EPERM') }).json).toEqual(first);
    expect(spawnDevCli(project, ACK, { env: env('EPERM') }).json.error?.code).toBe('IO');
    expect(imageOf(project)).toEqual(image);
    expect(acknowledge(project, first).code).toBe(0);
  });
});

describe('a sandbox', () => {
  const env = (forbids: 'pipes' | 'git') => ({
    NODE_OPTIONS: `--require=${join(import.meta.dirname, 'hooks/sandboxed.cjs')}`,
    TEST_SANDBOX: forbids,
  });

  function handedIn(): string[] {
    const first = begin(project, planOf(making('todo-1')));
    for (const task of first.tasks) hand(project, task);
    return (first.ack ?? '').split(' ').slice(1);
  }

  it('that forbids to close a pipe to a program: what git says counts', () => {
    const { code, stdout } = spawnDevCli(project, handedIn(), { env: env('pipes') });
    expect(code, stdout).toBe(0);
  });

  it('that lets no git start: nothing is decided, and the fix is the line that is let out', () => {
    const ack = handedIn();
    const image = imageOf(project);
    const { code, json } = spawnDevCli(project, ack, { env: env('git') });
    expect([code, json.error?.code, json.error?.message]).toEqual([
      1,
      'GIT_FAILED',
      'git status could not be run (EPERM).',
    ]);
    expect(json.error?.fix).toMatch(/sandbox.*no pipe, no `cd`.*the rule that dev-cli install --harness codex writes/);
    expect(imageOf(project)).toEqual(image);
    expect(devCli(project, ack).code).toBe(0);
  });
});

it('a git that fails is named by its command, not by an option before it', () => {
  const second = making('todo-2', [['true']], { dependsOn: ['todo-1'] });
  doAll(project, begin(project, planOf(making('todo-1'), second)));
  const bin = join(project.home, 'bin');
  mkdirSync(bin);
  const script = '#!/bin/sh\ncase " $* " in *" commit-tree "*) exit 1 ;; esac\nPATH=${PATH#*:} exec git "$@"\n';
  writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
  const env = { PATH: `${bin}:${project.env['PATH']}` };
  const { json, stdout } = spawnDevCli(project, ['step', 'undo', RUN, '--todo', 'todo-1', '--dry-run'], { env });
  expect(json.error, stdout).toMatchObject({ code: 'GIT_FAILED', message: 'git commit-tree failed with exit 1.' });
});

describe('a journal', () => {
  const journal = (): string => join(runDir(project, 'run-1'), 'events.jsonl');

  it('that may not grow any more (ulimit -f): the reason and the ways on, and nothing is lost', () => {
    const first = startTiny(project, [PLAIN_BLOCK, END_BLOCK]);
    const image = imageOf(project);
    // `ulimit -f` counts units of 512 or 1,024 bytes, so the journal is already at its limit. The output goes to pipes,
    // which have no limit.
    const limit = Math.floor(statSync(journal()).size / 1024);
    const limited = runPrinted(project, `ulimit -f ${limit}; ${first.ack}`);
    expect([limited.code, limited.json.error?.code], limited.stdout).toEqual([1, 'IO']);
    expect(limited.json.error?.message).toMatch(/\(EFBIG\)/);
    expect(limited.json.error?.fix).toMatch(/ulimit -f.*dev-cli fork/);
    expect(imageOf(project)).toEqual(image);
    expect(acknowledge(project, first).code).toBe(0);
  });

  it('longer than memory holds at once, with a line that nobody wrote: which, and that nothing was changed', {
    timeout: 60_000,
  }, () => {
    const first = startTiny(project, [PLAIN_BLOCK, END_BLOCK]);
    project.replay = false;
    const lines = readFileSync(journal(), 'utf8');
    const at = 2 ** 31 + 4096;
    const file = openSync(journal(), 'w');
    ftruncateSync(file, at);
    writeSync(file, `\n${lines}`, at);
    closeSync(file);
    expect(devCli(project, ['next', 'run-1']).json).toEqual(first);
    const before = statSync(journal()).size;
    for (const args of [ACK, ['history', 'run-1', '--json']]) {
      const { code, json, stdout } = devCli(project, args);
      expect([code, json.error?.code], stdout).toEqual([1, 'JOURNAL_CORRUPT']);
      expect(json.error?.details?.[0]).toMatchObject({ at: expect.stringMatching(/events\.jsonl:1:1$/) });
    }
    expect(statSync(journal()).size).toBe(before);
  });
});

describe('a directory whose name is not UTF-8', () => {
  /** Runs a command in the directory by way of a shell, since Node cannot express the directory's name. */
  function inBadName(command: string): {
    code: number | null;
    json: { error?: { code: string; message: string; fix?: string } };
  } {
    const script = `cd "$(printf 'bad\\377name')" && exec '${process.execPath}' '${BINARY}' ${command}`;
    const { status, stdout, stderr } = spawnSync('sh', ['-c', script], {
      cwd: project.root,
      env: project.env,
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    return { code: status, json: JSON.parse(stdout) };
  }

  beforeEach(() => {
    execFileSync('sh', ['-c', `mkdir "$(printf 'bad\\377name')" && cd "$(printf 'bad\\377name')" && git init -q`], {
      cwd: project.root,
      env: project.env,
    });
  });

  it.each(['init run-1 --quick --goal x', 'next', 'next run-1', 'status --json', 'list --json'])('%s', (command) => {
    const { code, json } = inBadName(command);
    expect([code, json.error?.code]).toEqual([1, 'IO']);
    expect(json.error?.message).toContain('is not UTF-8');
    expect(json.error?.fix).toContain('a name in UTF-8');
    expect(existsSync(join(project.root, '.dev'))).toBe(false);
  });

  it('is no hindrance to work on a root that has one', () => {
    startTiny(project, [PLAIN_BLOCK]);
    expect(inBadName(`next run-1 --root '${project.root}'`)).toMatchObject({ code: 0, json: { block: 'think' } });
  });

  it('as the root that is given is named too', () => {
    const given = spawnSync('sh', ['-c', `dev-cli list --json --root "$(printf 'bad\\377name')"`], {
      cwd: project.root,
      env: project.env,
      encoding: 'utf8',
    });
    expect(JSON.parse(given.stdout).error).toMatchObject({ code: 'IO', message: expect.stringContaining('--root') });
  });
});

describe('commands of an execution', () => {
  /** Returns a PATH with only a few programs, and without mkfifo. */
  function withoutMkfifo(): string {
    const bin = join(project.home, 'few');
    mkdirSync(bin);
    for (const name of ['sh', 'git', 'true', 'test']) {
      const program = ['/usr/bin', '/bin', '/usr/local/bin'].map((at) => join(at, name)).find(existsSync);
      if (program !== undefined) symlinkSync(program, join(bin, name));
    }
    return `${project.env['PATH']?.split(':')[0]}:${bin}`;
  }

  it.each([
    ['TMPDIR that is not there', () => ({ TMPDIR: '/nonexistent/tmp' })],
    ['a PATH without mkfifo', () => ({ PATH: withoutMkfifo() })],
    ['neither of them', () => ({ TMPDIR: '/nonexistent/tmp', PATH: withoutMkfifo() })],
  ])('are run and judged with %s, both outputs in the log', (_what, env) => {
    const surroundings = { env: env() };
    const both = ['/bin/sh', '-c', 'echo to stdout; echo to stderr >&2; exit 3'];
    const plan = planOf(making('todo-1', [['true']]), making('todo-2', [both]));
    const first = begin(project, plan, { retries: 0, options: surroundings });
    const done = goOn(project, first, surroundings);
    expect(done).toMatchObject({ outcome: 'halted' });
    expect(engineOf(project).todos['todo-1']?.status).toBe('done');
    const failed = engineOf(project).todos['todo-2']?.evidence;
    expect(JSON.stringify(failed), 'the command ran').toContain('"exit":3');
    const log = /actions\/[^"]*\.log/.exec(JSON.stringify(failed))?.[0] ?? '';
    expect(document(project, log)).toMatch(/to stdout\nto stderr\n/);
  });
});

describe('a linked work tree', () => {
  let tree: string;
  beforeEach(() => {
    tree = join(project.home, 'tree');
    execFileSync('git', ['worktree', 'add', '--quiet', tree], { cwd: project.root, env: project.env, stdio: 'pipe' });
  });

  const there = (...args: string[]) => devCli(project, args, { cwd: tree });

  function bind(root: string, run: string): void {
    const directory = readFileSync(join(tree, '.git'), 'utf8').replace('gitdir: ', '').trim();
    writeFileSync(join(directory, 'dev-cli-root'), `${root}\n${run}\n`);
  }

  it('without runs of its own names the main one, and its fix leads there', () => {
    const first = startTiny(project, [PLAIN_BLOCK]);
    for (const args of [['next', 'run-1'], ['next'], ['status', 'run-1', '--json'], ACK]) {
      const { code, json } = there(...args);
      expect([code, json.error?.code], args.join(' ')).toEqual([
        2,
        args.includes('run-1') ? 'NO_SUCH_RUN' : 'NO_ACTIVE_RUN',
      ]);
      expect(json.error?.fix).toBe(`Repeat the same call with --root ${project.root}`);
    }
    expect(there('next', 'run-1', '--root', project.root).json.actionId).toBe(first.actionId);
  });

  describe('beside a run of the name in another one', () => {
    const execute = (cwd: string, ...more: string[]) =>
      devCli(project, ['init', RUN, '--execute', '--autopilot', ...more], { cwd });
    const LIVE = `"${RUN}" is live in another work tree of this repository`;

    it('says of a missing plan that the run is live there, and its fix leads on', () => {
      begin(project, planOf(making('todo-1')));
      const { code, json } = execute(tree);
      expect([code, json.error?.code]).toEqual([3, 'PLAN_MISSING']);
      expect(json.error?.message).toContain(`${LIVE}, ${project.root}.`);
      const [, ...words] = /dev-cli (.*)$/.exec(json.error?.fix ?? '')?.[0].split(' ') ?? [];
      expect(words).toEqual(['next', RUN, '--root', project.root]);
      expect(there(...words).json).toMatchObject({ action: 'engine-dispatch' });
    });

    it('says of a missing plan that it lies there, where none is live', () => {
      generate(project, planOf(making('todo-1')));
      const { code, json } = execute(tree);
      expect([code, json.error?.code]).toEqual([3, 'PLAN_MISSING']);
      expect(json.error?.fix).toContain(`repeat the same call with --root ${project.root}`);
      expect(execute(tree, '--root', project.root).code).toBe(0);
    });

    it.each([
      ['the main one', () => project.root, () => tree],
      ['a linked one', () => tree, () => project.root],
    ])('begins where the plan is there, too, and says that one is live in %s', (_, first, second) => {
      generate(project, planOf(making('todo-1')));
      cpSync(join(project.root, '.dev'), join(tree, '.dev'), { recursive: true });
      expect(execute(first()).json.warnings ?? []).not.toContainEqual(expect.stringContaining(LIVE));
      const { code, json } = execute(second());
      expect([code, json.status]).toEqual([0, 'initialized']);
      expect(json.warnings).toContainEqual(expect.stringContaining(`${LIVE}, too`));
      expect(json.warnings?.join()).toContain(`dev-cli next ${RUN} --root ${first()}`);
    });

    it('says nothing of a live run of another name, or of one that has ended', () => {
      generate(project, planOf(making('todo-1')));
      cpSync(join(project.root, '.dev'), join(tree, '.dev'), { recursive: true });
      execute(project.root);
      expect(devCli(project, ['abort', RUN, '--reason', 'no more']).code).toBe(0);
      startTiny(project, [PLAIN_BLOCK]);
      expect(JSON.stringify(execute(tree).json)).not.toContain('another work tree');
    });
  });

  it('whose run is gone says which it was made for, and what to put back', () => {
    startTiny(project, [PLAIN_BLOCK]);
    bind(project.root, 'gone');
    for (const args of [['next'], ['status', '--json'], ['step', 'complete', '--action', 'a1']]) {
      const { code, json } = there(...args);
      expect([code, json.error?.code], args.join(' ')).toEqual([2, 'NO_SUCH_RUN']);
      expect(json.error?.message).toContain(`${tree} was made for the run "gone" of ${project.root}`);
      expect(json.error?.fix).toContain('.dev/specs/gone back');
    }
  });

  it('whose root is gone names it; with --root, the remedy, the call works', () => {
    startTiny(project, [PLAIN_BLOCK]);
    const elsewhere = join(project.home, 'elsewhere');
    bind(elsewhere, 'run-1');
    const { code, json } = there('next');
    expect([code, json.error?.code]).toEqual([1, 'IO']);
    expect(json.error?.message).toContain(`the root it names, ${elsewhere}, does not exist`);
    expect(json.error?.fix).toContain('--root');
    const named = there('next', 'run-1', '--root', project.root);
    expect([named.code, named.json.block], named.stdout).toEqual([0, 'think']);
  });

  it('whose root lost its .dev/ altogether is told so', () => {
    startTiny(project, [PLAIN_BLOCK]);
    bind(project.root, 'run-1');
    project.replay = false;
    renameSync(join(project.root, '.dev'), join(project.home, 'dev'));
    expect(there('next').json.error).toMatchObject({ code: 'NO_SUCH_RUN', fix: expect.stringContaining('run-1 back') });
    rmSync(join(project.root, '.dev'), { recursive: true, force: true });
    renameSync(join(project.home, 'dev'), join(project.root, '.dev'));
    expect(there('next').json.block).toBe('think');
    expect(stateOf(project, 'run-1').status).toBe('live');
  });
});
