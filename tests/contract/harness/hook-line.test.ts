import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HARNESS_IDS, type HarnessId } from '../../../src/generated/harnesses.js';
import { HOOK_EVENTS, type HookEventName } from '../../../src/wings/harness/adapter.js';
import { HARNESSES } from '../../../src/wings/harness/harness.js';
import {
  HOOK_FILE,
  type HookPlace,
  isHookLine,
  locateHookFile,
  renderHookLine,
} from '../../../src/wings/harness/install/hook-line.js';
import { CHECKOUT } from '../../support/project.mjs';
import { chosenSeed } from '../../support/seeded.js';

// harness.md, Hooks: the decisions that the installed lines and their script make before they start node. A stub for
// dev-cli on the PATH records how it was called.

/** Programs that may be installed as `sh`. */
const SHELLS = [
  ['dash', 'dash "$@"'],
  ['bash', 'bash "$@"'],
  ['bash as sh', 'bash --posix "$@"'],
  ['busybox', 'busybox sh "$@"'],
  ['zsh as sh', 'zsh --emulate sh "$@"'],
] as const;
const installed = SHELLS.filter(
  ([, call]) => spawnSync('/bin/sh', ['-c', `command -v ${call.split(' ')[0]}`]).status === 0,
);
/** The shells tried: the first, and one that the seed chooses; all with DEV_CLI_SHELLS=all. */
const chosen = 1 + (chosenSeed() % Math.max(installed.length - 1, 1));
const present = installed.filter((_, at) => process.env['DEV_CLI_SHELLS'] === 'all' || at === 0 || at === chosen);

let base: string;
let project: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'dev-cli-line-')));
  project = join(base, 'project');
  mkdirSync(join(project, '.git'), { recursive: true });
});
afterEach(() => {
  for (const path of ['project/.dev/guard', 'project/.dev']) {
    if (existsSync(join(base, path))) chmodSync(join(base, path), 0o755);
  }
  rmSync(base, { recursive: true, force: true });
});

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
  /** The root passed to the stub; null if the stub was not called. */
  root: string | null;
}

interface Around {
  cwd?: string;
  /** Shell code at the end of the stub, for example its exit; null for no stub. */
  stub?: string | null;
  env?: NodeJS.ProcessEnv;
  event?: HookEventName;
  /** Where the hook is installed. Default: in the plugin, whose script is the one in this checkout. */
  place?: HookPlace;
}

/**
 * Two harnesses that run a hook line in the two possible ways. Gemini CLI runs it directly in `sh`; Codex CLI runs it
 * in the user's shell, and the line itself starts `sh`.
 */
const WAYS = ['gemini', 'codex'] as const;

/**
 * Gives a harness the plugin of Claude Code, the only harness that has one, so that every harness's lines can be tried
 * as a plugin's.
 */
const withPlugin = (harness: HarnessId) => ({ ...HARNESSES.claude, ...HARNESSES[harness] });

function call(
  [harness, shell]: readonly [HarnessId, string],
  { cwd = project, stub = 'exit 0', env = {}, event = 'pre-tool-use', place = 'plugin' }: Around = {},
): Ended {
  const bin = join(base, 'bin');
  rmSync(bin, { recursive: true, force: true });
  mkdirSync(bin);
  const told = join(bin, 'told');
  const script = (name: string, text: string) =>
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  script('sh', `exec ${shell}`);
  if (stub !== null) script('dev-cli', `printf %s "$DEV_CLI_ROOT" > '${told}'; cat > /dev/null; ${stub}`);
  const PATH = [bin, '/usr/bin', '/bin'].join(delimiter);
  const line = renderHookLine(event, withPlugin(harness), place);
  const { status, stdout, stderr } = spawnSync(harness === 'codex' ? '/bin/sh' : join(bin, 'sh'), ['-c', line], {
    cwd,
    // SHLVL pretends that there is a parent shell. Otherwise a bash whose stdin is a socket, as Node's pipes are, would
    // read the user's start-up files.
    env: { PATH, PWD: cwd, SHLVL: '2', HOME: base, CLAUDE_PLUGIN_ROOT: CHECKOUT, ...env },
    encoding: 'utf8',
    input: '{}',
    timeout: 10_000,
  });
  return { code: status, stdout, stderr, root: existsSync(told) ? readFileSync(told, 'utf8') : null };
}

