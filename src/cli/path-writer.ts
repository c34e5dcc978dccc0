import { isRecord, type JsonObject } from '../base/json.js';
import { createFormatterFor } from '../registry/render.js';
import type { PathWriter } from './print.js';

// Paths are stored relative to the root. For a call from elsewhere, such as a subdirectory or a run's own work tree,
// they are written absolute, so that the reader can open them (protocol.md, Root).

/** Matches the beginning of a path that starts with `.dev/`, but not `.dev/` within a longer path. */
const OURS = /(?<![\w./~-])\.dev\/(?=\w)/g;

/** Members of an action that hold a path or a list of paths. */
const PATHS = new Set(['read', 'consult', 'write', 'promptFile', 'output', 'log', 'path', 'artifacts']);

/**
 * Creates the path writer for a call from outside the root.
 * @param root absolute path
 * @param given `--root` as given, which printed commands repeat
 */
export function createPathWriter(root: string, given: string | undefined): PathWriter {
  const format = createFormatterFor(given);
  const text = (plain: string) => plain.replace(OURS, () => `${root}/.dev/`);
  return {
    written: ({ command, input }) => format({ command, input: resolveInputFiles(input, root) }),
    text,
    replacer: (commands) => (key, value) => {
      const shown = commands(key, value);
      // `file` names the file that a report is about. It is always relative to the root, so it is not rewritten.
      return typeof shown === 'string' && key !== 'file' ? text(shown) : shown;
    },
    document: (document) => resolveActionPaths(document, root),
  };
}

/**
 * Makes paths of files in a command's input absolute, with or without `@`. Does not touch free text that merely
 * mentions a file.
 */
function resolveInputFiles(input: JsonObject, root: string): JsonObject {
  const file = (value: unknown) =>
    typeof value === 'string' && /^@?\.dev\/\S+$/.test(value) ? value.replace(/^@?/, (at) => `${at}${root}/`) : value;
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [key, file(value)])) as JsonObject;
}

/** Makes every path of an action absolute, including those outside `.dev`. */
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
