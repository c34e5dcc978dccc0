import { sha256 } from '../base/sha256.js';

/**
 * The mark in a file that dev-cli has written and may overwrite. The digest in the mark tells whether somebody has
 * edited the file since. Pure.
 */

/** Marks a file as written by `install`; a digest of the text follows. */
export const INSTALL_MARK = 'installed-by: dev-cli';

/** Marks a skill that `recipe new` has generated from a recipe. The skill belongs to the recipe's project. */
export const RECIPE_MARK = 'follows-its-recipe: dev-cli';

type Mark = typeof INSTALL_MARK | typeof RECIPE_MARK;

/** Marks a text by a comment on its first line or, if it has front matter, on the first line of that. */
export function markByComment(text: string): string {
  return addDigest(text.replace(/^(---\n)?/, `$1# ${INSTALL_MARK}\n`), INSTALL_MARK);
}

/** Adds a mark to the metadata of a skill. */
export function markSkill(text: string, mark: Mark): string {
  return addDigest(text.replace(/^---\n([\s\S]*?)\n---\n/, `---\n$1\nmetadata:\n  ${mark}\n---\n`), mark);
}

/** Appends the text's digest to the mark in the text. */
export function addDigest(text: string, mark: Mark = INSTALL_MARK): string {
  return text.replace(mark, `${mark} ${digest(text)}`);
}

function digest(text: string): string {
  return sha256(text).slice(0, 12);
}

/**
 * Reads the mark of a text, and returns whether the text was edited since. Returns null if there is no mark with a
 * digest, because the file then belongs to somebody else.
 */
export function readMark(text: string, mark: Mark = INSTALL_MARK): 'intact' | 'edited' | null {
  const [whole, given] = new RegExp(`^(?:# |  )${mark} ([0-9a-f]{12})$`, 'm').exec(text) ?? [];
  if (whole === undefined || given === undefined) return null;
  return digest(text.replace(whole, whole.slice(0, -given.length - 1))) === given ? 'intact' : 'edited';
}
