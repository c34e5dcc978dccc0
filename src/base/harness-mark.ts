import { HARNESS_MARKS, type HarnessId } from '../generated/harnesses.js';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Finds the first harness mark: a variable that a harness sets for the commands it runs (protocol.md §1); null when
 * none is set. A mark means that an agent calls, even on a terminal, since Gemini CLI runs every command on one and
 * Codex CLI can. An empty variable is no mark, so a person can switch a mark off for a single command.
 * @param among a table by mark; only marks that are in the table count
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
 * Whether a session of dev-cli itself started this process, so that input which looks like a person's is not trusted.
 */
export function isOwnSession(env: Environment): boolean {
  return isSet(env, OWN_MARK);
}

/** Returns the harness that a mark stands for; null without a mark, or when the mark does not name one. */
export function nameMarkedHarness(mark: string | null): HarnessId | null {
  return HARNESS_MARKS[mark ?? ''] ?? null;
}

const isSet = (env: Environment, name: string) => (env[name] ?? '') !== '';
