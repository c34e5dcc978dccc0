import { Told } from './options.js';
import { findName, joinPaths } from './paths.js';

/** What programs that fetch something write (harness.md, Guard). Pure, and about names alone. */

const CURL_FILES = ['-D', '-c', '--dump-header', '--cookie-jar', '--trace', '--trace-ascii', '--stderr', '--libcurl'];
const CURL =
  '-o -X -H -d -u -A -e -F -T -b -K -m -w -x -E -r -C -y -Y -z -Q -t -P -U --output --output-dir --request --header --data --user --max-time --retry --url';

/** What curl writes. */
export function takeFetched(words: readonly string[]): string[] {
  const told = new Told(words, { valued: `${CURL} ${CURL_FILES.join(' ')}` });
  const isNamedThere = told.has('-O', '--remote-name', '--remote-name-all');
  const names = isNamedThere ? [...told.operands, ...told.values('--url')].map(nameDownload) : [];
  const outputs = inDirectory(told.values('--output-dir'), [...told.values('-o', '--output'), ...names]);
  return [...outputs, ...told.values(...CURL_FILES)].filter((path) => path !== '-');
}

const WGET =
  '-O -o -a -P -i -t -T -U -e -Q -w -A -R -D -I -X -l -B --output-document --output-file --append-output --directory-prefix --input-file';

/** What wget writes. */
export function takeGot(words: readonly string[]): string[] {
  const told = new Told(words, { valued: WGET, attached: 'n' });
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

/** The name that a file has here by its address. */
function nameDownload(address: string): string {
  const path = address.replace(/^\w+:\/\/[^/]*/, '').replace(/[?#].*$/s, '');
  return findName(path) ?? 'index.html';
}
