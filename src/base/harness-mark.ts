/**
 * Variables that a harness sets for the commands it runs (protocol.md §1): an agent is calling, even on a terminal,
 * since Gemini CLI runs every command on one and Codex CLI can.
 */
const HARNESS_MARKS = ['CLAUDECODE', 'AI_AGENT', 'GEMINI_CLI', 'CODEX_THREAD_ID', 'CODEX_CI', 'DEV_CLI_AGENT'];
/** The marks that say which harness calls, with its name in dev-cli. */
const NAMES: Readonly<Record<string, 'claude' | 'codex' | 'gemini'>> = {
  CLAUDECODE: 'claude',
  GEMINI_CLI: 'gemini',
  CODEX_THREAD_ID: 'codex',
  CODEX_CI: 'codex',
};
const CODEX_MARKS = ['CODEX_THREAD_ID', 'CODEX_CI'];

/**
 * Finds the first harness mark in the environment; null when there is none. An empty variable is no mark, so that a
 * person can switch one off for a single command.
 */
export function findHarnessMark(env: Readonly<Record<string, string | undefined>>): string | null {
  return HARNESS_MARKS.find((name) => isSet(env, name)) ?? null;
}

/** The harness of a mark; null without one, and where it does not say. */
export function nameMarkedHarness(mark: string | null): 'claude' | 'codex' | 'gemini' | null {
  return (mark !== null && NAMES[mark]) || null;
}

/**
 * Whether Codex CLI is calling: it stops waiting for a command after ten seconds (harness.md, How a harness is known).
 */
export function isCodex(env: Readonly<Record<string, string | undefined>>): boolean {
  return CODEX_MARKS.some((name) => isSet(env, name));
}

/**
 * Whether the environment is that of a command of an agent, and not of a hook (harness.md, Hooks). Gemini CLI and Codex CLI set their
 * marks for commands alone; Claude Code sets CLAUDECODE for both, and tells them apart by the end of AI_AGENT. The marks that say
 * nothing of it (AI_AGENT of others, DEV_CLI_AGENT) may be inherited by a harness.
 */
export function isAgentsCommand(env: Readonly<Record<string, string | undefined>>): boolean {
  if (['GEMINI_CLI', 'CODEX_THREAD_ID', 'CODEX_CI'].some((name) => isSet(env, name))) return true;
  return isSet(env, 'CLAUDECODE') && !/^claude-code_.*_harness$/.test(env['AI_AGENT'] ?? '');
}

const isSet = (env: Readonly<Record<string, string | undefined>>, name: string) => (env[name] ?? '') !== '';
