import { isUtf8 } from 'node:buffer';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { isRecord, type Json, type JsonObject, parseOrNull } from '../../base/json.js';
import { executeFile } from '../../work/processes.js';
import { checkValues, type Failure, type Replies, resolveReference, show } from './assertions.js';
import type { Case, ExpectedFile, Step } from './fixture.js';
import { type Commands, type Naming, type Reply, type Site, TargetError } from './target.js';
import { openTargets } from './targets.js';
import { type Files, type Rules, watch } from './watch.js';

/** How a case ended. */
export type Verdict =
  | { kind: 'pass' }
  | { kind: 'fail'; failures: Failure[] }
  /** What was tested gave no answer that could be judged. */
  | { kind: 'error'; why: string }
  /** An event, and nothing that is told of events. */
  | { kind: 'unsupported'; why: string };

/** What cases are run with. */
export interface Bench {
  commands: Commands;
  naming: Naming;
  rules: Rules;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  seconds: number;
}

/** Runs a case in a directory of its own. @throws DevCliError `INTERRUPTED` */
export async function runCase(one: Case, bench: Bench): Promise<Verdict> {
  if (one.steps.some(({ kind }) => kind === 'event') && bench.commands.command === undefined) {
    return { kind: 'unsupported', why: 'it tells an event, and there is no --command' };
  }
  const root = mkdtempSync(join(tmpdir(), 'dev-cli-conformance-'));
  const env = { ...bench.env, NEXUS_PROJECT_ROOT: root, DEV_CLI_ROOT: root };
  const site: Site = { root, env, signal: bench.signal, seconds: bench.seconds };
  const targets = openTargets(bench.commands, bench.naming, site);
  try {
    await makeRepository(one.git, site);
    writeFiles(one.before, root);
    return await runSteps(
      one,
      bench,
      async (step) => targets[step.kind]?.call(step),
      () => readFiles(root),
    );
  } catch (error) {
    if (error instanceof TargetError) return { kind: 'error', why: error.message };
    throw error;
  } finally {
    await Promise.all(Object.values(targets).map((target) => target?.close()));
    rmSync(root, { recursive: true, force: true });
  }
}

async function makeRepository(git: string, { root, env, signal }: Site): Promise<void> {
  const ask = async (...args: string[]): Promise<void> => {
    const limits = { timeoutSeconds: 30, maxBuffer: 1024 * 1024 };
    const { error, stderr } = await executeFile('git', args, { cwd: root, env, signal, ...limits });
    if (error !== null) throw new TargetError(`git ${args[0]} failed: ${stderr.toString().trim()}`);
  };
  if (git !== 'none') await ask('init', '--quiet', '--initial-branch', git === 'detached' ? 'main' : git);
  if (git === 'detached') {
    await ask('-c', 'user.name=x', '-c', 'user.email=x@example.org', 'commit', '--quiet', '--allow-empty', '-m', 'x');
    await ask('checkout', '--quiet', '--detach');
  }
}

/** Writes what lies there before the first call. */
export function writeFiles(before: Case['before'], root: string): void {
  for (const [path, content] of Object.entries(before)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), 'text' in content ? content.text : `${JSON.stringify(content.json, null, 2)}\n`);
  }
}

/** Runs the steps of a case, up to the first that fails. @param call undefined where nobody answers @param read the files as they are */
export async function runSteps(
  { steps }: Pick<Case, 'steps'>,
  { rules }: Pick<Bench, 'rules'>,
  call: (step: Step) => Promise<Reply | undefined>,
  read: () => Files,
): Promise<Verdict> {
  const replies: Json[] = [];
  let before = read();
  for (const step of steps) {
    const reply = await call({ ...step, params: refer(step.params, replies) as JsonObject });
    if (reply === undefined) throw new TargetError('nothing answers this call');
    const after = read();
    replies.push(reply.value);
    const { name } = step;
    const failures = [
      ...judgeReply(step, reply, replies),
      ...Object.entries(step.expects.files).flatMap(([path, file]) =>
        judgeFile(path, file, { before, after }, replies),
      ),
      ...watch({ name, refused: reply.refused, before, after }, rules),
    ];
    if (failures.length > 0) return { kind: 'fail', failures };
    // What is written after the answer counts as done by the next call.
    before = after;
  }
  return { kind: 'pass' };
}

function judgeReply({ name, expects }: Step, { value, refused }: Reply, replies: Replies): Failure[] {
  const failures = checkValues(value, expects.returns, name, replies, true);
  const said = isRecord(value) ? String(value['error'] ?? '') : '';
  const { error, errorContains } = expects;
  if (refused !== error) {
    const expected = error ? 'a refusal' : 'no refusal';
    failures.unshift({ path: name, expected, actual: show(refused ? said : value) });
  } else if (errorContains !== undefined && !said.includes(errorContains)) {
    failures.push({ path: `${name}.error`, expected: show(errorContains), actual: show(said) });
  }
  return failures;
}

function judgeFile(
  path: string,
  expected: ExpectedFile,
  { before, after }: { before: Files; after: Files },
  replies: Replies,
): Failure[] {
  const is = after.get(path);
  const fail = (what: string): Failure[] => [{ path, expected: what, actual: is === undefined ? 'no file' : show(is) }];
  if (expected === null) return is === undefined ? [] : fail('no file');
  if (expected === 'same') return is === before.get(path) ? [] : fail('the bytes from before');
  if (is === undefined) return fail('a file');
  if (typeof expected['text'] === 'string') return is === expected['text'] ? [] : fail(show(expected['text']));
  if (Object.keys(expected).length === 0) return [];
  const value = parseOrNull(is);
  if (value === null) return fail('JSON');
  return checkValues(value, expected as Exclude<ExpectedFile, null | 'same' | { text: string }>, path, replies);
}

/** Puts what earlier steps answered into parameters. */
function refer(value: Json, replies: Replies): Json {
  if (Array.isArray(value)) return value.map((one) => refer(one, replies));
  if (value === null || typeof value !== 'object') return value;
  const { ref, ...rest } = value;
  if (typeof ref === 'string' && Object.keys(rest).length === 0) return resolveReference(ref, replies) as Json;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, refer(member, replies)]));
}

/** The files below a directory but git's own. */
export function readFiles(root: string): Files {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));
  return new Map(paths.filter((path) => !path.startsWith('.git/')).map((path) => [path, readText(join(root, path))]));
}

function readText(path: string): string {
  const bytes = readFileSync(path);
  return isUtf8(bytes) ? bytes.toString('utf8') : `base64:${bytes.toString('base64')}`;
}
