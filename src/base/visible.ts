/**
 * Reduces foreign text to its visible characters (product.md, Principles): removes terminal control sequences and
 * invisible characters, but keeps the joiners that Persian, Hindi or an emoji need.
 */

/**
 * Matches terminal control sequences: CSI; strings (OSC, DCS, …), up to their terminator or the end of the line; other
 * escapes.
 */
const ANSI =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?|\x1b[ -/]*[0-~]?/g;

/**
 * Matches format characters (bidi overrides, zero width, tags), fillers, and variation selectors that can hide text.
 */
const HIDDEN =
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}|(?![\u200c\u200d])\p{Cf}|\u034f|\u17b4|\u17b5|[\u180b-\u180f]|[\ufe00-\ufe0d]|[\u{e0100}-\u{e01ef}]|[\u115f\u1160\u3164\uffa0]/gu;

/**
 * The first character of the three flags that are encoded with tag characters (England, Scotland, Wales), which are
 * kept; all other tag characters are removed.
 */
const FLAG = '\u{1f3f4}';

/**
 * Matches texts with only these common visible characters, which most texts are. Checked first because compiling the
 * patterns above takes milliseconds.
 */
const PLAIN = /^[\n\t\x20-\x7e\xa1-\xac\xae-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u27bf]*$/;

/** Removes everything that a reader cannot see. Line breaks of every kind become LF; tabs stay. */
export function stripInvisible(text: string): string {
  if (PLAIN.test(text)) return text;
  const plain = text
    .replace(/\p{Cs}/gu, '\uFFFD')
    .replace(ANSI, '')
    .replace(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
    .replace(/(?![\n\t])\p{Cc}/gu, '');
  return replaceInvisible(plain, () => '');
}

/**
 * Replaces every invisible character that is not a control character.
 * @param replacement returns the substitute for an invisible character
 */
export function replaceInvisible(text: string, replacement: (hidden: string) => string): string {
  if (PLAIN.test(text)) return text;
  return text
    .replace(HIDDEN, (found) => (found.startsWith(FLAG) ? found : replacement(found)))
    .replace(/[\u200c\u200d]/g, (joiner, at: number, whole: string) =>
      joins(joiner, whole.slice(Math.max(0, at - 4), at), whole.slice(at + 1, at + 3)) ? joiner : replacement(joiner),
    )
    .replace(/[\ufe0e\ufe0f]/g, (selector, at: number, whole: string) =>
      selects(whole.slice(Math.max(0, at - 2), at), whole.slice(at + 1)) ? selector : replacement(selector),
    );
}

/**
 * Returns whether a joiner (U+200C, U+200D) changes how its neighbours look: letters of a joined script, a consonant
 * with its virama, or emoji that form one picture. Other joiners, such as one between Latin letters, are invisible.
 */
function joins(joiner: string, before: string, after: string): boolean {
  const afterVirama =
    /[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d3b\u0d3c\u0d4d\u0dca\u0f84\u1039\u103a\u17d2]$/;
  const emoji = /\p{Extended_Pictographic}(?:\ufe0f|[\u{1f3fb}-\u{1f3ff}])?$/u;
  if (afterVirama.test(before)) return true;
  if (isJoined([...before].at(-1) ?? '') && isJoined([...after][0] ?? '')) return true;
  return joiner === '\u200d' && emoji.test(before) && /^\p{Extended_Pictographic}/u.test(after);
}

/** Whether a character is a letter or mark of a script whose letters join or form ligatures. */
function isJoined(character: string): boolean {
  return (
    /^[\p{L}\p{M}]$/u.test(character) &&
    /[\p{scx=Arab}\p{scx=Syrc}\p{scx=Nkoo}\p{scx=Mong}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}]/u.test(
      character,
    )
  );
}

/** Whether a selector (U+FE0E, U+FE0F) determines how an emoji or a keycap is drawn. */
function selects(before: string, after: string): boolean {
  return /\p{Extended_Pictographic}$/u.test(before) || (/[0-9#*]$/.test(before) && after.startsWith('\u20e3'));
}

const ADDRESS = /^https?:\/\/[\x21-\x7e]{1,300}$/;

/** Returns whether a value is a web address that is safe to print and record: http(s), short, printable ASCII only. */
export function isAddress(text: unknown): text is string {
  return typeof text === 'string' && ADDRESS.test(text);
}
