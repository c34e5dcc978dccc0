import type { Harness, HookEventName } from '../adapter.js';

/** What a harness runs for an event: a line in its settings, short because harnesses show it, and the file that it leads to. */

/** Where a line stands, and so where the file is that it runs. */
export type HookPlace = 'project' | 'user' | 'plugin';

/** The file in the package, and in the plugin; installed, it has the same name in the directory of each harness. */
export const HOOK_FILE = 'hooks/dev-cli.sh';

/** Where `install` puts the file for a harness, relative to the project or the home directory. */
export function locateHookFile({ directory }: Harness): string {
  return `${directory}/${HOOK_FILE}`;
}

// Gemini CLI puts `$NAME` and `${NAME}` of its own environment into settings when it reads them, as text: hence every variable
// stands as `${name-}` or with another operator, which it leaves alone.
// biome-ignore-start lint/suspicious/noTemplateCurlyInString: these are of the shell

/** Where no directory of the project is named: it is the nearest one with the settings that the line comes from. */
const renderSeek = ({ settings }: Harness): string =>
  `d=\${PWD-}; until [ -e "\${d-}/${settings.path}" ] || [ "\${d-}" = "\${d%/*}" ]; do d=\${d%/*}; done; `;

/** The words for the directory that the file is in, and for that of the project. */
function findDirectories(harness: Harness, place: HookPlace): { seek: string; ofFile: string; project: string } {
  const isSought = harness.seeksProject === true && place === 'project';
  const project = isSought ? '${d-}' : `\${${harness.projectVariable}-.}`;
  const ofFile = { project: `"${project}"`, user: '~', plugin: `"\${${harness.plugin?.root}}"` }[place];
  return { seek: isSought ? renderSeek(harness) : '', ofFile, project };
}

/**
 * Renders the command that a harness runs for an event (harness.md, Hooks). Where the user's shell runs it, whichever that is, it holds
 * no single quote but those around it.
 */
export function renderHookLine(event: HookEventName, harness: Harness, place: HookPlace): string {
  const { seek, ofFile, project } = findDirectories(harness, place);
  const file = place === 'plugin' ? HOOK_FILE : locateHookFile(harness);
  const call = `${seek}f=${ofFile}/${file}; set -- ${event} ${harness.id}; [ ! -r "\${f-}" ] || . "\${f-}"`;
  const line = event === 'pre-tool-use' ? `${call}; ${failClosed(project)}` : call;
  return harness.runsByUsersShell ? `exec sh -c '${line}'` : line;
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
