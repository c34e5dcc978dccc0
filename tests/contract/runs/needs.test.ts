import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StandIn } from '../../support/agent.mjs';
import { type Document, devCli, init, nextOf, runDir, stateOf, writeProjectFile } from '../../support/cli.js';
import { simpleCrew } from '../../support/crew.mjs';
import { addRemote, askedOfGh, installGh, troubleGh } from '../../support/forge.mjs';
import { createProject, type Project } from '../../support/project.mjs';
import { bareTodo, smallPlan } from '../../support/small.mjs';

// The needs of a recipe are checked before any work (issue 8, 17; recipes.md, Needs).

let project: Project;
let env: NodeJS.ProcessEnv;
beforeEach(() => {
  project = createProject();
  env = onlyTools();
});
afterEach(() => project.remove());

/** Makes sure that only our gh can be found, even if this machine has one installed. */
function onlyTools(): NodeJS.ProcessEnv {
  const tools = join(dirname(project.root), 'tools');
  mkdirSync(tools);
  for (const tool of ['git', 'sh', 'cat', 'mkfifo', 'ps', 'sleep', 'test', 'env']) {
    const found = execFileSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim();
    const path = found.startsWith('/') ? found : `/usr/bin/${tool}`;
    writeFileSync(join(tools, tool), `#!/bin/sh\nexec '${path}' "$@"\n`, { mode: 0o755 });
  }
  return { PATH: `${join(dirname(project.root), 'bin')}:${tools}` };
}

const begin = (...flags: string[]) => devCli(project, ['init', 'add-auth', ...flags], { env });
const open = () => begin('--recipe', 'open-pr');
const detailsOf = ({ error }: Document) => (error?.details ?? []).map(({ target, problem }) => [target, problem]);

const recipe = (name: string, more = '') =>
  writeProjectFile(
    project,
    `.dev/recipes/${name}.yaml`,
    `name: ${name}\ntype: sequential\nskill: build\n${more}blocks:\n  - { id: ${name}-step, type: llm, instruction: Do it. }\n`,
  );
const workflow = (phases: string, more = '') =>
  writeProjectFile(project, '.dev/workflows/flow.yaml', `name: flow\ntype: meta\n${more}phases:\n${phases}`);

