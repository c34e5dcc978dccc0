import { mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { begin, making, planOf } from '../../adversarial/binary/executing.js';
import { project, useProject } from '../../support/each-project.js';
import { callHook } from '../../support/hooks.js';

// harness.md, Guard: which paths a shell pattern may match, and who may change git's configuration.

useProject({ sample: null });

function shell(command: string, cwd = project.root) {
  const call = { session_id: 's-1', cwd, tool_name: 'Bash', tool_input: { command }, agent_id: 'w-1' };
  return callHook(project, 'pre-tool-use', 'claude', call);
}

const execute = (...files: string[]) => begin(project, planOf(making('todo-1', [['true']], { files })));

/** Replaces UP by the directory above the project, NAME by the project's name, and `N?` by a pattern for that name. */
const named = (command: string) =>
  command
    .replaceAll('UP', dirname(project.root))
    .replaceAll('NAME', basename(project.root))
    .replaceAll('N?', `${basename(project.root)[0]}*`);

describe('patterns that a worker writes by', () => {
  it.each([
    'rm -rf ../*',
    'rm -rf ../N?',
    'rm -rf UP/*',
    'rm -rf /*',
    'mv ../* /tmp',
    'rm -rf UP/N?/src',
    'rm UP/{NAME,other}/src/b.ts',
    'rm ../{NAME,other}/src/b.ts',
    'chmod 644 ../*/src/b.ts',
    'chmod 644 .././*//src/b.ts',
    'rm -rf ../[!x]*/src',
    'find ../* -delete',
    'cd ../N? && rm src/b.ts',
    'cd src && rm ../../*/src/b.ts',
    'rm *',
    'rm s*/b.ts',
    'mv src/b.ts{,.bak}',
  ])('%s: refused', (command) => {
    execute('src/a.ts');
    const { code, stderr } = shell(named(command));
    expect(code, stderr).toBe(2);
  });

  it.each([
    'rm -rf ../NAME-old*',
    'rm -f UP/*.no-such',
    'rm UP/*/src/a.ts',
    'cp src/* ..',
    'cp "$x" ..',
    'rm -f ../.cache*',
    'rm src/{a.ts,a.ts}',
  ])('%s: allowed', (command) => {
    execute('src/a.ts');
    const { code, stderr } = shell(named(command));
    expect(code, stderr).toBe(0);
  });

  it('reach what is reserved, though the todo may change every file', () => {
    execute();
    for (const command of ['rm -rf .d*', 'rm -rf .*', 'rm {.dev,x}/guard', 'echo x > .gi*/config', 'rm ../*/.c*/x']) {
      expect(shell(command).code, command).toBe(2);
    }
    for (const command of ['rm -rf *', 'rm .eslint*', 'rm .gitlab*', 'rm src/.*.swp']) {
      expect(shell(command).code, command).toBe(0);
    }
  });
});

describe('git’s configuration', () => {
  it('is changed by nobody, from wherever', () => {
    execute();
    mkdirSync(join(project.root, 'made'));
    const { root } = project;
    for (const command of ['git config core.hooksPath x', 'git config --unset alias.x', 'git remote add x y']) {
      expect(shell(command).stderr, command).toContain('.git/config belongs to git');
      expect(shell(command, join(root, 'made')).code).toBe(2);
      expect(shell(command.replace('git', `git --git-dir=${root}/.git`), project.home).code).toBe(2);
      expect(shell(command, project.home).code).toBe(0);
    }
    for (const command of [
      'git config --get alias.x',
      'git config user.name',
      'git config --global a.b c',
      'git remote -v',
    ])
      expect(shell(command).code, command).toBe(0);
  });
});
