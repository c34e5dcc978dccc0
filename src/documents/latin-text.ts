/**
 * Finds boundaries of sentences and words in Latin text by the rules of Unicode (UAX #29). The results equal those of
 * `Intl.Segmenter`, which is avoided because its first use takes half as long as starting Node (house.md, Speed).
 */

const LATIN = /^[\t -~\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017f\u2013\u2014\u2018\u2019\u201c\u201d\u2026]*$/;

/** Matches the end of a sentence, with the closing marks and spaces that belong to it. */
const END = /([.!?])["'()[\]{}\u2018\u2019\u201c\u201d]*[\t ]*/g;
/** Matches characters that show, after an end mark, that the sentence continues. */
const CONTINUES = /[.!?,:;\u2013\u2014-]/;
/** Matches if the next letter is in lower case; after a full stop, the sentence then continues. */
const SMALL_NEXT = /[^\p{L}.!?]*\p{Ll}/uy;

const WORD =
  /[\p{L}\p{N}_](?:[\p{L}\p{N}_]|(?<=\p{L})[.:'\u2018\u2019](?=\p{L})|(?<=\p{N})[.,;'\u2018\u2019](?=\p{N}))*/gu;

/** Returns whether a text has only Latin characters, so that the functions of this file can be used on it. */
export function isLatin(text: string): boolean {
  return LATIN.test(text);
}

/** Lists the sentences of a Latin text, each with the spaces after it. */
export function segmentSentences(text: string): { segment: string; index: number }[] {
  const starts = [0];
  for (const { 0: end, 1: mark, index } of text.matchAll(END)) {
    const next = index + end.length;
    if (next === text.length || CONTINUES.test(text.charAt(next))) continue;
    if (mark === '.' && (isSmallNext(text, next) || (end === '.' && isInWord(text, index)))) continue;
    starts.push(next);
  }
  return starts.map((index, number) => ({ segment: text.slice(index, starts[number + 1]), index }));
}

function isSmallNext(text: string, from: number): boolean {
  SMALL_NEXT.lastIndex = from;
  return SMALL_NEXT.test(text);
}

/** Returns whether a full stop is within a word such as `.5` or `U.S`. */
function isInWord(text: string, point: number): boolean {
  const next = text.charAt(point + 1);
  return /\p{N}/u.test(next) || (/\p{Lu}/u.test(next) && /\p{L}/u.test(text.charAt(point - 1)));
}

/** Lists where the words of a Latin text begin and end. */
export function segmentWords(text: string): { start: number; end: number }[] {
  return [...text.matchAll(WORD)].flatMap(({ 0: word, index }) =>
    word === '_' ? [] : [{ start: index, end: index + word.length }],
  );
}
