import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { begin, making, planOf } from '../../adversarial/binary/executing.js';
import { writeProjectFile } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { callHook } from '../../support/hooks.js';

// harness.md, Guard: while a plan is carried out, a worker must not change git's history.

useProject({ sample: null });

const WORKER = { agent_id: 'w-1' };

function shell(command: string, more: object = WORKER, cwd = project.root) {
  const call = { session_id: 's-1', cwd, tool_name: 'Bash', tool_input: { command }, ...more };
  return callHook(project, 'pre-tool-use', 'claude', call);
}

/** Starts the execution of a todo that names no files and so may write any. */
const execute = () => begin(project, planOf(making('todo-1', [['true']], { files: [] })));

const CHANGING = [
  'git commit -m x',
  'git add -A && git commit --amend --no-edit',
  'git push',
  'git switch topic',
  'git switch -c topic',
  'git checkout topic',
  'git stash',
  'git stash pop',
  'git reset',
  'git reset HEAD~1',
  'git reset --hard',
  'git rebase main',
];

describe('what a worker does with git', () => {
  it.each(CHANGING)('%s: refused, and told why', (command) => {
    execute();
    const { code, stderr } = shell(command);
    expect(code).toBe(2);
    expect(stderr).toContain('makes its own commits');
    expect(stderr).toContain('dev-cli guard off');
  });

  it.each(['git status', 'git add made', 'git checkout made/a.txt', 'git restore made/a.txt', 'git reset made/a.txt'])(
    '%s: allowed',
    (command) => {
      writeProjectFile(project, 'made/a.txt', 'a\n');
      execute();
      expect(shell(command).code).toBe(0);
    },
  );

  it('is refused from below the work tree, too, and is nobody’s concern in another repository', () => {
    execute();
    for (const path of ['made', 'inner']) mkdirSync(join(project.root, path), { recursive: true });
    execFileSync('git', ['init', '--quiet'], { cwd: join(project.root, 'inner'), env: project.env });
    expect(shell('git commit -m x', WORKER, join(project.root, 'made')).code).toBe(2);
    expect(shell('cd made && git push').code).toBe(2);
    expect(shell('git -C inner commit -m x').code).toBe(0);
    expect(shell('cd inner && git push').code).toBe(0);
    expect(shell(`git -C ${project.home} commit -m x`).code).toBe(0);
  });

  it('is the user’s to ask of the agent that drives the run, and of anybody while none is carried out', () => {
    execute();
    expect(shell('git commit -m x', {}).code).toBe(0);
    expect(shell('git switch -c topic', {}).code).toBe(0);
    expect(shell('git reset --hard', {}).code).toBe(2);
  });
});
