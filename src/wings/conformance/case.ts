import { isUtf8 } from 'node:buffer';
import { type Dirent, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Json, type JsonObject, parseOrNull } from '../../base/json.js';
import { readRegular } from '../../store/inside.js';
import { ignoreFailure } from '../../store/io.js';
import { executeFile } from '../../work/processes.js';
import {
  type AssertionFailure,
  checkValues,
  NO_REFUSAL,
  type Replies,
  renderShortValue,
  resolveReference,
} from './assertions.js';
import type { Case, CaseStep, ExpectedFile } from './fixture.js';
import {
  type CaseEnvironment,
  readRefusal,
  type TargetCommands,
  TargetError,
  type TargetNames,
  type TargetReply,
} from './target.js';
import { openTargets } from './targets.js';
import { type CaseFiles, type CheckContext, listViolations } from './watch.js';

/** How a case ended. */
export type CaseVerdict =
  | { kind: 'pass' }
  | { kind: 'fail'; failures: AssertionFailure[] }
  /** The target gave no answer that could be judged. */
  | { kind: 'error'; why: string }
  /** The case has an event, but the target takes no events. */
  | { kind: 'unsupported'; why: string };

/** The settings that all cases share. */
export interface CaseSetup {
  commands: TargetCommands;
  naming: TargetNames;
  rules: CheckContext;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  seconds: number;
}

/** Runs a case in its own directory. @throws DevCliError `INTERRUPTED` */
export async function runCase(one: Case, bench: CaseSetup): Promise<CaseVerdict> {
  if (one.steps.some(({ kind }) => kind === 'event') && bench.commands.command === undefined) {
    return { kind: 'unsupported', why: 'it tells an event, and there is no --command' };
  }
  const root = mkdtempSync(join(tmpdir(), 'dev-cli-conformance-'));
  // Drops the variables that git sets for hooks: they would make git, and a server, work outside the directory.
  const kept = Object.entries(bench.env).filter(([name]) => !name.startsWith('GIT_'));
  const env = { ...Object.fromEntries(kept), NEXUS_PROJECT_ROOT: root, DEV_CLI_ROOT: root };
  const site: CaseEnvironment = { root, env, signal: bench.signal, seconds: bench.seconds };
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
    // Replaces the directory, which differs for each case, so that equal errors can be grouped.
    if (error instanceof TargetError) return { kind: 'error', why: error.message.replaceAll(root, '{root}') };
    throw error;
  } finally {
    await Promise.all(Object.values(targets).map((target) => target?.close()));
    ignoreFailure(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }));
  }
}

async function makeRepository(git: string, { root, env, signal }: CaseEnvironment): Promise<void> {
  const ask = async (...args: string[]): Promise<void> => {
    const limits = { timeoutSeconds: 30, maxBuffer: 1024 * 1024, cwd: root, signal };
    // Ignores the user's git configuration, which may sign commits or run hooks.
    const settings = { GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: '1' };
    const { error, stderr } = await executeFile('git', args, { ...limits, env: { ...env, ...settings } });
    if (error !== null) throw new TargetError(`git ${args[0]} failed: ${stderr.toString().trim()}`);
  };
  if (git !== 'none') await ask('init', '--quiet', '--initial-branch', git === 'detached' ? 'main' : git);
  if (git === 'detached') {
    await ask('-c', 'user.name=x', '-c', 'user.email=x@example.org', 'commit', '--quiet', '--allow-empty', '-m', 'x');
    await ask('checkout', '--quiet', '--detach');
  }
}

/** Writes the files that a case needs before its first call. @throws TargetError */
export function writeFiles(before: Case['before'], root: string): void {
  try {
    for (const [path, content] of Object.entries(before)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), 'text' in content ? content.text : `${JSON.stringify(content.json, null, 2)}\n`);
    }
  } catch (error) {
    throw new TargetError(`the files of the case cannot be written: ${error instanceof Error ? error.message : error}`);
  }
}

/**
 * Runs the steps of a case, up to the first that fails.
 * @param call returns undefined if no target takes the step
 * @param read returns the current files
 */
