import { join, resolve } from 'node:path';
import { parse } from 'smol-toml';
import type { HarnessId } from '../../../generated/harnesses.js';
import { type Harness, listStrings, type SilenceContext } from '../adapter.js';
import { HARNESSES } from '../harness.js';
import { readOr } from '../install/disk.js';
import { parseSettings, readAtPath } from '../install/settings.js';
import { buildNote, buildProblem, type DoctorFinding } from './finding.js';

/**
 * Finds why a harness may silently skip installed hooks (harness.md, Doctor). Nothing here changes what the harness
 * trusts.
 */

/** A harness, and the surroundings in which it runs. */
interface Place extends Pick<SilenceContext, 'directories' | 'scopes' | 'env'> {
  harness: HarnessId;
  /** Absolute directory of the call. */
  cwd: string;
  home: string;
  /** @throws DevCliError `IO` */
  read: (path: string) => string | null;
}

/**
 * Finds the reasons why a harness does not run its hooks.
 * @throws DevCliError `IO`, `DATA_MALFORMED` for settings that do not parse
 */
export function lookForSilence(place: Place): DoctorFinding[] {
  const harness = HARNESSES[place.harness];
  const usual = join(place.home, harness.directory);
  const own = place.env[harness.homeVariable ?? ''] || usual;
  return [
    ...findMoved(harness, place, own, usual),
    ...harness.findSilence(createAsked(harness, place, own)),
    ...findBelow(harness, place),
  ];
}

function findBelow(
  { id, title, directory, ...harness }: Harness,
  { directories, cwd, scopes }: Place,
): DoctorFinding[] {
  const [root = ''] = directories;
  if (harness.readsWhereStarted !== true || scopes.join() !== 'project' || cwd === root) return [];
  const fix = { command: 'install', input: { harness: [id], user: true } };
  const subject = { check: 'silence', harness: id } as const;
  return [
    buildNote(
      subject,
      `${title} reads ${root}/${directory} only if it is started there, but this session is in ${cwd}.`,
      fix,
    ),
  ];
}

function findMoved(
  { id, title, homeVariable }: Harness,
  { scopes }: Place,
  own: string,
  usual: string,
): DoctorFinding[] {
  if (!scopes.includes('user') || resolve(own) === usual) return [];
  return [
    buildProblem(
      { check: 'silence', harness: id },
      `${title} reads ${own} (${homeVariable}), but the files installed for this user are in ${usual}.`,
      ['Install into the project: ', { command: 'install', input: { harness: [id] } }, '.'],
    ),
  ];
}

/** Builds the helpers that an adapter's `findSilence` gets. */
function createAsked({ id, title }: Harness, { directories, scopes, env, read }: Place, own: string): SilenceContext {
  const subject = { check: 'silence', harness: id } as const;
  const readSettings = (path: string) => parseSettings(read(path) ?? '', path);
  return {
    directories,
    scopes,
    env,
    own,
    readSettings,
    readShared: (path) =>
      readOr(
        () => readSettings(path),
        () => ({}),
      ),
    readToml: (path) => parseToml(read(path) ?? ''),
    problem: (message, fix) => buildProblem(subject, message, fix),
    note: (message) => buildNote(subject, message),
    findDenials: (path, settings, key) =>
      listStrings(readAtPath(settings, key))
        .filter((rule) => DENIES_US.test(rule))
        .map((rule) =>
          buildProblem(
            { check: 'settings', harness: id },
            `${title} denies dev-cli to its agent: ${rule} is in ${path}, below ${key.join('.')}.`,
            'Remove it there.',
          ),
        ),
  };
}

const SHELLS = Object.values(HARNESSES).flatMap(({ tools }) => [tools.shell, tools.shellInRules ?? []].flat());

/** Matches a permission rule that covers dev-cli as a whole, or commands that every run needs. */
const DENIES_US = new RegExp(
  `^(?:${SHELLS.join('|')})(?:\\((?:\\*|:\\*|dev-cli(?: (?:init|next|step)\\b.*?)?(?::\\*| ?\\*)?)\\))?$`,
);

function parseToml(text: string): Record<string, unknown> | null {
  try {
    return parse(text);
  } catch {
    return null;
  }
}
