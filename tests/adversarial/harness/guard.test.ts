import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { HARNESS_IDS, type HarnessId } from '../../../src/generated/harnesses.js';
import { HARNESSES } from '../../../src/wings/harness/harness.js';
import { renderHookLine } from '../../../src/wings/harness/install/hook-line.js';
import { devCli, imageOf, init, runDir, writeProjectFile } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { CHECKOUT, createProject } from '../../support/project.mjs';

// harness.md, Guard: calls that try to bypass the guard or to make it fail. They go through the installed command and
// the real binary.

useProject();
beforeEach(() => {
  init(project, 'add-x', '--goal', 'Add X', '--recipe', 'specify-quick-interactive');
});

interface Judged {
  code: number | null;
  stdout: string;
  stderr: string;
}

interface Around {
  harness?: HarnessId;
  cwd?: string;
  env?: NodeJS.ProcessEnv;
}

function send(text: string | Buffer, { harness = 'claude', cwd = project.root, env = {} }: Around = {}): Judged {
  const line = renderHookLine('pre-tool-use', { ...HARNESSES.claude, ...HARNESSES[harness] }, 'plugin');
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', line], {
    cwd,
    env: { ...project.env, CLAUDE_PLUGIN_ROOT: CHECKOUT, ...env },
    encoding: 'utf8',
    input: text,
    timeout: 60_000,
    maxBuffer: 1 << 28,
  });
  return { code: status, stdout, stderr };
}

type Input = Readonly<Record<string, unknown>>;

function call(tool: string, input: Input, { session = 's-1', ...around }: Around & { session?: string } = {}): Judged {
  const cwd = around.cwd ?? project.root;
  return send(JSON.stringify({ session_id: session, cwd, tool_name: tool, tool_input: input }), around);
}

const write = (path: string, around?: Around) => call('Write', { file_path: path, content: 'x' }, around);
const shell = (command: string, more: Input = {}, around?: Around) => call('Bash', { command, ...more }, around);
const at = (path: string) => `${project.root}/${path}`;
const FINDINGS = '.dev/specs/add-x/findings';

/** Checks that a call is blocked, in its harness's format, by the guard's decision and not because the guard failed. */
function expectRefused({ code, stdout, stderr }: Judged): void {
  expect(code, stderr).toBe(2);
  const { reason, hookSpecificOutput } = JSON.parse(stdout);
  expect(hookSpecificOutput.permissionDecision).toBe('deny');
  expect(reason).toMatch(/^dev-cli: .+dev-cli guard off add-x/s);
}

const expectAllowed = (judged: Judged) => expect(judged).toEqual({ code: 0, stdout: '', stderr: '' });

