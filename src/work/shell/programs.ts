import { listGitWrites } from './git.js';
import { ProgramArguments } from './options.js';
import { ANY_PATH, type DirectoryTest, findName, joinPaths, listPathsInside } from './paths.js';

/**
 * Lists the files that a program writes, for programs whose arguments make that plain (harness.md, Guard). Pure: looks
 * only at the arguments, never at files.
 */

type Program = (words: readonly string[], isDirectory: DirectoryTest) => string[];

const INSTALLED = '-m -o -g --mode --owner --group --strip-program';

const PROGRAMS: Readonly<Record<string, Program>> = {
  rm: takeAll(),
  rmdir: takeAll(),
  unlink: takeAll(),
  tee: takeAll(),
  touch: takeAll('-d -t -r -A --date --reference --time'),
  truncate: takeAll('-s -r --size --reference'),
  shred: takeAll('-n -s --iterations --size --random-source'),
  chmod: (words) => takeOwned(words.map((word) => (/^-[rwxXstugoa][rwxXstugoa,+=-]*$/.test(word) ? 'mode' : word))),
  chown: takeOwned,
  chgrp: takeOwned,
  ed: takeAll('-p --prompt'),
  ex: (words) => takeAll('-c -S -u -t -T -w --cmd')(words).filter((word) => !word.startsWith('+')),
  mv: (words, isDirectory) => {
    const { sources, written } = takeMoved(words, isDirectory);
    return [...sources, ...written];
  },
  cp: (words, isDirectory) => takeMoved(words, isDirectory).written,
  ln: takeLinked,
  rsync: takeSynced,
  install: (words, isDirectory) =>
    new ProgramArguments(words, { valued: INSTALLED }).has('-d', '--directory')
      ? takeAll(INSTALLED)(words)
      : takeMoved(words, isDirectory, INSTALLED).written,
  dd: (words) => words.flatMap((word) => /^of=(.+)$/s.exec(word)?.[1] ?? []),
  sed: (words) => takeEdited(words, { valued: '-e -f -l --expression --file --line-length', attached: 'i' }),
  perl: (words) => takeEdited(words, { valued: '-e -E -I', attached: 'ixFMmCDV', stops: true }),
  ruby: (words) => takeEdited(words, { valued: '-e -r -I -C', attached: 'ixFWKTE', stops: true }),
  awk: takeAwk,
  gawk: takeAwk,
  sort: (words) => new ProgramArguments(words, { valued: '-o -k -t -S -T --output' }).values('-o', '--output'),
  curl: takeFetched,
  wget: takeGot,
  patch: takePatched,
  git: listGitWrites,
};

/** Lists the paths that a program writes. @param name the program's name without its directory */
export function listWritten(name: string, words: readonly string[], isDirectory: DirectoryTest): string[] {
  return Object.hasOwn(PROGRAMS, name) ? (PROGRAMS[name]?.(words, isDirectory) ?? []) : [];
}

function takeAll(valued = ''): (words: readonly string[]) => string[] {
  return (words) => new ProgramArguments(words, { valued }).operands;
}

/** Skips the first operand, which is the new mode or owner, unless `--reference` names a file to copy that from. */
function takeOwned(words: readonly string[]): string[] {
  const told = new ProgramArguments(words, { valued: '--reference --from' });
  return told.has('--reference') ? told.operands : told.operands.slice(1);
}

const TARGETED = '-t -S --target-directory --suffix';

/**
 * Returns the operands that are moved or copied, and their new paths: the last operand itself or, if that is a
 * directory or `-t` names one, paths in that directory.
 */
function takeMoved(words: readonly string[], isDirectory: DirectoryTest, more = '') {
  const told = new ProgramArguments(words, { valued: `${TARGETED} ${more}` });
  const directory = told.values('-t', '--target-directory').at(-1);
  if (directory !== undefined) return { sources: told.operands, written: listPathsInside(directory, told.operands) };
  const target = told.operands.at(-1);
  if (target === undefined || told.operands.length < 2) return { sources: [], written: [] };
  const sources = told.operands.slice(0, -1);
  // With these options, the target is not a directory to put the sources in under their own names.
  const isWhole = told.has('-T', '--no-target-directory', '--parents');
  return { sources, written: !isWhole && isDirectory(target) ? listPathsInside(target, sources) : [target] };
}

function takeLinked(words: readonly string[], isDirectory: DirectoryTest): string[] {
  const { operands, ...told } = readLinked(words);
  const [only = '', ...others] = operands;
  // With one operand, `ln` links it in the current directory.
  if (others.length === 0 && !told.isInto)
    return only === '' ? [] : [findName(only.replace(/\/+$/, ''))].filter(isNamed);
  const { written } = takeMoved(words, isDirectory);
  return told.isItself ? [...written, ...operands.slice(-1)] : written;
}

function readLinked(words: readonly string[]) {
  const told = new ProgramArguments(words, { valued: TARGETED });
  return {
    operands: told.operands,
    isInto: told.has('-t', '--target-directory'),
    isItself: told.has('-n', '-h', '--no-dereference'),
  };
}

const isNamed = (name: string | null): name is string => name !== null;

