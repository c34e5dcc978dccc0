// shared: common

/** Compares the globs of a plan by their text alone, without looking into the work tree. */

/** The files that a todo may change. */
interface Touching {
  type: 'work' | 'verification';
  files: readonly string[];
}

/**
 * Whether two todos may change the same file, so that their workers must not run at the same time (engine.md, Waves):
 * either their globs overlap, or one of them names no files. A verification todo changes nothing and overlaps with
 * none.
 */
export function mayOverlap(a: Touching, b: Touching): boolean {
  if (a.type === 'verification' || b.type === 'verification') return false;
  if (a.files.length === 0 || b.files.length === 0) return true;
  return a.files.some((glob) => b.files.some((other) => mayGlobsOverlap(glob, other)));
}

/** Whether one glob's literal beginning, up to its first wildcard, is a prefix of the other's. */
export function mayGlobsOverlap(a: string, b: string): boolean {
  const [one, other] = [cutLiteralPrefix(a), cutLiteralPrefix(b)];
  return leadsTo(one, other) || leadsTo(other, one);
}

interface LiteralPrefix {
  text: string;
  /** Whether a wildcard follows, perhaps in the middle of a name; otherwise `text` is a whole path. */
  open: boolean;
}

/**
 * Returns the literal beginning of a glob. In lower case, since some file systems ignore case; a needless overlap only
 * costs a wave.
 */
function cutLiteralPrefix(glob: string): LiteralPrefix {
  const plain = glob.toLowerCase().replace(/^(\.\/)+/, '');
  const at = plain.search(WILDCARD);
  return at < 0 ? { text: plain.replace(/\/+$/, ''), open: false } : { text: plain.slice(0, at), open: true };
}

function leadsTo(from: LiteralPrefix, to: LiteralPrefix): boolean {
  if (from.open || from.text === '') return to.text.startsWith(from.text);
  return to.text === from.text || to.text.startsWith(`${from.text}/`);
}

const WILDCARD = /[*?[\]{}()!+@\\]/;

/**
 * Whether everything that matches `inner` certainly matches `outer` too. Also false where the texts alone cannot tell,
 * such as for a wildcard in the middle of a name.
 */
export function coversGlob(outer: string, inner: string): boolean {
  const [wide, narrow] = [outer, inner].map((glob) => glob.replace(/^(\.\/)+/, '').replace(/(?<=.)\/+$/, '')) as [
    string,
    string,
  ];
  if (wide === narrow) return true;
  const ending = /^\*\*\/\*(\.[\w.-]+)$/.exec(wide)?.[1];
  if (ending !== undefined) return narrow.endsWith(ending) && !/[{}()]/.test(narrow);
  // A path without a wildcard also stands for the directory of that name.
  const directory = wide.replace(/(?:^|\/)\*\*(?:\/\*)?$/, '');
  if (WILDCARD.test(directory)) return false;
  return directory === '' || directory === '.' || narrow.startsWith(`${directory}/`);
}
