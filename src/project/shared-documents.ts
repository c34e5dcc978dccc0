// door: seldom

import type { Json } from '../base/json.js';
import type { StorePaths } from '../store/directory-reading.js';
import { writeDurably } from '../store/durable.js';
import { isReserved, streamPath } from '../store/layout.js';
import { isOwnIgnoreFile, readIgnoreFile, readIgnoreRules, WRITTEN_BY } from './gitignore.js';

/** Never shared, even if a recipe asks for it, since a checkout must not change the recipe of a run in progress. */
const CAPTURED = 'recipe.json';

/**
 * Makes more of a run's documents visible to git, by an ignore file in the run's directory that also ignores itself.
 * Does nothing if somebody else wrote the rules there or in `.dev`.
 * @param shared relative to the run's directory; the run's records are left out
 * @param made collects the created files, even if the function throws
 * @throws DevCliError `IO`, system errors
 */
export function unignoreDocuments(
  { root, layout, inStream }: StorePaths,
  run: string,
  shared: readonly Json[],
  made: string[],
): void {
  const paths = shared.filter((path) => typeof path === 'string').filter((path) => isShareable(layout, run, path));
  const whole = readIgnoreRules(root) ?? null;
  if (paths.length === 0 || whole === null || !isOwnIgnoreFile(whole)) return;
  const file = inStream(run, '.gitignore');
  const text = readIgnoreFile(file);
  const wanted = renderRules(paths);
  if (text === wanted || text === null || (text !== undefined && !isOwnIgnoreFile(text))) return;
  if (text === undefined) made.push(file);
  writeDurably(file, wanted, root);
}

function isShareable(layout: StorePaths['layout'], run: string, path: string): boolean {
  return path !== CAPTURED && !/[\r\n]/.test(path) && !isReserved(layout, run, streamPath(layout, run, path));
}

/**
 * Renders the rules for directories before those for files. The rules for a directory show it, but hide all its
 * content; a later rule can then show a single file in it.
 */
function renderRules(paths: readonly string[]): string {
  const directories = paths.flatMap((path) => {
    const names = path.split('/').slice(0, -1);
    return names.map((_, at) => names.slice(0, at + 1).join('/'));
  });
  return [
    `${WRITTEN_BY} What the recipe of this run names as its artifacts; all else here stays on this machine.`,
    ...[...new Set(directories)].sort().flatMap((path) => [`!/${toPattern(path)}/`, `/${toPattern(path)}/*`]),
    ...[...new Set(paths)].sort().map((path) => `!/${toPattern(path)}`),
    '',
  ].join('\n');
}

/** Escapes a path to a pattern that matches only that path. */
function toPattern(path: string): string {
  return path.replace(/[\\*?[\]]|[ \t]+$/g, (special) => special.replace(/./g, '\\$&'));
}
