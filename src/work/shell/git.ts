import { ProgramArguments } from './options.js';
import { ANY_PATH, GIT_DATA_PREFIX, joinPaths } from './paths.js';

/**
 * Lists what a git command, such as `git reset`, writes in the work tree and in git's own data (harness.md, Guard).
 * Pure: looks only at the command's words, never at files.
 */

/** Lists the paths that a git command writes. Paths made with `GIT_DATA_PREFIX` mean commits, branches or the index. */
export function listGitWrites(all: readonly string[]): string[] {
  let at = 0;
  let directory = '';
  let kept = '.git';
  while (all[at]?.startsWith('-')) {
    const [option = '', next = ''] = all.slice(at, at + 2);
    const [, name = option, value = next] = /^(--[a-z-]+)=(.*)$/s.exec(option) ?? [];
    if (['-C', '--work-tree'].includes(name) && directory.length < LONGEST)
      directory = joinPaths(directory, value) ?? '';
    if (name === '--git-dir') kept = value;
    at += VALUED.includes(option) ? 2 : 1;
  }
  const [verb = '', ...rest] = all.slice(at);
  const written = takeVerb(verb, rest).map((path) => (path.startsWith('.git/') ? kept + path.slice(4) : path));
  return written.map((path) => joinPaths(directory, path) ?? path);
}

/** Maximum length of a directory in characters. */
const LONGEST = 4096;
/** Options before the verb, such as `commit`, that take the next word as their value. */
const VALUED = '-C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source'.split(' ');

/** Options of each verb that take a value. */
const GRAMMARS: Readonly<Record<string, string>> = {
  commit: '-m -F -C -c -t --message --file --author --date --trailer',
  config: '-f --file --blob --type --default --comment --value',
  init: '-b --template --initial-branch --separate-git-dir --object-format',
  push: '-o --push-option --repo',
  checkout: '-b -B --orphan --conflict --pathspec-from-file',
  switch: '-c -C --create --force-create --orphan --conflict',
  restore: '-s --source --conflict --pathspec-from-file',
  rm: '--pathspec-from-file',
  clean: '-e --exclude',
  archive: '-o --output',
  'format-patch': '-o --output-directory',
  'checkout-index': '--prefix --stage',
  'merge-file': '-L',
  'read-tree': '--prefix --index-output',
};

function takeVerb(verb: string, rest: readonly string[]): string[] {
  const told = new ProgramArguments(rest, { valued: GRAMMARS[verb] ?? '--output' });
  if (told.has('-h', '--help', '--dry-run')) return [];
  return Object.hasOwn(VERBS, verb) ? (VERBS[verb]?.(told, rest) ?? []) : [];
}

type Verb = (told: ProgramArguments, rest: readonly string[]) => string[];

/** Makes a verb that changes history and may write any file, unless one of the `harmless` options is given. */
const anywhere =
  (...harmless: string[]): Verb =>
  (told) =>
    told.has(...harmless) ? [] : [GIT_DATA_PREFIX, ANY_PATH];
/** Makes a verb that changes only history, unless one of the `harmless` options is given. */
const keeping =
  (...harmless: string[]): Verb =>
  (told) =>
    told.has(...harmless) ? [] : [GIT_DATA_PREFIX];
/**
 * Makes a verb that writes `paths`, unless its first operand is in `shows`: subcommands that only read, separated by
 * spaces.
 */
const unless =
  (shows: string, ...paths: string[]): Verb =>
  ({ operands: [what = ''] }) =>
    shows.split(' ').includes(what) ? [] : paths;
const CONFIG = '.git/config';
const HOOKS = '.git/hooks';
/** Options that make a verb only show what it would do. */
const DRY = ['-n', '--dry-run'];
const toOutput: Verb = (told) => told.values('-o', '--output');
/** Options with which git asks for the paths or reads them from a file, so the command line does not name them. */
const LISTED_ELSEWHERE = ['-p', '--patch', '--pathspec-from-file'];

