import { stripInvisible } from '../../base/visible.js';
import { maskSecrets } from '../../documents/foreign.js';

/** Maximum characters of a document that are sent. */
const MOST = 1_000_000;

/** Removes invisible characters and masks secrets in foreign text. */
export function cleanText(text: string): string {
  return maskSecrets(stripInvisible(text));
}

/** Renders JSON that leaves dev-cli: every text in it is cleaned, regardless of who wrote it. */
export function renderClean(value: unknown): string {
  return JSON.stringify(value, (_, one) => (typeof one === 'string' ? cleanText(one) : one));
}

/** Cuts a text to the maximum; `of` is its full length in bytes if it was cut. */
export function cutDocument(text: string): { text: string; of?: number } {
  return text.length <= MOST ? { text } : { text: text.slice(0, MOST), of: Buffer.byteLength(text) };
}
