import { dirname, join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Answer } from '../../../base/answer.js';
import { omitUndefined } from '../../../base/defined.js';
import { DevCliError } from '../../../base/errors.js';
import { HARNESS_IDS, type HarnessId } from '../../../generated/harnesses.js';
import { requireInside } from '../../../project/own-places.js';
import type { WithPorts } from '../../../protocol/ports.js';
import type { Context } from '../../../run/context.js';
import { HARNESSES } from '../harness.js';
import { listForeignHooks, listNextSteps, listRivalNotes, listUnappliedChoices } from './afterwards.js';
import { applyInstallPlan, type InstallPaths, type InstallPlan, type PartDecisions } from './carry-out.js';
import { askToGoOn, type ConsentQuestion, requirePerson } from './consent.js';
import { decideInstall, decideRemoval, type FileDecision, isPathTaken } from './decide.js';
import { followLinks, listNames, pathExists, readFileText, removeEmptyDirectories } from './disk.js';
import { chooseExtras, decideSwitches, loadExtras } from './extras.js';
import { findHarnesses } from './find-harnesses.js';
import { GIT_HARNESS, type GitHookPlan, planGitHook, planGitHookRemoval } from './git-hook.js';
import { buildInstallAnswer, type CarriedOut, listPartRows } from './listing.js';
import { withInstallLock } from './lock.js';
import { type Manifest, type PartId, type PieceRecord, readManifest } from './manifest.js';
import { readMaterial, readPreferences } from './material.js';
import { readAgentChoices } from './models.js';
import { addOwnFiles } from './own-files.js';
import type { InstallPiece } from './piece.js';
import { listPieces, listProjectPieces, type Material } from './pieces.js';
import { isPluginOn } from './plugin.js';

/** `install` and `uninstall` (harness.md, Install): everything is decided before anything is written. */

/** The input of both commands; the scope is the project unless `user` is set. */
interface InstallInput {
  /** Ids of harnesses, and `git` for the hook of the clone. */
  harness?: readonly string[];
  project?: boolean;
  user?: boolean;
  /** Names of extras. */
  with?: readonly string[];
  dryRun?: boolean;
  yes?: boolean;
}

/**
 * `install`: puts skills, agents, hooks and permissions where each harness looks for them.
 * @param cwd absolute
 * @throws DevCliError `USAGE` for an unknown harness, or if none is named and none found; `TERMINAL_REQUIRED` for an
 * agent; `DATA_MALFORMED` for settings or a manifest that do not parse, `PREFERENCES_INVALID`; in all these cases
 * nothing is written; `LOCKED` while another call writes; `IO`
 */
