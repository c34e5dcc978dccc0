import { HARNESS_IDS, type HarnessId } from '../../../generated/harnesses.js';
import type { SessionMark } from '../../../project/pointers.js';
import { HARNESSES } from '../harness.js';
import { buildNote, buildOk, buildProblem, type DoctorFinding } from './finding.js';
import type { EnvironmentVariables } from './probes.js';

/** Judges whether hooks have reported the calling session (harness.md, Doctor; harness.md, Sessions). */

/** Returns the calling harness, by its marks; null outside a harness, and for an unknown one. */
export function findCallingHarness(env: EnvironmentVariables): HarnessId | null {
  const isSet = (name: string) => (env[name] ?? '') !== '';
  const named = HARNESS_IDS.find((id) => id === env['DEV_CLI_HARNESS']);
  const marked = HARNESS_IDS.filter((id) => {
    const { marks, isWatched, session } = HARNESSES[id];
    return marks.some(isSet) || (isWatched === true && session !== undefined && isSet(session));
  });
  return named ?? marked.at(-1) ?? null;
}

/** Facts about the calling session. */
export interface CallingSessionFacts {
  harness: HarnessId | null;
  /** The session's id, if the environment contains it. */
  session: string | null;
  /** The session's entry in `.dev/sessions`. */
  mark: Pick<SessionMark, 'run' | 'heard'> | null;
  /** Whether a working hook would leave a trace of the session in this root. */
  leavesTrace: boolean;
  /**
   * The root, and the directory in which the harness was started, if that lies below the root and hides the project's
   * hooks from the harness; null otherwise.
   */
  below: { root: string; cwd: string } | null;
}

/** Judges whether hooks run in the calling session. */
export function judgeCallingSession({
  harness,
  session,
  mark,
  leavesTrace,
  below,
}: CallingSessionFacts): DoctorFinding {
  const subject = { check: 'session', ...(harness === null ? {} : { harness }) } as const;
  if (harness === null && session === null)
    return buildNote(
      subject,
      'Not called in a session of a harness, so whether hooks run there is unknown.',
      'Have the agent run `dev-cli doctor` in its chat.',
    );
  const known = harness === null ? null : HARNESSES[harness];
  const title = known?.title ?? 'The harness';
  if (session === null)
    return buildNote(
      subject,
      `${title} does not tell commands its session, so its hooks cannot be checked from here.`,
      'To check, have the agent write a source file while a run plans: the hook must refuse it.',
    );
  const run = mark?.run ?? null;
  if (mark?.heard === true)
    return buildOk(subject, `Hooks have reported this session${run === null ? '' : `, in "${run}"`}.`);
  if (below !== null && known?.readsWhereStarted && known.session !== undefined)
    return buildProblem(
      subject,
      `No hook has reported this session: ${title} reads ${below.root}/${known.directory} only if it is started there, but this session is in ${below.cwd}.`,
      [
        `Start it in ${below.root}, or install for the user: `,
        { command: 'install', input: { harness: [known.id], user: true } },
        '.',
      ],
    );
  if (run !== null)
    return buildNote(
      subject,
      `This session is bound to "${run}", but \`init\` may have done that: whether hooks run is unknown.`,
      'Have the agent run `dev-cli doctor` in a new session.',
    );
  if (!leavesTrace) return buildNote(subject, 'There are no runs here yet, and without a run, hooks leave no trace.');
  const { whyUnheard } = known ?? HARNESSES[HARNESS_IDS[0]];
  return buildProblem(subject, `No hook has reported this session of ${title}.`, whyUnheard);
}
