import type { Harness, HookEventName } from '../adapter.js';

/**
 * Renders the line in a harness's settings that runs for an event. The line only runs a script: it has to be short,
 * because harnesses show it.
 */

/** Where a line and its script are: in the project, for the user, or in the plugin. */
export type HookPlace = 'project' | 'user' | 'plugin';

/**
 * The script in the package and the plugin; `install` copies it under the same name into the directory of each harness.
 */
export const HOOK_FILE = 'hooks/dev-cli.sh';

/** Returns where `install` puts the script for a harness, relative to the project or the home directory. */
export function locateHookFile({ directory }: Harness): string {
  return `${directory}/${HOOK_FILE}`;
}

// Gemini CLI replaces `$NAME` and `${NAME}` in settings with values of its own environment when it reads them. So every
// variable is written as `${name-}` or with another operator: Gemini CLI leaves those alone.
// biome-ignore-start lint/suspicious/noTemplateCurlyInString: these are of the shell

/**
 * Renders the search for the nearest directory with the settings that contain the line, for a harness without a
 * variable for the project directory.
 */
const renderSeek = ({ settings }: Harness): string =>
  `d=\${PWD-}; until [ -e "\${d-}/${settings.path}" ] || [ "\${d-}" = "\${d%/*}" ]; do d=\${d%/*}; done; `;

/** Returns shell expressions for the script's directory and the project's directory. */
function findDirectories(harness: Harness, place: HookPlace): { seek: string; ofFile: string; project: string } {
  const isSought = harness.seeksProject === true && place === 'project';
  const project = isSought ? '${d-}' : `\${${harness.projectVariable}-.}`;
  const ofFile = { project: `"${project}"`, user: '~', plugin: `"\${${harness.plugin?.root}}"` }[place];
  return { seek: isSought ? renderSeek(harness) : '', ofFile, project };
}

/**
 * Renders the command that a harness runs for an event (harness.md, Hooks). In a harness that uses the user's own
 * shell, which may not be a POSIX shell, the line only starts `sh`, with the commands in single quotes; so the commands
 * contain none.
 */
export function renderHookLine(event: HookEventName, harness: Harness, place: HookPlace): string {
  const { seek, ofFile, project } = findDirectories(harness, place);
  const file = place === 'plugin' ? HOOK_FILE : locateHookFile(harness);
  const call = `${seek}f=${ofFile}/${file}; set -- ${event} ${harness.id}; [ ! -r "\${f-}" ] || . "\${f-}"`;
  const line = event === 'pre-tool-use' ? `${call}; ${failClosed(project)}` : call;
  return harness.runsByUsersShell ? `exec sh -c '${line}'` : line;
}

/**
 * Renders the commands that run after the script: if it is missing, nothing has judged the call, so they block the tool
 * while a run is guarded.
 */
const failClosed = (project: string): string =>
  `[ ! -e "${project}/.dev/guard" ] || { echo "dev-cli: no \${f-}, and a run is guarded here. dev-cli install writes it." >&2; exit 2; }`;

// biome-ignore-end lint/suspicious/noTemplateCurlyInString: these are of the shell

/** Returns whether a command in a harness's settings is one of dev-cli's, of any version. */
export function isHookLine(command: unknown): boolean {
  return (
    typeof command === 'string' &&
    (/\bdev-cli hook [a-z-]+ --harness /.test(command) || /\/hooks\/dev-cli\.sh; set -- [a-z-]+ [a-z]+;/.test(command))
  );
}
