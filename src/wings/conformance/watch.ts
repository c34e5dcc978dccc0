import { isRecord, isSameJson, parseOrNull } from '../../base/json.js';
import { validateBySchema } from '../../recipe/user-schema.js';
import { type AssertionFailure, renderShortValue } from './assertions.js';

/** Checks the requirements that hold for every call, whatever its case is about (neutral.md, All tools). */

/** The files in a case's directory, by path: each as text, or as base64 if it is not text. */
export type CaseFiles = ReadonlyMap<string, string>;

/** A call, with the files before and after it. */
export interface Exchange {
  name: string;
  refused: boolean;
  before: CaseFiles;
  after: CaseFiles;
}

/** The published schemas and the harness, which the checks need. */
export interface CheckContext {
  /** The published schemas of state files, by the name of the file. */
  schemas: ReadonlyMap<string, string>;
  harness: string;
}

const READERS = ['plan_status', 'task_list', 'history_search', 'context'];
const HOME = '.nexus/';
const HISTORY = '.nexus/history.json';
const STATES: Readonly<Record<string, string>> = {
  [HISTORY]: 'history',
  '.nexus/state/plan.json': 'plan',
  '.nexus/state/tasks.json': 'tasks',
  '.nexus/state/runtime.json': 'runtime',
  '.nexus/state/agent-tracker.json': 'agent-tracker',
};

/** Lists the general requirements that a call violates. */
export function listViolations(
  { name, refused, before, after }: Exchange,
  { schemas, harness }: CheckContext,
): AssertionFailure[] {
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => before.get(path) !== after.get(path),
  );
  const failures: AssertionFailure[] = [];
  const fail = (requirement: string, path: string, expected: string, actual: unknown): void =>
    void failures.push({
      requirement,
      path,
      expected,
      actual: typeof actual === 'string' ? actual : renderShortValue(actual),
    });
  for (const path of changed) {
    const [was, is] = [before.get(path), after.get(path)];
    const how = is === undefined ? 'no file' : was === undefined ? 'a new file' : 'other bytes';
    if (refused) fail('all.1', path, 'the bytes from before the refusal', how);
    if (READERS.includes(name)) fail('all.2', path, 'the bytes from before a call that only reads', how);
    if (is === undefined) continue;
    const state = STATES[path];
    if (state !== undefined) judgeState(path, schemas.get(state), was, is, fail);
    else if (was === undefined && !isExpected(path, name, harness)) fail('all.5', path, 'no file of this name', how);
    if (path === HISTORY) judgeHistory(was, is, fail);
  }
  return failures;
}

function judgeState(
  path: string,
  schema: string | undefined,
  was: string | undefined,
  is: string,
  fail: (requirement: string, path: string, expected: string, actual: unknown) => void,
): void {
  if (schema === undefined) return;
  const before = parseOrNull(was ?? null);
  const known = before === null ? [] : validateBySchema(schema, before).map(({ problem }) => problem);
  const value = parseOrNull(is);
  const misfits = value === null ? [] : validateBySchema(schema, value);
  if (value === null) fail('all.3', path, 'JSON', renderShortValue(is));
  const [first] = misfits.filter(({ problem }) => !known.includes(problem));
  if (first !== undefined)
    fail('all.3', `${path} ${first.pointer}`, 'a value that fits its schema', `one that does not: ${first.problem}`);
}

function judgeHistory(
  was: string | undefined,
  is: string,
  fail: (requirement: string, path: string, expected: string, actual: unknown) => void,
): void {
  const [before, after] = [listCycles(was), listCycles(is)];
  const lost = before.findIndex((cycle, at) => !isSameJson(cycle, after[at]));
  if (lost !== -1) fail('all.4', `${HISTORY} cycles[${lost}]`, renderShortValue(before[lost]), after[lost]);
}

function listCycles(text: string | undefined): unknown[] {
  const value = parseOrNull(text ?? null);
  return isRecord(value) && Array.isArray(value['cycles']) ? value['cycles'] : [];
}

/** Returns whether a call may leave a file behind: the ignore rules, a requested artifact, or a file of the harness. */
function isExpected(path: string, name: string, harness: string): boolean {
  if (!path.startsWith(HOME)) return true;
  const own = [
    '.nexus/.gitignore',
    `.nexus/state/${harness}/`,
    ...(name === 'artifact_write' ? ['.nexus/state/artifacts/'] : []),
  ];
  return own.some((one) => (one.endsWith('/') ? path.startsWith(one) : path === one)) && !/\.(?:lock|tmp)\b/.test(path);
}
