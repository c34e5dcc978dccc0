import { HARNESS_MARKS, type HarnessId } from '../generated/harnesses.js';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Finds the first variable that a harness sets for the commands it runs (protocol.md §1); null when there is none. An agent is calling
 * then, even on a terminal, since Gemini CLI runs every command on one and Codex CLI can. An empty variable is no mark, so that a
 * person can switch one off for a single command.
 * @param among what is known by mark, where only marks of which something is known count
 */
export function findHarnessMark(env: Environment, among: object = HARNESS_MARKS): string | null {
  return Object.keys(among).find((name) => isSet(env, name)) ?? null;
}

/** Every variable that marks a call: who starts an agent of its own takes the marks of its caller out. */
export function listHarnessMarks(): readonly string[] {
  return Object.keys(HARNESS_MARKS);
}

/** The mark that dev-cli sets for what its own sessions start, so that nothing they start is taken for a person. */
export const OWN_MARK = 'DEV_CLI_AGENT';

/** Whether a session of dev-cli's own started this, so that what looks like a person's word is none. */
export function isOwnSession(env: Environment): boolean {
  return isSet(env, OWN_MARK);
}

/** The harness of a mark; null without one, and where it does not say. */
export function nameMarkedHarness(mark: string | null): HarnessId | null {
  return HARNESS_MARKS[mark ?? ''] ?? null;
}

const isSet = (env: Environment, name: string) => (env[name] ?? '') !== '';
