import { delimiter, join } from 'node:path';
import type { HarnessId } from '../../../generated/harnesses.js';
import { HARNESSES } from '../harness.js';
import type { Scope } from '../install/piece.js';
import { buildNote, buildOk, buildProblem, buildReinstallFix, type DoctorFinding } from './finding.js';
import { type DoctorContext, describeProbeFailure, hasSucceeded, type Probes, type ProgramEnd } from './probes.js';

/** Checks the versions of programs (harness.md, Doctor). */

/** The oldest Node that dev-cli runs on; same as in package.json. */
const OLDEST_NODE = '20.17';

/**
 * Returns a negative number if `one` is older. Numbers are compared first; a version with a suffix, such as a
 * pre-release, then sorts after the same version without it.
 */
export function compareVersions(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}

/** Judges the version of the running Node. */
export function judgeNode(version: string): DoctorFinding {
  const subject = { check: 'versions' } as const;
  return compareVersions(version, OLDEST_NODE) >= 0
    ? buildOk(subject, `Node ${version}.`)
    : buildProblem(
        subject,
        `Node ${version} is too old.`,
        `Install Node ${OLDEST_NODE} or later, and put it first on the PATH.`,
      );
}

/** Judges how `git --version` ended. */
export function judgeGit(ran: ProgramEnd): DoctorFinding {
  const subject = { check: 'versions' } as const;
  if (hasSucceeded(ran)) return buildOk(subject, `${ran.stdout.trim().replace(/^git version/, 'git')}.`);
  const what = ran.end === 'unstarted' && ran.code === 'ENOENT' ? 'is not on the PATH' : describeProbeFailure(ran);
  return buildProblem(
    subject,
    `git ${what}: nothing is committed, and changed sources are not noticed.`,
    'Install git, or fix the PATH of this shell.',
  );
}

/**
 * Judges the version that installed the files.
 * @param installed the version in the manifest; null if it has none
 */
export function judgeManifest(scope: Scope, installed: unknown, version: string): DoctorFinding[] {
  const subject = { check: 'versions', scope } as const;
  const where = scope === 'user' ? 'for this user' : 'in this project';
  if (typeof installed !== 'string')
    return [
      buildProblem(
        subject,
        `The files installed ${where} do not say which version wrote them.`,
        buildReinstallFix(subject),
      ),
    ];
  const age = compareVersions(installed, version);
  if (age < 0)
    return [
      buildProblem(
        subject,
        `The files installed ${where} are from version ${installed}; this is ${version}.`,
        buildReinstallFix(subject),
      ),
    ];
  return age === 0
    ? []
    : [
        buildProblem(
          subject,
          `The files installed ${where} are from version ${installed}; this is the older ${version}.`,
          'Upgrade this dev-cli, or put the newer one first on the PATH.',
        ),
      ];
}

/** A harness's program on the PATH, with its version. */
export interface ProgramFound {
  harness: HarnessId;
  version: string | undefined;
  finding: DoctorFinding;
}

/** Finds the programs of these harnesses on the PATH, and asks for their versions. */
export async function lookAtPrograms(
  probes: Probes,
  { env }: DoctorContext,
  harnesses: readonly HarnessId[],
): Promise<ProgramFound[]> {
  const directories = (env['PATH'] ?? '').split(delimiter).filter((directory) => directory !== '');
  const present = harnesses.filter((id) =>
    directories.some((directory) => probes.exists(join(directory, HARNESSES[id].program))),
  );
  return Promise.all(
    present.map(async (id) => {
      const { program, title } = HARNESSES[id];
      const ran = await probes.run(program, ['--version']);
      const subject = { check: 'versions', harness: id } as const;
      const version = hasSucceeded(ran) ? /\d+\.\d+[\w.-]*/.exec(ran.stdout)?.[0] : undefined;
      const finding =
        version === undefined
          ? buildNote(subject, `\`${program} --version\` ${describeProbeFailure(ran)}, so its version is unknown.`)
          : buildOk(subject, `${title} ${version}.`);
      return { harness: id, version, finding };
    }),
  );
}
