import { join } from 'node:path';
import type { EditorSchema } from '../../../project/editor-schemas.js';
import { PREFERENCES_FILE } from '../../../recipe/settings/project-settings.js';
import type { Context } from '../../../run/context.js';
import { readAll, readFileText, readSkills } from './disk.js';
import { HOOK_FILE } from './hook-line.js';
import { type AgentChoices, readAgentChoicesIfPossible } from './models.js';
import type { Scope } from './piece.js';
import type { Material, ShippedFiles } from './pieces.js';

/**
 * Reads the sources of pieces: shipped files, and the project's preferences for agents (harness.md, Models and effort).
 */

/**
 * Reads the sources of a scope's pieces. Unreadable preferences count as empty.
 * @returns also, in `stated`, the project's preferences for agents, which apply only in the project
 * @throws DevCliError `IO`
 */
export function readMaterial(context: Context, scope: Scope): Material & { stated: AgentChoices } {
  const shipped = readShipped(context.library.shipped);
  const stated = readAgentChoicesIfPossible(() => readPreferences(context), Object.keys(shipped.agents));
  return { ...shipped, stated, choices: scope === 'project' ? stated : {} };
}

/** Reads the project's preferences; null if there are none. @throws DevCliError `IO` */
export function readPreferences({ reader, root }: Context): string | null {
  return reader.read(join(root, PREFERENCES_FILE));
}

/** Reads the shipped files. @throws DevCliError `IO` */
function readShipped(directory: string): ShippedFiles {
  const readSchema = (name: EditorSchema) => readFileText(join(directory, 'schemas', `${name}.schema.json`)) ?? '';
  return {
    skills: readSkills(join(directory, 'skills')),
    agents: readAgents(join(directory, 'agents')),
    hook: readFileText(join(directory, HOOK_FILE)) ?? '',
    schemas: {
      recipe: readSchema('recipe'),
      'recipe-test': readSchema('recipe-test'),
      'recipe-script': readSchema('recipe-script'),
    },
  };
}

/** Reads the shipped agents, except those with a dot in their name, which are variants of another agent's task. */
function readAgents(directory: string): Record<string, string> {
  return Object.fromEntries(Object.entries(readAll(directory, '.md')).filter(([name]) => !name.includes('.')));
}
