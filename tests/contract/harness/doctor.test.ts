import { spawn } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { addDigest } from '../../../src/documents/mark.js';
import { HARNESSES } from '../../../src/wings/harness/harness.js';
import { renderHookLine } from '../../../src/wings/harness/install/hook-line.js';
import { readStartTime, waitUntil } from '../../../src/work/processes.js';
import { type CallOptions, devCli, imageOf, init, spawnDevCli } from '../../support/cli.js';
import { freshProjects } from '../../support/fresh.js';
import { callHook } from '../../support/hooks.js';
import { BINARY, CHECKOUT, type Project } from '../../support/project.mjs';
import { findTerminal } from '../../support/terminal.mjs';

// harness.md, Doctor: each check through the binary, with a planted problem that it must find.

const freshProject = freshProjects();
let project: Project;
let home: string;
let env: NodeJS.ProcessEnv;

interface Finding {
  check: string;
  severity: 'ok' | 'note' | 'problem';
  harness?: string;
  scope?: string;
  message: string;
  fix?: string;
}

beforeEach(() => {
  project = freshProject();
  home = join(dirname(project.root), 'a home');
  mkdirSync(home);
  const bin = dirname(shim());
  // Login shells read this file, after the system's start-up files, which may reset the PATH.
  writeFileSync(join(home, '.profile'), `PATH='${bin}':$PATH\n`);
  env = { HOME: home, XDG_STATE_HOME: '', SHELL: '/bin/sh', PATH: `${bin}:/usr/bin:/bin` };
  write(
    shim(),
    `#!/bin/sh\nif [ "$1" = --version ]; then echo ${VERSION}; else ${readFileSync(shim(), 'utf8').split('\n')[1]}; fi\n`,
    0o755,
  );
});

const { version: VERSION } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8')) as { version: string };
/**
 * The `dev-cli` that shells and hook lines find on the PATH. In each call of doctor, two shells ask for its version. To
 * save time, this script prints the version without starting Node; it passes all other calls to the real dev-cli.
 */
const shim = () => join(dirname(project.root), 'bin', 'dev-cli');
const at = (path: string) => join(project.root, path);
const read = (path: string) => readFileSync(at(path), 'utf8');
const write = (path: string, text: string, mode = 0o644) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
};
const install = (words: string[] = ['--harness', 'claude']) => {
  const { code, stdout } = devCli(project, ['install', ...words, '--yes', '--json'], { env });
  expect(code, stdout).toBe(0);
};
const call = (words: string[] = [], options: CallOptions = {}, by = devCli) =>
  by(project, ['doctor', ...words, '--json'], { ...options, env: { ...env, ...options.env } });
const findingsOf = (result: { json: Record<string, unknown> }) => result.json['findings'] as Finding[];
const problemsOf = (result: { json: Record<string, unknown> }, check?: string) =>
  findingsOf(result).filter((one) => one.severity === 'problem' && (check === undefined || one.check === check));

/** Makes Gemini CLI trust the project, as its user would. */
const trustByGemini = (rule = 'TRUST_FOLDER') =>
  write(join(home, '.gemini/trustedFolders.json'), JSON.stringify({ [project.root]: rule }));

/** Expects exactly one problem, with this message and fix. */
function expectProblem(result: ReturnType<typeof call>, check: string, message: RegExp, fix: RegExp): void {
  const problems = problemsOf(result);
  expect(
    problems.map((one) => one.check),
    JSON.stringify(problems, null, 1),
  ).toEqual([check]);
  expect(problems[0]?.message).toMatch(message);
  expect(problems[0]?.fix).toMatch(fix);
  expect(result.code).toBe(3);
  expect(result.json.ok).toBe(false);
}

interface Settings {
  hooks: Record<string, unknown[]>;
  permissions?: { allow: unknown[] };
}

/** Adds a hook to the stop event, which every harness has. */
function withStop({ hooks, ...settings }: Settings, hook: unknown): Settings {
  const event = hooks['Stop'] === undefined ? 'AfterAgent' : 'Stop';
  return { ...settings, hooks: { ...hooks, [event]: [...(hooks[event] ?? []), { hooks: [hook] }] } };
}

function trustAll(): void {
  trustByGemini();
  write(join(home, '.codex/config.toml'), `[projects."${project.root}"]\ntrust_level = "trusted"\n`);
}

