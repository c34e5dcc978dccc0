import { constants, createReadStream, promises, type Stats } from 'node:fs';
import { getSystemCode } from '../base/errors.js';
import { crypto, sha256 } from '../base/sha256.js';

/** Above this size, in bytes, a file is identified by size and mtime: hashing it at every call would take seconds. */
const LARGE = 32 * 1024 * 1024;

/**
 * Digests what is at a path, without following links or opening anything but a regular file.
 * @returns the SHA-256 of a regular file in hexadecimal; `link:` and the SHA-256 of a symbolic link's target; `large:`
 * or `unreadable:` with size and mtime; `special:` for a fifo, socket or device; null for a directory, or if there is
 * nothing
 */
export async function digestContent(path: Buffer): Promise<string | null> {
  try {
    const facts = await promises.lstat(path);
    if (facts.isDirectory()) return null;
    if (facts.isSymbolicLink()) return `link:${sha256(await promises.readlink(path, { encoding: 'buffer' }))}`;
    if (!facts.isFile()) return 'special:';
    if (facts.size > LARGE) return `large:${renderSizeAndTime(facts)}`;
    return await digestFile(path, facts);
  } catch (error) {
    const code = getSystemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

async function digestFile(path: Buffer, facts: Stats): Promise<string> {
  const hash = crypto().createHash('sha256');
  try {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    // Node's types allow only strings here, but its documentation allows numbers.
    for await (const chunk of createReadStream(path, { flags: flags as unknown as string })) hash.update(chunk);
  } catch (error) {
    if (getSystemCode(error) === 'EACCES') return `unreadable:${renderSizeAndTime(facts)}`;
    throw error;
  }
  return hash.digest('hex');
}

function renderSizeAndTime(facts: Stats): string {
  return `${facts.size}-${Math.trunc(facts.mtimeMs)}`;
}
