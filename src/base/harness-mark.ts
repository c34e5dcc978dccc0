import { HARNESS_MARKS, type HarnessId } from '../generated/harnesses.js';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Finds the first harness mark: a variable that a harness sets for the commands it runs (protocol.md §1); null if none
 * is set. A mark means that an agent is calling, even on a terminal, since Gemini CLI runs every command on a terminal
 * and Codex CLI can do so. An empty variable is no mark, so a person can switch a mark off for a single command.
 * @param among an object whose keys are the marks to look for
 */
export function findHarnessMark(env: Environment, among: object = HARNESS_MARKS): string | null {
  return Object.keys(among).find((name) => isSet(env, name)) ?? null;
}

/** Lists every harness mark. Code that starts an agent of its own removes them from the agent's environment. */
export function listHarnessMarks(): readonly string[] {
  return Object.keys(HARNESS_MARKS);
}

/** The mark that dev-cli sets for its own sessions, so that nothing they start passes for a person. */
export const OWN_MARK = 'DEV_CLI_AGENT';

/**
 * Returns whether a session of dev-cli itself started this process, in which case input that looks like a person's is
 * not trusted.
 */
export function isOwnSession(env: Environment): boolean {
  return isSet(env, OWN_MARK);
}

/** Returns the harness that a mark stands for; null without a mark, or if the mark does not identify a harness. */
export function nameMarkedHarness(mark: string | null): HarnessId | null {
  return HARNESS_MARKS[mark ?? ''] ?? null;
}

const isSet = (env: Environment, name: string) => (env[name] ?? '') !== '';
