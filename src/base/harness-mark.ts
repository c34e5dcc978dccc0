/**
 * Variables that a harness sets for the commands it runs (protocol.md §1). Where one stands, an agent is calling: a
 * terminal is no person there, since interactive Gemini CLI runs every command on one and Codex CLI can.
 */
const HARNESS_MARKS = ['CLAUDECODE', 'AI_AGENT', 'GEMINI_CLI', 'CODEX_THREAD_ID', 'CODEX_CI', 'DEV_CLI_AGENT'];
const CODEX_MARKS = ['CODEX_THREAD_ID', 'CODEX_CI'];

/**
 * The first harness's mark that the environment holds; null where none stands. A variable set to nothing is no mark: that is
 * how a person takes one away for a command.
 */
export function findHarnessMark(env: Readonly<Record<string, string | undefined>>): string | null {
  return HARNESS_MARKS.find((name) => isSet(env, name)) ?? null;
}

/** Whether Codex CLI calls. It gives a command ten seconds before it goes on without its answer (harness.md, How a harness is known). */
export function isCodex(env: Readonly<Record<string, string | undefined>>): boolean {
  return CODEX_MARKS.some((name) => isSet(env, name));
}

const isSet = (env: Readonly<Record<string, string | undefined>>, name: string) => (env[name] ?? '') !== '';
