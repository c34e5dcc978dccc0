import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { listHarnessMarks } from '../../../src/base/harness-mark.js';
import { HARNESSES } from '../../../src/wings/harness/harness.js';
import type { Action } from '../../support/agent.mjs';
import {
  type Document,
  devCli,
  init,
  journalOf,
  nextOf,
  stateOf,
  writeProjectFile,
  writeRecipe,
} from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { generatePlan, git } from '../../support/executing.js';
import { callHook } from '../../support/hooks.js';
import type { Project } from '../../support/project.mjs';
import { bareTodo, smallPlan } from '../../support/small.mjs';
import { findTerminal, NO_TERMINAL } from '../../support/terminal.mjs';

// engine.md, Approvals; protocol.md, Trust: commands that an agent chose start only with a person's consent, which does
// not extend to a clone.

const MARKS = listHarnessMarks();
const AGENT = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 's-1' };
const RUN = 'build';

const terminal = findTerminal();
const skipped = terminal === null;
const suffix = skipped ? ` (skipped: ${NO_TERMINAL})` : '';

useProject({ sample: null });

/** Writes a plan of one todo, with a command chosen by the agent. */
function plan(at = project, name = RUN): void {
  const acceptance = [{ id: 'ac-1', kind: 'command' as const, run: ['sh', '-c', 'id > ran.txt'] }];
  generatePlan(at, { ...smallPlan(), todos: [bareTodo('todo-1', { acceptance })] }, name);
}

function typed(command: string, answers: string[] = [], env: NodeJS.ProcessEnv = {}, at = project) {
  const result = terminal?.(command, { cwd: at.root, env: { ...at.env, ...env }, answers });
  return result ?? { exit: -1, output: '' };
}

/** Begins the execution; as an agent if `env` contains a harness mark. */
function begin(env: NodeJS.ProcessEnv = {}, args: string[] = ['--execute', '--autopilot'], at = project): Document {
  const { code, json, stdout } = devCli(at, ['init', RUN, ...args, '--force', '--new'], { env });
  expect(code, stdout).toBe(0);
  return json;
}

/** Whether the answer asks a person about the commands; otherwise they may start. */
function asks(answer: Document): boolean {
  const next = nextOf(answer);
  if (next.action === 'engine-dispatch') return false;
  expect(next).toMatchObject({ action: 'wait-for-user', human: 'required' });
  expect(next.message).toContain('id > ran.txt');
  return true;
}

const hook = (event: 'user-prompt-submit' | 'session-end', more: object, env: NodeJS.ProcessEnv = {}) => {
  const { code, stderr } = callHook(
    project,
    event,
    'claude',
    { session_id: 's-1', cwd: project.root, hook_event_name: 'x', ...more },
    env,
  );
  expect(code, stderr).toBe(0);
};
const says = (prompt: string, more: object = {}, env: NodeJS.ProcessEnv = {}) =>
  hook('user-prompt-submit', { prompt, ...more }, env);

/** Copies the project as `cp -r` does. */
function copy(): Project {
  const root = join(project.home, 'copy');
  rmSync(root, { recursive: true, force: true });
  cpSync(project.root, root, { recursive: true });
  return { ...project, root };
}

