import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { devCli, runDir } from '../../support/cli.js';
import { COUNTER, takeLoaded } from '../../support/loaded.js';
import { BINARY, createProject, type Project } from '../../support/project.mjs';
import { findRealTerminal, NO_TERMINAL } from '../../support/terminal.mjs';

// view.md, Home, tested through the shipped binary.

const terminal = findRealTerminal();

let project: Project;
beforeAll(() => {
  project = createProject();
  // One of the project's runs is broken on purpose, so it must not be replayed at the end.
  project.replay = false;
});
afterAll(() => project.remove());

const git = (...args: string[]) => execFileSync('git', args, { cwd: project.root, env: project.env, encoding: 'utf8' });

/** Returns what a person sees after typing this command in a terminal with this many columns. */
function seen(command: string, { columns = 80, cwd = project.root, env = {} as NodeJS.ProcessEnv } = {}): string {
  if (terminal === null) throw new Error(NO_TERMINAL);
  const { exit, output } = terminal(`stty cols ${columns} rows 40; ${command}`, {
    cwd,
    env: { ...project.env, TERM: 'dumb', NO_COLOR: '1', ...env },
  });
  expect(exit, output).toBe(0);
  return output;
}

/** Returns what the same command prints into a pipe. */
const piped = (words: string[], env: NodeJS.ProcessEnv = {}) =>
  spawnSync(process.execPath, [BINARY, ...words], {
    cwd: project.root,
    env: { ...project.env, ...env },
    encoding: 'utf8',
  }).stdout;

const begin = (name: string, root = project.root) => {
  const words = [
    'init',
    name,
    '--recipe',
    'specify-quick-autopilot',
    '--goal',
    `Goal of ${name}`,
    '--new',
    '--root',
    root,
  ];
  expect(devCli(project, words).code).toBe(0);
};

