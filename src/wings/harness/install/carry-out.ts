import { basename, dirname, join } from 'node:path';
import { sha256 } from '../../../base/sha256.js';
import { ensureIgnoreRules, IGNORE_FILE, isOwnIgnoreFile, readIgnoreRules } from '../../../project/gitignore.js';
import { isOwnDirectory } from '../../../project/own-places.js';
import type { Context } from '../../../run/context.js';
import type { FileDecision } from './decide.js';
import { listMissing, listNames, removeEmptyDirectories, removeLeftovers, removeText, writeText } from './disk.js';
import { createExtraDirectory } from './extras.js';
import { areLockFiles } from './lock.js';
import {
  listCreatedDirectories,
  type Manifest,
  type PartId,
  type PieceRecord,
  renderMade,
  writeManifest,
} from './manifest.js';
import type { Scope } from './piece.js';

/** Carries out an installation plan (harness.md, Install). */

/** Where the installation of a scope, `project` or `user`, has its files. */
export interface InstallPaths {
  scope: Scope;
  /** Absolute directory to which the paths of pieces are relative. */
  base: string;
  /** Absolute path of the manifest. */
  manifest: string;
}

/** The planned changes, with the manifest and the extras that were read when they were planned. */
export interface InstallPlan {
  known: Manifest | null;
  parts: PartDecisions[];
  /** The names of extras that the manifest will contain. */
  with: readonly string[];
}

/** The changes to one part: to the pieces of one harness, or to those that a project needs with any harness. */
export interface PartDecisions {
  part: PartId;
  decisions: FileDecision[];
}

/**
 * Carries out the decisions. First writes a manifest with the previous and the future record of each file: if the call
 * is interrupted, each file matches one of its two records, so that `install` and `uninstall` can continue.
 * @param forLock directories that were created for the lock
 * @returns directories of dev-cli, to be removed if they are empty
 */
export function applyInstallPlan(
  context: Context,
  { scope, base, manifest: path }: InstallPaths,
  { known, parts, with: extras }: InstallPlan,
  forLock: readonly string[],
): string[] {
  removeLeftovers(path, () => true);
  if (scope === 'project') removeLeftovers(join(base, IGNORE_FILE), (text) => text === '' || isOwnIgnoreFile(text));
  const all = parts.flatMap(({ decisions }) => decisions);
  for (const decision of all) removeLeftovers(join(base, decision.path), (text) => isWrittenBy(decision, text));
  const written = all.flatMap((one) => (typeof one.text === 'string' ? [join(base, one.path)] : []));
  const harnesses = mergeRecords(known, parts, ({ record }) => record);
  const isAny = Object.keys(harnesses).length > 0;
  const makesRules = isAny && scope === 'project' && readIgnoreRules(context.root) === undefined;
  const hasRules = known?.ignoreRules === true || makesRules;
  const home = dirname(path);
  // If the directory contains only lock files, an earlier call created it and was interrupted; it is then ours to
  // remove.
  const isBare = areLockFiles(listNames(home));
  const made = [
    ...(known === null ? [] : listCreatedDirectories(known, base, path)).filter(
      (one) => scope === 'user' || isOwnDirectory(base, one),
    ),
    ...forLock,
    ...(isBare ? [home] : []),
    ...written.flatMap(listMissing),
  ];
  const rest = {
    version: 1 as const,
    cli: context.cliVersion,
    ...(hasRules ? { ignoreRules: true } : {}),
    ...(extras.length > 0 ? { with: extras } : {}),
  };
  const write = (records: Manifest['harnesses'], directories: readonly string[]) =>
    writeManifest(path, { ...rest, harnesses: records, directories: renderMade(directories, base) });

  write(mergeRecords(known, parts, keepEarlier), made);
  if (isAny && scope === 'project') makeIgnoreRules(context);
  for (const { path: at, text } of all) if (text !== undefined) put(join(base, at), text, at.endsWith('/'));
  const remaining = removeEmptyDirectories(made);
  write(harnesses, remaining);
  const others = listNames(home).filter((name) => name !== basename(IGNORE_FILE));
  if (!isAny && hasRules && areLockFiles(others)) removeText(join(context.root, IGNORE_FILE));
  return remaining;
}

/** Writes or removes a file, or the directory that switches an extra on. @param text null to remove it */
function put(path: string, text: string | null, isDirectory: boolean): void {
  if (isDirectory) text === null ? removeEmptyDirectories([path]) : createExtraDirectory(path);
  else if (text === null) removeText(path);
  else writeText(path, text);
}

/** Builds the manifest's records: those of `parts` with `recordOf`, the others as they were. */
export function mergeRecords(
  known: Manifest | null,
  parts: readonly PartDecisions[],
  recordOf: (decision: FileDecision) => PieceRecord | undefined,
): Manifest['harnesses'] {
  const harnesses = { ...known?.harnesses };
  for (const { part, decisions } of parts) {
    const records = decisions.flatMap((decision) => {
      const record = recordOf(decision);
      return record === undefined ? [] : [[decision.path, record] as const];
    });
    if (records.length > 0) harnesses[part] = Object.fromEntries(records);
    else delete harnesses[part];
  }
  return harnesses;
}

/**
 * Builds the record of a file that is about to change. Until the change is complete, it also contains the previous
 * record.
 */
function keepEarlier({ record, was, text }: FileDecision): PieceRecord | undefined {
  return record === undefined || was === undefined || text === undefined
    ? (record ?? was)
    : { ...record, earlier: was };
}

/** Returns whether a temporary file next to one of our files or to a shared file is left from an interrupted write. */
function isWrittenBy({ text, put, record, was }: FileDecision, leftover: string): boolean {
  const known = [record, was].filter((one) => one !== undefined);
  if (known.some(({ kind }) => kind === 'file')) return true;
  const digests = known.flatMap((one) => (one.kind === 'file' ? [] : [one.after, one.before]));
  return [text, put].some((one) => one?.startsWith(leftover)) || digests.includes(sha256(leftover)) || leftover === '';
}

/** Keeps the manifest, like the runs, out of git. */
function makeIgnoreRules({ root }: Context): void {
  ensureIgnoreRules(join(root, '.dev'), { root, made: [] });
}
