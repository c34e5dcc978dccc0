import { join } from 'node:path';
import { DevCliError } from '../../../base/errors.js';
import { readText } from './disk.js';
import { listHooks } from './pieces.js';
import { parseSettings } from './settings.js';

/**
 * The package as a plugin of Claude Code, which reads `skills/` and `agents/` beside these files (harness.md, Packaging). The
 * files are generated: their hooks are those that `install` writes.
 */

/** The plugin's name, before each of its skills and agents: `/dev-cli:specify`. */
const PLUGIN = 'dev-cli';

/** What the package says of itself. */
interface About {
  version: string;
  description: string;
  license: string;
  keywords: readonly string[];
}

/** Builds the plugin's files, by path from the package's directory. Claude Code's validator asks for every field (`claude plugin validate`). */
export function buildPlugin({ version, description, license, keywords }: About): Record<string, object> {
  const author = { name: PLUGIN };
  const groups = listHooks('claude', 'plugin').map(({ path, value }) => [path.at(-1), [value]] as const);
  return {
    '.claude-plugin/plugin.json': { name: PLUGIN, version, description, author, license, keywords: [...keywords] },
    '.claude-plugin/marketplace.json': {
      name: PLUGIN,
      description,
      owner: author,
      plugins: [{ name: PLUGIN, source: './', description }],
    },
    'hooks/hooks.json': { hooks: Object.fromEntries(groups) },
  };
}

/** Whether settings of Claude Code have the plugin switched on, from whichever marketplace. */
export function hasPlugin({ enabledPlugins }: Record<string, unknown>): boolean {
  return Object.entries(enabledPlugins ?? {}).some(([id, on]) => id.startsWith(`${PLUGIN}@`) && on === true);
}

/** Claude Code's settings, where a plugin is switched on; relative to the project or the home directory. */
const PLUGIN_SETTINGS = ['.claude/settings.json', '.claude/settings.local.json'];

/** Whether the plugin is switched on for a project or a user. What cannot be read switches nothing on. */
export function isPluginOn({ root, home }: { root: string; home: string }): boolean {
  return [root, home].flatMap((base) => PLUGIN_SETTINGS.map((path) => join(base, path))).some(hasPluginAt);
}

function hasPluginAt(path: string): boolean {
  try {
    return hasPlugin(parseSettings(readText(path) ?? '', path));
  } catch (error) {
    if (error instanceof DevCliError) return false;
    throw error;
  }
}
