import { join, resolve } from 'node:path';
import type { HarnessId } from '../../../generated/harnesses.js';
import { buildUserEnvironment } from '../../../work/git-command.js';
import { HARNESSES } from '../harness.js';
import { buildNote, buildOk, buildProblem, type DoctorFinding } from './finding.js';
import { type DoctorContext, type EnvironmentVariables, hasSucceeded, type Probes, type ProgramEnd } from './probes.js';

/** Checks what git and the sandbox of this shell allow (harness.md, Doctor). */

/** Git's answers about the committer. */
interface Identity {
  /** Git's answer in the environment of this shell. */
  here: ProgramEnd;
  /** Git's answer in the environment in which dev-cli calls git (protocol.md, Harness marks). */
  own: ProgramEnd;
}

/** Checks git: a committer identity, a writable git directory, and a `.dev` whose runs git ignores. */
export async function lookAtGit(
  probes: Probes,
  situation: DoctorContext,
  caller: HarnessId | null,
): Promise<DoctorFinding[]> {
  const { root, workTree, env } = situation;
  const own = buildUserEnvironment(env);
  const git = (args: string[], around: EnvironmentVariables = own) =>
    probes.run('git', args, { cwd: workTree, env: around });
  const [places, here, mine] = await Promise.all([
    git(['rev-parse', '--absolute-git-dir', '--git-common-dir']),
    git(['var', 'GIT_COMMITTER_IDENT'], env),
    git(['var', 'GIT_COMMITTER_IDENT']),
  ]);
  if (places.end === 'unstarted') return [];
  const subject = { check: 'git' } as const;
  if (!hasSucceeded(places))
    return [
      buildNote(
        subject,
        `${workTree} is not in a git repository: nothing is committed, and changed sources are not noticed.`,
        'Run `git init` there if you want one.',
      ),
    ];
  const directories = [
    ...new Set(
      places.stdout
        .trim()
        .split('\n')
        .map((place) => resolve(workTree, place)),
    ),
  ];
  const refused = directories.flatMap((place) => {
    const code = probes.refusesWriting(join(place, 'HEAD'));
    return code === null ? [] : [{ place, code }];
  });
  return [
    judgeIdentity({ here, own: mine }),
    judgeWriting(refused[0] ?? null, caller),
    ...(probes.exists(join(root, '.dev'))
      ? [judgeIgnored(await probes.run('git', ASK_IGNORED, { cwd: root, env: own }))]
      : []),
  ];
}

/** Asks about a file of a run, because `git clean` and `git stash -u` must not remove such files. */
const ASK_IGNORED = ['check-ignore', '--quiet', '.dev/specs/doctor/state.json'];

/** Judges the committer identity. */
export function judgeIdentity({ here, own }: Identity): DoctorFinding {
  const subject = { check: 'git' } as const;
  if (!hasSucceeded(own))
    return buildProblem(
      subject,
      'git has no user name and e-mail for commits.',
      'Set them: `git config --global user.name "…"` and `git config --global user.email "…"`.',
    );
  const who = own.stdout.replace(/>[^>]*$/, '>').trim();
  return hasSucceeded(here) && here.stdout.replace(/>[^>]*$/, '>').trim() === who
    ? buildOk(subject, `Commits are made as ${who}.`)
    : buildNote(
        subject,
        `git in this shell does not see your configuration; the git that dev-cli calls does, and commits as ${who}.`,
      );
}

/** Judges whether the git directory can be written. */
export function judgeWriting(refused: { place: string; code: string } | null, caller: HarnessId | null): DoctorFinding {
  const subject = { check: 'git' } as const;
  if (refused === null) return buildOk(subject, 'Commits can be made from this shell.');
  return buildProblem(
    subject,
    `${refused.place} cannot be written from this shell (${refused.code}): commits wait for a call that can write there.`,
    (caller === null ? undefined : HARNESSES[caller].sandbox?.git) ??
      'Give yourself the right to write there; in a sandbox, run `dev-cli next` in a terminal of your own.',
  );
}

/** Judges how `git check-ignore` ended; exit code 1 means that git does not ignore the path. */
export function judgeIgnored(ran: ProgramEnd): DoctorFinding {
  const subject = { check: 'git' } as const;
  return ran.end === 'exit' && ran.code === 1
    ? buildProblem(
        subject,
        'git sees the runs in .dev: `git clean` and `git stash -u` would remove them.',
        'Add the line `/.dev/specs/*/*` to .dev/.gitignore, or remove that file: the next run writes it again.',
      )
    : buildOk(subject, 'git ignores the runs in .dev.');
}

/**
 * Judges whether a program could listen on a port of this machine.
 * @param code the error code; null if listening succeeded
 */
export function judgeListening(code: string | null): DoctorFinding {
  const subject = { check: 'sandbox' } as const;
  const ways = Object.values(HARNESSES).flatMap(({ sandbox }) => sandbox?.listening ?? []);
  return code === null
    ? buildOk(subject, 'Programs may listen on 127.0.0.1.')
    : buildProblem(
        subject,
        `Programs may not listen on 127.0.0.1 here (${code}): tests that start a server fail because of it.`,
        `Allow it in the sandbox of the harness (${ways.join('; ')}), or run such commands outside.`,
      );
}
