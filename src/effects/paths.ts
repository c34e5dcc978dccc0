import type { Place } from './turn.js';

/** The plan, relative to the run's directory. */
export const PLAN = 'PLAN.md';

/** The directory of a run, relative to the root. */
export function runDirectory(name: string): string {
  return `.dev/specs/${name}`;
}

/**
 * A document's path as an agent reads it: relative to the root with `/`, absolute when the work tree is elsewhere
 * (protocol.md §1, Root). `path` is relative to the run's directory; a leading `/` means the root.
 */
export function shownPath(place: Place, name: string, path: string): string {
  const fromRoot = path.startsWith('/') ? path.slice(1) : `${runDirectory(name)}/${path}`;
  return place.workTree === place.root ? fromRoot : `${place.root}/${fromRoot}`;
}

/** The same, always absolute: what a subagent is told. */
export function absolutePath(place: Place, name: string, path: string): string {
  return path.startsWith('/') ? `${place.root}${path}` : `${place.root}/${runDirectory(name)}/${path}`;
}
