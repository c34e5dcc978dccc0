import { loadLazily } from './lazy.js';

/** Loaded lazily, because loading takes several milliseconds and `next` needs no digest. */
const crypto = loadLazily<typeof import('node:crypto')>('node:crypto');

/** Computes the SHA-256 of a text (as UTF-8) or of bytes, in lower-case hexadecimal. */
export function sha256(content: string | Uint8Array): string {
  return crypto().createHash('sha256').update(content).digest('hex');
}

/** Computes the SHA-1 of a text, for ids that other programs compute in the same way; not for security. */
export function sha1(content: string): string {
  return crypto().createHash('sha1').update(content).digest('hex');
}

/**
 * Creates `length` random lower-case hexadecimal digits. Only the composition root calls this; other code gets `Ids`.
 */
export function createRandomHex(length: number): string {
  return crypto()
    .randomBytes(Math.ceil(length / 2))
    .toString('hex')
    .slice(0, length);
}