function guard(text: string | null, root = project): void {
  mkdirSync(join(root, '.dev/specs'), { recursive: true });
  if (text !== null) writeFileSync(join(root, '.dev/guard'), text);
}

/** The result if the stub is not called and the tool proceeds. */
const PASSED = { code: 0, stdout: '', stderr: '', root: null };

const under = WAYS.flatMap((harness) => present.map(([name, shell]) => [name, harness, [harness, shell]] as const));

describe.each(under)('before a tool, under %s as %s calls it (harness.md, Hooks)', (_name, _harness, shell) => {
  it.each([
    ['nothing of dev-cli', null],
    ['only open runs', 'open\n'],
    ['an open guard without a line end', 'open'],
    ['open, then more', 'open x\nadd-x 2\n'],
  ])('node is not started: %s', (_what, text) => {
    if (text !== null) guard(text);
    expect(call(shell, { stub: 'exit 7' })).toEqual(PASSED);
  });

  it.each([
    ['a guarded run', 'ask\nadd-x 2\n'],
    ['an empty file', ''],
    ['a torn one', 'as'],
    ['a torn open', 'ope'],
    ['without a line end', 'ask'],
    ['hostile words', '$(touch /tmp/hostile) `id` "; exit 0; \n'],
    ['an option of a test', '= open\n'],
    ['a backslash', 'op\\en\n'],
    ['binary', '\u0001\u0002\uffff\n'],
    ['a first line that is empty', '\nopen\n'],
  ])('node decides: %s', (_what, text) => {
    guard(text);
    expect(call(shell)).toEqual({ ...PASSED, root: `${project}/` });
    expect(call(shell, { stub: 'echo no; echo why >&2; exit 2' })).toEqual({
      code: 2,
      stdout: 'no\n',
      stderr: 'why\n',
      root: `${project}/`,
    });
  });

  it.each([
    ['a directory', () => mkdirSync(join(project, '.dev/guard'))],
    ['a link that leads nowhere', () => symlinkSync('/nowhere/at/all', join(project, '.dev/guard'))],
    ['a pipe that nobody writes to', () => execFileSync('mkfifo', [join(project, '.dev/guard')])],
    [
      'one that cannot be read',
      () => {
        writeFileSync(join(project, '.dev/guard'), 'ask\n');
        chmodSync(join(project, '.dev/guard'), 0);
      },
    ],
  ])('node decides where the guard is %s', (_what, make) => {
    guard(null);
    make();
    expect(call(shell)).toEqual({ ...PASSED, root: `${project}/` });
  });

  it.each([
    ['a crash', 'exit 1', 1],
    ['a signal', 'kill -9 $$', 137],
    ['a conflict', 'exit 4', 4],
    ['a missing dev-cli', null, 127],
    ['no node', 'exec node-that-is-not-there', 127],
  ])('%s blocks where something is guarded, and says so', (_what, stub, exit) => {
    guard('ask\n');
    const { code, stderr } = call(shell, { stub });
    expect(code).toBe(2);
    expect(stderr).toContain(`dev-cli: the guard could not judge this call (exit ${exit})`);
  });

  it('and blocks nothing where nothing is', () => {
    for (const stub of ['exit 1', null]) expect(call(shell, { stub })).toMatchObject({ code: 0, stderr: '' });
  });

  it.each(['a b', "it's", 'say "x"', 'new\nline', '$(id)', '`id`', '$PWD', '*', '-n', 'é 日本', 'back\\slash'])(
    'in a directory %j',
    (name) => {
      const root = join(base, name);
      const deep = join(root, name, name);
      mkdirSync(deep, { recursive: true });
      mkdirSync(join(root, '.git'));
      expect(call(shell, { cwd: deep, stub: 'exit 7' })).toEqual(PASSED);
      guard('ask\n', root);
      expect(call(shell, { cwd: deep })).toEqual({ ...PASSED, root: `${root}/` });
    },
  );

  it('from deep below, and not beyond the first repository', () => {
    guard('ask\n');
    const deep = join(project, 'x/'.repeat(200));
    mkdirSync(deep, { recursive: true });
    expect(call(shell, { cwd: deep }).root).toBe(`${project}/`);
    mkdirSync(join(project, 'x/.git'));
    expect(call(shell, { cwd: deep })).toEqual(PASSED);
  });

  it('from behind a link, and where PWD is missing, relative, a lie, or gone', () => {
    guard('ask\n');
    mkdirSync(join(project, 'deep'));
    symlinkSync(join(project, 'deep'), join(base, 'link'));
    expect(call(shell, { cwd: join(base, 'link') }).root).toBe(`${project}/`);
    for (const PWD of [undefined, '.', 'deep', '', '/', '/nowhere']) {
      expect(call(shell, { cwd: join(project, 'deep'), env: { PWD } }).root, String(PWD)).toBe(`${project}/`);
    }
    expect(call(shell, { cwd: '/' })).toEqual(PASSED);
  });

  it('from a directory that was removed under it', () => {
    const gone = join(base, 'gone');
    mkdirSync(gone);
    const line = renderHookLine('pre-tool-use', withPlugin(shell[0]), 'plugin');
    const program = join(base, 'shell');
    writeFileSync(program, `#!/bin/sh\nexec ${shell[1]}\n`, { mode: 0o755 });
    const env = { PATH: '/usr/bin:/bin', SHLVL: '2', SHELL_LINE: line, CLAUDE_PLUGIN_ROOT: CHECKOUT };
    const around = { env, timeout: 10_000 };
    const remove = `cd '${gone}' && rmdir '${gone}' && exec '${program}' -c "$SHELL_LINE"`;
    expect(spawnSync('/bin/sh', ['-c', remove], around).status).toBe(0);
  });

  it('by DEV_CLI_ROOT, also a relative one; and without it where it names nothing', () => {
    const other = join(base, 'other');
    mkdirSync(other);
    guard('ask\n');
    expect(call(shell, { env: { DEV_CLI_ROOT: other } })).toEqual({ ...PASSED, root: null });
    expect(call(shell, { cwd: other, env: { DEV_CLI_ROOT: project } }).root).toBe(project);
    expect(call(shell, { cwd: other, env: { DEV_CLI_ROOT: '../project' } }).root).toBe('../project');
    expect(call(shell, { cwd: other, env: { DEV_CLI_ROOT: '.' } })).toEqual(PASSED);
    for (const DEV_CLI_ROOT of ['', 'nowhere', '/nowhere'])
      expect(call(shell, { env: { DEV_CLI_ROOT } }).root).toBe(`${project}/`);
  });

  it('where an agent has gone elsewhere, by where its session began', () => {
    guard('ask\n');
    const module = join(project, 'module');
    mkdirSync(module);
    mkdirSync(join(project, '.git/modules/module'), { recursive: true });
    writeFileSync(join(module, '.git'), 'gitdir: ../.git/modules/module\n');
    const env = { CLAUDE_PROJECT_DIR: project };
    for (const cwd of [module, base, '/']) {
      expect(call(shell, { cwd })).toEqual(PASSED);
      expect(call(shell, { cwd, env }).root, cwd).toBe(`${project}/`);
    }
    expect(call(shell, { cwd: base, env: { CLAUDE_PROJECT_DIR: '/nowhere' } })).toEqual(PASSED);
  });

  it.each(['absolute', 'relative'])('a work tree that was made for a run leads to its root (%s)', (form) => {
    const tree = join(base, 'tree');
    const gitDirectory = join(project, '.git/worktrees/tree');
    mkdirSync(join(tree, 'deep'), { recursive: true });
    mkdirSync(gitDirectory, { recursive: true });
    writeFileSync(
      join(tree, '.git'),
      `gitdir: ${form === 'absolute' ? gitDirectory : '../project/.git/worktrees/tree'}\n`,
    );
    guard('ask\n');
    // A linked work tree is a project of its own unless its git directory has a file dev-cli-root.
    expect(call(shell, { cwd: join(tree, 'deep'), stub: 'exit 2' })).toEqual(PASSED);
    writeFileSync(join(gitDirectory, 'dev-cli-root'), `${project}\nadd-x\n`);
    expect(call(shell, { cwd: join(tree, 'deep') }).root).toBe(`${project}/`);
    // Even if the work tree itself has a guard file, that of the run's root decides.
    guard('open\n', tree);
    expect(call(shell, { cwd: join(tree, 'deep') }).root).toBe(`${project}/`);
    guard('open\n');
    expect(call(shell, { cwd: join(tree, 'deep'), stub: 'exit 2' })).toEqual(PASSED);
    // If dev-cli-root names a missing directory, the line starts node, which explains the problem.
    writeFileSync(join(gitDirectory, 'dev-cli-root'), '/nowhere\nadd-x\n');
    expect(call(shell, { cwd: tree, stub: 'exit 1' }).code).toBe(2);
  });

  it('the other events: without runs nothing starts, and no failure keeps a prompt or an agent from going on', () => {
    for (const event of HOOK_EVENTS.filter((name) => name !== 'pre-tool-use')) {
      expect(call(shell, { event, stub: 'exit 2' })).toEqual(PASSED);
    }
    // A prompt may start the first run of a project in which dev-cli is installed.
    mkdirSync(join(project, '.dev'));
    for (const event of HOOK_EVENTS.filter((name) => name !== 'pre-tool-use')) {
      const { root, stdout } = call(shell, { event, stub: 'echo said' });
      expect([root, stdout]).toEqual(event === 'user-prompt-submit' ? ['', 'said\n'] : [null, '']);
    }
    // Where dev-cli is installed, each new session is recorded, so that a session without hooks can be recognized.
    writeFileSync(join(project, '.dev', 'install.json'), '{}');
    for (const event of HOOK_EVENTS.filter((name) => !['pre-tool-use', 'user-prompt-submit'].includes(name))) {
      const root = event === 'session-start' ? `${project}/` : null;
      expect(call(shell, { event })).toEqual({ ...PASSED, root });
    }
    guard('open\n');
    for (const event of HOOK_EVENTS.filter((name) => name !== 'pre-tool-use')) {
      expect(call(shell, { event, stub: 'echo said' })).toEqual({ ...PASSED, stdout: 'said\n', root: `${project}/` });
      expect(call(shell, { event, stub: 'echo why >&2; exit 2' })).toMatchObject({ code: 1, stderr: 'why\n' });
      const missing = call(shell, { event, stub: null });
      expect(missing).toMatchObject({ code: 0, stderr: '' });
      expect(missing.stdout).toMatch(event === 'session-start' ? /not on the PATH/ : /^$/);
    }
  });
});

