// door: seldom

import type { Json } from '../base/json.js';
import type { Places } from '../store/directory-reading.js';
import { writeDurably } from '../store/durable.js';
import { isReserved, streamPath } from '../store/layout.js';
import { isOwnIgnoreFile, readRules, textAt, WRITTEN_BY } from './gitignore.js';

/** Never shared, whatever a recipe says: a checkout must not change what a run goes on with. */
const CAPTURED = 'recipe.json';

/**
 * Lets git see documents of a run besides those that the rules of `.dev` let through: by rules in the run's own directory, which
 * hide themselves. Rules that somebody else wrote, there or for `.dev`, stay as they are.
 * @param shared relative to the run's directory; its records are left out
 * @param made collects what comes into being, also when it fails
 * @throws DevCliError `IO`, system errors
 */
export function letThrough(
  { root, layout, inStream }: Places,
  run: string,
  shared: readonly Json[],
  made: string[],
): void {
  const paths = shared.filter((path) => typeof path === 'string').filter((path) => isShareable(layout, run, path));
  const whole = readRules(root) ?? null;
  if (paths.length === 0 || whole === null || !isOwnIgnoreFile(whole)) return;
  const file = inStream(run, '.gitignore');
  const text = textAt(file);
  const wanted = renderRules(paths);
  if (text === wanted || text === null || (text !== undefined && !isOwnIgnoreFile(text))) return;
  if (text === undefined) made.push(file);
  writeDurably(file, wanted, root);
}

function isShareable(layout: Places['layout'], run: string, path: string): boolean {
  return path !== CAPTURED && !/[\r\n]/.test(path) && !isReserved(layout, run, streamPath(layout, run, path));
}

/** Directories come before the files: each hides what else is in it. */
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

/** A path as a pattern that matches nothing else. */
function toPattern(path: string): string {
  return path.replace(/[\\*?[\]]|[ \t]+$/g, (special) => special.replace(/./g, '\\$&'));
}
