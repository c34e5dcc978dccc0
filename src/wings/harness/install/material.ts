import { join } from 'node:path';
import type { EditorSchema } from '../../../project/editor-schemas.js';
import { PREFERENCES_FILE } from '../../../recipe/settings/project-settings.js';
import type { Context } from '../../../run/context.js';
import { readAll, readSkills, readText } from './disk.js';
import { HOOK_FILE } from './hook-line.js';
import { type AgentChoices, readAgentChoicesIfPossible } from './models.js';
import type { Scope } from './piece.js';
import type { Material, Shipped } from './pieces.js';

/** What pieces are made of: what ships, and what the project's preferences say of agents (harness.md, Models and effort). */

/**
 * Reads what a scope's pieces are made of. Preferences that cannot be read name no model.
 * @returns with what the project's preferences state of agents, which hold in the project alone
 * @throws DevCliError `IO`
 */
export function readMaterial(context: Context, scope: Scope): Material & { stated: AgentChoices } {
  const shipped = readShipped(context.library.shipped);
  const stated = readAgentChoicesIfPossible(() => readPreferences(context), Object.keys(shipped.agents));
  return { ...shipped, stated, choices: scope === 'project' ? stated : {} };
}

/** Reads the project's preferences; null where there are none. @throws DevCliError `IO` */
export function readPreferences({ reader, root }: Context): string | null {
  return reader.read(join(root, PREFERENCES_FILE));
}

/** Reads what ships. @throws DevCliError `IO` */
function readShipped(directory: string): Shipped {
  const readSchema = (name: EditorSchema) => readText(join(directory, 'schemas', `${name}.schema.json`)) ?? '';
  return {
    skills: readSkills(join(directory, 'skills')),
    agents: readAgents(join(directory, 'agents')),
    hook: readText(join(directory, HOOK_FILE)) ?? '',
    schemas: {
      recipe: readSchema('recipe'),
      'recipe-test': readSchema('recipe-test'),
      'recipe-script': readSchema('recipe-script'),
    },
  };
}

/** An agent with a dot in its name is a variant of another one's task. */
function readAgents(directory: string): Record<string, string> {
  return Object.fromEntries(Object.entries(readAll(directory, '.md')).filter(([name]) => !name.includes('.')));
}