/** Replaces the command of the installed pre-tool hook. */
function replaceGuard(change: (line: string) => string): void {
  const settings = JSON.parse(read('.claude/settings.json'));
  const [hook] = settings.hooks.PreToolUse[0].hooks;
  hook.command = change(hook.command);
  writeFileSync(at('.claude/settings.json'), JSON.stringify(settings));
}

describe('doctor where all is well (harness.md, Doctor)', () => {
  beforeEach(() => write(shim(), `#!/bin/sh\nexec '${process.execPath}' '${BINARY}' "$@"\n`, 0o755));

  it('says so, with exit 0, and writes nothing', () => {
    install(['--harness', 'claude,gemini']);
    trustByGemini();
    const images = () => [imageOf(project, '.'), imageOf({ ...project, root: home } as Project, '.')];
    const before = images();
    const result = call();
    expect(problemsOf(result)).toEqual([]);
    expect(result.code).toBe(0);
    expect(images()).toEqual(before);
    const fired = findingsOf(result).filter((one) => one.check === 'guard');
    expect(fired.map((one) => [one.harness, one.scope, one.severity])).toEqual([
      ['claude', 'project', 'ok'],
      ['gemini', 'project', 'ok'],
    ]);
  });

  it('says the same to people, a line for each', () => {
    install();
    const { code, stdout } = devCli(project, ['doctor'], { env });
    expect(code, stdout).toBe(0);
    expect(stdout).toMatch(/^ok {7}Claude Code, in this project: The guard fires/m);
    expect(stdout).toMatch(/^note {5}Not called in a session of a harness.*\n {9}Have the agent/m);
    expect(stdout).toMatch(/\nAll is well\.\n$/);
  });

  it('says what the permission means, and where autopilot is trusted', () => {
    const told = () => findingsOf(call()).filter((one) => /without asking/.test(one.message));
    expect(told()).toEqual([]);
    install();
    expect(told()).toMatchObject([
      { check: 'settings', severity: 'ok', message: expect.stringContaining('once you have approved them') },
    ]);
    const terminal = findTerminal();
    if (terminal === null) return;
    expect(
      terminal('dev-cli trust autopilot', { cwd: project.root, env: { ...project.env, ...env }, answers: ['y'] }).exit,
    ).toBe(0);
    expect(told()).toMatchObject([
      { check: 'settings', severity: 'note', message: expect.stringContaining('Autopilot is trusted in this clone') },
    ]);
  });

  it('tries what is installed for the user, too, in a directory without git and without a project', () => {
    install(['--harness', 'claude,codex', '--user']);
    rmSync(at('.git'), { recursive: true });
    const result = call();
    expect(problemsOf(result)).toEqual([]);
    expect(findingsOf(result).filter((one) => one.check === 'guard' && one.scope === 'user')).toHaveLength(2);
    expect(findingsOf(result).find((one) => one.check === 'git')?.message).toContain('not in a git repository');
  });
});

