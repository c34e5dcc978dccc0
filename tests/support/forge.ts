import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Project } from './project.mjs';

/** A real git remote, and a stand-in for `gh` that writes down what it was asked: what open-pr needs of the world. */

const beside = (project: Project, name: string): string => join(dirname(project.root), name);
const git = (project: Project, ...args: string[]): void => {
  execFileSync('git', args, { cwd: project.root, env: project.env, stdio: 'pipe' });
};

/** A bare repository beside the project as its `origin`, with the main branch pushed. */
export function addRemote(project: Project): void {
  const remote = beside(project, 'remote.git');
  git(project, 'init', '--quiet', '--bare', '--initial-branch=main', remote);
  git(project, 'remote', 'add', 'origin', remote);
  git(project, 'push', '--quiet', 'origin', 'main');
}

/** A `gh` that knows the pull requests that it was told to create. */
export function installGh(project: Project): void {
  const path = join(beside(project, 'bin'), 'gh');
  const open = beside(project, 'gh-open');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(
    path,
    `#!/bin/sh
for argument; do printf '%s|' "$argument"; done >> '${beside(project, 'gh-calls')}'
echo >> '${beside(project, 'gh-calls')}'
case "$1 $2" in
  "pr list") cat '${open}' 2>/dev/null || true ;;
  "pr create") cat > '${beside(project, 'gh-body')}'; echo 'https://forge.invalid/pull/7' | tee '${open}' ;;
esac
`,
  );
  chmodSync(path, 0o755);
}

/** What `gh` was asked, a line each with `|` after every argument. */
export function askedOfGh(project: Project): string[] {
  const calls = beside(project, 'gh-calls');
  return existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : [];
}
