import { DevCliError } from '../../base/errors.js';
import { isRecord, isSameJson, type JsonObject } from '../../base/json.js';
import { sha256 } from '../../base/sha256.js';
import type { Content, SharedFileChange } from '../../store/shared-files.js';
import type { Cycle, NeutralPlan, NeutralTasks, TrackedAgent } from './schemas.js';

/**
 * The files of the neutral contract, in which several coding tools share one plan, task list and history (neutral.md,
 * Files).
 */

/** The directory of the contract, relative to the work tree. */
export const NEXUS_DIRECTORY = '.nexus';

/** Paths relative to `NEXUS_DIRECTORY`. */
export const CONTRACT_FILES = {
  history: 'history.json',
  plan: 'state/plan.json',
  tasks: 'state/tasks.json',
  tracker: 'state/agent-tracker.json',
  runtime: 'state/runtime.json',
  edits: 'state/edit-tracker.json',
  reopens: 'state/reopen-tracker.json',
} as const;

/** The file in which an archiving call first records what it is about to do. */
export const CLOSING_PATH = 'state/dev-cli-agent/closing.json';

export const ARTIFACTS_PATH = 'state/artifacts';

const IGNORE = '.gitignore';
const SHARED = ['memory', 'context', 'rules'];
const IGNORED = ['*', `!${IGNORE}`, '!history.json', ...SHARED.flatMap((one) => [`!${one}/`, `!${one}/**`]), ''];

export type FileKey = keyof typeof CONTRACT_FILES;

/**
 * The content of the history file. A cycle is a closed plan with its tasks; some come from other versions of the
 * contract.
 */
export interface NeutralHistory {
  cycles: (Cycle | JsonObject)[];
}

/** The content of each file. Files may also have members that no version declares. */
export interface ContractFiles {
  history: NeutralHistory;
  plan: NeutralPlan;
  tasks: NeutralTasks;
  tracker: TrackedAgent[];
  runtime: JsonObject;
  edits: unknown;
  reopens: unknown;
}

/** The member that must be a list for a file to be usable; null if the file itself must be one. */
const LISTS: Partial<Record<FileKey, string | null>> = {
  history: 'cycles',
  plan: 'issues',
  tasks: 'tasks',
  tracker: null,
};

/** The members that must be lists wherever they occur in the files that calls change. */
const INNER = ['decisions', 'deps', 'files_touched'];

/** Reads one of the files; null if it does not exist. @throws DevCliError `TOOL_REFUSED` for an unusable file, `IO` */
export type ReadContractFile = <Key extends FileKey>(key: Key) => ContractFiles[Key] | null;

/** Builds a refusal with the contract's wording. */
export function toolRefusedError(message: string): DevCliError {
  return new DevCliError('TOOL_REFUSED', message);
}

/** Returns the name that messages use for a file. */
export function getFileName(key: FileKey): string {
  return CONTRACT_FILES[key].slice(CONTRACT_FILES[key].lastIndexOf('/') + 1);
}

/** Parses one of the files; null if it does not exist. @throws DevCliError `TOOL_REFUSED` */
export function parseFile<Key extends FileKey>(key: Key, content: Content): ContractFiles[Key] | null {
  if (content === null) return null;
  const value = parseContent(content, getFileName(key));
  const list = LISTS[key];
  const fault = list === undefined ? null : findFault(value, list, key);
  if (fault !== null) throw unusable(getFileName(key), fault);
  return value as ContractFiles[Key];
}

/**
 * Returns why a file is unusable. Tools rely on its list, on the list's items being objects, and on the lists inside
 * them.
 */
function findFault(value: unknown, list: string | null, key: FileKey): string | null {
  const items = list === null ? value : isRecord(value) ? value[list] : undefined;
  if (!Array.isArray(items)) return list === null ? 'it is no list' : `it has no list "${list}"`;
  const records = items.filter(isRecord);
  if (records.length < items.length)
    return `item ${items.findIndex((item) => !isRecord(item)) + 1} of its list is no object`;
  // Cycles are never changed, so they may contain anything.
  if (key === 'history') return null;
  const all = isRecord(value) ? [value, ...records] : records;
  const inner = INNER.find((name) => all.some((one) => !Array.isArray(one[name] ?? [])));
  return inner === undefined ? null : `"${inner}" is no list`;
}

const SPECIAL = 'it is no regular file, or has more than 64 MiB';