describe('paths', () => {
  it.each([
    ['.. from a place that is allowed', () => at(`${FINDINGS}/../../../../src/app.js`)],
    ['.. past the root and back', () => at(`../${project.root.split('/').at(-1)}/src/app.js`)],
    ['a path from the root of the system', () => `/proc/self/root${at('src/app.js')}`],
    ['slashes and dots', () => at(`.//src/.//./app.js`)],
    ['a name with a line break', () => at('src/a\n.dev/specs/add-x/DRAFT.md')],
    ['a name with quotes', () => at(`src/it's "x".js`)],
    ['a look-alike of .dev', () => at('.ｄev/specs/add-x/DRAFT.md')],
    ['another one', () => at('.dev\u200b/specs/add-x/DRAFT.md')],
    ['a name that is longer than any', () => at(`src/${'x'.repeat(5000)}`)],
    ['the root itself', () => project.root],
    ['what holds the root', () => join(project.root, '..')],
    ['the guard, in other case', () => at('.DEV/guard')],
    ['the state, in other case', () => at('.dev/specs/add-x/STATE.JSON')],
    ['a name of the prototype', () => at('constructor')],
  ])('%s: refused', (_what, path) => {
    expectRefused(write(path()));
  });

  it.each([
    ['a document', () => at('.dev/specs/add-x/DRAFT.md')],
    ['a finding with a strange name', () => at(`${FINDINGS}/it's "a"\nb é.md`)],
    ['a document, relatively', () => '.dev/specs/add-x/DRAFT.md'],
    ['a document, in other case of .dev', () => at('.Dev/specs/add-x/DRAFT.md')],
    ['a neighbour of the project', () => join(project.root, '../elsewhere.txt')],
    ['a directory that only begins with the same name', () => `${project.root}-2/src/app.js`],
  ])('%s: allowed', (_what, path) => {
    expectAllowed(write(path()));
  });

  it('of links: in the middle, at the end, to nothing, in a circle, and .. behind one by either reading', () => {
    mkdirSync(at(`${FINDINGS}/deep`), { recursive: true });
    symlinkSync(at('src'), at(`${FINDINGS}/dir`));
    symlinkSync(at('src/app.js'), at(`${FINDINGS}/file.md`));
    symlinkSync(at('src/not-there.js'), at(`${FINDINGS}/dangling.md`));
    symlinkSync('../../../../src', at(`${FINDINGS}/relative`));
    symlinkSync(at(`${FINDINGS}/dir`), at(`${FINDINGS}/again`));
    for (const path of ['dir/app.js', 'dir/deep/er/new.js', 'file.md', 'dangling.md', 'relative/x', 'again/x']) {
      expectRefused(write(at(`${FINDINGS}/${path}`)));
    }
    // This path has two readings. The system follows the link, so the file is beside src; a tool that resolves `..` in
    // the text stays in FINDINGS. One forbidden reading is enough to refuse.
    expectRefused(write(at(`${FINDINGS}/dir/../package.json`)));
    symlinkSync(at(`${FINDINGS}/deep`), at('src/into'));
    expectAllowed(write(at('src/into/x.md')));
    expectRefused(write(at('src/into/../app.js')));
    symlinkSync('one', at(`${FINDINGS}/two`));
    symlinkSync('two', at(`${FINDINGS}/one`));
    expect(write(at(`${FINDINGS}/one/x.md`)).code).not.toBe(1);
  });

  it('by a root that is reached through a link', () => {
    const link = join(project.home, 'link');
    symlinkSync(project.root, link);
    for (const around of [{ env: { DEV_CLI_ROOT: link } }, { cwd: link }]) {
      for (const root of [link, project.root]) {
        expectRefused(write(`${root}/src/app.js`, around));
        expectAllowed(write(`${root}/.dev/specs/add-x/DRAFT.md`, around));
      }
    }
  });

  it('from a directory below, from a submodule, and from elsewhere', () => {
    const below = at('src/deep/er');
    mkdirSync(below, { recursive: true });
    expectRefused(write('../x.js', { cwd: below }));
    expectAllowed(write('../../../.dev/specs/add-x/DRAFT.md', { cwd: below }));
    writeProjectFile(project, 'vendor/lib/.git', 'gitdir: ../../.git/modules/lib\n');
    for (const cwd of [at('vendor/lib'), project.home]) {
      const env = { CLAUDE_PROJECT_DIR: project.root };
      expectRefused(write(at('src/app.js'), { cwd, env }));
      expectAllowed(write(at('.dev/specs/add-x/DRAFT.md'), { cwd, env }));
    }
  });

  it('of the home directory', () => {
    const env = { HOME: join(project.root, '..') };
    const name = project.root.split('/').at(-1);
    expectRefused(write(`~/${name}/src/app.js`, { env }));
    expectRefused(shell(`echo x > ~/${name}/src/app.js`, {}, { env }));
    expectRefused(shell(`echo x > "$HOME/${name}/src/app.js"`, {}, { env }));
    expectAllowed(write('~/notes.md'));
  });
});