export async function runSteps(
  { steps }: Pick<Case, 'steps'>,
  { rules }: Pick<CaseSetup, 'rules'>,
  call: (step: CaseStep) => Promise<TargetReply | undefined>,
  read: () => CaseFiles,
): Promise<CaseVerdict> {
  const replies: Json[] = [];
  let before = read();
  for (const step of steps) {
    const reply = await call({ ...step, params: refer(step.params, replies) as JsonObject });
    if (reply === undefined) throw new TargetError('nothing answers this call');
    const after = read();
    replies.push(reply.value);
    const failures = [
      ...(judgeRefusal(step, reply) ?? [
        ...judgeReply(step, reply.value, replies),
        ...Object.entries(step.expects.files).flatMap(([path, file]) =>
          judgeFile(path, file, { before, after }, replies),
        ),
      ]),
      ...listViolations({ name: step.name, refused: reply.refused, before, after }, rules),
    ];
    if (failures.length > 0) return { kind: 'fail', failures };
    // Files that are written only after the answer count as changes of the next call.
    before = after;
  }
  return { kind: 'pass' };
}

/**
 * Returns null if a call was accepted or refused as expected; otherwise the failure, which makes it pointless to check
 * the reply.
 */
function judgeRefusal({ name, expects }: CaseStep, { value, refused }: TargetReply): AssertionFailure[] | null {
  if (refused === expects.error) return null;
  return [
    { path: name, expected: refused ? NO_REFUSAL : 'a refusal', actual: renderShortValue(readRefusal(value) ?? value) },
  ];
}

function judgeReply(
  { name, expects: { returns, errorContains } }: CaseStep,
  value: Json,
  replies: Replies,
): AssertionFailure[] {
  const said = readRefusal(value) ?? '';
  return [
    ...checkValues(value, returns, name, replies, true),
    ...(errorContains === undefined || said.includes(errorContains)
      ? []
      : [{ path: `${name}.error`, expected: renderShortValue(errorContains), actual: renderShortValue(said) }]),
  ];
}

function judgeFile(
  path: string,
  expected: ExpectedFile,
  { before, after }: { before: CaseFiles; after: CaseFiles },
  replies: Replies,
): AssertionFailure[] {
  const is = after.get(path);
  const fail = (what: string): AssertionFailure[] => [
    { path, expected: what, actual: is === undefined ? 'no file' : renderShortValue(is) },
  ];
  if (expected === null) return is === undefined ? [] : fail('no file');
  if (expected === 'same') return is === before.get(path) ? [] : fail('the bytes from before');
  if (is === undefined) return fail('a file');
  if (typeof expected['text'] === 'string')
    return is === expected['text'] ? [] : fail(renderShortValue(expected['text']));
  if (Object.keys(expected).length === 0) return [];
  const value = parseOrNull(is);
  if (value === null) return fail('JSON');
  return checkValues(value, expected as Exclude<ExpectedFile, null | 'same' | { text: string }>, path, replies);
}

/** Replaces references to earlier replies in parameters. */
function refer(value: Json, replies: Replies): Json {
  if (Array.isArray(value)) return value.map((one) => refer(one, replies));
  if (value === null || typeof value !== 'object') return value;
  const { ref, ...rest } = value;
  if (typeof ref === 'string' && Object.keys(rest).length === 0) return resolveReference(ref, replies) as Json;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, refer(member, replies)]));
}

/**
 * Reads the files below a directory as text, except those of git. Includes links, and directories that some tools use
 * as locks. An unreadable file counts as missing, because a server may remove anything at any time, even the directory.
 */
export function readFiles(root: string): CaseFiles {
  const files = new Map<string, string>();
  const walk = (below: string): void => {
    for (const entry of orNothing(() => readdirSync(join(root, below), { withFileTypes: true })) ?? []) {
      const path = `${below}${entry.name}`;
      if (path === '.git') continue;
      if (entry.isDirectory()) walk(`${path}/`);
      const text = orNothing(() => readText(join(root, path), entry));
      if (typeof text === 'string') files.set(path, text);
    }
  };
  walk('');
  return files;
}

/** Maximum size of a file in bytes. */
const LARGEST = 64 * 1024 * 1024;

/** Returns null for a directory, unless it is a lock. */
function readText(path: string, entry: Dirent): string | null {
  if (entry.isDirectory()) return entry.name.endsWith('.lock') ? 'a directory' : null;
  if (entry.isSymbolicLink()) return `a link to ${readlinkSync(path)}`;
  const bytes = entry.isFile() ? readRegular(path, LARGEST) : null;
  if (bytes === null) return 'no regular file, or one of more than 64 MiB';
  return isUtf8(bytes) ? bytes.toString('utf8') : `base64:${bytes.toString('base64')}`;
}

function orNothing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
