/** The harnesses that dev-cli knows, as data (harness.md, Install). What is done with it is in install/ and doctor/. */

/** Ids of the harnesses, as `--harness` takes them. */
export const HARNESS_IDS = ['claude', 'codex', 'gemini'] as const;
export type HarnessId = (typeof HARNESS_IDS)[number];

/** Events that dev-cli wants to hear of, by the name that `dev-cli hook` takes. */
export const HOOK_EVENTS = [
  'session-start',
  'user-prompt-submit',
  'pre-tool-use',
  'post-tool-use',
  'stop',
  'session-end',
] as const;
export type HookEventName = (typeof HOOK_EVENTS)[number];

/** How a harness calls for an event. */
interface HookRegistration {
  /** The harness's own name of the event. */
  native: string;
  /** A regular expression over the names of tools; absent where the event is of no tool. */
  matcher?: string;
  timeoutSeconds: number;
}

/** What dev-cli knows of a harness. */
export interface Harness {
  id: HarnessId;
  title: string;
  /** Its program, as found on the PATH. */
  program: string;
  /** Its directory, in a project as in a home directory. */
  directory: string;
  /** Where it looks for skills, in a project as in a home directory. */
  skills: string;
  hooks: Readonly<Record<HookEventName, HookRegistration>>;
}

/** Seconds that a harness waits for a hook: more than dev-cli waits for a lock. */
const TIMEOUT = 15;

/** Claude Code's events, whose names and form Codex CLI shares. */
function buildHooks(writes: string, looks: string): Harness['hooks'] {
  return {
    'session-start': { native: 'SessionStart', timeoutSeconds: TIMEOUT },
    'user-prompt-submit': { native: 'UserPromptSubmit', timeoutSeconds: TIMEOUT },
    'pre-tool-use': { native: 'PreToolUse', matcher: writes, timeoutSeconds: TIMEOUT },
    'post-tool-use': { native: 'PostToolUse', matcher: looks, timeoutSeconds: TIMEOUT },
    stop: { native: 'Stop', timeoutSeconds: TIMEOUT },
    'session-end': { native: 'SessionEnd', timeoutSeconds: TIMEOUT },
  };
}

export const HARNESSES: Readonly<Record<HarnessId, Harness>> = {
  claude: {
    id: 'claude',
    title: 'Claude Code',
    program: 'claude',
    directory: '.claude',
    skills: '.claude/skills',
    hooks: buildHooks('Write|Edit|MultiEdit|NotebookEdit|Bash', 'Write|Edit|MultiEdit|Bash|AskUserQuestion|Agent|Task'),
  },
  codex: {
    id: 'codex',
    title: 'Codex CLI',
    program: 'codex',
    directory: '.codex',
    skills: '.agents/skills',
    hooks: buildHooks('apply_patch|Bash', 'apply_patch|Bash|request_user_input'),
  },
  gemini: {
    id: 'gemini',
    title: 'Gemini CLI',
    program: 'gemini',
    directory: '.gemini',
    skills: '.gemini/skills',
    hooks: {
      'session-start': { native: 'SessionStart', timeoutSeconds: TIMEOUT },
      'user-prompt-submit': { native: 'BeforeAgent', timeoutSeconds: TIMEOUT },
      'pre-tool-use': {
        native: 'BeforeTool',
        matcher: 'write_file|replace|run_shell_command',
        timeoutSeconds: TIMEOUT,
      },
      'post-tool-use': {
        native: 'AfterTool',
        matcher: 'write_file|replace|run_shell_command|ask_user',
        timeoutSeconds: TIMEOUT,
      },
      stop: { native: 'AfterAgent', timeoutSeconds: TIMEOUT },
      'session-end': { native: 'SessionEnd', timeoutSeconds: TIMEOUT },
    },
  },
};