describe('an agent’s run in autopilot', () => {
  it.each(MARKS)('under %s asks before it starts a command, whatever it was begun with', (mark) => {
    plan();
    const env = { [mark]: '1' };
    for (const more of [[], ['--quick'], ['--set', 'approve_commands=auto'], ['--set', 'approve_commands=ask']]) {
      const answer = begin(env, ['--execute', '--autopilot', ...more]);
      expect(asks(answer)).toBe(true);
      const next = nextOf(answer) as unknown as Action & { answer: string };
      expect(next.answer).toMatch(/^dev-cli approve build; .*dev-cli trust autopilot$/);
      expect(answer.warnings?.join() ?? '').toEqual(
        more[1] === 'approve_commands=auto' ? expect.stringContaining('approve_commands: auto is ignored') : '',
      );
    }
    const { actionId } = nextOf(begin(env));
    const own = devCli(project, ['step', 'complete', RUN, '--action', actionId, '--choice', 'approve'], { env });
    expect([own.code, own.json.error?.code]).toEqual([3, 'HUMAN_REQUIRED']);
    expect(existsSync(join(project.root, 'ran.txt'))).toBe(false);
  });

  it('asks in an interactive run, too, where it set approve_commands itself', () => {
    plan();
    const answer = begin(AGENT, ['--execute', '--set', 'approve_commands=auto']);
    expect(asks(answer)).toBe(true);
    expect(nextOf(answer)).toMatchObject({ answer: 'dev-cli approve build' });
    expect(answer.warnings?.join()).toContain('approve_commands: auto is ignored: an agent set it');
  });

  it('shows both ways in text, too', () => {
    plan();
    begin(AGENT);
    expect(devCli(project, ['next', RUN, '--text'], { env: AGENT }).stdout).toContain(
      'answer: dev-cli approve build; to let later runs in autopilot in this clone start without asking, also: dev-cli trust autopilot',
    );
  });

  it('goes on unasked where no agent began it: a script without a mark, as in CI', () => {
    plan();
    expect(asks(begin())).toBe(false);
    expect(devCli(project, ['next', RUN], { env: AGENT }).json.action).toBe('engine-dispatch');
    expect(asks(begin({}, ['--execute', '--set', 'approve_commands=auto']))).toBe(false);
  });

  it('of a workflow asks when it comes to carry out the plan', () => {
    plan();
    const recipe = writeRecipe(
      project,
      'whole',
      'name: whole\ntype: meta\nphases:\n  - { name: look, recipe: looking }\n  - { name: work, recipe: execute-standard }\n',
    );
    expect(recipe).toContain('whole');
    writeRecipe(
      project,
      'looking',
      'name: looking\ntype: sequential\nblocks:\n  - { id: look, type: llm, instruction: Look. }\n',
    );
    for (const [env, isAsked] of [
      [AGENT, true],
      [{}, false],
    ] as const) {
      const first = nextOf(begin(env, ['--workflow', 'whole', '--autopilot']));
      const answer = devCli(project, ['step', 'complete', RUN, '--action', first.actionId], { env: AGENT }).json;
      expect(asks(answer)).toBe(isAsked);
    }
  });

  it('asks in a fork that an agent makes of a run which asked nobody', () => {
    plan();
    begin({}, ['--execute', '--autopilot', '--set', 'approve_commands=auto']);
    const { seq } = journalOf(project, RUN).find(({ type }) => type === 'init') as { seq: number };
    const fork = (as: string, env: NodeJS.ProcessEnv) => {
      const { code, stdout } = devCli(project, ['fork', RUN, '--at', String(seq), '--as', as], { env });
      expect(code, stdout).toBe(0);
      return (stateOf(project, as) as unknown as { preferences: object }).preferences;
    };
    expect(fork('of-agent', AGENT)).toMatchObject({ approve_commands: 'person' });
    expect(fork('of-script', {})).toMatchObject({ approve_commands: 'auto' });
  });
});