/** Parses a file as JSON. @param name the name that messages use @throws DevCliError `TOOL_REFUSED` */
function parseContent(content: Exclude<Content, null>, name: string): unknown {
  if (content === 'unusable') throw unusable(name, SPECIAL);
  const text = content.toString('utf8');
  if (text.trim() === '') throw unusable(name, 'it is empty');
  try {
    return JSON.parse(text);
  } catch (error) {
    const why = text.startsWith('\ufeff') ? 'it begins with a byte order mark' : `it is not JSON`;
    throw unusable(name, why, error);
  }
}

function unusable(name: string, why: string, cause?: unknown): DevCliError {
  return new DevCliError('TOOL_REFUSED', `${name} cannot be used: ${why}`, {
    cause,
    fix: `Look at ${name} below ${NEXUS_DIRECTORY} and mend it; nothing was changed.`,
  });
}

/** Builds the change that writes a file. */
export function buildFileWrite(path: string, value: unknown): SharedFileChange {
  return { path: `${NEXUS_DIRECTORY}/${path}`, content: `${JSON.stringify(value, null, 2)}\n` };
}

export function buildFileRemoval(path: string): SharedFileChange {
  return { path: `${NEXUS_DIRECTORY}/${path}`, content: null };
}

/**
 * Builds the ignore rules, which are written with the first change: git should track only the history and the files
 * that people write.
 */
export function ignoreRules(read: (path: string) => Content): SharedFileChange[] {
  const path = `${NEXUS_DIRECTORY}/${IGNORE}`;
  return read(path) === null ? [{ path, content: IGNORED.join('\n') }] : [];
}

/** What an archiving call is about to do: append the cycle to the history, then change the files as listed. */
export interface Closing {
  cycle: unknown;
  /** `was`: a digest of the old content; null if the file did not exist. */
  files: { path: string; was: string | null; content: string | null }[];
}

/**
 * Lists the changes of an archiving call in order; after a crash between any two, the next call makes the remaining
 * ones.
 * @throws DevCliError `TOOL_REFUSED` if one of the files cannot be changed, for example because a directory is in its
 * place: after a crash, no later call could finish then
 */
export function listArchiveChanges(
  history: NeutralHistory | null,
  cycle: Cycle,
  changes: readonly SharedFileChange[],
  read: (path: string) => Content,
): SharedFileChange[] {
  const files = changes.map(({ path, content }) => {
    const before = read(path);
    if (before === 'unusable') throw unusable(path.slice(path.lastIndexOf('/') + 1), SPECIAL);
    return { path, was: digest(before), content };
  });
  const closing: Closing = { cycle, files };
  const appended = { ...history, cycles: [...(history?.cycles ?? []), cycle] };
  return [
    buildFileWrite(CLOSING_PATH, closing),
    buildFileWrite(CONTRACT_FILES.history, appended),
    ...changes,
    buildFileRemoval(CLOSING_PATH),
  ];
}

/**
 * Lists the changes that an interrupted call still has to make; none if the history does not contain its cycle. Skips
 * files that somebody has changed since.
 */
export function listRemainingChanges(
  { cycle, files }: Closing,
  history: NeutralHistory | null,
  read: (path: string) => Content,
): { changes: SharedFileChange[]; kept: string[] } {
  if (!history?.cycles.some((one) => isSameJson(one, cycle))) return { changes: [], kept: [] };
  const isDone = ({ path, content }: SharedFileChange): boolean => digest(read(path)) === digest(content);
  const open = files.filter((file) => !isDone(file));
  const kept = open.filter(({ path, was }) => digest(read(path)) !== was).map(({ path }) => path);
  const changes = open.filter(({ path }) => !kept.includes(path)).map(({ path, content }) => ({ path, content }));
  return { changes, kept };
}

/**
 * Parses the file that an archiving call leaves if it is interrupted; null if there is none.
 * @throws DevCliError `TOOL_REFUSED` for a file that dev-cli did not write
 */
export function parseClosing(content: Content): Closing | null {
  if (content === null) return null;
  const value = parseContent(content, 'closing.json');
  const known = [CONTRACT_FILES.plan, CONTRACT_FILES.tasks, CONTRACT_FILES.edits, CONTRACT_FILES.reopens].map(
    (path) => `${NEXUS_DIRECTORY}/${path}`,
  );
  const files = isRecord(value) && Array.isArray(value['files']) ? value['files'] : null;
  if (files === null || !files.every((file) => isRecord(file) && known.includes(String(file['path'])))) {
    throw unusable('closing.json', 'it does not say what was to be archived');
  }
  return value as Closing;
}

function digest(content: Content | string): string | null {
  return content === null ? null : sha256(content);
}
