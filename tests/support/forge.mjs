import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A real git remote, and a stand-in for `gh` that writes down what it was asked: what open-pr needs of the world. */

/** @typedef {import('./project.mjs').Project} Project */

/**
 * @param {Project} project
 * @param {string} name
 */
const beside = (project, name) => join(dirname(project.root), name);

/**
 * @param {Project} project
 * @param {string[]} args
 */
const git = (project, ...args) => {
  execFileSync('git', args, { cwd: project.root, env: project.env, stdio: 'pipe' });
};

/**
 * A bare repository beside the project as its `origin`, with the main branch pushed; in place of an `origin` that it has.
 * @param {Project} project
 */
export function addRemote(project) {
  const remote = beside(project, 'remote.git');
  git(project, 'init', '--quiet', '--bare', '--initial-branch=main', remote);
  git(project, 'config', 'remote.origin.url', remote);
  git(project, 'config', 'remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*');
  git(project, 'push', '--quiet', 'origin', 'main');
}

/**
 * A `gh` that knows the pull requests that it was told to create.
 * @param {Project} project
 */
export function installGh(project) {
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

/**
 * What `gh` was asked, a line each with `|` after every argument.
 * @param {Project} project
 * @returns {string[]}
 */
export function askedOfGh(project) {
  const calls = beside(project, 'gh-calls');
  return existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : [];
}
