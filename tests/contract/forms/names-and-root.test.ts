import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { devCli, imageOf, init, journalOf, nextOf, runDir, stateOf, writeProjectFile } from '../../support/cli.js';
import { callHook, QUIET as SILENT } from '../../support/hooks.js';
import { createProject, type Project } from '../../support/project.mjs';
import { CHOICE_BLOCK, END_BLOCK, GATE_BLOCK, PLAIN_BLOCK, startTiny, tiny } from '../../support/tiny.js';

const QUICK = ['--recipe', 'specify-quick-autopilot', '--goal', 'Add JWT auth'];

let project: Project;
beforeEach(() => {
  project = createProject();
});
afterEach(() => project.remove());

describe('names (protocol.md §1)', () => {
  const refused = [
    '../x',
    '',
    'a'.repeat(65),
    '-x',
    '_x',
    'a b',
    'a/b',
    'ä',
    '.',
    '..',
    'a.b',
    'x\n',
    'a\u0000b'.replace('\u0000', '%00'),
  ];

  it.each(refused)('init refuses %j before anything is touched', (name) => {
    const result = devCli(project, ['init', '--recipe', 'specify-quick-autopilot', '--goal', 'x', '--', name]);
    expect(result.code).toBe(2);
    expect(result.json.error?.code).toBe('NAME_INVALID');
    expect(existsSync(join(project.root, '.dev'))).toBe(false);
  });

  it.each([
    ['next'],
    ['step', 'complete', '--action', 'a1'],
    ['abort', '--reason', 'x'],
    ['use'],
    ['cleanup'],
    ['draft', 'show'],
    ['plan', 'validate'],
    ['approve'],
  ])('%s refuses ../x', (...words) => {
    const result = devCli(project, [...words, '../x']);
    expect(result.code).toBe(2);
    expect(result.json.error?.code).toBe('NAME_INVALID');
  });

  it('takes one of 1 and one of 64 characters', () => {
    for (const name of ['7', `a${'-_'.repeat(31)}z`]) expect(init(project, name, ...QUICK).run).toBe(name);
  });

  it('a name that is no run: exit 2', () => {
    const result = devCli(project, ['next', 'nothing-here']);
    expect(result.code).toBe(2);
    expect(result.json.error?.code).toBe('NO_SUCH_RUN');
    expect(existsSync(join(project.root, '.dev'))).toBe(false);
  });

  it('left out: the active run; none: NO_ACTIVE_RUN', () => {
    const none = devCli(project, ['next']);
    expect([none.code, none.json.error?.code]).toEqual([2, 'NO_ACTIVE_RUN']);
    const first = nextOf(init(project, 'one', ...QUICK));
    expect(devCli(project, ['next']).json.actionId).toBe(first.actionId);
    const done = devCli(project, ['step', 'complete', '--action', first.actionId, '--choice', 'Bug']);
    expect([done.code, done.json.run]).toEqual([0, 'one']);
  });

  it('several live runs: reading goes to the active one, changing needs the name', () => {
    init(project, 'one', ...QUICK);
    const second = nextOf(init(project, 'two', ...QUICK));
    expect(devCli(project, ['next']).json.run).toBe('two');
    const image = imageOf(project);
    for (const args of [
      ['step', 'complete', '--action', second.actionId, '--choice', 'Bug'],
      ['step', 'fail', '--action', second.actionId, '--reason', 'x'],
      ['abort', '--reason', 'x'],
    ]) {
      const result = devCli(project, args);
      expect([args[0], result.code, result.json.error?.code]).toEqual([args[0], 2, 'NAME_REQUIRED']);
    }
    expect(imageOf(project)).toEqual(image);
    const named = devCli(project, ['use', 'one']);
    expect(named.code).toBe(0);
    expect(devCli(project, ['next']).json.run).toBe('one');
  });

  it('a name has at most one live run; the next one goes on in the same journal with new action ids', () => {
    const recipe = tiny(project, 'tiny', [CHOICE_BLOCK]);
    const first = nextOf(init(project, 'one', '--recipe', recipe));
    const end = devCli(project, ['step', 'complete', 'one', '--action', first.actionId, '--choice', 'red']);
    expect(nextOf(end.json)).toMatchObject({ done: true, outcome: 'completed' });
    const again = init(project, 'one', '--recipe', recipe);
    expect(again.status).toBe('initialized');
    expect(nextOf(again).actionId).not.toBe(first.actionId);
    expect(Number(nextOf(again).actionId.slice(1))).toBeGreaterThan(Number(first.actionId.slice(1)));
    expect(journalOf(project, 'one').filter(({ type }) => type === 'init')).toHaveLength(2);
  });
});

