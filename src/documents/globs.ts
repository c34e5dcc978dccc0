// shared: common

/** Compares the globs of a plan by their text alone, without looking into the work tree. */

/** The files that a todo may change. */
interface Touching {
  type: 'work' | 'verification';
  files: readonly string[];
}

/**
 * Returns whether two todos may change the same file, because their globs overlap or one of them names no files. Their
 * workers then must not run at the same time (engine.md, Waves). A verification todo changes nothing and overlaps with
 * no other.
 */
export function mayOverlap(a: Touching, b: Touching): boolean {
  if (a.type === 'verification' || b.type === 'verification') return false;
  if (a.files.length === 0 || b.files.length === 0) return true;
  return a.files.some((glob) => b.files.some((other) => mayGlobsOverlap(glob, other)));
}

/** Returns whether two globs may match the same path, judged by their literal beginnings, up to the first wildcard. */
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
 * Returns the literal beginning of a glob, in lower case because some file systems ignore case. If this makes globs
 * overlap needlessly, the todos only run one after the other.
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
 * Returns whether everything that matches `inner` certainly matches `outer` too. Returns false if the globs' text alone
 * cannot tell, for example because of a wildcard in the middle of a name.
 */
export function coversGlob(outer: string, inner: string): boolean {
  const [wide, narrow] = [outer, inner].map((glob) => glob.replace(/^(\.\/)+/, '').replace(/(?<=.)\/+$/, '')) as [
    string,
    string,
  ];
  if (wide === narrow) return true;
  const ending = /^\*\*\/\*(\.[\w.-]+)$/.exec(wide)?.[1];
  if (ending !== undefined) return narrow.endsWith(ending) && !/[{}()]/.test(narrow);
  // The glob `src` also covers every path below the directory `src`.
  const directory = wide.replace(/(?:^|\/)\*\*(?:\/\*)?$/, '');
  if (WILDCARD.test(directory)) return false;
  return directory === '' || directory === '.' || narrow.startsWith(`${directory}/`);
}