export async function install(
  context: Context & WithPorts<'installs' | 'extras'>,
  input: InstallInput,
  cwd: string,
): Promise<Answer> {
  const places = findPlaces(context, input);
  const chosen = chooseHarnesses(context, places, input);
  if (input.with !== undefined && chosen.length === 0)
    throw new DevCliError('USAGE', '`--with` sets up harnesses, but no harness is named.', {
      fix: 'Name a harness besides git, or leave --harness out.',
    });
  const shipped = readMaterial(context, places.scope);
  const all = await loadExtras(context, input.with);
  const choose = (known: Manifest | null) => (chosen.length === 0 ? [] : chooseExtras(all, known, input.with));
  // Checked before anything is written. In the user scope, the project's preferences do not matter.
  if (places.scope === 'project') readAgentChoices(readPreferences(context), Object.keys(shipped.agents));
  const ids: PartId[] = [...chosen, ...(places.scope === 'project' && chosen.length > 0 ? ['project' as const] : [])];
  const renewing = await Promise.all(context.ports.installs.map((load) => load()));
  const plan = (): InstallPlan => {
    const known = readKnown(places);
    const extras = choose(known);
    const material = { ...shipped, extras };
    const parts = ids.map((part): PartDecisions => {
      const records = known?.harnesses[part] ?? {};
      const pieces = choosePieces(part, places, records, material, (path) => readAt(places, path));
      const stale = Object.keys(records).filter((path) => !pieces.some((piece) => piece.path === path));
      return {
        part,
        decisions: [
          ...pieces.map((piece) => decideInstall(piece, readAt(places, piece.path), records[piece.path])),
          ...stale.map((path) => decideRemoval(path, undefined, readAt(places, path), records[path])),
          ...(places.scope === 'project' && part !== 'project'
            ? renewSkills(
                places,
                renewing.flatMap((findStale) => findStale(context, HARNESSES[part].skills)),
              )
            : decideSwitches(context, cwd, extras, 'created')),
        ],
      };
    });
    return { known, parts, with: [...new Set([...(known?.with ?? []), ...extras.map(({ name }) => name)])] };
  };
  const notes = [
    ...listUnappliedChoices(places.scope, chosen, shipped.stated),
    ...chosen.flatMap((id) => (isPluginOn(HARNESSES[id], context) ? (HARNESSES[id].plugin?.twice ?? []) : [])),
  ];
  const question = {
    command: 'install',
    input: omitHow(input),
    title: `Install into ${places.base}`,
    notes,
  } as const;
  const isOfClone = namesGit(input, places) || choose(readKnown(places)).some(({ readsCommits }) => readsCommits);
  const planHook = isOfClone ? () => planGitHook(context.root, { signal: context.signal }) : null;
  const carriedOut = await planAndCarryOut(context, input, places, { plan, planHook }, question);
  const { parts } = carriedOut;
  return buildInstallAnswer(input.dryRun === true, places, carriedOut, 'installed', {
    notes: [...notes, ...listForeignHooks(parts), ...listRivalNotes(parts)],
    nextSteps: listNextSteps(places, parts, context.searchPath),
  });
}

/**
 * `uninstall`: removes what `install` wrote, and nothing else; keeps and names files that were edited since.
 * @param cwd absolute
 * @throws DevCliError as `install`; `TERMINAL_REQUIRED` also without a terminal while a run is guarded
 */
export async function uninstall(
  context: Context & WithPorts<'extras'>,
  input: InstallInput,
  cwd: string,
): Promise<Answer> {
  const places = findPlaces(context, input);
  const named = input.harness === undefined ? undefined : checkIds(withoutGit(input.harness));
  const isOfClone = namesGit(input, places);
  const shipped = readMaterial(context, places.scope);
  const all = await loadExtras(context);
  const look = () => {
    const known = readKnown(places);
    const installed = HARNESS_IDS.filter((id) => known?.harnesses[id] !== undefined);
    const leaving = named ?? (installed.length > 0 ? installed : HARNESS_IDS);
    const isLast = places.scope === 'project' && leaving.length > 0 && installed.every((id) => leaving.includes(id));
    return { known, leaving, isLast, extras: chooseExtras(all, known) };
  };
  const plan = (): InstallPlan => {
    const { known, leaving, isLast, extras } = look();
    const ids: PartId[] = [...leaving, ...(isLast ? ['project' as const] : [])];
    // A link may lead to a file that a remaining harness still uses.
    const staying = Object.entries(known?.harnesses ?? {})
      .filter(([part]) => !ids.some((id) => id === part))
      .flatMap(([, records]) => Object.keys(records).map((path) => followLinks(join(places.base, path))));
    const stays = (path: string) => staying.includes(followLinks(join(places.base, path)));
    // A clone has no manifest, so our content is found by its marks.
    const material = { ...shipped, extras: known === null && places.scope === 'project' ? all : extras };
    const parts = ids.map((part): PartDecisions => {
      const records = known?.harnesses[part] ?? {};
      const pieces = new Map(
        listOf(part, places, material).map((piece): [string, InstallPiece] => [piece.path, piece]),
      );
      const isKnown = (path: string) => part !== 'project' || Object.hasOwn(records, path);
      const paths = [...new Set([...Object.keys(records), ...pieces.keys()])].filter(isKnown);
      return {
        part,
        decisions: [
          ...paths
            .filter((path) => !stays(path))
            .map((path) => decideRemoval(path, pieces.get(path), readAt(places, path), records[path])),
          ...(part === 'project' ? decideSwitches(context, cwd, extras, 'removed') : []),
        ],
      };
    });
    return { known, parts, with: known?.with ?? [] };
  };
  const question = {
    command: 'uninstall',
    input: omitHow(input),
    title: `Remove from ${places.base}`,
    notes: [],
  } as const;
  const { isLast, extras } = look();
  const isGoing = named === undefined || (isLast && extras.some(({ readsCommits }) => readsCommits));
  const planHook =
    isOfClone || (isGoing && places.scope === 'project')
      ? async () => {
          const hook = await planGitHookRemoval(context.root, { signal: context.signal });
          return isOfClone || hook.carryOut !== null || hook.result.status === 'refused' ? hook : null;
        }
      : null;
  const carriedOut = await planAndCarryOut(context, input, places, { plan, planHook }, question);
  return buildInstallAnswer(input.dryRun === true, places, carriedOut, 'uninstalled');
}

