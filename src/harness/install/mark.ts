import { sha256 } from '../../base/sha256.js';

/** The mark in every file of `install`'s own: by its digest a file is known without the manifest, and whether it was edited. Pure. */

/** Marks a file as written by `install`; a digest of the text follows. */
export const MARK = 'installed-by: dev-cli';

const MARKED = new RegExp(`^(?:# |  )${MARK}(?: ([0-9a-f]{12}))?$`, 'm');

/** Marks a text by a comment in its first line, or in that of its front matter. */
export function markByComment(text: string): string {
  return addDigest(text.replace(/^(---\n)?/, `$1# ${MARK}\n`));
}

/** Gives the mark in a text the digest of the text that has it. */
export function addDigest(text: string): string {
  return text.replace(MARK, `${MARK} ${digest(text)}`);
}

function digest(text: string): string {
  return sha256(text).slice(0, 12);
}

/**
 * Reads the mark of a text: `undated` is one of before the marks had digests, which cannot tell whether the text was edited.
 * @returns null for a text without one, which is somebody else's
 */
export function readMark(text: string): 'intact' | 'edited' | 'undated' | null {
  const found = MARKED.exec(text);
  if (found === null) return null;
  const [whole, given] = found;
  if (given === undefined) return 'undated';
  return digest(text.replace(whole, whole.slice(0, -given.length - 1))) === given ? 'intact' : 'edited';
}

/** Whether a text is what earlier versions wrote: the same without the comment. */
export function isUnmarked(text: string, content: string): boolean {
  return text === content.replace(new RegExp(`^# ${MARK} [0-9a-f]{12}\n`, 'm'), '');
}