describe('doctor finds a guard that does not guard (harness.md, Doctor)', () => {
  it('a line is not run that is not as this version writes it', () => {
    install();
    const whole = read('.claude/settings.json');
    const others: [what: string, change: (line: string) => string][] = [
      ['does something before', (line) => `echo ran > "${at('ran')}"; ${line}`],
      ['does something after', (line) => `${line}; echo ran > "${at('ran')}"`],
      ['is the installed one and a blank', (line) => `${line} `],
      ['always passes', (line) => `(${line}) || true`],
      ['only names dev-cli', () => `touch "${at('ran')}" # dev-cli hook pre-tool-use --harness claude`],
      ['is that of another harness', () => renderHookLine('pre-tool-use', HARNESSES.codex, 'project')],
      ['hangs', () => 'sleep 600 # dev-cli hook pre-tool-use --harness claude'],
    ];
    for (const [what, change] of others) {
      write(at('.claude/settings.json'), whole);
      replaceGuard(change);
      const problems = problemsOf(call());
      expect(
        problems.map((one) => one.check),
        what,
      ).toEqual(['guard', 'settings']);
      expect(problems[0], what).toMatchObject({
        ...{ harness: 'claude', scope: 'project', fix: 'dev-cli install --harness claude' },
        message: expect.stringMatching(/not what this version writes, so it was not run/),
      });
      expect(existsSync(at('ran')), what).toBe(false);
    }
    install();
    expect(problemsOf(call())).toEqual([]);
  });

  it('of two lines, one that this version writes is tried all the same', () => {
    install();
    const settings = JSON.parse(read('.claude/settings.json'));
    const [group] = settings.hooks.PreToolUse;
    const other = {
      ...group,
      hooks: [{ type: 'command', command: 'true # dev-cli hook pre-tool-use --harness claude' }],
    };
    settings.hooks.PreToolUse.push(other);
    writeFileSync(at('.claude/settings.json'), JSON.stringify(settings));
    const found = findingsOf(call()).filter(({ check }) => check === 'guard');
    expect(found.map(({ severity }) => severity)).toEqual(['ok', 'problem']);
  });

  /** Replaces dev-cli, which the installed hook line calls, by another program. */
  const replaceProgram = (text: string) => {
    install();
    rmSync(shim());
    write(shim(), `#!/bin/sh\n${text}\n`, 0o755);
  };

  it.each([
    ['lets everything pass', 'exit 0', /does not fire.*lets it pass/],
    ['blocks without an answer', 'exit 2', /without judging/],
    ['hangs', 'sleep 600', /gave no answer in \d s/],
  ])('the dev-cli that it calls %s', (_what, text, message) => {
    replaceProgram(text);
    const result = call([], { env: { DEV_CLI_ANSWER_WITHIN: '4' } });
    expect(problemsOf(result, 'guard')[0]?.message).toMatch(message);
  });

  it('dev-cli is not on its PATH: a block that nobody judged is no proof', () => {
    install();
    rmSync(shim());
    const problems = problemsOf(call());
    expect(problems.map((one) => one.check)).toEqual(['guard', 'path']);
    expect(problems[0]?.message).toMatch(/without judging.*could not judge this call \(exit 127\)/);
  });

  it('it is not called for a tool', () => {
    install();
    const settings = JSON.parse(read('.claude/settings.json'));
    settings.hooks.PreToolUse[0].matcher = 'Write|Bash';
    writeFileSync(at('.claude/settings.json'), JSON.stringify(settings));
    expectProblem(call(), 'settings', /not called for Edit, MultiEdit, NotebookEdit/, /^dev-cli install/);
  });
});

describe('doctor asks whether hooks have told of the session (harness.md, Doctor)', () => {
  const mark = (text: string) => write(at('.dev/sessions/s1'), text);
  const sessionOf = (more: NodeJS.ProcessEnv) =>
    findingsOf(call([], { env: more })).find((one) => one.check === 'session');
  const CLAUDE = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 's1' };

  it('by its mark, where hooks leave one', () => {
    install();
    expectProblem(call([], { env: CLAUDE }), 'session', /No hook has reported this session/, /new session.*\/hooks/);
    rmSync(at('.dev/install.json'));
    expect(sessionOf(CLAUDE)?.severity).toBe('note');
    init(project, 'add-x', '--goal', 'Add X');
    expect(sessionOf(CLAUDE)?.severity).toBe('problem');
    expect(sessionOf({ CODEX_CI: '1', CODEX_SESSION_ID: 's1' })?.fix).toMatch(/trusted/);
    mark('\n');
    expect(sessionOf(CLAUDE)?.severity).toBe('ok');
    mark('left 20261121T213800Z-4f2a9c\n');
    expect(sessionOf(CLAUDE)?.severity).toBe('problem');
    mark('add-x\n');
    expect(sessionOf(CLAUDE)).toMatchObject({ severity: 'note', message: expect.stringContaining('unknown') });
    expect(sessionOf({ GEMINI_CLI: '1' })).toMatchObject({ severity: 'note', harness: 'gemini' });
  });

  it.each([
    ['its start', 'session-start', { source: 'startup' }],
    ['a prompt', 'user-prompt-submit', { prompt: 'Go on.' }],
    ['a tool', 'post-tool-use', { tool_name: 'Bash', tool_input: { command: 'dev-cli next' } }],
    ['a stop', 'stop', {}],
  ] as const)('confirms one that init has bound, and of which hooks have told by %s', (_what, event, payload) => {
    install();
    const hear = () => callHook(project, event, 'claude', { session_id: 's1', cwd: project.root, ...payload });
    if (event === 'session-start') hear();
    const words = ['init', 'add-x', '--goal', 'Add X', '--recipe', 'specify-quick-interactive'];
    expect(devCli(project, words, { env: { ...env, ...CLAUDE } }).code).toBe(0);
    if (event !== 'session-start') {
      expect(sessionOf(CLAUDE)?.severity).toBe('note');
      expect(hear().code).toBe(0);
    }
    expect(sessionOf(CLAUDE)).toMatchObject({ severity: 'ok', message: expect.stringContaining('in "add-x"') });
    expect(sessionOf({ ...CLAUDE, CLAUDE_CODE_SESSION_ID: 's2' })?.severity).toBe('problem');
  });
});

