/** Where a run lives, for the paths that are printed. */
export interface Directories {
  /** Absolute. */
  root: string;
  /** Absolute; the root unless the run has a work tree of its own. */
  workTree: string;
}
/** The plan, relative to the run's directory. */
export const PLAN = 'PLAN.md';

/** What PLAN.md is rendered from and an execution carries out, relative to the run's directory. */
export const PLAN_CONTENT = 'plan-content.json';

/** The plan as a run executes it, captured when its engine began: later edits of the documents change nothing. */
export const CAPTURED_PLAN = 'context/plan.json';

/** The directory of a run, relative to the root. */
export function getRunDirectory(name: string): string {
  return `.dev/specs/${name}`;
}

/**
 * A document's path as an agent reads it: relative to the root with `/`, absolute when the work tree is elsewhere
 * (protocol.md, Root). `path` is relative to the run's directory; a leading `/` means the root.
 */
export function displayPath(place: Directories, name: string, path: string): string {
  const fromRoot = path.startsWith('/') ? path.slice(1) : `${getRunDirectory(name)}/${path}`;
  return place.workTree === place.root ? fromRoot : `${place.root}/${fromRoot}`;
}

/** The path that `displayPath` showed, relative to the run's directory again. */
export function parseDisplayPath(place: Directories, name: string, shown: string): string {
  const fromRoot = shown.startsWith(`${place.root}/`) ? shown.slice(place.root.length + 1) : shown;
  const directory = `${getRunDirectory(name)}/`;
  return fromRoot.startsWith(directory) ? fromRoot.slice(directory.length) : `/${fromRoot}`;
}

/** The same, always absolute: what a subagent is told. */
export function toAbsolutePath(place: Directories, name: string, path: string): string {
  return path.startsWith('/') ? `${place.root}${path}` : `${place.root}/${getRunDirectory(name)}/${path}`;
}
