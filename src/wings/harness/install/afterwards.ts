import { basename, delimiter, dirname, join } from 'node:path';
import type { HarnessId } from '../../../generated/harnesses.js';
import { FIRST_SKILL } from '../../../recipe/declared.js';
import { HARNESSES } from '../harness.js';
import type { InstallPaths, PartDecisions } from './carry-out.js';
import { pathExists } from './disk.js';
import { HOOK_FILE } from './hook-line.js';
import { type AgentChoices, describeUnappliedChoices } from './models.js';
import type { Scope } from './piece.js';

/** Tells the user what to do next (harness.md, Install). */

/**
 * Lists the next step for each harness that an installation has changed, what its permission means, and whether dev-cli
 * is missing on the PATH.
 */
export function listNextSteps(places: InstallPaths, parts: readonly PartDecisions[], searchPath: string): string[] {
  const steps = parts.flatMap(({ part, decisions }) => {
    if (part === 'project' || !decisions.some(({ text }) => typeof text === 'string')) return [];
    const skill = decisions
      .filter(({ what, does }) => what === 'skill' && does !== 'removed')
      .map(({ path }) => basename(dirname(path)))
      .find((name) => name.endsWith(FIRST_SKILL));
    const { title, describeStart } = HARNESSES[part];
    return [`${title}: ${describeStart(skill ?? FIRST_SKILL, places)} with what you want.`];
  });
  const all = grantsCalls(parts) ? [...steps, PERMISSION] : steps;
  return isLasting(searchPath) ? all : [NOT_ON_PATH, ...all];
}

/** Explains the permission that is written for a harness. */
export const PERMISSION =
  'Your agent may call dev-cli without asking you, and what dev-cli runs is outside the sandbox of the harness. Commands that an agent chose are run only once you have approved them, or after `dev-cli trust autopilot` in a terminal.';

function grantsCalls(parts: readonly PartDecisions[]): boolean {
  return parts.some(({ decisions }) =>
    decisions.some(({ what, text }) => typeof text === 'string' && /\bpermissions?$/.test(what)),
  );
}

/** Lists the project's preferences for agents that the installation could not apply. */
export function listUnappliedChoices(scope: Scope, harnesses: readonly HarnessId[], choices: AgentChoices): string[] {
  if (scope === 'project') return harnesses.flatMap((harness) => describeUnappliedChoices(choices, harness) ?? []);
  return Object.keys(choices).length === 0
    ? []
    : [
        'The models and efforts in .dev/preferences.yaml apply to this project only; the agents installed for this user have none.',
      ];
}

/** Warns if hooks run a file that this version did not write. */
export function listForeignHooks(parts: readonly PartDecisions[]): string[] {
  return parts.flatMap(({ decisions }) =>
    decisions
      .filter(({ path, does }) => does === 'kept' && path.endsWith(HOOK_FILE))
      .map(
        ({ path }) =>
          `The hooks run ${path}, which is not what this version writes: remove it, then repeat \`dev-cli install\`.`,
      ),
  );
}

/** Lists a note for each entry of somebody else in a place where dev-cli's entry would be. */
export function listRivalNotes(parts: readonly PartDecisions[]): string[] {
  return parts.flatMap(({ decisions }) =>
    decisions.flatMap(({ path, rivals = [] }) => rivals.map((rival) => describeRival(path, rival))),
  );
}

/** Says that an entry in a file belongs to somebody else and stays. */
export const describeRival = (path: string, rival: string): string =>
  `${rival} in ${path} is not from dev-cli and stays as it is; nothing is added there.`;

const NOT_ON_PATH =
  'dev-cli is not on the PATH, where agents and hooks look for it. Install the package that you ran globally: `npm install -g`.';

/** Returns whether dev-cli is on the PATH other than in a directory that npm adds for one command. */
function isLasting(searchPath: string): boolean {
  return searchPath.split(delimiter).some((at) => !isOfNpm(at) && pathExists(join(at, 'dev-cli')));
}

/** Returns whether npm or npx has added this path, or its directory, to the PATH for one command. */
export function isOfNpm(path: string): boolean {
  return /[\\/]node_modules[\\/]\.bin(?:[\\/]|$)/.test(path);
}