const VERBS: Readonly<Record<string, Verb>> = {
  am: anywhere('--show-current-patch', '--quit'),
  'cherry-pick': anywhere('--quit'),
  merge: anywhere('--quit'),
  pull: anywhere(),
  rebase: anywhere('--show-current-patch', '--edit-todo', '--quit'),
  revert: anywhere('--quit'),
  bisect: unless(' log view visualize terms help', GIT_DATA_PREFIX, ANY_PATH),
  subtree: unless(' push split', GIT_DATA_PREFIX, ANY_PATH),
  'filter-branch': anywhere(),
  submodule: unless(' status summary foreach', ANY_PATH),
  'sparse-checkout': unless(' list check-rules', ANY_PATH),
  remote: unless(' show get-url prune update set-head', CONFIG),
  config: takeConfigured,
  init: (told) => (told.values('--template').length > 0 ? [joinPaths(told.operands[0] ?? '', HOOKS) ?? HOOKS] : []),
  lfs: ({ operands: [what = ''] }) => {
    if (['install', 'uninstall', 'update'].includes(what)) return [HOOKS];
    if (what === 'migrate') return [GIT_DATA_PREFIX, ANY_PATH];
    return ['pull', 'checkout'].includes(what) ? [ANY_PATH] : [];
  },
  mergetool: () => [ANY_PATH],
  'merge-file': (told) => (told.has('-p', '--stdout') ? [] : told.operands.slice(0, 1)),
  commit: keeping(),
  push: keeping(...DRY),
  'update-ref': keeping(),
  'symbolic-ref': (told) => (told.operands.length > 1 || told.has('-d', '--delete') ? [GIT_DATA_PREFIX] : []),
  branch: (told) => (told.has('-d', '-D', '-f', '-m', '-M', '--delete', '--force', '--move') ? [GIT_DATA_PREFIX] : []),
  'read-tree': (told) => (told.has('-u') && !told.has(...DRY) ? [ANY_PATH] : []),
  'checkout-index': (told) => (told.has('--prefix') ? told.values('--prefix') : [ANY_PATH]),
  apply: (told) =>
    told.has('--check', '--stat', '--numstat', '--summary', '--cached') && !told.has('--apply') ? [] : [ANY_PATH],
  reset: takeReset,
  stash: ({ operands: [what = ''] }) => {
    if (['list', 'show', 'create'].includes(what)) return [];
    return ['store', 'drop', 'clear'].includes(what) ? [GIT_DATA_PREFIX] : [GIT_DATA_PREFIX, ANY_PATH];
  },
  // With `-x` or `-X`, git also removes ignored files, among them `.dev`.
  clean: (told) => (told.has(...DRY) ? [] : told.has('-x', '-X') ? [ANY_PATH, '.dev'] : [ANY_PATH]),
  checkout: takeCheckedOut,
  switch: takeSwitched,
  restore: (told) => {
    if (told.has('--staged', '-S') && !told.has('--worktree', '-W')) return [];
    return told.has(...LISTED_ELSEWHERE) ? [ANY_PATH] : told.operands;
  },
  rm: (told) => (told.has('--cached', ...DRY) ? [] : told.has('--pathspec-from-file') ? [ANY_PATH] : told.operands),
  mv: (told) => (told.has(...DRY) ? [] : told.operands),
  diff: toOutput,
  show: toOutput,
  log: toOutput,
  archive: toOutput,
  'format-patch': (told) => {
    const [directory = '.'] = told.values('-o', '--output-directory');
    return told.has('--stdout') ? [] : [directory];
  },
};

const READS = '-l --list --get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool --blob'.split(' ');

/** With only a name, and no option that changes something, `git config` reads. */
function takeConfigured(told: ProgramArguments): string[] {
  const [first = '', ...more] = told.operands;
  const isAlone = more.length === 0 && first !== 'edit';
  const changes = ['--unset', '--unset-all', '--remove-section', '-e', '--edit'];
  if (told.has(...READS) || ['list', 'get'].includes(first) || (isAlone && !told.has(...changes))) return [];
  const [file = CONFIG] = told.values('-f', '--file');
  return told.has('--global', '--system') ? [] : [file];
}

/**
 * A single word may be a commit or a file, depending on which files exist. With several words, all after the first are
 * files, and no commit is checked out.
 */
function takeWord([word, ...more]: readonly string[]): string[] {
  return word === undefined || more.length > 0 ? [] : [GIT_DATA_PREFIX + word];
}

/** `git reset` without a path unstages everything, including other people's changes. */
function takeReset(told: ProgramArguments, rest: readonly string[]): string[] {
  if (told.has('--hard', '--merge', '--keep')) return [GIT_DATA_PREFIX, ANY_PATH];
  if (told.has('--soft')) return [GIT_DATA_PREFIX];
  if (rest.includes('--') || told.has(...LISTED_ELSEWHERE)) return [];
  const [first = 'HEAD', ...paths] = told.operands;
  if (!['HEAD', '@'].includes(first)) return takeWord(told.operands);
  return paths.length === 0 ? [GIT_DATA_PREFIX] : [];
}

/** Lists what checking out the start point of a branch writes: at HEAD only git's own data, elsewhere any file. */
function takeStart([start, ...more]: readonly string[]): string[] {
  return start === undefined || (more.length === 0 && ['HEAD', '@'].includes(start))
    ? [GIT_DATA_PREFIX]
    : [GIT_DATA_PREFIX, ANY_PATH];
}

function takeCheckedOut(told: ProgramArguments, rest: readonly string[]): string[] {
  const separator = rest.indexOf('--');
  if (separator !== -1) return rest.slice(separator + 1);
  if (told.has(...LISTED_ELSEWHERE)) return [ANY_PATH];
  const isForced = told.has('-f', '--force');
  if (told.has('-b', '-B', '--orphan', '-d', '--detach'))
    return isForced ? [GIT_DATA_PREFIX, ANY_PATH] : takeStart(told.operands);
  if (told.has('-t', '--track') || rest.includes('-')) return [GIT_DATA_PREFIX, ANY_PATH];
  return told.operands.length === 0 && isForced ? [ANY_PATH] : [...takeWord(told.operands), ...told.operands];
}

/**
 * Lists what `git switch` writes. Its operand is never a path. A branch created with `--orphan` begins without any
 * file.
 */
function takeSwitched(told: ProgramArguments, rest: readonly string[]): string[] {
  if (rest.length === 0) return [];
  if (told.has('-f', '--force', '--discard-changes', '--orphan') || rest.includes('-'))
    return [GIT_DATA_PREFIX, ANY_PATH];
  return takeStart(told.operands);
}
