/** Which of its arguments a program writes, for programs that do so plainly (harness.md, Guard). Pure, and about names alone. */

/** What `git` and `patch` may change anywhere below the directory. */
export const ANYTHING = '';

/** Short options that take the next word, and long ones that do. */
type Valued = readonly string[];

interface Taken {
  operands: string[];
  options: string[];
  /** The values of options that take one, by option. */
  values: Map<string, string>;
}

/** Divides arguments; after `--` all are operands. */
function take(words: readonly string[], valued: Valued = []): Taken {
  const taken: Taken = { operands: [], options: [], values: new Map() };
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (word === '--') {
      taken.operands.push(...words.slice(index + 1));
      break;
    }
    if (!word.startsWith('-')) taken.operands.push(...list(word));
    else if (word !== '-' && takeOption(word, words[index + 1] ?? '', valued, taken)) index += 1;
  }
  return taken;
}

/** @returns whether it took the next word */
function takeOption(word: string, next: string, valued: Valued, { options, values }: Taken): boolean {
  const isLong = word.startsWith('--');
  const [option = '', value] = isLong ? word.split(/=(.*)/s) : [word];
  options.push(option);
  // `-ofile`, and in a bundle the last one, which takes the next word.
  const [first, last] = [word.slice(0, 2), `-${word.at(-1)}`];
  if (value !== undefined) values.set(option, value);
  else if (valued.includes(option)) values.set(option, next);
  else if (!isLong && valued.includes(first)) values.set(first, word.slice(2));
  else if (/^-\w+$/.test(word) && valued.includes(last)) values.set(last, next);
  else return false;
  return value === undefined && (valued.includes(option) || !valued.includes(first));
}

const list = (...paths: (string | undefined)[]): string[] => paths.flatMap((path) => (path ? [path] : []));

/** The last operand, or the directory that is named for all of them. */
function takeTarget(words: readonly string[], valued: Valued): string[] {
  const { operands, values } = take(words, ['-t', '--target-directory', ...valued]);
  const directory = values.get('-t') ?? values.get('--target-directory');
  if (directory !== undefined) return list(directory);
  return operands.length < 2 ? [] : operands.slice(-1);
}

function takeAll(words: readonly string[], valued: Valued = []): string[] {
  return take(words, valued).operands;
}

/** What edits files in place when told to: without a script of its own among the options, the first operand is one. */
function takeEdited(words: readonly string[], isInPlace: RegExp, scripts: Valued): string[] {
  if (!words.some((word) => isInPlace.test(word))) return [];
  const { operands, values } = take(words, scripts);
  return scripts.some((option) => values.has(option)) ? operands : operands.slice(1);
}

const INSTALLED = ['-m', '-o', '-g', '-S', '--mode', '--owner', '--group'];

const PROGRAMS: Readonly<Record<string, (words: readonly string[]) => string[]>> = {
  rm: takeAll,
  rmdir: takeAll,
  unlink: takeAll,
  tee: takeAll,
  touch: (words) => takeAll(words, ['-d', '-t', '-r', '--date', '--reference']),
  truncate: (words) => takeAll(words, ['-s', '-r', '--size', '--reference']),
  shred: (words) => takeAll(words, ['-n', '-s', '--iterations', '--size']),
  chmod: (words) => takeAll(words.map((word) => (/^-[rwxXst]+$/.test(word) ? 'mode' : word))).slice(1),
  chown: (words) => takeAll(words).slice(1),
  ed: takeAll,
  ex: (words) => takeAll(words, ['-c']),
  mv: (words) => list(...takeAll(words, ['-t', '-S', '--target-directory']), ...takeTarget(words, ['-S'])),
  cp: (words) => takeTarget(words, ['-S']),
  ln: (words) => takeTarget(words, ['-S']),
  rsync: (words) => takeTarget(words, ['-e', '-f', '--exclude', '--include', '--filter', '--rsh']),
  install: (words) =>
    words.some((word) => /^-[a-zA-Z]*d$|^--directory$/.test(word))
      ? takeAll(words, INSTALLED)
      : takeTarget(words, INSTALLED),
  dd: (words) => words.flatMap((word) => list(/^of=(.*)$/s.exec(word)?.[1])),
  sed: (words) => takeEdited(words, /^-[nErsuz]*i|^--in-place/, ['-e', '-f', '--expression', '--file']),
  perl: (words) => takeEdited(words, /^-[pnlawsW0-9]*i/, ['-e', '-E']),
  ruby: (words) => takeEdited(words, /^-[pnlawsW0-9]*i/, ['-e']),
  gawk: (words) => (words[0] === '-i' && words[1] === 'inplace' ? takeAll(words.slice(2), ['-v', '-f']).slice(1) : []),
  sort: (words) => takeOutput(words, ['-o', '--output'], ['-k', '-t']),
  curl: (words) => takeOutput(words, ['-o', '--output'], []),
  wget: (words) => takeOutput(words, ['-O', '--output-document'], []),
  patch: takePatched,
  git: takeGit,
};

