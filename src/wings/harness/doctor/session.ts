import type { SessionMark } from '../../../project/pointers.js';
import { HARNESS_IDS, HARNESSES, type HarnessId } from '../harness.js';
import { type Finding, note, ok, problem } from './finding.js';
import type { Environment } from './probes.js';

/** Whether hooks have told of the session that calls (harness.md, Doctor; harness.md, Sessions). */

/** The harness that calls, by its marks; null outside of one, and where it is another. */
export function findCallingHarness(env: Environment): HarnessId | null {
  const isSet = (name: string) => (env[name] ?? '') !== '';
  const named = HARNESS_IDS.find((id) => id === env['DEV_CLI_HARNESS']);
  if (named !== undefined) return named;
  if (isSet('GEMINI_CLI')) return 'gemini';
  if (isSet('CODEX_THREAD_ID') || isSet('CODEX_CI')) return 'codex';
  return isSet('CLAUDECODE') || isSet('CLAUDE_CODE_SESSION_ID') ? 'claude' : null;
}

/** What is known of the session that calls. */
export interface SessionFacts {
  harness: HarnessId | null;
  /** Its id, where the environment tells it. */
  session: string | null;
  /** What `.dev/sessions` says of it. */
  mark: Pick<SessionMark, 'run' | 'heard'> | null;
  /** Whether hooks leave a trace here. */
  leavesTrace: boolean;
  /** Where it was begun, as far as that keeps its harness from the hooks of the project. */
  below: { root: string; cwd: string } | null;
}

/** Judges them. */
export function judgeSession({ harness, session, mark, leavesTrace, below }: SessionFacts): Finding {
  const subject = { check: 'session', ...(harness === null ? {} : { harness }) } as const;
  if (harness === null && session === null)
    return note(
      subject,
      'Not called in a session of a harness, so whether hooks run there is not known.',
      'Have the agent run `dev-cli doctor` in its chat.',
    );
  const title = harness === null ? 'The harness' : HARNESSES[harness].title;
  if (session === null)
    return note(
      subject,
      `${title} does not tell commands its session, so its hooks cannot be checked from here.`,
      'To check, have the agent write a source file while a run plans: the hook must refuse it.',
    );
  const run = mark?.run ?? null;
  if (mark?.heard === true)
    return ok(subject, `Hooks have reported this session${run === null ? '' : `, in "${run}"`}.`);
  if (below !== null && harness === 'claude')
    return problem(
      subject,
      `No hook has reported this session: ${title} reads ${below.root}/.claude only where it is started there, and this is ${below.cwd}.`,
      [`Start it in ${below.root}, or install for the user: `, INSTALL_FOR_USER, '.'],
    );
  if (run !== null)
    return note(
      subject,
      `This session is bound to "${run}", but \`init\` may have done that: whether hooks run is not known.`,
      'Have the agent run `dev-cli doctor` in a new session.',
    );
  if (!leavesTrace) return note(subject, 'There are no runs here yet, and without one hooks leave no trace.');
  return problem(subject, `No hook has reported this session of ${title}.`, REASONS[harness ?? 'claude']);
}

const INSTALL_FOR_USER = { command: 'install', input: { harness: ['claude'], user: true } };

/** Why a session may go without, in the order of how often. */
const REASONS: Readonly<Record<HarnessId, string>> = {
  claude:
    'Begin a new session, in the directory of the project: new hooks take effect there. If `/hooks` does not list them, the settings were ignored.',
  codex:
    'Begin a new session. Codex skips hooks in silence until the project is trusted and `/hooks` has shown them to you.',
  gemini:
    'Begin a new session, in the directory of the project. `/hooks` lists them; they need to be enabled, and the folder trusted.',
};