describe('a person’s prompt that asks for autopilot', () => {
  beforeEach(() => plan());

  it('lets the run that it starts go on unasked, in this session and this project', () => {
    expect(asks(begin(AGENT))).toBe(true);
    says('Carry the plan out in autopilot, please.');
    expect(asks(begin(AGENT))).toBe(false);
    expect(asks(begin(AGENT, ['--execute', '--set', 'approve_commands=auto']))).toBe(false);
    expect(asks(begin({ ...AGENT, CLAUDE_CODE_SESSION_ID: 's-2' }))).toBe(true);
    expect(asks(begin({ CLAUDECODE: '1' }))).toBe(true);
    expect(asks(begin(AGENT, undefined, copy()))).toBe(true);
  });

  it('counts in Gemini CLI, whose shell knows no session, until the next one', () => {
    const gemini = (prompt: string) =>
      callHook(project, 'user-prompt-submit', 'gemini', { session_id: 'g-1', cwd: project.root, prompt });
    const env = { GEMINI_CLI: '1' };
    says('Work in autopilot.');
    expect(asks(begin(env))).toBe(true);
    gemini('/execute build --autopilot');
    expect(asks(begin(env))).toBe(false);
    expect(asks(begin({ ...AGENT, CLAUDE_CODE_SESSION_ID: 'g-1' }))).toBe(true);
    gemini('And now?');
    expect(asks(begin(env))).toBe(true);
  });

  it.each([
    ['says nothing of it', [() => says('Carry the plan out.')]],
    ['takes it back', [() => says('In autopilot!'), () => says('No, wait.')]],
    ['is a subagent’s', [() => says('Work in autopilot.', { agent_id: 'a1' })]],
    ['is a notice', [() => says('<task-notification>autopilot</task-notification>')]],
    ['is a script’s', [() => says('/execute build --autopilot', {}, { CLAUDE_CODE_SESSION_ATTENDED: '0' })]],
    ['is the agent’s own call of the hook', [() => says('/execute build --autopilot', {}, { CLAUDECODE: '1' })]],
    ['belongs to a session that has ended', [() => says('--autopilot'), () => hook('session-end', {})]],
  ])('lets nothing go where it %s', (_what, heard) => {
    for (const hear of heard) hear();
    expect(asks(begin(AGENT))).toBe(true);
  });

  it.each([
    ['a mark that the harness itself was started with', { AI_AGENT: 'some-agent' }],
    ['the marks that Claude Code gives its hooks', { CLAUDECODE: '1', AI_AGENT: 'claude-code_2-1-328_harness' }],
  ])('is heard under %s', (_what, env) => {
    says('/execute build --autopilot', {}, env);
    expect(asks(begin(AGENT))).toBe(false);
  });

  it.each([{ AI_AGENT: 'some-agent' }, { DEV_CLI_AGENT: '1' }])(
    'lets no agent go that runs in no harness with hooks, under %o: it may have told of the prompt itself',
    (env) => {
      says('/execute build --autopilot', {}, env);
      expect(asks(begin({ ...env, DEV_CLI_SESSION: 's-1' }))).toBe(true);
    },
  );

  it.each([
    ...Object.values(HARNESSES).flatMap(({ marks }) => marks.map((mark) => ({ [mark]: '1' }))),
    { CLAUDECODE: '1', AI_AGENT: 'claude-code_2-1-328_agent' },
  ])('opens no gate and frees no session where an agent calls the hook itself, under %o', (env) => {
    const { actionId } = nextOf(begin(AGENT));
    expect(devCli(project, ['use', RUN], { env: AGENT }).code).toBe(0);
    says('Yes, run them.', {}, env);
    hook('session-end', {}, env);
    expect(devCli(project, ['status', '--json'], { env: AGENT }).json).toMatchObject({ run: RUN });
    const answered = devCli(project, ['step', 'complete', RUN, '--action', actionId, '--choice', 'approve'], {
      env: AGENT,
    });
    expect(answered.json.error?.code).toBe('HUMAN_REQUIRED');
    expect(readFileSync(join(project.root, '.dev/sessions/s-1'), 'utf8')).toContain(RUN);
  });

  it('answers the question afterwards, as at every gate', () => {
    const { actionId } = nextOf(begin(AGENT));
    says('Yes, run them.');
    const env = AGENT;
    const answered = devCli(project, ['step', 'complete', RUN, '--action', actionId, '--choice', 'approve'], { env });
    expect(nextOf(answered.json).action).toBe('engine-dispatch');
    // Approved commands are not asked about again.
    expect(nextOf(begin(AGENT)).action).toBe('engine-dispatch');
  });
});

describe.skipIf(skipped)(`a person at a terminal${suffix}`, () => {
  beforeEach(() => plan());

  it('says yes to the commands of this run', () => {
    begin(AGENT);
    expect(typed('dev-cli approve build', ['approve']).exit).toBe(0);
    expect(devCli(project, ['next', RUN], { env: AGENT }).json.action).toBe('engine-dispatch');
  });

  it('trusts autopilot once for this clone, and for no copy of it', () => {
    for (const { exit, output } of [
      typed('dev-cli trust autopilot', ['y'], { CLAUDECODE: '1' }),
      { exit: devCli(project, ['trust', 'autopilot'], { stdin: 'y\n' }).code, output: 'TERMINAL_REQUIRED' },
    ]) {
      expect(exit).toBe(3);
      expect(output).toContain('TERMINAL_REQUIRED');
    }
    expect(typed('dev-cli trust autopilot', ['n'])).toMatchObject({
      exit: 2,
      output: expect.stringContaining(project.root),
    });
    expect(asks(begin(AGENT))).toBe(true);
    expect(typed('dev-cli trust autopilot', ['y']).exit).toBe(0);
    // The settings are trusted already, so this second call asks nothing.
    expect(typed('dev-cli trust autopilot').exit).toBe(0);
    for (const mark of MARKS) expect(asks(begin({ [mark]: '1' }))).toBe(false);
    expect(asks(begin(AGENT, ['--execute', '--set', 'approve_commands=auto']))).toBe(false);
    expect(asks(begin(AGENT, ['--execute']))).toBe(true);
    expect(asks(begin(AGENT, undefined, copy()))).toBe(true);
  });
});

const SHADOW = 'name: execute-standard\ntype: engine\nmode: { interaction: autopilot }\n';