describe.each(under)(
  'where there is a memory, under %s as %s calls it (memory.md, Hooks)',
  (_name, _harness, shell) => {
    const told = (around: Around) =>
      HOOK_EVENTS.filter((event) => call(shell, { ...around, event, stub: 'exit 2' }).root !== null);
    const HEARD = ['session-start', 'user-prompt-submit', 'post-tool-use', 'stop'];
    const makeMemory = (at: string) => mkdirSync(join(at, '.dev/memory'), { recursive: true });

    it('each event that it hears of is told, whether runs are there, have ended or not; no failure stops an agent', () => {
      makeMemory(project);
      expect(told({})).toEqual(HEARD);
      putRun('one', stateOf('completed'));
      expect(told({ cwd: project })).toEqual([...HEARD, 'session-end']);
      rmSync(join(project, '.dev/specs'), { recursive: true });
      for (const event of HOOK_EVENTS)
        expect(call(shell, { event, stub: 'exit 2' }).code).toBe(HEARD.includes(event) ? 1 : 0);
      expect(call(shell, { event: 'stop' }).root).toBe(`${project}/`);
      rmSync(join(project, '.dev/memory'), { recursive: true });
      writeFileSync(join(project, '.dev/memory'), '');
      expect(told({})).toEqual(['user-prompt-submit']);
    });

    it.each(['', 'sub/deep'])('a linked work tree has that of the main one, at its top or in %j', (below) => {
      const tree = join(base, 'tree');
      const gitDirectory = join(project, '.git/worktrees/tree');
      const cwd = join(tree, below);
      mkdirSync(gitDirectory, { recursive: true });
      mkdirSync(cwd, { recursive: true });
      writeFileSync(join(tree, '.git'), `gitdir: ${gitDirectory}\n`);
      writeFileSync(join(gitDirectory, 'commondir'), '../..\n');
      expect(told({ cwd })).toEqual([]);
      makeMemory(join(project, below === '' ? '' : 'sub'));
      expect(told({ cwd })).toEqual(HEARD);
      expect(call(shell, { cwd, event: 'stop' }).root).toBe(`${tree}/`);
    });
  },
);

