import type { HarnessId, HookEventName } from './harness.js';

// One harness puts `$NAME` and `${NAME}` of its own environment into settings when it reads them, as text: hence every variable
// stands as `${name-}` or with another operator, which it leaves alone.
// biome-ignore-start lint/suspicious/noTemplateCurlyInString: these are of the shell

/**
 * `seek MARK`: finds the root of the current directory as `findRoot` does, up to the first `.git`, by what is marked with
 * `.dev/MARK`; `root` ends with a slash, and is empty where there is none. A linked work tree leads to the root of its run.
 */
const SEEK = [
  'seek() { at=${PWD%/}; root=',
  'while :; do if [ -z "${root-}" ] && { [ -e "${at-}/.dev/$1" ] || [ -L "${at-}/.dev/$1" ]; }; then root=${at-}/; fi',
  '[ ! -e "${at-}/.git" ] || break',
  'case ${at-} in */*) at=${at%/*};; *) break;; esac; done',
  '[ -f "${at-}/.git" ] || return 0',
  'git=; IFS= read -r git < "${at-}/.git"; git=${git#gitdir: }',
  'case ${git-} in /*) ;; *) git=${at-}/${git-};; esac',
  '[ ! -f "${git-}/dev-cli-root" ] || { root=; IFS= read -r root < "${git-}/dev-cli-root"; root=${root-}/; }; }',
].join('; ');

/** Whether something is guarded at `root`. Only a plain file is read, so that nothing waits; what is no `open` is for node to judge. */
const IS_GUARDED = [
  'is_concerned() { [ -n "${root-}" ] || return 1; [ -d "${root-}" ] || return 0; at=${root-}.dev/guard',
  '[ -e "${at-}" ] || [ -L "${at-}" ] || return 1',
  'word=; if [ -f "${at-}" ]; then read -r word rest < "${at-}"; fi; [ "${word-}" != open ]; }',
].join('; ');

/** Whether there are runs at `root`. */
const HAS_RUNS = 'is_concerned() { [ -n "${root-}" ] && [ -d "${root-}.dev/specs" ]; }';

/**
 * Ends where the call concerns nothing: not the root that is named, nor that of the directory of the call, nor, where an agent
 * has gone elsewhere, that of the session. What is found is handed on, so that node never finds another one.
 */
const enter = (mark: string, event: HookEventName): string =>
  [
    'enter() { if [ -d "${DEV_CLI_ROOT-}" ]; then root=${DEV_CLI_ROOT%/}/; is_concerned; return; fi',
    'for place in . "${CLAUDE_PROJECT_DIR-}"; do if cd -P "${place-}"; then',
    `seek ${mark}; if is_concerned; then if [ -d "\${root-}" ]; then DEV_CLI_ROOT=\${root-}; export DEV_CLI_ROOT; fi; return 0; fi`,
    'fi; done; return 1; }',
    // A prompt may begin the first run of a project: what it says of autopilot is to be known by then.
    `enter 2>/dev/null || ${event === 'user-prompt-submit' ? '[ -d .dev ] || ' : ''}exit 0`,
  ]
    .join('; ')
    .replaceAll('then; ', 'then ');

const FAIL_CLOSED = [
  's=$?',
  'case ${s-} in 0|2) exit ${s-};; esac',
  'echo "dev-cli: the guard could not judge this call (exit ${s-}), and a run is guarded here. dev-cli doctor says why." >&2',
  'exit 2',
].join('; ');

/** Without dev-cli a session goes on; one that begins beside runs is told. */
const requireProgram = (event: HookEventName): string =>
  event === 'session-start'
    ? 'command -v dev-cli >/dev/null || { echo "dev-cli is not on the PATH of this session, and there are runs of it here: tell the user."; exit 0; }'
    : 'command -v dev-cli >/dev/null || exit 0';

// biome-ignore-end lint/suspicious/noTemplateCurlyInString: these are of the shell

/**
 * Renders the command that a harness runs for an event (harness.md, Hooks). Claude Code and Gemini CLI run it by a POSIX shell; Codex
 * CLI by the user's, whichever that is, so that there it holds no single quote but those around it.
 */
export function renderHookLine(event: HookEventName, harness: HarnessId): string {
  const call = `dev-cli hook ${event} --harness ${harness}`;
  const parts =
    event === 'pre-tool-use'
      ? [SEEK, IS_GUARDED, enter('guard', event), call, FAIL_CLOSED]
      : // Exit code 2 would keep a prompt from the agent, or the agent from stopping.
        [SEEK, HAS_RUNS, enter('specs', event), requireProgram(event), `${call} || exit 1`];
  const line = parts.join('; ');
  return harness === 'codex' ? `exec sh -c '${line}'` : line;
}

/** Whether a command of a harness's settings is one of dev-cli's, of any version. */
export function isHookLine(command: unknown): boolean {
  return typeof command === 'string' && /\bdev-cli hook [a-z-]+ --harness /.test(command);
}
