import { DevCliError } from '../base/errors.js';

/** A path that git reports as changed or untracked. */
interface StatusEntry {
  /** Relative to the top of the repository; in bytes, since git's paths need not be valid UTF-8. */
  path: Buffer;
  /** Whether it is a nested repository: a submodule, or an untracked clone or work tree. */
  nested: boolean;
  /** Whether some of its content is staged; `add --intent-to-add` alone does not count. */
  staged: boolean;
}

/** The parsed output of `git status`. */
export interface GitStatus {
  /** The commit checked out; null before the first one. */
  head: string | null;
  /** The branch checked out; null if HEAD is detached. */
  branch: string | null;
  /** How many commits the branch is ahead of its upstream; absent without an upstream. */
  ahead?: number;
  entries: StatusEntry[];
}

/** Number of spaces before the path, by the line's first character. */
const FIELDS_BEFORE_PATH: Record<string, number> = { '1': 8, u: 10, '?': 1 };
const OID = '# branch.oid ';
const BRANCH = '# branch.head ';
const AHEAD = /^# branch\.ab \+(\d+) /;

/**
 * Parses the output of `git status --porcelain=v2 --branch --no-renames -z`.
 * @throws DevCliError `GIT_FAILED` for a kind of line that these options do not produce
 */
export function parseStatus(output: Buffer): GitStatus {
  const status: GitStatus = { head: null, branch: null, entries: [] };
  for (const line of splitNul(output)) {
    if (line[0] === '#'.charCodeAt(0)) {
      const text = line.toString('utf8');
      if (text.startsWith(OID) && !text.endsWith('(initial)')) status.head = text.slice(OID.length);
      if (text.startsWith(BRANCH) && !text.endsWith(' (detached)')) status.branch = text.slice(BRANCH.length);
      const [, ahead] = AHEAD.exec(text) ?? [];
      if (ahead !== undefined) status.ahead = Number(ahead);
    } else {
      status.entries.push(parseEntry(line));
    }
  }
  return status;
}

function parseEntry(line: Buffer): StatusEntry {
  const kind = String.fromCharCode(line[0] ?? 0);
  const fields = FIELDS_BEFORE_PATH[kind];
  if (fields === undefined) {
    throw new DevCliError('GIT_FAILED', `git status returned an unknown format (${JSON.stringify(kind)}).`);
  }
  let at = 0;
  for (let field = 0; field < fields; field += 1) at = line.indexOf(' ', at) + 1;
  const path = line.subarray(at);
  if (kind === '?') {
    const nested = path.at(-1) === '/'.charCodeAt(0);
    return { path: nested ? path.subarray(0, -1) : path, nested, staged: false };
  }
  // In `1 XY SUB …`, the third field begins with `S` only if the path is a submodule.
  return { path, nested: line[5] === 'S'.charCodeAt(0), staged: line[2] !== '.'.charCodeAt(0) };
}

/** Parses a NUL-terminated list of paths (`-z --name-only`). */
export function splitNames(output: Buffer): string[] {
  return [...splitNul(output)].map(decodeName);
}

/**
 * Decodes a path. In a name that is not UTF-8, bytes above 127 become `\xHH`, so that different names stay different.
 */
export function decodeName(path: Buffer): string {
  const text = path.toString('utf8');
  if (Buffer.from(text).equals(path)) return text;
  const segments = path.toString('latin1').split('/');
  return segments.map((segment) => decodeSegment(Buffer.from(segment, 'latin1'))).join('/');
}

function decodeSegment(segment: Buffer): string {
  const text = segment.toString('utf8');
  if (Buffer.from(text).equals(segment)) return text;
  return segment.toString('latin1').replace(/[\x80-\xff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`);
}

function* splitNul(output: Buffer): Generator<Buffer> {
  for (let from = 0; from < output.length; ) {
    const end = output.indexOf(0, from);
    yield output.subarray(from, end < 0 ? output.length : end);
    from = end < 0 ? output.length : end + 1;
  }
}