describe('a run whose recipe lacks what it needs', () => {
  it('is refused before anything is written, with what is missing and what to do', () => {
    const { code, json } = open();
    expect(code).toBe(3);
    expect(json.error).toMatchObject({ code: 'NEEDS_MISSING' });
    expect(detailsOf(json)).toEqual([
      ['remote', 'the repository has no remote'],
      ['gh', 'gh is not on the PATH'],
    ]);
    expect(json.error?.fix).not.toMatch(/^dev-cli/);
    expect(existsSync(runDir(project, 'add-auth'))).toBe(false);
  });

  it('names only what is missing', () => {
    addRemote(project);
    expect(detailsOf(open().json)).toEqual([['gh', 'gh is not on the PATH']]);
    installGh(project);
    expect(open().code).toBe(0);
  });

  it('outside of a repository there is no remote', () => {
    project.remove();
    project = createProject({ git: false });
    env = onlyTools();
    installGh(project);
    expect(detailsOf(open().json)).toEqual([['remote', 'there is no git repository here']]);
  });

  it.each([
    [
      'nobody is signed in',
      { exit: 1, stderr: 'You are not logged into any GitHub hosts. To log in, run: gh auth login' },
      'gh is not signed in: You are not logged into any',
    ],
    [
      'the network is gone',
      { exit: 1, stderr: 'error connecting to api.github.com' },
      'gh auth status failed: error connecting to api.github.com',
    ],
    ['it says nothing', { exit: 1 }, 'gh auth status failed: it gave no reason'],
    ['it prints terminal orders', { exit: 4, stdout: '\u001b]0;x\u0007\u001b[31mno\u202e' }, 'gh auth status failed: '],
    ['it prints without an end', { stdout: 'x'.repeat(17 * 1024 * 1024) }, 'printed more than'],
  ])('where gh is there and %s', (_what, trouble, words) => {
    addRemote(project);
    installGh(project);
    troubleGh(project, { 'auth status': trouble });
    const { code, json, stdout } = open();
    expect(code).toBe(3);
    expect(detailsOf(json)[0]?.[1]).toContain(words);
    expect(stdout).not.toMatch(/\\u00|\u202e|\[31m/);
    expect(stdout.length).toBeLessThan(2000);
    expect(existsSync(runDir(project, 'add-auth'))).toBe(false);
  });

  it('waits for a gh that never answers no longer than it may', () => {
    addRemote(project);
    installGh(project);
    troubleGh(project, { 'auth status': { hang: true } });
    expect(detailsOf(open().json)).toEqual([['gh', 'gh auth status gave no answer in 5 seconds.']]);
    expect(askedOfGh(project)).toHaveLength(1);
  });

  it('goes on where another account of gh is in trouble', () => {
    addRemote(project);
    installGh(project);
    const stderr =
      'github.com\n  ✓ Logged in to github.com account me\nghe.invalid\n  X Failed to log in to ghe.invalid';
    troubleGh(project, { 'auth status': { exit: 1, stderr } });
    expect(open().code).toBe(0);
  });

  it('is asked nothing when it goes on, and nobody is asked for a recipe without needs', () => {
    addRemote(project);
    installGh(project);
    open();
    troubleGh(project, { 'auth status': { exit: 1 } });
    expect(open().json.status).toBe('resumed');
    recipe('plain');
    init(project, 'other', '--recipe', 'plain');
    expect(askedOfGh(project)).toEqual(['auth|status|']);
  });

  it('a workflow that needs something itself is refused as a whole', () => {
    recipe('one');
    workflow('  - { name: a, recipe: one }\n', 'needs: [remote]\n');
    expect(detailsOf(begin('--workflow', 'flow').json)).toEqual([['remote', 'the repository has no remote']]);
  });
});

describe('a phase whose recipe lacks what it needs', () => {
  beforeEach(() => {
    recipe('one');
    recipe('two', 'needs: [remote, gh]\n');
  });

  it('is passed over with a warning that stays', () => {
    workflow('  - { name: a, recipe: two }\n  - { name: b, recipe: one }\n');
    const { json } = begin('--workflow', 'flow');
    const line = 'the phase a is skipped: the repository has no remote; gh is not on the PATH';
    expect(json['warnings']).toContain(line);
    expect(nextOf(json).block).toBe('one-step');
    expect(stateOf(project, 'add-auth')).toMatchObject({
      warnings: [line],
      workflow: { phases: [{ status: 'skipped' }, { status: 'running' }] },
    });
    expect(devCli(project, ['status', 'add-auth']).stdout).toContain(line);
  });

  it('is no matter of a warning where its condition passes over it', () => {
    workflow('  - { name: a, recipe: two, when: preferences.pull_request }\n  - { name: b, recipe: one }\n');
    const off = begin('--workflow', 'flow', '--set', 'pull_request=false').json;
    expect(JSON.stringify(off)).not.toContain('is skipped');
    // Now nobody has said whether phase a runs. It is skipped because its need is not met, and dev-cli warns of that.
    const auto = begin('--workflow', 'flow', '--force').json;
    expect(JSON.stringify(auto['warnings'])).toContain('the phase a is skipped');
    expect(stateOf(project, 'add-auth').preferences).toMatchObject({ pull_request: false });
  });

  it('that is the last one leaves a run that is completed', () => {
    workflow('  - { name: a, recipe: two }\n');
    expect(nextOf(begin('--workflow', 'flow').json)).toMatchObject({ done: true, outcome: 'completed' });
  });
});

describe('ultrawork', () => {
  it('without remote and gh plans and carries out', { timeout: 120_000 }, () => {
    const acceptance = [{ id: 'ac-1', kind: 'command' as const, run: ['test', '-f', 'made/todo-1.txt'] }];
    const plan = { ...smallPlan(), todos: [bareTodo('todo-1', { acceptance })] };
    const bare = { ...project, env: { ...project.env, ...env }, remove: () => {} };
    const agent = new StandIn({ project: bare, crew: simpleCrew(), scenario: { plan } });
    const done = agent.drive(agent.start('--workflow ultrawork-autopilot'));
    expect(done).toMatchObject({ outcome: 'completed' });
    expect(JSON.stringify(done)).toContain('the phase pr is skipped');
    expect(existsSync(join(project.root, 'made/todo-1.txt'))).toBe(true);
  });
});

describe('needs in a recipe file', () => {
  it.each([
    ['needs: [remotes]\n', 'remote'],
    ['need: [gh]\n', 'did you mean `needs`?'],
    ['needs: gh\n', 'needs'],
  ])('%j is an error at its place', (line, words) => {
    recipe('wrong', line);
    const { code, json } = devCli(project, ['recipe', 'lint', 'wrong', '--json']);
    expect(code).toBe(3);
    expect(JSON.stringify(json).toLowerCase()).toContain(words);
    expect(JSON.stringify(json)).toContain('.dev/recipes/wrong.yaml');
  });

  it('is shown and kept', () => {
    recipe('two', 'needs: [gh, remote, gh]\n');
    expect(devCli(project, ['recipe', 'show', 'two']).stdout).toMatch(/needs:\n {2}- gh\n {2}- remote\n/);
    expect(devCli(project, ['recipe', 'show', 'open-pr']).stdout).toMatch(/needs:\n {2}- remote\n {2}- gh\n/);
  });
});