describe('root (protocol.md §1)', () => {
  it('is the git top level, from a subdirectory too', () => {
    init(project, 'one', ...QUICK);
    const result = devCli(project, ['next'], { cwd: join(project.root, 'src') });
    expect(result.json.run).toBe('one');
    const second = devCli(project, ['init', 'two', ...QUICK, '--new'], { cwd: join(project.root, 'src') });
    expect(second.code).toBe(0);
    expect(existsSync(join(project.root, 'src/.dev'))).toBe(false);
    expect(existsSync(join(runDir(project, 'two'), 'state.json'))).toBe(true);
  });

  it('is the nearest directory with a run or a plan below the git top level', () => {
    mkdirSync(join(project.root, 'packages/a/src'), { recursive: true });
    writeProjectFile(project, 'packages/a/.dev/specs/old/plan-content.json', '{}');
    const result = devCli(project, ['init', 'one', ...QUICK], { cwd: join(project.root, 'packages/a/src') });
    expect(result.code).toBe(0);
    expect(existsSync(join(project.root, 'packages/a/.dev/specs/one/state.json'))).toBe(true);
    expect(existsSync(join(project.root, '.dev'))).toBe(false);
  });

  it('is not looked for beyond the git top level', () => {
    init(project, 'outer', ...QUICK);
    const inner = join(project.root, 'inner');
    mkdirSync(inner);
    execFileSync('git', ['init', '--quiet'], { cwd: inner, env: project.env });
    const result = devCli(project, ['next'], { cwd: inner });
    expect([result.code, result.json.error?.code]).toEqual([2, 'NO_ACTIVE_RUN']);
  });

  it('is given by --root and DEV_CLI_ROOT', () => {
    init(project, 'one', ...QUICK);
    expect(devCli(project, ['next', '--root', project.root], { cwd: '/' }).json.run).toBe('one');
    expect(devCli(project, ['next'], { cwd: '/', env: { DEV_CLI_ROOT: project.root } }).json.run).toBe('one');
    const wrong = devCli(project, ['next', '--root', join(project.root, 'not-there')]);
    expect([wrong.code, wrong.json.error?.code]).toEqual([2, 'USAGE']);
  });

  it('given by --root stands in every command that is printed, in sentences and texts too', () => {
    const gate = GATE_BLOCK.replace('Is it right?', 'Is it right?\n    human: required');
    startTiny(project, [PLAIN_BLOCK.replace('think', 'first'), gate.replace('goto: think', 'goto: first')]);
    devCli(project, ['step', 'complete', 'run-1', '--action', 'a1']);
    const from = (...args: string[]) => devCli(project, [...args, '--root', project.root], { cwd: '/' });
    const ending = `--root ${project.root}`;
    const refused = from('step', 'complete', 'run-1', '--action', 'a2', '--choice', 'yes').json.error;
    expect(refused).toMatchObject({ code: 'HUMAN_REQUIRED', answer: `dev-cli approve run-1 ${ending}` });
    expect(from('status').stdout).toContain(`decide: dev-cli approve run-1 ${ending} (choices: yes, again, stop)`);
    expect(from('status', '--json').stdout).toContain(`decide: dev-cli approve run-1 ${ending} (`);
    expect(from('manifest').stdout).toContain(`dev-cli approve run-1 ${ending}`);
    expect(from('next', '--text').stdout).toContain(`answer: dev-cli approve run-1 ${ending}`);
    expect(from('next', 'nothing', '--text').stderr).toContain(ending);
  });

  it('without git it is the current directory', () => {
    project.remove();
    project = createProject({ sample: null, git: false });
    init(project, 'one', ...QUICK);
    expect(existsSync(join(runDir(project, 'one'), 'state.json'))).toBe(true);
  });

  it('a work tree made for a run leads to its root', () => {
    init(project, 'one', ...QUICK);
    const tree = join(project.root, '../tree');
    execFileSync('git', ['worktree', 'add', '--quiet', '--detach', tree], {
      cwd: project.root,
      env: project.env,
      stdio: 'pipe',
    });
    const pointer = readFileSync(join(tree, '.git'), 'utf8')
      .replace(/^gitdir: /, '')
      .trim();
    writeFileSync(join(pointer, 'dev-cli-root'), `${project.root}\none\n`);
    const result = devCli(project, ['next'], { cwd: tree });
    expect([result.code, result.json.run]).toEqual([0, 'one']);
    expect(existsSync(join(tree, '.dev'))).toBe(false);
  });

  it('in a work tree made for no run nothing is about the active one, nor does its guard judge there', () => {
    init(project, 'one', ...QUICK);
    const tree = join(project.root, '../free');
    execFileSync('git', ['worktree', 'add', '--quiet', '--detach', tree], { cwd: project.root, env: project.env });
    const pointer = readFileSync(join(tree, '.git'), 'utf8')
      .replace(/^gitdir: /, '')
      .trim();
    writeFileSync(join(pointer, 'dev-cli-root'), `${project.root}\n-\nsrc\n`);
    const { code, json } = devCli(project, ['next'], { cwd: tree });
    expect([code, json.error?.code]).toEqual([2, 'NO_ACTIVE_RUN']);
    const write = (cwd: string) => {
      const file = { file_path: join(cwd, 'src/app.js'), content: 'x' };
      return callHook({ ...project, root: cwd }, 'pre-tool-use', 'claude', {
        session_id: 's-9',
        cwd,
        tool_name: 'Write',
        tool_input: file,
      });
    };
    expect([write(project.root).code, write(tree)]).toEqual([2, SILENT]);
    const own = devCli(project, ['init', 'two', ...QUICK, '--new'], { cwd: tree });
    expect(own.code, own.stdout).toBe(0);
    expect(stateOf(project, 'two')).toHaveProperty('workTree', join(tree, 'src'));
    expect(devCli(project, ['next']).json.run).toBe('one');
  });

  it('paths are printed relative to the root; prompts state it absolutely', () => {
    const action = startTiny(project, [
      CHOICE_BLOCK,
      '\n  - id: look\n    type: subagent\n    agents: [{ type: code-explorer, prompt: Look., output: findings/a.md }]\n',
      END_BLOCK,
    ]);
    const next = nextOf(
      devCli(project, ['step', 'complete', 'run-1', '--action', action.actionId, '--choice', 'red']).json,
    );
    const [agent] = next.agents ?? [];
    expect(agent?.output).toBe('.dev/specs/run-1/findings/a.md');
    expect(agent?.promptFile).toMatch(/^\.dev\/specs\/run-1\/actions\/a\d+\/.+\.md$/);
    const prompt = readFileSync(join(project.root, agent?.promptFile ?? ''), 'utf8');
    expect(prompt).toContain(join(project.root, '.dev/specs/run-1/findings/a.md'));
  });
});
