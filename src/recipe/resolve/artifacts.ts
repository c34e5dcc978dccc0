import { ARTIFACTS } from '../declared.js';
import type { ResolvedBlock } from '../resolved.js';
import { listPlaceholders } from '../template.js';
import { listWrites } from '../writes.js';

/** The rendering of it is named, PLAN.md. */
const UNNAMED = ['plan-content.json'];
/** Rounds of which each has its documents named. */
const MOST_ROUNDS = 20;

/**
 * Lists the documents that the end of a run names where the recipe does not say (recipes.md §1): dev-cli's own, and those that its
 * blocks write, as far as their paths are known before the run.
 * @returns undefined where there are only dev-cli's own, which every recipe has
 */
export function resolveArtifacts(blocks: readonly ResolvedBlock[]): string[] | undefined {
  const known = [...ARTIFACTS, ...UNNAMED];
  const paths = blocks.flatMap((block) => listWrites(block).flatMap(({ path }) => listRounds(path, block)));
  const own = [...new Set(paths)].filter((path) => !path.startsWith('/') && !known.includes(path));
  return own.length === 0 ? undefined : [...ARTIFACTS, ...own];
}

/** The path in each round; none where another placeholder decides. */
function listRounds(path: string, block: ResolvedBlock): string[] {
  const keys = listPlaceholders(path).map(({ key }) => key);
  if (keys.length === 0) return [path];
  if (keys.some((key) => key !== 'round')) return [];
  const rounds = 'maxRounds' in block ? (block.maxRounds ?? 1) : 1;
  return Array.from({ length: Math.min(rounds, MOST_ROUNDS) }, (_, at) => path.replaceAll('{round}', String(at + 1)));
}
