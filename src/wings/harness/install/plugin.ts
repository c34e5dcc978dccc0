import { join } from 'node:path';
import type { Harness, PackageInfo } from '../adapter.js';
import { HARNESSES } from '../harness.js';
import { readFileText, readOr } from './disk.js';
import { listHarnessHooks } from './pieces.js';
import { parseSettings } from './settings.js';

/**
 * Builds the package as a plugin, for harnesses that have plugins (harness.md, Packaging). The plugin's hooks are the
 * same that `install` writes.
 */

/** Builds the files of all plugins, by path relative to the package. */
export function buildPlugins(about: PackageInfo): Record<string, object> {
  const built = Object.values(HARNESSES).map((harness) => {
    const groups = listHarnessHooks(harness, 'plugin').map(({ path, value }) => [path.at(-1), [value]] as const);
    return harness.plugin?.build(about, Object.fromEntries(groups));
  });
  return Object.assign({}, ...built);
}

/**
 * Returns whether the plugin of a harness is enabled for the project or the user; unreadable settings enable nothing.
 */
export function isPluginOn({ plugin }: Harness, { root, home }: { root: string; home: string }): boolean {
  const read = (path: string) => parseSettings(readFileText(path) ?? '', path);
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