const SYNCED =
  '-e -f -T -B -M --rsh --exclude --include --filter --exclude-from --include-from --files-from --temp-dir --backup-dir --partial-dir --link-dest --log-file --write-batch --only-write-batch --suffix --chmod --chown --max-size --min-size --bwlimit --timeout --out-format --rsync-path';
const REMOTE = /^[^/]*:/;

function takeSynced(words: readonly string[], isDirectory: DirectoryTest): string[] {
  const told = new ProgramArguments(words, { valued: SYNCED });
  if (told.has('-n', '--dry-run', '--list-only')) return [];
  const logs = told.values('--log-file', '--write-batch', '--only-write-batch');
  const target = told.operands.at(-1);
  // With a single operand, rsync only lists files.
  if (target === undefined || told.operands.length < 2) return logs;
  const sources = told.operands.slice(0, -1);
  const removed = told.has('--remove-source-files') ? sources.filter((path) => !REMOTE.test(path)) : [];
  if (REMOTE.test(target)) return [...logs, ...removed];
  const isWhole = told.has('-R', '--relative', '--files-from') || !isDirectory(target);
  const names = sources.map((path) => path.replace(REMOTE, ''));
  return [...logs, ...removed, ...(isWhole ? [target] : listPathsInside(target, names))];
}

/**
 * Lists the files that a program edits in place with `-i`. Unless an option contains the script, the first operand is
 * the script and not a file.
 */
function takeEdited(words: readonly string[], grammar: ConstructorParameters<typeof ProgramArguments>[1]): string[] {
  const told = new ProgramArguments(words, grammar);
  if (!told.has('-i', '--in-place')) return [];
  return told.values('-e', '-E', '-f', '--expression', '--file').length > 0 ? told.operands : told.operands.slice(1);
}

function takeAwk(words: readonly string[]): string[] {
  const scripts = ['-f', '-e', '-E', '--file', '--source', '--exec'];
  const valued = `-i -v -F -l --include --assign --field-separator --load ${scripts.join(' ')}`;
  const told = new ProgramArguments(words, { valued, stops: true });
  if (!told.values('-i', '--include').includes('inplace')) return [];
  const files = told.values(...scripts).length > 0 ? told.operands : told.operands.slice(1);
  return files.filter((word) => !/^[A-Za-z_]\w*=/.test(word));
}

const PATCHED = '-i -o -d -p -F -D -r -B -z -Y -V --input --output --directory --strip --fuzz --reject-file';

function takePatched(words: readonly string[]): string[] {
  const told = new ProgramArguments(words, { valued: PATCHED });
  if (told.has('--dry-run', '-C', '--check')) return [];
  const rejects = told.values('-r', '--reject-file');
  const outputs = told.values('-o', '--output');
  const directory = told.values('-d', '--directory').at(-1) ?? '';
  const [file = ANY_PATH] = told.operands;
  const paths = outputs.length > 0 ? outputs : [directory === '' || file !== ANY_PATH ? file : '.'];
  return [...rejects, ...paths].filter((path) => path !== '-').map((path) => joinPaths(directory, path) ?? path);
}

const CURL_FILES = ['-D', '-c', '--dump-header', '--cookie-jar', '--trace', '--trace-ascii', '--stderr', '--libcurl'];
const CURL =
  '-o -X -H -d -u -A -e -F -T -b -K -m -w -x -E -r -C -y -Y -z -Q -t -P -U --output --output-dir --request --header --data --user --max-time --retry --url';

/** Lists the files that curl writes. */
function takeFetched(words: readonly string[]): string[] {
  const told = new ProgramArguments(words, { valued: `${CURL} ${CURL_FILES.join(' ')}` });
  const isNamedThere = told.has('-O', '--remote-name', '--remote-name-all');
  const names = isNamedThere ? [...told.operands, ...told.values('--url')].map(nameDownload) : [];
  const outputs = inDirectory(told.values('--output-dir'), [...told.values('-o', '--output'), ...names]);
  return [...outputs, ...told.values(...CURL_FILES)].filter((path) => path !== '-');
}

const WGET =
  '-O -o -a -P -i -t -T -U -e -Q -w -A -R -D -I -X -l -B --output-document --output-file --append-output --directory-prefix --input-file';

/** Lists the files that wget writes. */
function takeGot(words: readonly string[]): string[] {
  const told = new ProgramArguments(words, { valued: WGET, attached: 'n' });
  if (told.has('--spider')) return [];
  const logs = told.values('-o', '-a', '--output-file', '--append-output');
  const documents = told.values('-O', '--output-document');
  const isMany = told.has('-r', '-m', '-i', '--recursive', '--mirror', '--input-file');
  const named = isMany ? ['.'] : told.operands.map(nameDownload);
  const written = documents.length > 0 ? documents : inDirectory(told.values('-P', '--directory-prefix'), named);
  return [...written, ...logs].filter((path) => path !== '-');
}

function inDirectory(directories: readonly string[], paths: readonly string[]): string[] {
  return paths.map((path) => joinPaths(directories.at(-1) ?? '', path) ?? path);
}

/** Returns the file name under which a URL is downloaded. */
function nameDownload(address: string): string {
  const path = address.replace(/^\w+:\/\/[^/]*/, '').replace(/[?#].*$/s, '');
  return findName(path) ?? 'index.html';
}
