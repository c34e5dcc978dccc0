import { HARNESSES, type HarnessId, type HookEventName } from '../harness.js';

/** What a harness runs for an event: a line in its settings, short because harnesses show it, and the file that it leads to. */

/** Where a line stands, and so where the file is that it runs. */
export type HookPlace = 'project' | 'user' | 'plugin';

/** The file in the package, and in the plugin; installed, it has the same name in the directory of each harness. */
export const HOOK_FILE = 'hooks/dev-cli.sh';

/** Where `install` puts the file for a harness, relative to the project or the home directory. */
export function locateHookFile(harness: HarnessId): string {
  return `${HARNESSES[harness].directory}/${HOOK_FILE}`;
}

// Gemini CLI puts `$NAME` and `${NAME}` of its own environment into settings when it reads them, as text: hence every variable
// stands as `${name-}` or with another operator, which it leaves alone.
// biome-ignore-start lint/suspicious/noTemplateCurlyInString: these are of the shell

/** Codex CLI names no directory of the project: it is the nearest one with the settings that the line comes from. */
const SEEK_CODEX = 'd=${PWD-}; until [ -e "${d-}/.codex/hooks.json" ] || [ "${d-}" = "${d%/*}" ]; do d=${d%/*}; done; ';

/** The words for the directory that the file is in, and for that of the project. */
function findDirectories(harness: HarnessId, place: HookPlace): { seek: string; ofFile: string; project: string } {
  const isSought = harness === 'codex' && place === 'project';
  const project = isSought ? '${d-}' : '${CLAUDE_PROJECT_DIR-.}';
  const ofFile = { project: `"${project}"`, user: '~', plugin: '"${CLAUDE_PLUGIN_ROOT}"' }[place];
  return { seek: isSought ? SEEK_CODEX : '', ofFile, project };
}

/**
 * Renders the command that a harness runs for an event (harness.md, Hooks). Claude Code and Gemini CLI run it by a POSIX shell; Codex
 * CLI by the user's, whichever that is, so that there it holds no single quote but those around it.
 */
export function renderHookLine(event: HookEventName, harness: HarnessId, place: HookPlace): string {
  const { seek, ofFile, project } = findDirectories(harness, place);
  const file = place === 'plugin' ? HOOK_FILE : locateHookFile(harness);
  const call = `${seek}f=${ofFile}/${file}; set -- ${event} ${harness}; [ ! -r "\${f-}" ] || . "\${f-}"`;
  const line = event === 'pre-tool-use' ? `${call}; ${failClosed(project)}` : call;
  return harness === 'codex' ? `exec sh -c '${line}'` : line;
}

/** Without the file nobody can judge: where something is guarded, that blocks. */
const failClosed = (project: string): string =>
  `[ ! -e "${project}/.dev/guard" ] || { echo "dev-cli: no \${f-}, and a run is guarded here. dev-cli install writes it." >&2; exit 2; }`;

// biome-ignore-end lint/suspicious/noTemplateCurlyInString: these are of the shell

/** Whether a command of a harness's settings is one of dev-cli's, of any version. */
export function isHookLine(command: unknown): boolean {
  return (
    typeof command === 'string' &&
    (/\bdev-cli hook [a-z-]+ --harness /.test(command) || /\/hooks\/dev-cli\.sh; set -- [a-z-]+ [a-z]+;/.test(command))
  );
}