/** Removes options like `--yes`. */
function omitHow({ dryRun: _dry, yes: _yes, ...asked }: InstallInput): ConsentQuestion['input'] {
  return asked as ConsentQuestion['input'];
}

/** Decides the renewal of skills generated from recipes; they belong to the project, not to the manifest. */
function renewSkills(places: InstallPaths, stale: readonly { path: string; text: string }[]): FileDecision[] {
  return stale.map(({ path, text }) => {
    readAt(places, path);
    return { path, what: 'skill of a recipe', does: 'updated', text };
  });
}

/** Shows the plan and asks, then plans again under the lock, because files may have changed while the user answered. */
async function planAndCarryOut(
  context: Context,
  input: InstallInput,
  places: InstallPaths,
  { plan, planHook }: { plan: () => InstallPlan; planHook: (() => Promise<GitHookPlan | null>) | null },
  question: ConsentQuestion,
): Promise<CarriedOut> {
  const shown = plan();
  const shownParts = addOwnFiles(context, places, shown);
  const shownHook = (await planHook?.()) ?? null;
  const asShown: CarriedOut = { parts: shownParts, isAsShown: false, ...omitUndefined({ git: shownHook?.result }) };
  if (shownHook?.result.status === 'refused' && namesGit(input, places)) return { ...asShown, isRefused: true };
  const changing = input.dryRun !== true && (changes(shown.parts) || (shownHook?.carryOut ?? null) !== null);
  if (changing) requirePerson(context, question);
  const asked = changing && input.yes !== true;
  if (asked && context.caller.terminal !== true) {
    return { ...asShown, unasked: { command: question.command, input: { ...question.input, yes: true } } };
  }
  if (asked) await askToGoOn(context, asShown, question);
  if (input.dryRun === true) return asShown;
  // Planned again, because the hook, too, may have changed while the user answered.
  const hook = asked ? ((await planHook?.()) ?? null) : shownHook;
  hook?.carryOut?.();
  const git = hook?.result;
  if (shown.parts.length === 0 || (isIdle(shown) && !isCutOff(places)))
    return { ...asShown, ...omitUndefined({ git }) };
  const { parts, made } = await withInstallLock(context, places.manifest, (forLock) => {
    const now = plan();
    const parts = addOwnFiles(context, places, now);
    return { parts, made: applyInstallPlan(context, places, now, forLock) };
  });
  removeEmptyDirectories(made);
  const isAsShown =
    asked && isDeepStrictEqual([listPartRows(parts), git], [listPartRows(shownParts), shownHook?.result]);
  return { parts, isAsShown, ...omitUndefined({ git }) };
}

