import { closeSync, constants, fstatSync, openSync, readSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject, parseOrNull } from '../base/json.js';
import { isMissing, readStats } from '../store/inside.js';
import { listAncestors } from './root.js';
import { findGitDirectories } from './work-trees.js';

/**
 * Stores facts in files to which many processes append without a lock (memory.md, Where): each fact is one line,
 * written at once. A line that does not parse, such as one cut short by a full disk, is ignored.
 */

const FILE = 'facts.jsonl';
/** The previous facts file, which was renamed when it was full. */
const EARLIER = 'facts.1.jsonl';
/** Maximum number of bytes read from the end of the facts. */
const READ = 256 * 1024;
/** The file that the git hook writes, in the git directory that all work trees share. */
const COMMITS = 'dev-cli-commits';
/** Matches a complete line with its line feed; without one, the last line may be incomplete. */
const SEEN_COMMIT = /^([0-9a-f]{40}|[0-9a-f]{64}) \d+ ([!-~]{0,200})\n/gm;
/** Size in bytes above which the facts file is renamed. */
const FULL = 1024 * 1024;

const APPEND =
  constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const LOOK = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Appends a fact. The write begins with a line feed, so that it does not continue the line of an interrupted write.
 * @param directory absolute; has to exist
 * @throws system errors
 */
export function appendFact(directory: string, fact: JsonObject): void {
  const descriptor = openSync(join(directory, FILE), APPEND, 0o600);
  try {
    writeSync(descriptor, `\n${JSON.stringify(fact)}\n`);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Reads the newest facts, oldest first.
 * @param directory absolute
 * @throws system errors
 */
export function readNewestFacts(directory: string): JsonObject[] {
  const newest = readEnd(join(directory, FILE), READ);
  const rest = READ - newest.length;
  const earlier = rest > 0 ? readEnd(join(directory, EARLIER), rest) : '';
  return `${earlier}\n${newest}`.split('\n').flatMap((line) => {
    const fact = parseOrNull(line);
    return isJsonObject(fact) ? [fact] : [];
  });
}

/**
 * Maps the newest commits that the git hook saw, oldest first, to the session that made each; the session may be empty
 * (memory.md, Hooks).
 * @param directory absolute, in the repository
 * @throws system errors
 */
export function readSeenCommits(directory: string): Map<string, string> {
  const { top } = listAncestors(directory);
  const found = top === null ? null : findGitDirectories(top);
  const text = found === null ? '' : readEnd(join(found.common ?? found.own, COMMITS), READ);
  return new Map([...text.matchAll(SEEN_COMMIT)].map(([, sha = '', session = '']) => [sha, session]));
}

/**
 * Renames a full facts file, replacing the one renamed before. A fact that another process is just appending goes into
 * the renamed file. The caller has to hold a lock shared by all callers of this function.
 * @param directory absolute
 * @throws system errors
 */
export function rotateFacts(directory: string): void {
  const path = join(directory, FILE);
  if ((readStats(path)?.size ?? 0) > FULL) renameSync(path, join(directory, EARLIER));
}

/** Reads the last `most` bytes of a file, from the beginning of a line; empty if there is no file. */
function readEnd(path: string, most: number): string {
  let descriptor: number;
  try {
    descriptor = openSync(path, LOOK);
  } catch (error) {
    if (isMissing(error)) return '';
    throw error;
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return '';
    const from = Math.max(0, stats.size - most);
    const bytes = Buffer.alloc(stats.size - from);
    const text = bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, from)).toString('utf8');
    return from === 0 ? text : text.slice(text.indexOf('\n') + 1);
  } finally {
    closeSync(descriptor);
  }
}