function takeOutput(words: readonly string[], outputs: Valued, valued: Valued): string[] {
  const { values } = take(words, [...outputs, ...valued]);
  return outputs.flatMap((option) => list(values.get(option))).filter((path) => path !== '-');
}

function takePatched(words: readonly string[]): string[] {
  if (words.includes('--dry-run')) return [];
  const { operands, values } = take(words, ['-i', '-o', '-d', '-p', '-F', '-D', '-r', '-B', '-z', '-Y']);
  const output = values.get('-o') ?? values.get('--output');
  if (output !== undefined) return list(output);
  return operands.length > 0 ? operands.slice(0, 1) : [values.get('-d') ?? values.get('--directory') ?? ANYTHING];
}

/** Verbs of git that change files, and which only git knows. */
const ANYWHERE = ['am', 'cherry-pick', 'revert', 'merge', 'rebase', 'pull', 'bisect', 'read-tree', 'checkout-index'];

function takeGit(all: readonly string[]): string[] {
  let at = 0;
  let directory = '';
  while (all[at]?.startsWith('-')) {
    const [option = '', value = ''] = all.slice(at, at + 2);
    if ((option === '-C' || option === '--work-tree') && directory.length < 4096)
      directory = joinPaths(directory, value) ?? '';
    if (option.startsWith('--work-tree=')) directory = option.slice('--work-tree='.length);
    at += ['-C', '-c', '--git-dir', '--work-tree', '--namespace'].includes(option) ? 2 : 1;
  }
  const [verb = '', ...rest] = all.slice(at);
  return takeVerb(verb, rest).map((path) => joinPaths(directory, path) ?? path);
}

function takeVerb(verb: string, rest: readonly string[]): string[] {
  const taken = take(rest, ['-s', '--source', '-b', '-B', '-c', '-C', '--output', '-o', '-m']);
  const has = (...some: string[]) => some.some((option) => taken.options.includes(option));
  if (has('-h', '--help', '--dry-run')) return [];
  if (Object.hasOwn(VERBS, verb)) return VERBS[verb]?.({ ...taken, rest, has }) ?? [];
  return ANYWHERE.includes(verb) ? [ANYTHING] : [];
}

interface GitCall extends Taken {
  rest: readonly string[];
  has: (...options: string[]) => boolean;
}

const VERBS: Readonly<Record<string, (call: GitCall) => string[]>> = {
  apply: ({ has }) =>
    has('--check', '--stat', '--numstat', '--summary', '--cached') && !has('--apply') ? [] : [ANYTHING],
  reset: ({ has }) => (has('--hard', '--merge', '--keep') ? [ANYTHING] : []),
  stash: ({ operands }) =>
    ['list', 'show', 'create', 'store', 'drop', 'clear'].includes(operands[0] ?? '') ? [] : [ANYTHING],
  clean: ({ options }) => {
    const short = options.filter((option) => /^-\w+$/.test(option)).join('');
    if (short.includes('n')) return [];
    // With what is ignored, `.dev` goes, too.
    return /[xX]/.test(short) ? [ANYTHING, '.dev'] : [ANYTHING];
  },
  checkout: takeSwitched,
  switch: takeSwitched,
  restore: ({ has, operands }) => (has('--staged', '-S') && !has('--worktree', '-W') ? [] : operands),
  rm: ({ has, operands }) => (has('--cached', '-n') ? [] : operands),
  mv: ({ has, operands }) => (has('-n') ? [] : operands),
  diff: ({ values }) => list(values.get('--output')),
  show: ({ values }) => list(values.get('--output')),
  log: ({ values }) => list(values.get('--output')),
  archive: ({ values }) => list(values.get('-o'), values.get('--output')),
};

function takeSwitched({ rest, has, operands }: GitCall): string[] {
  const separator = rest.indexOf('--');
  if (separator !== -1) return rest.slice(separator + 1);
  if (has('-b', '-B', '-c', '-C', '--create', '--orphan')) return [];
  return operands.length === 0 && (rest.includes('-') || has('-f', '--force')) ? [ANYTHING] : operands;
}

/** Joins two paths, of which the second may be absolute; null where the directory is not known and counts. */
export function joinPaths(directory: string | null, path: string): string | null {
  if (path.startsWith('/') || path === '~' || path.startsWith('~/')) return path;
  if (directory === null) return null;
  return directory === '' ? path : path === ANYTHING ? `${directory}/.` : `${directory}/${path}`;
}

/** Lists what a program writes. @param name without its directory */
export function listWritten(name: string, words: readonly string[]): string[] {
  return Object.hasOwn(PROGRAMS, name) ? (PROGRAMS[name]?.(words) ?? []) : [];
}