/** Returns whether a plan changes nothing, not even the manifest. */
function isIdle({ known, parts }: InstallPlan): boolean {
  return (
    known === null &&
    !changes(parts) &&
    parts.every(({ decisions }) => decisions.every(({ record }) => record === undefined))
  );
}

/** Returns whether an earlier call was apparently interrupted before it wrote a manifest. */
function isCutOff({ manifest }: InstallPaths): boolean {
  const names = listNames(dirname(manifest));
  return pathExists(dirname(manifest)) && names.every((name) => name.startsWith('install.'));
}

/** Lists the pieces of a part; a file whose path is taken gets its alternative name. */
export function choosePieces(
  part: PartId,
  places: InstallPaths,
  records: Readonly<Record<string, PieceRecord>>,
  material: Material,
  read: (path: string) => string | null,
): InstallPiece[] {
  return listOf(part, places, material).map((piece) =>
    piece.kind === 'file' && isPathTaken(piece, records, read) ? (piece.otherwise ?? piece) : piece,
  );
}

function listOf(part: PartId, places: InstallPaths, material: Material): InstallPiece[] {
  return part === 'project'
    ? listProjectPieces(listNames(places.base), readFileText(join(places.base, 'package.json')), material)
    : listPieces(part, places.scope, material);
}

/** Returns the locations of a scope. */
export function findPlaces({ root, home, trustDirectory }: Context, { user = false }: InstallInput): InstallPaths {
  return user
    ? { scope: 'user', base: home, manifest: join(dirname(trustDirectory), 'install.json') }
    : { scope: 'project', base: root, manifest: join(root, '.dev', 'install.json') };
}

/** Reads a file that may be written later. In a project, no link may lead out of it. @throws DevCliError `IO` */
function readAt({ scope, base }: InstallPaths, path: string): string | null {
  if (scope === 'project') requireInside(base, path);
  return readFileText(join(base, path));
}

/** Reads the manifest. @throws DevCliError `IO`, `DATA_MALFORMED` */
function readKnown({ scope, base, manifest }: InstallPaths): Manifest | null {
  if (scope === 'project') requireInside(base, relative(base, manifest));
  return readManifest(manifest);
}

/** Returns the harnesses with these names. @throws DevCliError `USAGE` for an unknown name */
export function checkIds(names: readonly string[]): HarnessId[] {
  const unknown = names.filter((name) => !HARNESS_IDS.some((id) => id === name));
  if (unknown.length === 0) return HARNESS_IDS.filter((id) => names.includes(id));
  throw new DevCliError('USAGE', `Unknown harness: ${unknown.map((name) => JSON.stringify(name)).join(', ')}.`, {
    fix: `Name one or more of ${HARNESS_IDS.join(', ')}, separated by commas.`,
  });
}

/** Returns the named harnesses or, if none was named, the harnesses that are found. @throws DevCliError `USAGE` */
function chooseHarnesses(context: Context, { base }: InstallPaths, { harness }: InstallInput): HarnessId[] {
  return harness === undefined ? findHarnesses(context, base) : checkIds(withoutGit(harness));
}

const withoutGit = (names: readonly string[]): string[] => names.filter((name) => name !== GIT_HARNESS);

/** Returns whether the hook of the clone was named. @throws DevCliError `USAGE` in the user scope */
function namesGit({ harness }: InstallInput, { scope }: InstallPaths): boolean {
  if (harness?.includes(GIT_HARNESS) !== true) return false;
  if (scope === 'project') return true;
  throw new DevCliError(
    'USAGE',
    'The git hook belongs to one clone and cannot be installed for all projects of a user.',
    {
      fix: 'Repeat the call in the project without --user.',
    },
  );
}

function changes(parts: readonly PartDecisions[]): boolean {
  return parts.some(({ decisions }) => decisions.some(({ text }) => text !== undefined));
}
