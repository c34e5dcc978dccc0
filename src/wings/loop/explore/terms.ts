import type { MatchedLine } from './lines.js';

/** Short English words that say nothing about code, and occur inside many other words. */
const EMPTY = /^(?:[a-z0-9]|am|an|as|at|be|by|do|he|if|in|is|it|me|my|no|of|on|or|so|to|up|us|we)$/;

/**
 * Lists the words of a question in lower case, without duplicates: those that `Intl.Segmenter` finds, and their parts
 * at changes of case and `_` (loop-operations.md, Explore). A single Latin letter or digit, or a word such as "do",
 * counts only if there is nothing else.
 * @returns the first 32, each cut to 80 characters
 */
export function listTerms(question: string): string[] {
  const segmenter = new Intl.Segmenter('und', { granularity: 'word' });
  // Splits the question first, because each segment holds a copy of the whole text that was segmented.
  const pieces = question.normalize('NFC').match(/\S{1,200}/gu) ?? [];
  const segments = pieces.flatMap((piece) => [...segmenter.segment(piece)]);
  const terms = segments.flatMap(({ segment, isWordLike }) => {
    const cut = segment.replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, '_');
    return isWordLike ? [segment.replace(/^_+|_+$/g, ''), ...cut.split(/[^\p{L}\p{M}\p{N}]+/u)] : [];
  });
  const all = [...new Set(terms.map((term) => term.toLowerCase().replace(/(?<=^.{80}).+/su, '')))].filter(Boolean);
  const long = all.filter((term) => !EMPTY.test(term));
  return (long.length > 0 ? long : all).slice(0, 32);
}

/**
 * Returns the patterns to search for: each term in lower case, with its first letter in upper case, and all in upper
 * case. One pattern would not do, because git ignores case only for ASCII letters.
 */
export function buildSearchPatterns(terms: readonly string[]): string[] {
  const needed = terms.filter((term) => !terms.some((other) => other !== term && term.includes(other)));
  return [
    ...new Set(needed.flatMap((one) => [one, one.replace(/^./u, (first) => first.toUpperCase()), one.toUpperCase()])),
  ];
}

/**
 * Ranks lines, those with the rarest terms first. Ignores terms that occur in at least a third of the files, unless
 * nothing would be found without them.
 * @param terms at most 32
 * @param found lines by file
 * @param files total number of files
 * @param most maximum lines
 * @returns the best lines, and the terms that were used and those that were ignored
 */
export function rankLines(
  terms: readonly string[],
  found: ReadonlyMap<string, readonly MatchedLine[]>,
  files: number,
  most: number,
) {
  const counts = new Map(terms.map((term) => [term, 0]));
  const count = (term: string): number => counts.get(term) ?? 0;
  // Groups lines by the terms that they contain, with one bit per term: a frequent word occurs in many lines, but in
  // few groups.
  const kinds = new Map<number, { path: string; line: number; text: string }[]>();
  for (const [path, lines] of found) {
    let all = 0;
    for (const { line, text } of lines) {
      const lower = text.toLowerCase();
      const held = terms.reduce((bits, term, n) => (lower.includes(term) ? bits | (1 << n) : bits), 0);
      const kind = kinds.get(held);
      if (kind === undefined) kinds.set(held, [{ path, line, text }]);
      else if (kind.length < most) kind.push({ path, line, text });
      all |= held;
    }
    for (const [n, term] of terms.entries()) if (all & (1 << n)) counts.set(term, count(term) + 1);
  }
  const rarest = terms.toSorted((a, b) => count(a) - count(b));
  const telling = rarest.filter((term) => count(term) * 3 < files);
  const kept = telling.some((term) => count(term) > 0) ? telling : rarest;
  const matches = [...kinds]
    .map(([held, lines]) => {
      const own = kept.filter((term) => held & (1 << terms.indexOf(term)));
      const score = own.reduce((sum, term) => sum + Math.log(1 + files / count(term)), 0);
      return { lines, score: Number(score.toFixed(3)), terms: own };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .flatMap(({ lines, ...about }) => lines.map((one) => ({ ...one, ...about })));
  return { terms: kept, dropped: rarest.filter((term) => !kept.includes(term)), matches: matches.slice(0, most) };
}
