import { isRecord, type JsonObject } from '../base/json.js';
import { createFormatterFor } from '../registry/render.js';
import type { PathWriter } from './print.js';

// Paths are kept relative to the root. Called from elsewhere, from a subdirectory or a work tree of its own, a reader could
// not open them: there they are written absolute (protocol.md, Root).

/** A path below `.dev` that begins here, and is not the end of a longer one. */
const OURS = /(?<![\w./~-])\.dev\/(?=\w)/g;

/** Members of an action that hold a path, or a list of them. */
const PATHS = new Set(['read', 'consult', 'write', 'promptFile', 'output', 'log', 'path', 'artifacts']);

/**
 * How answers are written for a call that was not made in the root.
 * @param root absolute
 * @param given `--root` as given: printed commands repeat it
 */
export function createPathWriter(root: string, given: string | undefined): PathWriter {
  const written = createFormatterFor(given);
  const text = (plain: string) => plain.replace(OURS, () => `${root}/.dev/`);
  return {
    written: ({ command, input }) => written({ command, input: resolveInputFiles(input, root) }),
    text,
    replacer: (commands) => (key, value) => {
      const shown = commands(key, value);
      // A report says which file it is about, as it knows it.
      return typeof shown === 'string' && key !== 'file' ? text(shown) : shown;
    },
    document: (document) => resolveActionPaths(document, root),
  };
}

/** The files that a command names, alone or behind an `@`; free text that only speaks of one stays as it is. */
function resolveInputFiles(input: JsonObject, root: string): JsonObject {
  const file = (value: unknown) =>
    typeof value === 'string' && /^@?\.dev\/\S+$/.test(value) ? value.replace(/^@?/, (at) => `${at}${root}/`) : value;
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [key, file(value)])) as JsonObject;
}

/** A document in which every path of an action, which may lie outside `.dev` too, is absolute. */
function resolveActionPaths(document: object, root: string): object {
  if (!isRecord(document)) return document;
  if (isRecord(document['next'])) return { ...document, next: resolveMembers(document['next'], root) };
  return 'actionId' in document || document['done'] === true ? resolveMembers(document, root) : document;
}

function resolveMembers(value: object, root: string): object {
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      PATHS.has(key) ? toAbsolute(member, root) : resolveNested(member, root),
    ]),
  );
}

function resolveNested(member: unknown, root: string): unknown {
  if (Array.isArray(member)) return member.map((item) => resolveNested(item, root));
  return isRecord(member) ? resolveMembers(member, root) : member;
}

function toAbsolute(path: unknown, root: string): unknown {
  if (Array.isArray(path)) return path.map((item) => toAbsolute(item, root));
  return typeof path === 'string' && !path.startsWith('/') ? `${root}/${path}` : path;
}
