import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Action } from '../support/agent.mjs';
import { type Document, devCli, init, nextOf, runPrinted, writeProjectFile } from '../support/cli.js';
import { addRemote, askedOfGh, installGh } from '../support/forge.mjs';
import { createProject, type Project } from '../support/project.mjs';

/** open-pr from the outside (recipes.md §4): a real git remote, and a stand-in for `gh` that writes down what it was asked. */

let project: Project;
let base: string;
beforeEach(() => {
  project = createProject();
  base = dirname(project.root);
});
afterEach(() => project.remove());

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: project.root, env: project.env, encoding: 'utf8', stdio: 'pipe' }).trim();

/** Nothing called gh may be found, whatever this machine has installed. */
const withoutGh = (): NodeJS.ProcessEnv => {
  const tools = join(base, 'tools');
  mkdirSync(tools, { recursive: true });
  for (const tool of ['git', 'sh', 'cat', 'mkfifo', 'ps']) {
    const found = execFileSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim();
    writeFileSync(join(tools, tool), `#!/bin/sh\nexec '${found}' "$@"\n`, { mode: 0o755 });
  }
  return { PATH: `${join(base, 'bin')}:${tools}` };
};

/** Polls as told until something else is to be done. */
function settled(document: Document, env: NodeJS.ProcessEnv = {}): Action {
  let action = (document.next ?? document) as Action;
  for (let n = 0; n < 20 && action.action === 'running'; n += 1) {
    action = runPrinted(project, action.poll ?? '', { env }).json as unknown as Action;
  }
  return action;
}

const TEXT = { title: 'Add JWT auth', body: 'Why: "quoted" $HOME `x`\n\n- one\n' };

/** Writes the text and acknowledges; gives what follows. */
function describeIt(action: Action, text: unknown = TEXT, env: NodeJS.ProcessEnv = {}): Action {
  expect(action).toMatchObject({ block: 'describe', action: 'llm+cli' });
  writeProjectFile(project, action.data?.write ?? '', JSON.stringify(text));
  const result = runPrinted(project, action.ack ?? '', { env });
  expect(result.code, result.stdout).toBe(0);
  return settled(result.json, env);
}

