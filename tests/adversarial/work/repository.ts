import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Real git repositories for tests, isolated from the environment. */

export const GIT_ENV: Record<string, string> = {
  PATH: process.env['PATH'] ?? '',
  HOME: '/nonexistent',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.org',
};

/** Creates a directory whose name breaks careless quoting. */
export function freshDirectory(): { path: string; remove: () => void } {
  const outer = mkdtempSync(join(realpathSync(tmpdir()), 'work-'));
  const path = join(outer, 'it\'s a "tree"');
  mkdirSync(path);
  return { path, remove: () => rmSync(outer, { recursive: true, force: true }) };
}

export function git(directory: string, ...args: string[]): string {
  const safe = ['-c', 'protocol.file.allow=always', '-c', 'init.defaultBranch=main'];
  return execFileSync('git', [...safe, ...args], { cwd: directory, env: GIT_ENV, encoding: 'utf8', stdio: 'pipe' });
}

export function put(directory: string, path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(directory, path)), { recursive: true });
  writeFileSync(join(directory, path), content);
}

/** Creates a repository with one commit of the given files. */
export function repository(directory: string, files: Record<string, string>): void {
  mkdirSync(directory, { recursive: true });
  git(directory, 'init', '--quiet');
  for (const [path, content] of Object.entries(files)) put(directory, path, content);
  git(directory, 'add', '--all');
  git(directory, 'commit', '--quiet', '--message', 'first', '--allow-empty');
}
