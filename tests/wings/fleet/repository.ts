import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { scratchDirectory } from '../../support/scratch.js';

/** Repositories of a fleet: a bare remote, and clones of it. */

export const options = { env: process.env };

const IDENTITY = ['-c', 'user.name=t', '-c', 'user.email=t@example.org'];

/** Returns a function that runs git in a directory. */
export const gitIn =
  (directory: string) =>
  (...args: string[]): string =>
    execFileSync('git', [...IDENTITY, ...args], { cwd: directory, encoding: 'utf8' }).trimEnd();

/** Writes files below a directory. */
export function put(directory: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  }
}

/** Creates a bare repository and a clone that has pushed these files to `main`. */
export function openProject(files: Readonly<Record<string, string>>) {
  const directory = scratchDirectory('fleet-');
  const [bare, home] = [join(directory, 'bare.git'), join(directory, 'home')];
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', bare]);
  execFileSync('git', ['clone', '--quiet', bare, home], { stdio: 'ignore' });
  const git = gitIn(home);
  const commit = (changes: Readonly<Record<string, string>>): string => {
    put(home, changes);
    git('add', '--all');
    git('commit', '--quiet', '--message', 'x');
    git('push', '--quiet', 'origin', 'HEAD:main');
    return git('rev-parse', 'HEAD');
  };
  git('checkout', '--quiet', '-B', 'main');
  return { directory, bare, home, git, commit, base: commit(files) };
}
