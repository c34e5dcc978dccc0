import { stripInvisible } from '../../base/visible.js';
import { maskSecrets } from '../../documents/foreign.js';

/** Characters of a document that are sent. */
const MOST = 1_000_000;

/** Takes out of a foreign text what nobody sees, and secrets. */
export function cleanText(text: string): string {
  return maskSecrets(stripInvisible(text));
}

/** Writes what leaves dev-cli as JSON: every text in it is cleaned, whoever wrote it. */
export function renderClean(value: unknown): string {
  return JSON.stringify(value, (_, one) => (typeof one === 'string' ? cleanText(one) : one));
}

/** A text cut to what is sent, with its whole length in bytes where it was cut. */
export function cutDocument(text: string): { text: string; of?: number } {
  return text.length <= MOST ? { text } : { text: text.slice(0, MOST), of: Buffer.byteLength(text) };
}