describe('what a project’s files widen', () => {
  beforeEach(() => plan());

  const commit = () => {
    git(project, 'add', '--force', '.dev');
    git(project, 'commit', '--quiet', '--message', 'ours');
  };

  it.each([
    ['a recipe in the place of a shipped one', 'execute-standard', SHADOW, ['--execute']],
    ['a recipe by its name', 'go-autopilot', 'name: go-autopilot\ntype: engine\n', ['--recipe', 'go-autopilot']],
    [
      'a default',
      'go',
      'name: go\ntype: engine\npreferences: { approve_commands: { type: string, default: auto, description: x } }\n',
      ['--recipe', 'go'],
    ],
    [
      'a workflow',
      'whole',
      'name: whole\ntype: meta\nmode: { interaction: autopilot }\nphases: [{ name: work, recipe: execute-standard }]\n',
      ['--workflow', 'whole'],
    ],
  ])('%s counts for nothing until a person of this clone trusts it', (_what, name, text, args) => {
    const file = writeRecipe(project, name, text);
    commit();
    for (const env of [{}, AGENT]) {
      const answer = begin(env, args);
      expect(asks(answer)).toBe(true);
      expect(answer.warnings?.join('\n')).toMatch(
        new RegExp(`is ignored: no person of this clone trusts it \\(\`dev-cli trust ${name}\``),
      );
      expect(answer.warnings?.join('\n')).toContain(`.dev/recipes/${name}.yaml`);
    }
    expect(file).toContain(name);
    if (skipped) return;
    expect(typed(`dev-cli trust ${name}`, ['n']).exit).toBe(3);
    expect(asks(begin({}, args))).toBe(true);
    const { exit, output } = typed(`dev-cli trust ${name}`, ['y']);
    expect([exit, output]).toEqual([0, expect.stringMatching(/lets the commands of a plan start here/)]);
    for (const env of [{}, AGENT]) expect(asks(begin(env, args))).toBe(false);
    const elsewhere = copy();
    expect(asks(begin({}, args, elsewhere))).toBe(true);
    writeRecipe(project, name, `${text}\n# another version\n`);
    expect(asks(begin({}, args))).toBe(true);
  });

  it('is a person’s own word where the flag says the same', () => {
    writeRecipe(project, 'execute-standard', SHADOW);
    expect(asks(begin({}, ['--execute', '--autopilot']))).toBe(false);
    expect(asks(begin(AGENT, ['--execute', '--autopilot']))).toBe(true);
  });

  it('a shipped recipe that is replaced says so, when it begins and where it is shown', () => {
    writeRecipe(project, 'execute-standard', 'name: execute-standard\ntype: engine\n');
    writeRecipe(project, 'whole', 'name: whole\ntype: meta\nphases: [{ name: work, recipe: execute-standard }]\n');
    const said =
      '"execute-standard" is .dev/recipes/execute-standard.yaml, which replaces dev-cli:recipes/execute-standard.yaml';
    expect(begin({}, ['--execute']).warnings).toContain(said);
    expect(begin({}, ['--workflow', 'whole']).warnings).toContain(said);
    expect(begin({}, ['--recipe', 'execute-quick']).warnings ?? []).not.toContain(said);
    expect(devCli(project, ['recipe', 'show', 'execute-standard']).stdout).toMatch(new RegExp(`^# ${said}\n`));
    expect(devCli(project, ['recipe', 'show', 'execute-standard', '--json']).json).toMatchObject({
      shadows: [{ file: '.dev/recipes/execute-standard.yaml', replaces: 'dev-cli:recipes/execute-standard.yaml' }],
    });
    expect(devCli(project, ['recipe', 'list']).stdout).toContain('replaces dev-cli:recipes/execute-standard.yaml');
  });

  it('approve_commands in committed preferences counts for nothing until a person of this clone trusts it', () => {
    writeProjectFile(project, '.dev/preferences.yaml', 'approve_commands: auto\n');
    commit();
    for (const env of [{}, AGENT]) {
      const answer = begin(env, ['--execute']);
      expect(asks(answer)).toBe(true);
      expect(answer.warnings?.join()).toContain('no person of this clone trusts this version of .dev/preferences.yaml');
    }
    if (skipped) return;
    expect(typed('dev-cli trust preferences', ['y']).exit).toBe(0);
    for (const env of [{}, AGENT]) expect(asks(begin(env, ['--execute']))).toBe(false);
    // Trust in the preferences covers neither a copy of the project nor another version of the file.
    expect(asks(begin({}, ['--execute'], copy()))).toBe(true);
    writeProjectFile(project, '.dev/preferences.yaml', 'approve_commands: auto # more\n');
    expect(asks(begin({}, ['--execute']))).toBe(true);
  });

  it('a recipe that only plans may say autopilot: it starts no command of a plan', () => {
    writeRecipe(
      project,
      'look-autopilot',
      'name: look-autopilot\ntype: sequential\nblocks:\n  - { id: look, type: llm, instruction: Look. }\n',
    );
    const answer = init(project, 'look', '--recipe', 'look-autopilot');
    expect(answer.warnings).toBeUndefined();
    expect(stateOf(project, 'look').mode).toMatchObject({ interaction: 'autopilot' });
  });
});
