import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The directory of this checkout. */
export const CHECKOUT = join(dirname(fileURLToPath(import.meta.url)), '../..');
/** The cache of the binary's compiled code. All projects share it, as all projects of a user do. */
const CACHE = join(CHECKOUT, 'node_modules/.cache/tests');
/** The binary as it ships. */
export const BINARY = join(CHECKOUT, 'bin/dev-cli.js');

/**
 * A separate directory for one test or demonstration.
 * @typedef {object} Project
 * @property {string} root an absolute path without symbolic links
 * @property {string} home a home directory of its own, so that the user's files are neither read nor written
 * @property {NodeJS.ProcessEnv} env for child processes: `dev-cli` is on the PATH, no variable of dev-cli is set
 * @property {boolean} replay false if a test breaks a journal or a document on purpose; then `remove` checks nothing
 * @property {() => void} remove checks every run (tests/support/replayed.ts), then removes everything
 */

/** @type {Set<(project: Project) => void>} */
const lastLooks = new Set();

/**
 * Registers a check that every project must pass before it is removed.
 * @param {(project: Project) => void} look throws an error if something is wrong
 */
export function beforeRemoval(look) {
  lastLooks.add(look);
}

/**
 * Creates a project: a copy of the sample, or an empty directory, in its own git repository with one commit.
 * @param {{ sample?: string | null, git?: boolean, prefix?: string, at?: string, replay?: boolean }} [options]
 * `sample`: null for an empty directory; `at`: an absolute path for the new directory
 */
export function createProject({ sample = 'todo-api', git = true, prefix = 'dev-cli-test-', at, replay = true } = {}) {
  if (at !== undefined) mkdirSync(at);
  const base = at ?? temporary(prefix);
  const root = join(base, sample ?? 'project');
  const home = join(base, 'home');
  mkdirSync(home);
  const env = environment(join(base, 'bin'), home);
  cpSync(modelOf(sample, git, env), root, { recursive: true });
  // The copy has the template's mode, which lets in only its owner.
  chmodSync(root, 0o755);
  /** @type {Project} */
  const project = {
    root,
    home,
    env,
    replay,
    remove() {
      try {
        if (project.replay) lookOnceMore(project, base);
      } finally {
        remove(base);
      }
    },
  };
  return project;
}

/**
 * @param {Project} project
 * @param {string} base
 */
function lookOnceMore(project, base) {
  const look = () => {
    for (const one of lastLooks) one(project);
  };
  try {
    look();
  } catch {
    // The test may have made files unreadable, so make them readable and check again.
    makeWritable(base);
    look();
  }
}

/**
 * Templates that projects are copied from, by their content. Copying one takes a tenth of the time of a new repository.
 * @type {Map<string, string>}
 */
const models = new Map();
process.on('exit', () => {
  for (const model of models.values()) remove(model);
});

/**
 * @param {string | null} sample
 * @param {boolean} git
 * @param {NodeJS.ProcessEnv} env
 */
function modelOf(sample, git, env) {
  const key = `${sample} ${git}`;
  const known = models.get(key);
  if (known !== undefined) return known;
  const model = temporary('dev-cli-model-', process.env['DEV_CLI_TESTS_MODELS']);
  models.set(key, model);
  if (sample !== null) cpSync(join(CHECKOUT, 'samples', sample), model, { recursive: true });
  if (!git) return model;
  const run = (/** @type {string[]} */ ...args) => execFileSync('git', args, { cwd: model, env, stdio: 'pipe' });
  run('init', '--quiet', '--initial-branch=main', '--template=');
  run('config', 'user.name', 'A Developer');
  run('config', 'user.email', 'developer@example.invalid');
  run('config', 'commit.gpgsign', 'false');
  if (sample === null) writeFileSync(join(model, 'README.md'), '# project\n');
  run('add', '--all');
  run('commit', '--quiet', '--message', 'The project as it is');
  return model;
}

/** @param {string} prefix */
function temporary(prefix, parent = tmpdir()) {
  return realpathSync(mkdtempSync(join(parent, prefix)));
}

/** @param {string} base */
function remove(base) {
  const options = { recursive: true, force: true, maxRetries: 3 };
  try {
    rmSync(base, options);
  } catch {
    // The test has made files unwritable.
    makeWritable(base);
    rmSync(base, options);
  }
}

/**
 * Creates a directory with only the command `dev-cli`, run by this version of Node, and returns an environment whose
 * PATH begins with it, so that printed commands find it.
 * @param {string} bin
 * @param {string} home
 * @returns {NodeJS.ProcessEnv}
 */
function environment(bin, home) {
  mkdirSync(bin);
  mkdirSync(CACHE, { recursive: true, mode: 0o700 });
  const shim = join(bin, 'dev-cli');
  writeFileSync(shim, `#!/bin/sh\nexec '${process.execPath}' '${BINARY}' "$@"\n`);
  chmodSync(shim, 0o755);
  /** @type {NodeJS.ProcessEnv} */
  const env = { ...process.env };
  for (const key of Object.keys(env)) {
    // Variables of a surrounding hook, harness or git must not reach the project. For example, whoever types at a
    // test's terminal must count as a person, even if an agent runs the tests.
    if (/^(DEV_CLI_|GIT_|NODE_|VITEST|npm_|CLAUDE|CODEX_|GEMINI_|GITHUB_|AI_AGENT$)/.test(key)) delete env[key];
  }
  return {
    ...env,
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_CACHE_HOME: CACHE,
    NO_COLOR: '1',
  };
}

/** @param {string} directory */
function makeWritable(directory) {
  try {
    execFileSync('chmod', ['-R', 'u+rwX', directory], { stdio: 'ignore' });
  } catch {
    // Best effort: if the files still cannot be removed, rmSync reports it.
  }
}
