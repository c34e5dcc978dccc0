import { join } from 'node:path';
import type { About, Harness } from '../adapter.js';
import { HARNESSES } from '../harness.js';
import { readOr, readText } from './disk.js';
import { listHooks } from './pieces.js';
import { parseSettings } from './settings.js';

/** The package as a plugin of the harnesses that have such (harness.md, Packaging). Its hooks are those that `install` writes. */

/** Builds the files of all plugins, by path from the package's directory. */
export function buildPlugins(about: About): Record<string, object> {
  const built = Object.values(HARNESSES).map((harness) => {
    const groups = listHooks(harness, 'plugin').map(({ path, value }) => [path.at(-1), [value]] as const);
    return harness.plugin?.build(about, Object.fromEntries(groups));
  });
  return Object.assign({}, ...built);
}

/** Whether the plugin of a harness is switched on for a project or a user. What cannot be read switches nothing on. */
export function isPluginOn({ plugin }: Harness, { root, home }: { root: string; home: string }): boolean {
  const read = (path: string) => parseSettings(readText(path) ?? '', path);
  const all = [root, home].flatMap((base) => plugin?.settings.map((path) => join(base, path)) ?? []);
  return all.some((path) =>
    plugin?.isOn(
      readOr(
        () => read(path),
        () => ({}),
      ),
    ),
  );
}