/** Creates a run's files below `.dev/specs`; the journal is `journal` seconds newer than the state. */
function putRun(
  name: string,
  state: string | null,
  { at = project, journal = -60 }: { at?: string; journal?: number } = {},
) {
  const directory = join(at, '.dev/specs', name);
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'events.jsonl'), '{}\n');
  if (state === null) return directory;
  writeFileSync(join(directory, 'state.json'), state);
  const now = Date.now() / 1000 - 120;
  utimesSync(join(directory, 'state.json'), now, now);
  utimesSync(join(directory, 'events.jsonl'), now + journal, now + journal);
  return directory;
}

/** Renders a state.json as dev-cli writes it. */
const stateOf = (status: string) =>
  `${JSON.stringify({ pendingAction: { status: 'x' }, status, steps: [] }, null, 1)}\n`;

describe.each(under)('where runs have ended, under %s as %s calls it (harness.md, Hooks)', (_name, _harness, shell) => {
  const WORKING = ['post-tool-use', 'stop'] as const;
  beforeEach(() => {
    putRun('one', stateOf('completed'));
    putRun('two', stateOf('aborted'));
  });

  it('nothing starts after a tool or at a stop, and the other events are told of', () => {
    for (const event of HOOK_EVENTS.filter((name) => name !== 'pre-tool-use')) {
      const isWorking = WORKING.some((name) => name === event);
      const root = isWorking ? null : `${project}/`;
      for (const env of [{}, { CLAUDE_PROJECT_DIR: project }])
        expect(call(shell, { event, env })).toEqual({ ...PASSED, root });
    }
  });

  it('a stop is told of where tasks of the neutral contract wait for a report', () => {
    mkdirSync(join(project, '.nexus/state'), { recursive: true });
    writeFileSync(join(project, '.nexus/state/tasks.json'), '{}');
    expect(call(shell, { event: 'stop' })).toEqual({ ...PASSED, root: `${project}/` });
    expect(call(shell, { event: 'post-tool-use' })).toEqual(PASSED);
  });

  it.each<[string, () => void]>([
    ['one is live', () => putRun('three', stateOf('live'))],
    ['one has halted', () => putRun('three', stateOf('halted'))],
    ['a status is not known', () => putRun('three', stateOf('paused'))],
    ['only something in the state has ended', () => putRun('three', stateOf('live').replace('"x"', '"completed"'))],
    ['a state is written otherwise', () => putRun('three', JSON.stringify({ status: 'completed' }))],
    ['a state is empty', () => putRun('three', '')],
    ['a state is zeros', () => putRun('three', '\0'.repeat(500))],
    ['a journal is newer than its state', () => putRun('three', stateOf('completed'), { journal: 5 })],
    ['a journal has no state yet', () => putRun('three', null)],
    ['a state has no journal', () => rmSync(join(putRun('three', stateOf('completed')), 'events.jsonl'))],
    ['a state is a directory', () => mkdirSync(join(putRun('three', null), 'state.json'))],
    ['a state leads nowhere', () => symlinkSync('/nowhere', join(putRun('three', null), 'state.json'))],
    ['a state is a pipe', () => execFileSync('mkfifo', [join(putRun('three', null), 'state.json')])],
    [
      'a live run is behind a link',
      () => symlinkSync(putRun('live', stateOf('live'), { at: base }), join(project, '.dev/specs/three')),
    ],
    ['there is none', () => rmSync(join(project, '.dev/specs'), { recursive: true })],
  ])('node decides: %s', (what, make) => {
    make();
    if (what === 'there is none') mkdirSync(join(project, '.dev/specs'));
    for (const event of WORKING) expect(call(shell, { event })).toEqual({ ...PASSED, root: `${project}/` });
  });

  it('node decides where nothing can look into a state', () => {
    const tools = join(base, 'tools');
    mkdirSync(tools);
    for (const name of ['cat', shell[1].split(' ')[0] ?? ''])
      symlinkSync(
        execFileSync('/bin/sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim(),
        join(tools, name),
      );
    const at = call(shell, { event: 'stop', env: { PATH: [join(base, 'bin'), tools].join(delimiter) } });
    expect(at).toEqual({ ...PASSED, root: `${project}/` });
  });

  it('a live run counts where the session began, and from a work tree that was made for it', () => {
    const other = join(base, 'other');
    mkdirSync(join(other, '.git'), { recursive: true });
    putRun('live', stateOf('live'), { at: other });
    expect(call(shell, { event: 'stop', env: { CLAUDE_PROJECT_DIR: other } })).toEqual({
      ...PASSED,
      root: `${other}/`,
    });
    expect(call(shell, { event: 'stop', env: { DEV_CLI_ROOT: other } }).root).toBe(other);
    const gitDirectory = join(other, '.git/worktrees/tree');
    mkdirSync(gitDirectory, { recursive: true });
    mkdirSync(join(base, 'tree'));
    writeFileSync(join(base, 'tree/.git'), `gitdir: ${gitDirectory}\n`);
    writeFileSync(join(gitDirectory, 'dev-cli-root'), `${other}\nlive\n`);
    expect(call(shell, { event: 'stop', cwd: join(base, 'tree') }).root).toBe(`${other}/`);
    putRun('live', stateOf('aborted'), { at: other });
    expect(call(shell, { event: 'stop', cwd: join(base, 'tree') })).toEqual(PASSED);
  });
});

/** Copies the hook script to where `install` puts it, and creates the files by which the hook line finds it. */
function putFile(harness: HarnessId, at: string): string {
  const path = join(at, locateHookFile(HARNESSES[harness]));
  mkdirSync(dirname(path), { recursive: true });
  copyFileSync(join(CHECKOUT, HOOK_FILE), path);
  if (harness === 'codex') writeFileSync(join(at, '.codex/hooks.json'), '{}');
  return path;
}

describe.each(under)('the file that the line runs, under %s as %s calls it', (_name, harness, shell) => {
  /** The variables that a harness sets for its hooks; Codex CLI sets none. */
  const from = (root: string): NodeJS.ProcessEnv => (harness === 'codex' ? {} : { CLAUDE_PROJECT_DIR: root });

  it.each(['project', 'a b \'c\' "d" $(id) é'])(
    'in a project, from below and from a clone of another name: %j',
    (name) => {
      const root = join(base, name);
      const deep = join(root, 'deep/er');
      mkdirSync(deep, { recursive: true });
      mkdirSync(join(root, '.git'), { recursive: true });
      putFile(harness, root);
      guard('ask\n', root);
      for (const cwd of [root, deep])
        expect(call(shell, { place: 'project', cwd, env: from(root) })).toEqual({ ...PASSED, root: `${root}/` });
      expect(call(shell, { place: 'project', cwd: root })).toEqual({ ...PASSED, root: `${root}/` });
      guard('open\n', root);
      expect(call(shell, { place: 'project', cwd: deep, env: from(root), stub: 'exit 7' })).toEqual(PASSED);
      expect(call(shell, { place: 'project', cwd: deep, env: from(root), event: 'stop', stub: 'echo said' })).toEqual({
        ...PASSED,
        stdout: 'said\n',
        root: `${root}/`,
      });
    },
  );

  it('in the home directory', () => {
    putFile(harness, base);
    guard('ask\n');
    expect(call(shell, { place: 'user' })).toEqual({ ...PASSED, root: `${project}/` });
    rmSync(join(project, '.dev/guard'));
    expect(call(shell, { place: 'user', stub: 'exit 7' })).toEqual(PASSED);
  });

  it.each(['project', 'user', 'plugin'] as const)(
    'missing or unreadable (%s): blocks where something is guarded, else is silent',
    (place) => {
      const env = { ...from(project), CLAUDE_PLUGIN_ROOT: base };
      if (harness === 'codex') {
        mkdirSync(join(project, '.codex'));
        writeFileSync(join(project, '.codex/hooks.json'), '{}');
      }
      for (const event of HOOK_EVENTS)
        expect(call(shell, { place, event, env, stub: 'exit 7' }), event).toEqual(PASSED);
      guard('ask\n');
      const { code, stdout, stderr, root } = call(shell, { place, env });
      expect([code, stdout, root]).toEqual([2, '', null]);
      expect(stderr).toContain(`hooks/dev-cli.sh, and a run is guarded here. dev-cli install writes it.`);
      for (const event of HOOK_EVENTS.filter((name) => name !== 'pre-tool-use'))
        expect(call(shell, { place, event, env, stub: 'exit 7' }), event).toEqual(PASSED);
    },
  );

  it('of Codex CLI only is looked for further up, and never beside other settings than those it comes from', () => {
    putFile('codex', base);
    mkdirSync(join(project, '.codex'));
    writeFileSync(join(project, '.codex/hooks.json'), '{}');
    guard('ask\n');
    for (const cwd of [project, join(project, '.dev')])
      expect(call(shell, { place: 'project', cwd, env: from(project) })).toMatchObject({ code: 2, root: null });
    expect(call(shell, { place: 'project', cwd: '/', env: from('/') })).toEqual(PASSED);
  });
});

describe('an installed line', () => {
  const linesIn = (place: HookPlace) =>
    HARNESS_IDS.flatMap((harness) =>
      HOOK_EVENTS.map((event) => ({ event, line: renderHookLine(event, withPlugin(harness), place) })),
    );
  const all = (['project', 'user'] as const).flatMap(linesIn);

  it('is known for one, and holds no quote that would end it', () => {
    for (const { line } of [...all, ...linesIn('plugin')]) {
      expect(isHookLine(line)).toBe(true);
      expect(line.replace(/^exec sh -c '(.*)'$/, '$1')).toMatch(/^[df]=[^'\n\\]*$/);
    }
    expect(isHookLine('seek() { …; }; dev-cli hook stop --harness claude || exit 1')).toBe(true);
    for (const line of ['sh .claude/hooks/mine.sh', '. .claude/hooks/dev-cli.sh', 'echo hooks/dev-cli.sh'])
      expect(isHookLine(line), line).toBe(false);
  });

  it('is short: Claude Code and Gemini CLI show it to the agent or the user', () => {
    for (const { event, line } of all) {
      const most = event === 'pre-tool-use' ? 340 : 210;
      expect(line.length, line).toBeLessThan(most);
    }
    expect(renderHookLine('stop', HARNESSES.claude, 'project').length).toBeLessThan(110);
  });

  it('is the same where a harness puts its environment into settings, as Gemini CLI does', () => {
    // Replaces variables as Gemini CLI's code does (settings, resolveEnvVarsInString), in an environment in which every
    // variable is set.
    const resolve = (text: string) =>
      text.replace(/\$(?:(\w+)|{([^}]+?)(?::-([^}]*))?})/g, (match, plain, braced) =>
        /^\w+$/.test(plain ?? braced) && !/^\d$/.test(plain ?? '') ? `it's` : match,
      );
    expect(resolve('cd $PWD')).toBe("cd it's");
    for (const { line } of all) expect(resolve(line)).toBe(line);
  });
});
