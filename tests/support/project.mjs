import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** This checkout. */
export const CHECKOUT = join(dirname(fileURLToPath(import.meta.url)), '../..');
/** The binary as it ships. */
export const BINARY = join(CHECKOUT, 'bin/dev-cli.js');

/**
 * A directory of its own for one test or demonstration.
 * @typedef {object} Project
 * @property {string} root absolute, links resolved
 * @property {string} home a home directory of its own, so that nothing of the user's is read or written
 * @property {NodeJS.ProcessEnv} env for child processes: `dev-cli` is on the PATH, nothing of dev-cli's is set
 * @property {boolean} replay false where a test breaks a journal or a document on purpose: then nothing is looked at
 * @property {() => void} remove looks at every run once more (tests/support/replayed.ts), then removes everything
 */

/** @type {((project: Project) => void)[]} */
const lastLooks = [];

/**
 * From now on every project is looked at before it is removed.
 * @param {(project: Project) => void} look throws what is wrong
 */
export function beforeRemoval(look) {
  lastLooks.push(look);
}

/**
 * Makes a fresh project: a copy of the sample, or nothing, in a git repository of its own with one commit.
 * @param {{ sample?: string | null, git?: boolean, prefix?: string, replay?: boolean }} [options] `sample` null: an empty directory
 * @returns {Project}
 */
export function createProject({ sample = 'todo-api', git = true, prefix = 'dev-cli-test-', replay = true } = {}) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), prefix)));
  const root = join(base, sample ?? 'project');
  const home = join(base, 'home');
  for (const directory of [root, home]) mkdirSync(directory);
  if (sample !== null) cpSync(join(CHECKOUT, 'samples', sample), root, { recursive: true });
  const env = environment(join(base, 'bin'), home);
  if (git) {
    const run = (/** @type {string[]} */ ...args) => execFileSync('git', args, { cwd: root, env, stdio: 'pipe' });
    run('init', '--quiet', '--initial-branch=main');
    run('config', 'user.name', 'A Developer');
    run('config', 'user.email', 'developer@example.invalid');
    run('config', 'commit.gpgsign', 'false');
    if (sample === null) writeFileSync(join(root, 'README.md'), '# project\n');
    run('add', '--all');
    run('commit', '--quiet', '--message', 'The project as it is');
  }
  /** @type {Project} */
  const project = {
    root,
    home,
    env,
    replay,
    remove() {
      makeWritable(base);
      try {
        if (project.replay) for (const look of lastLooks) look(project);
      } finally {
        rmSync(base, { recursive: true, force: true, maxRetries: 3 });
      }
    },
  };
  return project;
}

/**
 * Printed commands begin with `dev-cli`: a directory with just that, run by this very node.
 * @param {string} bin
 * @param {string} home
 * @returns {NodeJS.ProcessEnv}
 */
function environment(bin, home) {
  mkdirSync(bin);
  const shim = join(bin, 'dev-cli');
  writeFileSync(shim, `#!/bin/sh\nexec '${process.execPath}' '${BINARY}' "$@"\n`);
  chmodSync(shim, 0o755);
  /** @type {NodeJS.ProcessEnv} */
  const env = { ...process.env };
  for (const key of Object.keys(env)) {
    // A hook or a harness around us must not reach into the project; a caller's git must not either.
    if (/^(DEV_CLI_|GIT_|NODE_|VITEST|npm_)/.test(key)) delete env[key];
  }
  return {
    ...env,
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    NO_COLOR: '1',
  };
}

/** @param {string} directory */
function makeWritable(directory) {
  try {
    execFileSync('chmod', ['-R', 'u+rwX', directory], { stdio: 'ignore' });
  } catch {
    // Best effort: rmSync says it if something really is in the way.
  }
}
