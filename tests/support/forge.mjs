import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What tests of pull requests need outside dev-cli: a real git remote, and a fake `gh` that records its calls. */

/** @typedef {import('./project.mjs').Project} Project */

/**
 * A pull request as the fake `gh` stores it.
 * @typedef {object} Request
 * @property {string} url
 * @property {'OPEN' | 'CLOSED' | 'MERGED'} state
 * @property {boolean} isDraft
 * @property {string} headRefName
 * @property {boolean} isCrossRepository
 * @property {{ login: string }} headRepositoryOwner
 * @property {string} title
 * @property {string} body
 */

/**
 * How a `gh` command goes wrong: it exits with this code and prints this output, or it never answers.
 * @typedef {{ exit?: number, stdout?: string, stderr?: string, hang?: boolean }} Trouble
 */

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
 * Adds a bare repository beside the project as its `origin`, replacing an existing one, and pushes the main branch.
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
 * Lists the subjects of the commits on a remote branch that the remote's main branch does not have, oldest first.
 * @param {Project} project
 * @param {string} branch
 * @returns {string[]}
 */
export function commitsAtRemote(project, branch) {
  const args = ['--git-dir', beside(project, 'remote.git'), 'log', '--reverse', '--format=%s', `main..${branch}`];
  const said = execFileSync('git', args, { env: project.env, encoding: 'utf8', stdio: 'pipe' }).trim();
  return said === '' ? [] : said.split('\n');
}

/**
 * Makes the remote refuse every push with this message; null makes it accept pushes again.
 * @param {Project} project
 * @param {string | null} words
 */
export function refusePushes(project, words) {
  const hook = join(beside(project, 'remote.git'), 'hooks', 'pre-receive');
  if (words === null) {
    rmSync(hook, { force: true });
    return;
  }
  mkdirSync(dirname(hook), { recursive: true });
  writeFileSync(hook, `#!/bin/sh\necho '${words}' >&2\nexit 1\n`, { mode: 0o755 });
}

/** The source of the fake `gh`; its data is in files beside it. */
const GH = `
const { appendFileSync, existsSync, readFileSync, writeFileSync } = require('node:fs');
const { execFileSync } = require('node:child_process');
const [base, ...args] = process.argv.slice(2);
const at = (name) => base + '/' + name;
const read = (name, other) => (existsSync(at(name)) ? JSON.parse(readFileSync(at(name), 'utf8')) : other);
const asked = args.slice(0, 2).join(' ');
const requests = read('gh-requests', []);
const keep = () => writeFileSync(at('gh-requests'), JSON.stringify(requests));
const option = (flag) => (args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined);
const bodyFrom = (file) => readFileSync(file === '-' ? 0 : file, 'utf8');
const heads = () => {
  try {
    const format = '--format=%(refname:lstrip=2) %(objectname)';
    const said = execFileSync('git', ['--git-dir', at('remote.git'), 'for-each-ref', format], { encoding: 'utf8' });
    return Object.fromEntries(said.trim().split('\\n').map((line) => line.split(' ')));
  } catch {
    return {};
  }
};
appendFileSync(at('gh-calls'), JSON.stringify({ args, heads: heads() }) + '\\n');
const trouble = read('gh-trouble', {})[asked];
if (trouble !== undefined) {
  if (trouble.hang) setTimeout(() => {}, 3_600_000);
  else {
    process.stdout.write(trouble.stdout ?? '');
    process.stderr.write(trouble.stderr ?? '');
    process.exitCode = trouble.exit ?? 0;
  }
} else {
  const subject = args[2];
  const request = requests.find(({ url }) => url === subject) ?? requests.at(-1);
  const need = () => {
    if (request !== undefined) return true;
    process.stderr.write('no pull requests found\\n');
    process.exitCode = 1;
    return false;
  };
  if (asked === 'pr list') {
    console.log(JSON.stringify(requests.filter(({ headRefName }) => headRefName === option('--head'))));
  } else if (asked === 'pr create') {
    const url = 'https://forge.invalid/pull/' + (7 + requests.length);
    requests.push({
      url, state: 'OPEN', isDraft: args.includes('--draft'), headRefName: option('--head'), isCrossRepository: false,
      headRepositoryOwner: { login: 'owner' }, title: option('--title'), body: bodyFrom(option('--body-file')),
    });
    keep();
    console.log(url);
  } else if (asked === 'pr edit' && need()) {
    if (option('--title') !== undefined) request.title = option('--title');
    request.body = bodyFrom(option('--body-file'));
    keep();
    console.log(request.url);
  } else if (asked === 'pr ready' && need()) {
    request.isDraft = false;
    keep();
  } else if (asked === 'pr comment') need();
  else if (asked === 'issue comment') console.log(subject + '#issuecomment-1');
}
`;

/**
 * Installs a signed-in fake `gh` that knows only the pull requests it is told to create.
 * @param {Project} project
 */
export function installGh(project) {
  const program = beside(project, 'gh.cjs');
  writeFileSync(program, GH);
  const path = join(beside(project, 'bin'), 'gh');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\nexec '${process.execPath}' '${program}' '${dirname(project.root)}' "$@"\n`);
  chmodSync(path, 0o755);
}

/**
 * Makes these `gh` commands (for example `pr edit`) go wrong from now on; all others succeed.
 * @param {Project} project
 * @param {Record<string, Trouble>} trouble
 */
export function troubleGh(project, trouble) {
  writeFileSync(beside(project, 'gh-trouble'), JSON.stringify(trouble));
}

/**
 * Lists the calls of `gh`, each with the commits that the remote's branches pointed to at that time.
 * @param {Project} project
 * @returns {{ args: string[], heads: Record<string, string> }[]}
 */
export function callsOfGh(project) {
  const calls = beside(project, 'gh-calls');
  if (!existsSync(calls)) return [];
  return readFileSync(calls, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/**
 * Lists the calls of `gh` as one line each, with `|` after every argument.
 * @param {Project} project
 * @returns {string[]}
 */
export function askedOfGh(project) {
  return callsOfGh(project).map(({ args }) => args.map((argument) => `${argument}|`).join(''));
}

/**
 * Lists the pull requests that the fake `gh` knows, oldest first.
 * @param {Project} project
 * @returns {Request[]}
 */
export function requestsOf(project) {
  const path = beside(project, 'gh-requests');
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : [];
}

/**
 * Replaces the pull requests that the fake `gh` returns.
 * @param {Project} project
 * @param {Request[]} requests
 */
export function setRequests(project, requests) {
  writeFileSync(beside(project, 'gh-requests'), JSON.stringify(requests));
}
