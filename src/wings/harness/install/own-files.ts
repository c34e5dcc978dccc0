import { dirname, join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { IGNORE_FILE, readIgnoreRules } from '../../../project/gitignore.js';
import type { Context } from '../../../run/context.js';
import { type InstallPaths, type InstallPlan, mergeRecords, type PartDecisions } from './carry-out.js';
import type { FileDecision } from './decide.js';
import { listNames } from './disk.js';

/** Adds the files that `install` keeps for itself to the list of changes (harness.md, Install). */

/**
 * Adds the manifest and the ignore rules to the last part of a plan. They are written only together with other changes.
 */
export function addOwnFiles(
  context: Context,
  places: InstallPaths,
  { known, parts, with: extras }: InstallPlan,
): PartDecisions[] {
  const last = parts.at(-1);
  if (last === undefined) return parts;
  const harnesses = mergeRecords(known, parts, ({ record }) => record);
  const isAny = Object.keys(harnesses).length > 0;
  const isSame =
    known?.cli === context.cliVersion && isDeepStrictEqual([harnesses, extras], [known.harnesses, known.with ?? []]);
  const own = [
    { path: describePath(places), what: 'what was installed', does: judgeManifest(known !== null, isAny, isSame) },
    ...(places.scope === 'project' ? listRules(context, { known, parts }, isAny) : []),
  ].filter(({ does }) => does !== 'unchanged');
  return [...parts.slice(0, -1), { ...last, decisions: [...last.decisions, ...own] }];
}

function judgeManifest(isThere: boolean, isAny: boolean, isSame: boolean): FileDecision['does'] {
  if (!isThere) return isAny ? 'created' : 'unchanged';
  if (!isAny) return 'removed';
  return isSame ? 'unchanged' : 'updated';
}

/** Returns the manifest's path; relative, like the other paths, if it lies below the same directory. */
function describePath({ base, manifest }: InstallPaths): string {
  return manifest.startsWith(`${base}/`) ? relative(base, manifest) : manifest;
}

function listRules({ root }: Context, { known, parts }: Omit<InstallPlan, 'with'>, isAny: boolean): FileDecision[] {
  const rules = { path: IGNORE_FILE, what: 'keeps the runs out of git' };
  const present = readIgnoreRules(root);
  if (isAny) return present === undefined ? [{ ...rules, does: 'created' }] : [];
  const removed = parts.flatMap(({ decisions }) =>
    decisions.flatMap(({ path, text }) => (text === null ? [path] : [])),
  );
  const stays = (name: string): boolean =>
    !/^(?:\.gitignore|install\..*)$/.test(name) && !removed.some((path) => path.startsWith(`.dev/${name}/`));
  const isLast = !listNames(dirname(join(root, IGNORE_FILE))).some(stays);
  return known?.ignoreRules === true && isLast ? [{ ...rules, does: 'removed' }] : [];
}
