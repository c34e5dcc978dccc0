/**
 * Variables that a harness sets for the commands it runs (protocol.md §1). Where one stands, an agent is calling: a
 * terminal is no person there, since interactive Gemini CLI runs every command on one and Codex CLI can.
 */
const HARNESS_MARKS = ['CLAUDECODE', 'AI_AGENT', 'GEMINI_CLI', 'CODEX_THREAD_ID', 'CODEX_CI', 'DEV_CLI_AGENT'];

/**
 * The first harness's mark that the environment holds; null where none stands. A variable set to nothing is no mark: that is
 * how a person takes one away for a command.
 */
export function harnessMark(env: Readonly<Record<string, string | undefined>>): string | null {
  return HARNESS_MARKS.find((name) => (env[name] ?? '') !== '') ?? null;
}