describe('tools', () => {
  it.each<[string, string, Input]>([
    ['a notebook', 'NotebookEdit', { notebook_path: 'nb.ipynb', new_source: 'x' }],
    ['several edits', 'MultiEdit', { file_path: 'src/app.js', edits: [{ old_string: 'a', new_string: 'b' }] }],
    [
      'an edit of another file than it says',
      'MultiEdit',
      { file_path: `${FINDINGS}/x.md`, edits: [{ file_path: 'src/app.js', old_string: 'a', new_string: 'b' }] },
    ],
    ['no path', 'Write', { content: 'x' }],
    ['an empty path', 'Write', { file_path: ' ', content: 'x' }],
    ['a path that is no text', 'Edit', { file_path: ['src/app.js'] }],
    ['a command that is no text', 'Bash', { command: ['rm', 'src/app.js'] }],
    ['a patch that is no text', 'apply_patch', { command: 5 }],
    ['Gemini’s file', 'write_file', { file_path: 'src/app.js', content: 'x' }],
    ['Gemini’s shell in another directory', 'run_shell_command', { command: 'rm app.js', dir_path: 'src' }],
  ])('%s: refused', (_what, tool, input) => {
    expectRefused(call(tool, input));
  });

  it.each<[string, string, Input]>([
    ['one that nobody knows', 'Teleport', { file_path: 'src/app.js' }],
    ['one named like a property', 'constructor', { file_path: 'src/app.js' }],
    ['one named like another', '__proto__', {}],
    ['one that reads', 'Read', { file_path: 'src/app.js' }],
    ['Gemini’s shell outside', 'run_shell_command', { command: 'rm app.js', dir_path: '/tmp' }],
  ])('%s: allowed', (_what, tool, input) => {
    expectAllowed(call(tool, input));
  });

  const patch = (...lines: string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');
  it.each([
    ['the second file', patch(`*** Add File: ${FINDINGS}/x.md`, '+x', '*** Add File: src/x.js', '+x')],
    ['where it is moved to', patch(`*** Update File: ${FINDINGS}/x.md`, '*** Move to: src/x.js', '@@', '+x')],
    ['a file that goes', patch('*** Delete File: src/app.js')],
    ['a heading behind blanks', patch('  \t*** Delete File: src/app.js  ')],
    ['lines of another system', patch('*** Update File: src/app.js', '@@', '-a', '+b').replaceAll('\n', '\r\n')],
    ['a name with a separator of lines', patch(`*** Add File: ${FINDINGS}/x\u2028/../../../../../src/x.js`, '+x')],
  ])('a patch, %s: refused', (_what, command) => {
    expectRefused(call('apply_patch', { command }, { harness: 'codex' }));
    expectRefused(shell(`apply_patch <<'EOF'\n${command.replaceAll('\r', '')}\nEOF`, {}, { harness: 'codex' }));
  });

  it('a patch of what is allowed, by a tool and by a shell that has changed its directory', () => {
    const command = patch('*** Add File: x.md', '+x', '*** Add File: deep/y.md', '+y');
    expectRefused(call('apply_patch', { command }, { harness: 'codex' }));
    expectAllowed(shell(`cd ${FINDINGS} && apply_patch <<'EOF'\n${command}\nEOF`, {}, { harness: 'codex' }));
  });
});

describe('what a shell command writes plainly', () => {
  it.each([
    'chmod --reference=package.json src/app.js',
    'chown --reference package.json src/app.js',
    'git checkout -b topic HEAD~1',
    'git checkout -B topic origin/main',
    'git switch -c topic main',
    'git switch --create topic main',
    'git switch --orphan topic',
    'git switch topic',
    'ln -s ../README.md',
    'cd src && ln -s ../README.md',
    'coproc rm src/app.js',
    'coproc NAME { rm src/app.js; }',
    'function f { rm src/app.js; }; f',
    'time -p rm src/app.js',
    'env --chdir=src rm app.js',
    "env -S 'rm src/app.js'",
    'sh -ce "rm src/app.js"',
    'cp "$x" src/app.js',
    'sed -i "$script" src/app.js',
    'patch -d src app.js x.diff',
    'rsync --remove-source-files src/app.js host:x',
    'curl -O https://x.invalid/app.js',
    'cp src/app.js src/b.js',
    'cp -r . ..',
    'cp -r /elsewhere/. ..',
    'mv src/app.js ..',
    'rm -rf ..',
  ])('%s: refused', (command) => {
    expectRefused(shell(command));
  });

  it('what would replace the project from above: refused', () => {
    expectRefused(shell(`cp -r /elsewhere/${project.root.split('/').at(-1)} ..`));
  });

  it.each([
    'git rebase --show-current-patch',
    'git am --show-current-patch',
    'git checkout -b topic',
    'git checkout -b topic HEAD',
    'git switch -c topic',
    'git bisect log',
    'rsync -n -a src/ lib/',
    'rsync -avn src lib',
    'rsync --dry-run src lib',
    'rsync -a src/ me@host:lib',
    'cp package.json ..',
    'cp -r src package.json ../',
    'cp "$x" ..',
    'cp package.json /tmp',
    'rsync -a src ..',
    'install package.json ..',
    'ln -s src ..',
    'cd src && cp app.js ../..',
    'command -v rm',
  ])('%s: allowed', (command) => {
    expectAllowed(shell(command));
  });

  it('a copy into a directory is one of the file that it becomes there', () => {
    mkdirSync(at(`${FINDINGS}/deep`), { recursive: true });
    mkdirSync(at('lib'));
    expectAllowed(shell(`cp package.json ${FINDINGS}/deep`));
    expectRefused(shell('cp /elsewhere/app.js lib'));
    expectRefused(shell(`cd ${FINDINGS} && cp package.json ../../../../lib`));
    expectAllowed(shell('cp lib/app.js ..'));
  });
});

describe('payloads', () => {
  const whole = (more: object = {}) => ({
    session_id: 's-1',
    cwd: project.root,
    tool_name: 'Write',
    tool_input: { file_path: 'src/app.js' },
    ...more,
  });

  it.each<[string, () => string | Buffer]>([
    ['nothing', () => ''],
    ['blanks', () => ' \n\t'],
    ['half of one', () => JSON.stringify(whole()).slice(0, -2)],
    ['two of them', () => `${JSON.stringify(whole())}\n${JSON.stringify(whole())}`],
    ['a list', () => `[${JSON.stringify(whole())}]`],
    ['null', () => 'null'],
    ['a number', () => '17'],
    ['text before it', () => `ok ${JSON.stringify(whole())}`],
    ['no UTF-8', () => Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
    ['brackets without an end', () => '['.repeat(1_000_000)],
    ['50 MB of brackets', () => '['.repeat(50_000_000)],
    ['50 MB', () => JSON.stringify(whole({ more: 'x'.repeat(50_000_000) }))],
    ['9 MB, of which a document is left at the end', () => `${' '.repeat(9_000_000)}${JSON.stringify(whole())}`],
    ['no session', () => JSON.stringify(whole({ session_id: undefined }))],
    ['a session that is no text', () => JSON.stringify(whole({ session_id: { a: 1 } }))],
    ['a tool that is no text', () => JSON.stringify(whole({ tool_name: 7 }))],
    ['no input of the tool', () => JSON.stringify(whole({ tool_input: null }))],
    ['a list as the input of the tool', () => JSON.stringify(whole({ tool_input: ['src/app.js'] }))],
  ])('%s: blocks, with a reason and no stack', (_what, text) => {
    for (const harness of HARNESS_IDS) {
      const { code, stdout, stderr } = send(text(), { harness });
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(/^[A-Z_]+: \S.+/);
      expect(stderr).not.toMatch(/^\s+at /m);
    }
  });

  it.each<[string, object]>([
    ['no directory', { cwd: undefined }],
    ['a directory that is no text', { cwd: 4 }],
    ['a directory that is relative', { cwd: '.' }],
    ['another event', { hook_event_name: 'Whatever' }],
    ['members that nobody knows', { __proto__: null, more: [{ a: 1 }], 'x\ny': 1 }],
    ['an agent that is no text', { agent_id: 7 }],
    ['7 MB', { more: 'x'.repeat(7_000_000) }],
  ])('%s: judged as ever', (_what, more) => {
    expectRefused(send(JSON.stringify(whole(more))));
  });

  it('one that dribbles is waited for', async () => {
    const text = JSON.stringify(whole());
    const child = spawn('/bin/sh', ['-c', renderHookLine('pre-tool-use', HARNESSES.claude, 'plugin')], {
      cwd: project.root,
      env: { ...project.env, CLAUDE_PLUGIN_ROOT: CHECKOUT },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    let stdout = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    for (const part of text.match(/.{1,20}/gs) ?? []) {
      child.stdin.write(part);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    child.stdin.end();
    expect(await ended).toBe(2);
    expect(JSON.parse(stdout).decision).toBe('block');
  });

  it('leave no trace, and a session’s name leads nowhere', () => {
    const before = imageOf(project);
    for (const session of [
      '../../x',
      '/etc/x',
      '.',
      '..',
      '',
      ' ',
      'a/b',
      'a\0b',
      'x'.repeat(10_000),
      '__proto__',
      's\n',
    ]) {
      expectRefused(call('Write', { file_path: 'src/app.js' }, { session }));
    }
    expect(imageOf(project)).toEqual(before);
    const begin = { session_id: '../../../escaped', cwd: project.root, source: 'startup' };
    const words = ['hook', 'session-start', '--harness', 'codex'];
    expect(devCli(project, words, { stdin: JSON.stringify(begin) }).code).toBe(0);
    expect(existsSync(join(project.root, '../escaped'))).toBe(false);
    expect(readdirSync(at('.dev/sessions'))).toEqual([expect.stringMatching(/^sha256\.[0-9a-f]{64}$/)]);
    expect(devCli(project, ['use', 'add-x'], { env: { DEV_CLI_SESSION: '../../../escaped' } }).code).toBe(0);
    expectRefused(call('Write', { file_path: 'src/app.js' }, { session: '../../../escaped' }));
  });
});

describe('what has been damaged', () => {
  it.each<[string, () => void]>([
    ['a state that is torn', () => writeFileSync(join(runDir(project, 'add-x'), 'state.json'), '{"seq":')],
    ['no state', () => rmSync(join(runDir(project, 'add-x'), 'state.json'))],
    ['a journal that is torn', () => writeFileSync(join(runDir(project, 'add-x'), 'events.jsonl'), '{"seq":1')],
    ['no recipe', () => rmSync(join(runDir(project, 'add-x'), 'recipe.json'))],
    ['a recipe of something else', () => writeFileSync(join(runDir(project, 'add-x'), 'recipe.json'), '{}')],
    ['a guard that is torn', () => writeFileSync(at('.dev/guard'), 'as')],
    ['a guard that is empty', () => writeFileSync(at('.dev/guard'), '')],
    [
      'a file of the session that is none',
      () => {
        mkdirSync(at('.dev/sessions'), { recursive: true });
        writeFileSync(at('.dev/sessions/s-1'), 'add-\0');
      },
    ],
    ['a directory in the place of the session', () => mkdirSync(at('.dev/sessions/s-1'), { recursive: true })],
    [
      'a session that leads elsewhere',
      () => {
        mkdirSync(at('.dev/sessions'), { recursive: true });
        symlinkSync('/etc/passwd', at('.dev/sessions/s-1'));
      },
    ],
  ])('%s: a source is not let through', (_what, damage) => {
    damage();
    project.replay = false;
    const { code, stderr } = write(at('src/app.js'));
    expect(code, stderr).toBe(2);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it('says so where it could not judge, and lets a reader through all the same', () => {
    project.replay = false;
    rmSync(join(runDir(project, 'add-x'), 'recipe.json'));
    rmSync(join(runDir(project, 'add-x'), 'objects'), { recursive: true, force: true });
    writeFileSync(join(runDir(project, 'add-x'), 'events.jsonl'), 'x\n');
    expect(write(at('src/app.js')).stderr).toContain('the guard could not judge this call');
    expectAllowed(shell('npm test 2>&1 | tail -5'));
  });
});

describe('who is judged', () => {
  it('two sessions with two runs are judged each by its own, and a third that owns nothing by none', () => {
    const start = (session: string, env: NodeJS.ProcessEnv = {}) =>
      devCli(project, ['hook', 'session-start', '--harness', 'claude'], {
        stdin: JSON.stringify({ session_id: session, cwd: project.root, source: 'startup' }),
        env,
      });
    for (const session of ['s-1', 's-2', 's-3']) start(session);
    expect(devCli(project, ['use', 'add-x'], { env: { CLAUDE_CODE_SESSION_ID: 's-1' } }).code).toBe(0);
    const second = ['init', 'two', '--goal', 'Other', '--recipe', 'specify-quick-interactive'];
    expect(devCli(project, second, { env: { CLAUDE_CODE_SESSION_ID: 's-2' } }).code).toBe(0);
    const by = (session: string, path: string) => call('Write', { file_path: path }, { session });
    expect(by('s-1', 'src/app.js').stderr).toContain('"add-x" is planning');
    expect(by('s-2', 'src/app.js').stderr).toContain('"two" is planning');
    expectAllowed(by('s-3', 'src/app.js'));
    expectAllowed(by('s-1', '.dev/specs/add-x/DRAFT.md'));
    expect(by('s-1', '.dev/specs/two/DRAFT.md').code).toBe(2);
    expect(by('s-2', '.dev/specs/add-x/DRAFT.md').code).toBe(2);
    // A session that no hook has reported is judged as if it worked on the active run.
    expect(by('s-4', 'src/app.js').code).toBe(2);
  });

  it('a project that does not use dev-cli is never blocked, however the call fails', () => {
    const other = createProject();
    try {
      for (const text of ['', '[', JSON.stringify({ tool_name: 'Write', tool_input: { file_path: 'src/app.js' } })]) {
        for (const harness of HARNESS_IDS) {
          expectAllowed(send(text, { harness, cwd: other.root }));
          expectAllowed(send(text, { harness, cwd: other.root, env: { PATH: '/usr/bin:/bin' } }));
        }
      }
      expect(existsSync(join(other.root, '.dev'))).toBe(false);
    } finally {
      other.remove();
    }
  });

  it('and one whose runs have ended is not any more', () => {
    expect(devCli(project, ['abort', 'add-x', '--reason', 'seen']).code).toBe(0);
    expect(readFileSync(at('.dev/guard'), 'utf8')).toBe('open\n');
    expectAllowed(write(at('src/app.js'), { env: { PATH: '/usr/bin:/bin' } }));
  });
});
