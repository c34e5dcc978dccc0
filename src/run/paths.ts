/** The directories on which printed paths depend. */
export interface Directories {
  /** Absolute path. */
  root: string;
  /** Absolute path; equals `root` unless the run has a work tree of its own. */
  workTree: string;
}
/** The report of an execution, relative to the run's directory. */
export const REPORT = 'report.md';

/** The plan, relative to the run's directory. */
export const PLAN = 'PLAN.md';

/**
 * The content of the plan, relative to the run's directory; PLAN.md is its rendering, and an execution carries it out.
 */
export const PLAN_CONTENT = 'plan-content.json';

/** Documents of an execution: its log, workers' learnings, issues left open, and values reported for later todos. */
export const AUDIT = 'context/audit.md';
export const LEARNINGS = 'context/learnings.md';
export const ISSUES = 'context/issues.md';
export const OUTPUTS = 'context/outputs.json';

/** The plan that a run executes, captured when the execution began; later edits do not change it. */
export const CAPTURED_PLAN = 'context/plan.json';

/** The cached differences between the plan on disk and the captured plan; may be deleted at any time. */
export const PLAN_MOVE = 'context/plan-move.json';

/** The directory of a run, relative to the root. */
export function getRunDirectory(name: string): string {
  return `.dev/specs/${name}`;
}

/**
 * Renders a document's path for an agent: relative to the root with `/`, or absolute if the work tree is elsewhere
 * (protocol.md, Root). `path` is relative to the run's directory; a leading `/` means the root.
 */
export function displayPath(place: Directories, name: string, path: string): string {
  const fromRoot = path.startsWith('/') ? path.slice(1) : `${getRunDirectory(name)}/${path}`;
  return place.workTree === place.root ? fromRoot : `${place.root}/${fromRoot}`;
}

/** Converts a path that `displayPath` rendered back to one relative to the run's directory. */
export function parseDisplayPath(place: Directories, name: string, shown: string): string {
  const fromRoot = shown.startsWith(`${place.root}/`) ? shown.slice(place.root.length + 1) : shown;
  const directory = `${getRunDirectory(name)}/`;
  return fromRoot.startsWith(directory) ? fromRoot.slice(directory.length) : `/${fromRoot}`;
}

/** Renders a document's path for subagents: always absolute. */
export function toAbsolutePath(place: Directories, name: string, path: string): string {
  return path.startsWith('/') ? `${place.root}${path}` : `${place.root}/${getRunDirectory(name)}/${path}`;
}
