import { basename } from 'node:path';
import { joinAll } from '../../../base/words.js';
import { HARNESSES } from '../harness.js';
import { isOfNpm } from '../install/afterwards.js';
import { buildNote, buildOk, buildProblem, type DoctorFinding } from './finding.js';
import {
  type DoctorContext,
  describeProbeFailure,
  type EnvironmentVariables,
  type Probes,
  type ProgramEnd,
} from './probes.js';

/** Checks whether the shells that a harness uses find dev-cli (harness.md, Doctor). */

/** A shell to check. */
interface Shell {
  /** The shell's name in a finding. */
  title: string;
  program: string;
  option: '-c' | '-lc';
}

/** Marks where the answer begins: a shell's start-up files may print text of their own before it. */
const MARK = 'dev-cli-doctor:';
const SCRIPT = `echo ${MARK}; command -v dev-cli && dev-cli --version`;

/**
 * Lists the shells of a user: `sh` with this environment, as hooks and the commands of most harnesses use it, and the
 * user's login shell, which some harnesses start for commands.
 */
export function listShells({ SHELL }: EnvironmentVariables): Shell[] {
  const login = SHELL || 'sh';
  return [
    { title: 'this shell', program: 'sh', option: '-c' },
    { title: `${basename(login)} -lc`, program: login, option: '-lc' },
  ];
}

/**
 * Checks which dev-cli each shell finds.
 * @param isLoginUsed whether a harness that starts login shells is installed; otherwise a problem of the login shell is
 * only a note
 */
export function lookAtShells(
  probes: Probes,
  { env, version }: DoctorContext,
  { isLoginUsed }: { isLoginUsed: boolean },
): Promise<DoctorFinding[]> {
  const users = Object.values(HARNESSES).flatMap(({ usesLoginShell, title }) => (usesLoginShell ? title : []));
  return Promise.all(
    listShells(env).map(async (shell) => {
      const finding = judgeShell(shell, await probes.run(shell.program, [shell.option, SCRIPT]), version);
      return shell.option === '-c' || isLoginUsed || finding.severity === 'ok'
        ? finding
        : buildNote({ check: 'path' }, `${finding.message} Only ${joinAll(users, 'and')} starts login shells.`);
    }),
  );
}

/** Judges the answer of a shell. */
export function judgeShell({ title, option }: Shell, ran: ProgramEnd, version: string): DoctorFinding {
  const subject = { check: 'path' } as const;
  if (ran.end === 'time')
    return buildProblem(
      subject,
      `${title} ${describeProbeFailure(ran)}.`,
      'Find out what its start-up files wait for: a harness that starts this shell waits, too.',
    );
  const at = ran.stdout.lastIndexOf(MARK);
  if (at < 0) return buildNote(subject, `${title} could not be asked for dev-cli: it ${describeProbeFailure(ran)}.`);
  const lines = ran.stdout
    .slice(at + MARK.length)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const [path, found] = lines;
  if (path === undefined)
    return buildProblem(
      subject,
      `dev-cli is not on the PATH of ${title}.`,
      option === '-c'
        ? 'Add the directory of dev-cli to the PATH from which the harness is started.'
        : 'Add the directory of dev-cli to the PATH in its start-up files (~/.profile, ~/.zprofile or ~/.bash_profile).',
    );
  if (ran.end !== 'exit' || ran.code !== 0 || found === undefined)
    return buildProblem(
      subject,
      `In ${title}, ${path} does not run: it ${describeProbeFailure(ran)}.`,
      'Make sure that node is on that PATH, too.',
    );
  if (isOfNpm(path))
    return buildProblem(
      subject,
      `${title} finds dev-cli only where npm put it for this one call: ${path}`,
      'Install the package with `npm install -g`, so that agents and hooks find it.',
    );
  return found === version
    ? buildOk(subject, `${title} finds dev-cli ${version}: ${path}`)
    : buildProblem(
        subject,
        `${title} finds dev-cli ${found} (${path}), but this is ${version}.`,
        'Remove one of them, or put the one you mean first on that PATH.',
      );
}