describe.skipIf(terminal === null)('dev-cli alone at a terminal', () => {
  it('leads to the first run where there is none', () => {
    expect(seen('dev-cli')).toBe(
      [
        `${project.root.split('/').at(-1)} · no runs · ${git('branch', '--show-current').trim()}`,
        '',
        'in your agent    /specify what you want',
        'see how it goes  dev-cli demo',
        'all commands     dev-cli help',
        '',
      ].join('\n'),
    );
  });

  it('shows every run of every work tree, each root once, one that cannot be read, and plans', () => {
    begin('here');
    begin('torn');
    writeFileSync(join(runDir(project, 'torn'), 'events.jsonl'), 'nothing of ours\n');
    writeFileSync(join(runDir(project, 'torn'), 'state.json'), '{');
    mkdirSync(runDir(project, 'later'), { recursive: true });
    writeFileSync(join(runDir(project, 'later'), 'plan-content.json'), '{}');
    git('commit', '--allow-empty', '-qm', 'first');
    // `side tree` is a linked work tree with runs of its own, and so a root. `made` was made for a run of this root, as
    // its file dev-cli-root says.
    git('worktree', 'add', '-q', '--detach', join(project.home, 'side tree'));
    git('worktree', 'add', '-q', '--detach', join(project.home, 'made'));
    writeFileSync(join(project.root, '.git/worktrees/made/dev-cli-root'), `${project.root}\nhere\n`);
    begin('there', join(project.home, 'side tree'));
    const shown = seen('dev-cli');
    expect(shown).toContain(' · 3 runs · ');
    expect(shown.match(/◐ here /g)).toHaveLength(1);
    expect(shown).toMatch(/◐ there +in side tree +2\/11/);
    expect(shown).toMatch(/Cannot be read\n✗ torn {2}[A-Z_]+\n/);
    expect(shown).toContain('Plans without a run\n· later\n    dev-cli init later --execute\n');
    // Called in the linked work tree, the command shows the same repository; printed commands name each run's root.
    const other = seen('dev-cli', { cwd: join(project.home, 'side tree') });
    expect(other.split('\n')[0]).toBe('side tree · 3 runs');
    expect(other.replace(/ \\\n +/g, ' ')).toContain(`dev-cli init later --execute --root ${project.root}`);
    expect(seen('dev-cli', { cwd: join(project.home, 'made') })).toContain('◐ here ');
  });

  it('fits the terminal, and is coloured where a person forces it', () => {
    for (const line of seen('dev-cli', { columns: 40 }).split('\n')) expect([...line].length).toBeLessThanOrEqual(40);
    expect(seen('dev-cli')).not.toContain('\u001b');
    expect(seen('dev-cli', { env: { FORCE_COLOR: '1' } })).toContain('\u001b[1mhere\u001b[0m');
    expect(seen('dev-cli', { env: { NO_COLOR: '' } })).not.toContain('\u001b');
  });

  it('is lines, with words for signs, where a person prefers them', () => {
    mkdirSync(join(project.root, '.dev'), { recursive: true });
    writeFileSync(join(project.root, '.dev/preferences.yaml'), 'plain: true\n');
    const shown = seen('dev-cli', { env: { TERM: 'xterm' } });
    rmSync(join(project.root, '.dev/preferences.yaml'));
    expect(shown).toContain('at work: here ');
    expect(shown).not.toMatch(/^[◐✗·] |\u001b/m);
  });

  it('tells of goals that wait for a person, where they can be read', () => {
    mkdirSync(join(project.root, '.ai/events'), { recursive: true });
    const write = (path: string, text: string) => writeFileSync(join(project.root, '.ai', path), text);
    write('config.yaml', 'test_command: "true"\nai_tool: x {prompt}\n');
    write('goals.yaml', 'goals:\n  - { id: a, title: T, status: blocked }\n');
    expect(seen('dev-cli')).not.toContain('inbox');
    const payload = { run_id: 'r', goal_id: 'a', attempt: 1, success: false, action_taken: 'block', reason: 'why' };
    write('events/events.jsonl', `${JSON.stringify({ event_id: 'evt_1', event_type: 'auto_attempt', payload })}\n`);
    expect(seen('dev-cli', { columns: 120 }).split('\n')[0]).toMatch(
      / · 1 item waits for a person: dev-cli inbox list$/,
    );
    write('config.yaml', '[');
    expect(seen('dev-cli')).not.toContain('inbox');
    rmSync(join(project.root, '.ai'), { recursive: true });
    symlinkSync('.ai', join(project.root, '.ai'));
    expect(seen('dev-cli')).not.toContain('inbox');
    rmSync(join(project.root, '.ai'));
  });

  it('writes nothing', () => {
    const before = git('status', '--porcelain', '--ignored');
    seen('dev-cli');
    expect(git('status', '--porcelain', '--ignored')).toBe(before);
  });

  it('is help elsewhere: with a pipe at either end, under the mark of a harness, with any word', () => {
    const help = piped(['help']);
    expect(piped([])).toBe(help);
    expect(seen('dev-cli | cat')).toBe(help);
    // At this width, help has the same layout for a person as in a pipe.
    expect(seen('echo | dev-cli', { columns: 100 })).toBe(help);
    expect(seen('dev-cli help', { columns: 100 })).toBe(help);
    expect(seen('dev-cli', { env: { AI_AGENT: 'one' } })).toBe(help);
  });
});

describe('what an agent calls', () => {
  it('loads nothing of it', () => {
    const notes = join(project.home, 'loaded.jsonl');
    const env = { NODE_OPTIONS: `--require ${COUNTER}`, DEV_CLI_TEST_LOADED: notes };
    piped([], env);
    const [loaded] = takeLoaded(notes);
    expect(loaded?.files.some((file) => file.includes('cli'))).toBe(true);
    expect(loaded?.files.filter((file) => file.includes('home'))).toEqual([]);
  });
});
