import { closeSync, constants, fstatSync, openSync, readSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject, parseOrNull } from '../base/json.js';
import { isMissing, readStats } from '../store/inside.js';
import { climb } from './root.js';
import { findGitDirectories } from './work-trees.js';

/**
 * Facts in files that many processes add to without a lock (memory.md, Where): a line each, in one write. A line that does not parse,
 * as one that a full disk cut short, counts as none.
 */

const FILE = 'facts.jsonl';
/** What was moved away when it was full. */
const EARLIER = 'facts.1.jsonl';
/** Bytes of the newest facts that are read. */
const READ = 256 * 1024;
/** Where the git hook writes, in the directory that all work trees share. */
const COMMITS = 'dev-cli-commits';
/** A whole line, with its end: without, the last one may be a part. */
const SEEN_COMMIT = /^([0-9a-f]{40}|[0-9a-f]{64}) \d+ ([!-~]{0,200})\n/gm;
/** Bytes from which on the file is moved away. */
const FULL = 1024 * 1024;

const APPEND =
  constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const LOOK = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Adds a fact. It begins with a line feed: what a crash left of another one stays a line of its own.
 * @param directory absolute; it is there
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
export function readFacts(directory: string): JsonObject[] {
  const newest = readEnd(join(directory, FILE), READ);
  const rest = READ - newest.length;
  const earlier = rest > 0 ? readEnd(join(directory, EARLIER), rest) : '';
  return `${earlier}\n${newest}`.split('\n').flatMap((line) => {
    const fact = parseOrNull(line);
    return isJsonObject(fact) ? [fact] : [];
  });
}

/**
 * Reads the newest commits that the git hook saw, oldest first, each with the session that made it, which may be empty (memory.md, Hooks).
 * @param directory absolute, in the repository
 * @throws system errors
 */
export function readSeenCommits(directory: string): Map<string, string> {
  const { top } = climb(directory);
  const found = top === null ? null : findGitDirectories(top);
  const text = found === null ? '' : readEnd(join(found.common ?? found.own, COMMITS), READ);
  return new Map([...text.matchAll(SEEN_COMMIT)].map(([, sha = '', session = '']) => [sha, session]));
}

/**
 * Moves a full file away, in place of what was moved before. What is being added meanwhile goes with it.
 * @param directory absolute. Under a lock that all callers take
 * @throws system errors
 */
export function rotateFacts(directory: string): void {
  const path = join(directory, FILE);
  if ((readStats(path)?.size ?? 0) > FULL) renameSync(path, join(directory, EARLIER));
}

/** The last `most` bytes of a file, from the beginning of a line; empty where there is none. */
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