describe('open-pr', () => {
  it('makes a branch, pushes it and opens a draft with the text, whatever is in it', () => {
    addRemote(project);
    installGh(project);
    const end = describeIt(settled(init(project, 'add-auth', '--recipe', 'open-pr')));
    expect(end, JSON.stringify(end)).toMatchObject({ action: 'done', outcome: 'completed' });
    expect(git('branch', '--show-current')).toBe('dev/add-auth');
    expect(git('rev-parse', 'origin/dev/add-auth')).toBe(git('rev-parse', 'HEAD'));
    expect(askedOfGh(project)).toEqual([
      'pr|list|--head|dev/add-auth|--state|open|--json|url|--jq|.[0].url|',
      'pr|create|--draft|--head|dev/add-auth|--title|Add JWT auth|--body-file|-|',
    ]);
    expect(readFileSync(join(base, 'gh-body'), 'utf8')).toBe(TEXT.body);
  });

  it('gives a branch with nothing of its own an empty commit, and leaves what is staged and changed', () => {
    addRemote(project);
    installGh(project);
    writeProjectFile(project, 'staged.txt', 'staged\n');
    git('add', 'staged.txt');
    writeProjectFile(project, 'README.md', 'changed\n');
    const before = git('status', '--porcelain', '--', '.', ':(exclude).dev');
    describeIt(settled(init(project, 'add-auth', '--recipe', 'open-pr')));
    expect(git('rev-list', '--count', 'origin/main..HEAD')).toBe('1');
    expect(git('diff', '--name-only', 'origin/main', 'HEAD')).toBe('');
    expect(git('log', '-1', '--format=%s|%(trailers:key=Dev-Cli-Task,valueonly)')).toMatch(/^Add JWT auth\|.+\/open$/);
    expect(git('status', '--porcelain', '--', '.', ':(exclude).dev')).toBe(before);
  });

  it('keeps a branch of its own with its commits, and finds the pull request that is open', () => {
    addRemote(project);
    installGh(project);
    git('switch', '--quiet', '--create', 'mine');
    git('commit', '--quiet', '--allow-empty', '--message', 'Work');
    describeIt(settled(init(project, 'add-auth', '--recipe', 'open-pr')));
    expect(git('branch', '--show-current')).toBe('mine');
    expect(git('rev-list', '--count', 'origin/main..origin/mine')).toBe('1');
    const again = devCli(project, ['pull-request', 'open', 'add-auth']);
    expect(again.json, again.stdout).toMatchObject({
      ok: true,
      branch: 'mine',
      url: 'https://forge.invalid/pull/7',
      made: false,
    });
    expect(askedOfGh(project).filter((call) => call.startsWith('pr|create'))).toHaveLength(1);
  });

  it('without gh: halts with the branch pushed and the text ready, and goes on when gh is there', () => {
    addRemote(project);
    const env = withoutGh();
    const end = describeIt(settled(init(project, 'add-auth', '--recipe', 'open-pr')), TEXT, env);
    expect(end).toMatchObject({ action: 'done', outcome: 'halted' });
    expect(JSON.stringify(end)).toContain('gh is not on the PATH');
    expect(JSON.stringify(end)).toContain('.dev/specs/add-auth/pr.json');
    expect(git('rev-parse', 'origin/dev/add-auth')).toBe(git('rev-parse', 'HEAD'));
    installGh(project);
    const resumed = settled(runPrinted(project, String((end as unknown as Document)['resume'])).json);
    expect(resumed).toMatchObject({ action: 'done', outcome: 'completed' });
    expect(askedOfGh(project).filter((call) => call.startsWith('pr|create'))).toHaveLength(1);
  });

  it('without a remote: halts and says so; nothing was asked of gh', () => {
    installGh(project);
    const end = describeIt(settled(init(project, 'add-auth', '--recipe', 'open-pr')));
    expect(end).toMatchObject({ action: 'done', outcome: 'halted' });
    expect(JSON.stringify(end)).toContain('The repository has no remote.');
    expect(askedOfGh(project)).toEqual([]);
  });

  it('refuses a text that is none, with the action still pending', () => {
    const action = settled(init(project, 'add-auth', '--recipe', 'open-pr'));
    for (const text of [{ title: 'x' }, { title: ' ', body: 'y' }, { title: 'x', body: 'y', draft: false }]) {
      writeProjectFile(project, action.data?.write ?? '', JSON.stringify(text));
      expect(runPrinted(project, action.ack ?? '').json.error?.code).toBe('SCHEMA_INVALID');
    }
    expect(nextOf({ ok: true, next: devCli(project, ['next', 'add-auth']).json as unknown as Action }).block).toBe(
      'describe',
    );
  });
});

describe('pull-request by hand', () => {
  it('outside of a repository is refused before anything is run', () => {
    project.remove();
    project = createProject({ git: false });
    init(project, 'x', '--quick', '--autopilot', '--goal', 'y');
    expect(devCli(project, ['pull-request', 'branch', 'x']).json.error).toMatchObject({ code: 'GIT_FAILED' });
    expect(devCli(project, ['pull-request', 'open', 'x']).json.error).toMatchObject({ code: 'EVIDENCE_MISSING' });
    expect(devCli(project, ['pull-request', 'open', 'nobody']).code).not.toBe(0);
  });

  it('leaves a detached HEAD for the branch of the run, and comes back to it', () => {
    init(project, 'x', '--quick', '--autopilot', '--goal', 'y');
    git('checkout', '--quiet', '--detach');
    expect(devCli(project, ['pull-request', 'branch', 'x']).json).toMatchObject({ branch: 'dev/x', made: true });
    git('switch', '--quiet', 'main');
    expect(devCli(project, ['pull-request', 'branch', 'x']).json).toMatchObject({ branch: 'dev/x', made: false });
    expect(git('branch', '--show-current')).toBe('dev/x');
  });
});