describe('doctor finds harnesses that skip hooks (harness.md, Doctor)', () => {
  it('Codex CLI in a project without trust, which it does not write', () => {
    install(['--harness', 'codex']);
    const config = join(home, '.codex/config.toml');
    write(config, 'model = "gpt-5"\n');
    expectProblem(call(), 'silence', /does not trust this project/, /Start codex in .* and trust/);
    expect(readFileSync(config, 'utf8')).toBe('model = "gpt-5"\n');
    write(config, `[projects."${project.root}"]\ntrust_level = "trusted"\n`);
    expect(problemsOf(call())).toEqual([]);
    write(config, '[projects');
    expectProblem(call(), 'silence', /is not valid TOML/, /Repair/);
    rmSync(config);
    mkdirSync(config);
    expectProblem(call(), 'silence', /it is not a file/, /./);
  });

  it('Gemini CLI in a folder that it does not trust, or has not been told to', () => {
    install(['--harness', 'gemini']);
    expectProblem(
      call(),
      'silence',
      /has not yet been told to trust this folder/,
      /Start gemini in .*trust the folder/,
    );
    trustByGemini('DO_NOT_TRUST');
    expectProblem(call(), 'silence', /does not trust this folder/, /trust the folder/);
    trustByGemini();
    expect(problemsOf(call())).toEqual([]);
    const denied = call([], { env: { GEMINI_CLI_TRUST_WORKSPACE: 'false' } });
    expectProblem(denied, 'silence', /environment tells Gemini CLI not to trust folders/, /./);
    rmSync(join(home, '.gemini/trustedFolders.json'));
    expect(problemsOf(call([], { env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' } }))).toEqual([]);
    const answer = devCli(project, ['doctor'], { env });
    expect([answer.code, answer.stdout]).toEqual([3, expect.not.stringContaining('All is well.')]);
  });

  it('Gemini CLI with hooks switched off', () => {
    install(['--harness', 'gemini']);
    trustByGemini();
    write(join(home, '.gemini/settings.json'), '{ "hooksConfig": { "enabled": false } }');
    expectProblem(call(), 'silence', /hooksConfig\.enabled is false/, /Remove/);
  });

  it.each(['hooksConfig', 'hooks'])(
    'Gemini CLI with our hooks disabled by their name, in %s of whichever settings',
    (key) => {
      install(['--harness', 'gemini']);
      trustByGemini();
      const disable = (text: string, name: string) => {
        const settings = JSON.parse(text);
        return JSON.stringify({ ...settings, [key]: { ...settings[key], disabled: [name] } });
      };
      const [own, projects] = [join(home, '.gemini/settings.json'), read('.gemini/settings.json')];
      write(own, disable('{}', 'dev-cli'));
      expectProblem(call(), 'silence', new RegExp(`${key}\\.disabled names "dev-cli" in .*home/.gemini`), /Remove/);
      write(own, disable('{}', 'another'));
      expect(problemsOf(call())).toEqual([]);
      write(at('.gemini/settings.json'), disable(projects, 'dev-cli'));
      expectProblem(call(), 'silence', new RegExp(`${key}\\.disabled names "dev-cli"`), /Remove/);
    },
  );

  it.each([
    [
      'claude',
      '.claude/settings.local.json',
      ['permissions', 'deny'],
      ['Bash(dev-cli:*)', 'Bash(dev-cli step complete:*)', 'Bash'],
    ],
    ['gemini', '.gemini/settings.json', ['tools', 'exclude'], ['run_shell_command(dev-cli)']],
  ])('%s, where %s denies dev-cli to its agent', (harness, path, [outer = '', inner = ''], denied) => {
    install(['--harness', harness]);
    if (harness === 'gemini') trustByGemini();
    const deny = (...rules: string[]) => {
      const settings = existsSync(at(path)) ? JSON.parse(read(path)) : {};
      write(at(path), JSON.stringify({ ...settings, [outer]: { [inner]: rules } }));
    };
    deny('Bash(dev-cli uninstall:*)', 'Bash(dev-client:*)', 'run_shell_command(rm)');
    expect(problemsOf(call())).toEqual([]);
    for (const rule of denied) {
      deny(rule);
      expectProblem(call(), 'settings', /denies dev-cli to its agent/, /Remove it there/);
    }
  });

  it('Claude Code with hooks disabled', () => {
    install();
    write(at('.claude/settings.local.json'), '{ "disableAllHooks": true }');
    expectProblem(call(), 'silence', /disableAllHooks/, /Remove/);
  });
});

describe('doctor looks at what is installed (harness.md, Doctor)', () => {
  it('nothing is: here, for a harness that is named, or for the one that calls', () => {
    const nothing = /Nothing is installed, here or for this user/;
    // Where no harness is found, `install` needs the name of one.
    expectProblem(call(), 'installed', nothing, /^dev-cli install --harness claude$/);
    mkdirSync(join(home, '.codex'));
    expectProblem(call(), 'installed', nothing, /^dev-cli install$/);
    install();
    expect(problemsOf(call())).toEqual([]);
    expectProblem(call(['--harness', 'codex']), 'installed', /for Codex CLI/, /^dev-cli install --harness codex$/);
    const byCodex = call([], { env: { CODEX_CI: '1' } });
    expectProblem(byCodex, 'installed', /for Codex CLI/, /^dev-cli install --harness codex$/);
    mkdirSync(join(home, '.gemini'));
    expect(findingsOf(call()).find((one) => one.harness === 'gemini')?.severity).toBe('note');
    expect(call(['--harness', 'other']).json.error?.code).toBe('USAGE');
  });

  it('a plugin of Claude Code: alone it is enough, beside an installation every hook would run twice', () => {
    write(at('.claude/settings.json'), '{ "enabledPlugins": { "dev-cli@ours": true } }');
    const alone = call();
    expect(problemsOf(alone)).toEqual([]);
    expect(findingsOf(alone)).toContainEqual(expect.objectContaining({ harness: 'claude', severity: 'note' }));
    install();
    const both = /A plugin brings the same hooks/;
    expectProblem(call(), 'installed', both, /^dev-cli uninstall --harness claude$/);
    write(
      at('.claude/settings.json'),
      read('.claude/settings.json').replace('"dev-cli@ours": true', '"dev-cli@ours": false'),
    );
    expect(problemsOf(call())).toEqual([]);
  });

  it('what the hooks run is missing, or not what this version writes: then it is not run', () => {
    install(['--harness', 'claude,codex,gemini']);
    for (const directory of ['.claude', '.codex', '.gemini']) {
      const file = `${directory}/hooks/dev-cli.sh`;
      const whole = read(file);
      rmSync(at(file));
      const missing = problemsOf(call(), 'guard');
      expect(missing.map(({ message }) => message)).toEqual([`${file}, which the installed line runs, is missing.`]);
      const ran = join(home, 'ran');
      writeFileSync(at(file), `touch '${ran}'\n${whole}`);
      const other = problemsOf(call(), 'guard');
      expect(other.map(({ message }) => message)).toEqual([expect.stringContaining(`not tried: ${file}`)]);
      expect(existsSync(ran)).toBe(false);
      writeFileSync(at(file), whole);
    }
    expect(problemsOf(call(), 'guard')).toEqual([]);
  });

  it('a file is missing, of another version, edited', () => {
    install();
    rmSync(at('.claude/agents/dev-cli-worker.md'));
    const missing = /Missing: \.claude\/agents\/dev-cli-worker\.md/;
    expectProblem(call(), 'installed', missing, /^dev-cli install --harness claude$/);
    install();
    appendFileSync(at('.claude/skills/specify/SKILL.md'), 'Mine.\n');
    const edited = call();
    expect(problemsOf(edited)).toEqual([]);
    expect(findingsOf(edited).find((one) => one.check === 'installed')).toMatchObject({
      severity: 'note',
      message: expect.stringContaining('.claude/skills/specify/SKILL.md'),
    });
    const before = read('.claude/skills/specify/SKILL.md').replace(/(installed-by: dev-cli) [0-9a-f]{12}/, '$1');
    write(at('.claude/skills/specify/SKILL.md'), addDigest(before));
    rmSync(at('.dev/install.json'));
    expectProblem(call(), 'installed', /Outdated: \.claude\/skills\/specify/, /^dev-cli install/);
  });

  it('the manifest is of an earlier version, or cannot be read', () => {
    install();
    const manifest = JSON.parse(read('.dev/install.json'));
    write(at('.dev/install.json'), JSON.stringify({ ...manifest, cli: '0.1.0' }));
    expectProblem(call(), 'versions', /are from version 0\.1\.0; this is/, /^dev-cli install$/);
    write(at('.dev/install.json'), '{');
    expectProblem(call(), 'installed', /is not a valid record of what was installed/, /Move it away/);
  });

  it.each([
    ['do not parse', '{ "hooks": [', /not valid JSON/],
    ['are no object', '[]', /not a JSON object/],
    ['have no hooks', '{}', /No hook in .*SessionStart/],
  ])('settings %s', (_what, text, message) => {
    install();
    write(at('.claude/settings.json'), text);
    const problems = problemsOf(call());
    expect(problems[0]).toMatchObject({ check: 'settings', message: expect.stringMatching(message) });
  });

  it('settings cannot be read, also where nothing is installed', () => {
    mkdirSync(at('.claude/settings.json'), { recursive: true });
    expect(problemsOf(call(), 'settings')[0]?.message).toMatch(/it is not a file/);
  });

  it('one event, one permission is missing; an entry makes Claude Code drop the file', () => {
    install();
    const settings = () => JSON.parse(read('.claude/settings.json'));
    const { Stop, ...hooks } = settings().hooks;
    write(at('.claude/settings.json'), JSON.stringify({ ...settings(), hooks }));
    expectProblem(call(), 'settings', /No hook in .* for Stop\.$/, /^dev-cli install/);
    write(at('.claude/settings.json'), JSON.stringify({ ...settings(), hooks: { ...hooks, Stop }, permissions: {} }));
    expectProblem(call(), 'settings', /Permissions missing.*Bash\(dev-cli:\*\)/, /^dev-cli install/);
  });

  it.each<[string, string, [string, (settings: Settings) => unknown][]]>([
    [
      'claude',
      '.claude/settings.json',
      [
        ['permissions.defaultMode', (it) => ({ ...it, permissions: { ...it.permissions, defaultMode: 'nonsense' } })],
        ['env', (it) => ({ ...it, env: 7 })],
        ['model', (it) => ({ ...it, model: 7 })],
        ['comments', (it) => `${JSON.stringify(it)} // mine`],
      ],
    ],
    [
      'codex',
      '.codex/hooks.json',
      [
        ['env', (it) => ({ ...it, env: { A: 1 } })],
        ['hooks.Stop[1].hooks[0].timeout', (it) => withStop(it, { type: 'command', command: 'true', timeout: '9' })],
        ['comments', (it) => `${JSON.stringify(it)} // mine`],
      ],
    ],
    ['gemini', '.gemini/settings.json', [['a trailing comma', (it) => JSON.stringify(it).replace(/}$/, ',}')]]],
  ])('settings that %s drops', (harness, path, cases) => {
    install(['--harness', harness]);
    trustAll();
    expect(problemsOf(call())).toEqual([]);
    const whole = JSON.parse(read(path));
    const dropped = harness === 'gemini' ? /does not start with .*\.gemini/ : /ignores all of /;
    for (const [what, change] of cases) {
      const changed = change(structuredClone(whole));
      write(at(path), typeof changed === 'string' ? changed : JSON.stringify(changed));
      const result = call();
      expectProblem(result, 'settings', dropped, /Repair/);
      expect(problemsOf(result)[0]?.message).toContain(what);
    }
  });

  it.each<[string, string, [string, (settings: Settings) => unknown][]]>([
    [
      'claude',
      '.claude/settings.json',
      [
        ['a variable that is a number', (it) => ({ ...it, env: { A: 1 } })],
        ['a rule that is a number', (it) => ({ ...it, permissions: { allow: [...(it.permissions?.allow ?? []), 7] } })],
        ['a hook without a type', (it) => withStop(it, { command: 'true' })],
        ['keys that it does not know', (it) => ({ ...it, whatever: 7 })],
      ],
    ],
    [
      'codex',
      '.codex/hooks.json',
      [['an event that it does not know', (it) => ({ ...it, hooks: { ...it.hooks, Whatever: 7 } })]],
    ],
    [
      'gemini',
      '.gemini/settings.json',
      [
        ['entries of another form', (it) => ({ ...withStop(it, 7), general: 7 })],
        ['a comment', (it) => `${JSON.stringify(it)} // mine`],
      ],
    ],
  ])('settings that %s bears are not called ignored', (harness, path, cases) => {
    install(['--harness', harness]);
    trustAll();
    const whole = JSON.parse(read(path));
    for (const [what, change] of cases) {
      const changed = change(structuredClone(whole));
      write(at(path), typeof changed === 'string' ? changed : JSON.stringify(changed));
      const result = call();
      expect(problemsOf(result), what).toEqual([]);
      expect(result.stdout, what).not.toMatch(/ignores all|does not start/);
    }
  });

  it('an entry for which only an earlier Claude Code drops the file is judged by the version that is there', () => {
    install();
    write(at('.claude/settings.json'), JSON.stringify(withStop(JSON.parse(read('.claude/settings.json')), {})));
    const program = (version: string) =>
      write(join(dirname(shim()), 'claude'), `#!/bin/sh\necho '${version} (Claude Code)'\n`, 0o755);
    program('2.1.252');
    expectProblem(call(), 'settings', /ignores all of .*hooks\.Stop\[1\]\.hooks\[0\]\.type/, /Repair/);
    program('2.1.257');
    expect(problemsOf(call())).toEqual([]);
    expect(findingsOf(call())).toContainEqual(
      expect.objectContaining({ check: 'settings', severity: 'note', message: expect.stringContaining('skips') }),
    );
  });
});

describe('doctor looks at the machine (harness.md, Doctor)', () => {
  beforeEach(() => install());
  const bin = () => dirname(shim());
  const script = (name: string, text: string) => write(join(bin(), name), `#!/bin/sh\n${text}\n`, 0o755);

  it('the programs of harnesses, with versions; one that hangs is no problem', () => {
    script('claude', 'echo "2.1.9 (Claude Code)"');
    script('codex', 'sleep 600');
    const result = call([], { env: { DEV_CLI_ANSWER_WITHIN: '4' } });
    const versions = findingsOf(result).filter((one) => one.check === 'versions' && one.harness !== undefined);
    expect(versions.map(({ harness, severity }) => [harness, severity])).toEqual([
      ['claude', 'ok'],
      ['codex', 'note'],
    ]);
    expect(versions[0]?.message).toBe('Claude Code 2.1.9.');
  });

  it('git is not on the PATH', () => {
    const only = join(dirname(bin()), 'only');
    mkdirSync(only);
    symlinkSync('/bin/sh', join(only, 'sh'));
    symlinkSync(shim(), join(only, 'dev-cli'));
    expectProblem(call([], { env: { PATH: only } }), 'versions', /git is not on the PATH/, /Install git/);
  });

  it('a login shell finds no dev-cli, another one, or one that does not run', () => {
    install(['--harness', 'codex']);
    trustAll();
    write(join(home, '.profile'), 'echo Welcome; PATH=/usr/bin:/bin\n');
    expectProblem(call(), 'path', /not on the PATH of sh -lc/, /~\/\.profile/);
    const other = join(dirname(bin()), 'other', 'dev-cli');
    write(join(home, '.profile'), `PATH='${dirname(other)}':$PATH\n`);
    write(other, '#!/bin/sh\necho 0.0.9\n', 0o755);
    expectProblem(call(), 'path', /sh -lc finds dev-cli 0\.0\.9 \(.*other\/dev-cli\), but this is/, /Remove one/);
    write(other, '#!/nowhere/node\n', 0o755);
    expectProblem(call(), 'path', /does not run/, /node/);
  });

  it('what only a login shell sees is no problem where no harness starts one', () => {
    write(join(home, '.profile'), 'PATH=/usr/bin:/bin\n');
    const result = call();
    expect(problemsOf(result)).toEqual([]);
    expect(findingsOf(result).filter((one) => one.check === 'path')).toEqual([
      expect.objectContaining({ severity: 'ok' }),
      expect.objectContaining({
        severity: 'note',
        message: expect.stringMatching(/not on the PATH of sh -lc.*Only Codex/),
      }),
    ]);
    expect(problemsOf(call([], { env: { CODEX_CI: '1' } }), 'path')).toHaveLength(1);
  });

  it('a login shell hangs: it is ended, with what it started', async () => {
    const pid = join(home, 'pid');
    write(join(home, '.profile'), `sh -c 'echo $$ > "${pid}"; sleep 600'\n`);
    install(['--harness', 'codex']);
    const result = call([], { env: { DEV_CLI_ANSWER_WITHIN: '4' } });
    expect(problemsOf(result, 'path')).toEqual([
      expect.objectContaining({
        message: expect.stringMatching(/sh -lc gave no answer in \d s/),
        fix: expect.stringContaining('start-up files'),
      }),
    ]);
    const sleeper = Number(readFileSync(pid, 'utf8'));
    // The sleeper has been killed, but may remain a zombie until the process that adopted it collects its exit status.
    expect(await waitUntil(() => readStartTime(sleeper) === null, 10_000, 20)).toBe(true);
  });

  it('it is interrupted: nothing of it stays', async () => {
    const [scratch, pid] = [join(home, 'tmp'), join(home, 'pid')];
    mkdirSync(scratch);
    write(join(home, '.profile'), `sh -c 'echo $$ > "${pid}"; sleep 600'\n`);
    const child = spawn(process.execPath, [BINARY, 'doctor'], {
      cwd: project.root,
      env: { ...project.env, ...env, TMPDIR: scratch },
      stdio: 'ignore',
    });
    const ended = new Promise((resolve) => child.on('exit', resolve));
    expect(await waitUntil(() => existsSync(pid) && readFileSync(pid, 'utf8') !== '', 20_000, 20)).toBe(true);
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    expect(readdirSync(scratch)).toEqual([]);
    const sleeper = Number(readFileSync(pid, 'utf8'));
    expect(await waitUntil(() => readStartTime(sleeper) === null, 10_000, 20)).toBe(true);
  });

  it('the user’s shell is asked', () => {
    install(['--harness', 'codex']);
    trustAll();
    script('bash', 'exec /bin/sh -c "echo dev-cli-doctor:"');
    const result = call([], { env: { SHELL: join(bin(), 'bash') } });
    expectProblem(result, 'path', /not on the PATH of bash -lc/, /PATH/);
    expect(findingsOf(call([], { env: { SHELL: '/nowhere/fish' } })).filter((one) => one.check === 'path')).toEqual([
      expect.objectContaining({ severity: 'ok' }),
      expect.objectContaining({ severity: 'note', message: expect.stringContaining('ENOENT') }),
    ]);
  });

  it('who commits: nobody, or somebody whom only this shell does not see', () => {
    const config = readFileSync(at('.git/config'), 'utf8');
    write(at('.git/config'), config.replace(/\[user\][^[]*/, '[user]\n\tuseConfigOnly = true\n'));
    expectProblem(call(), 'git', /no user name and e-mail/, /git config/);
    write(join(home, '.gitconfig'), '[user]\n\tname = A B\n\temail = a@example.invalid\n');
    const inGemini = { GEMINI_CLI: '1', GIT_CONFIG_GLOBAL: '/dev/null', DEV_CLI_HARNESS: 'claude' };
    const result = call([], { env: { ...inGemini, XDG_CONFIG_HOME: '' } });
    expect(problemsOf(result)).toEqual([]);
    expect(findingsOf(result).find((one) => one.check === 'git')).toMatchObject({
      severity: 'note',
      message: expect.stringContaining('commits as A B <a@example.invalid>'),
    });
  });

  it('git sees the runs', () => {
    write(at('.dev/.gitignore'), '# mine\n');
    expectProblem(call(), 'git', /git sees the runs/, /\.gitignore/);
  });

  it('a sandbox forbids .git and listening', () => {
    const sandbox = join(home, 'sandbox.cjs');
    write(
      sandbox,
      `const fs = require('node:fs'); const net = require('node:net'); const { openSync } = fs;
       const refuse = (code) => { throw Object.assign(new Error(code), { code }); };
       fs.openSync = (path, ...more) => /\\.git.HEAD$/.test(path) ? refuse('EROFS') : openSync(path, ...more);
       net.Server.prototype.listen = function () {
         process.nextTick(() => this.emit('error', Object.assign(new Error('no'), { code: 'EPERM' })));
         return this;
       };`,
    );
    // Only this call is in the sandbox; programs that it starts would inherit the sandbox.
    const result = call(
      [],
      { env: { NODE_OPTIONS: `--require "${sandbox}"`, CODEX_CI: '1', DEV_CLI_HARNESS: 'claude' } },
      spawnDevCli,
    );
    expect(problemsOf(result).map(({ check, message }) => [check, /\((E\w+)\)/.exec(message)?.[1]])).toEqual([
      ['git', 'EROFS'],
      ['sandbox', 'EPERM'],
    ]);
  });

  it('no temporary directory can be made; otherwise none is left', () => {
    const scratch = join(home, 'tmp');
    mkdirSync(scratch);
    expect(problemsOf(call([], { env: { TMPDIR: scratch } }, spawnDevCli))).toEqual([]);
    expect(readdirSync(scratch)).toEqual([]);
    const result = call([], { env: { TMPDIR: '/nowhere' } }, spawnDevCli);
    expectProblem(result, 'guard', /nowhere/, /./);
  });
});

it('tells one fault once, however many files it concerns', () => {
  write(at('.codex/agents'), 'a file');
  const faults = problemsOf(call(['--harness', 'codex'])).filter(({ message }) => message.includes('.codex/agents'));
  expect(faults).toHaveLength(1);
});
