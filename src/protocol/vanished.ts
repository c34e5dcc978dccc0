import type { Files } from '../base/files.js';
import { CAPTURED_PLAN } from '../effects/engine/plan.js';
import { factsOf } from '../effects/evidence.js';
import { PLAN, PLAN_CONTENT, runDirectory } from '../effects/paths.js';
import type { Turn } from '../effects/turn.js';
import type { Action } from '../run/action.js';
import type { RunState } from '../run/state.js';
import { BEGINNING, type Store } from '../store/store.js';

/**
 * Documents of a run that are gone although nobody meant them to be: `git clean -fd` and `git stash -u` take what git does
 * not ignore, a power cut what was not synced. The journal says what they held, `objects/` has it (storage.md, A commit).
 */

/** What documents held when they were committed last, by path as in `Files`. */
export type Contents = ReadonlyMap<string, Buffer>;

/**
 * The documents that a run cannot do without, and that are lost. Looks at a few files and reads none.
 * @returns paths relative to the run's directory
 */
export function vanished(files: Files, state: RunState): string[] {
  const before = state.pendingAction?.before ?? {};
  // What the pending action promises and what was not there when it was issued is still to be written.
  return documentsOf(state).filter((path) => before[path] !== null && isLost(files, path));
}

/** Missing, or empty, as a power cut leaves what it met on the way to the disk. */
function isLost(files: Files, path: string): boolean {
  const facts = files.facts(path);
  return facts.kind === 'missing' || (facts.kind === 'file' && facts.size === 0);
}

/** What the run has written or was handed so far and reads again. */
function documentsOf(state: RunState): string[] {
  const action = state.pendingAction?.action;
  const plan = state.engine !== null || state.written.includes(PLAN) ? [PLAN, PLAN_CONTENT] : [];
  const captured = state.engine === null ? [] : [CAPTURED_PLAN];
  const named = action === undefined ? [] : namedBy(action).flatMap((path) => inRun(state.name, path));
  return [...new Set(['recipe.json', ...state.written, ...plan, ...captured, ...named])];
}

/** The paths that an action tells its reader to open. */
function namedBy(action: Action): string[] {
  if (action.action === 'done') return [];
  const { read = [], consult = [] } = action;
  const agents = action.action === 'dispatch-subagents' ? action.agents : [];
  const tasks = action.action === 'engine-dispatch' ? [...action.tasks, ...action.running] : [];
  return [...read, ...consult, ...[...agents, ...tasks].map(({ promptFile }) => promptFile)];
}

/** A path as actions name it, relative to the run's directory; none when it lies elsewhere. */
function inRun(name: string, path: string): string[] {
  const inside = path.split(`${runDirectory(name)}/`, 2)[1];
  return inside === undefined ? [] : [inside];
}

/**
 * What documents held when they were committed last. Reads the journal from its beginning.
 * @param paths relative to the run's directory
 * @returns without those that no commit holds, that were removed, or whose content is not in `objects/`
 * @throws DevCliError `JOURNAL_CORRUPT`, `STATE_NEWER`, `IO`
 */
export async function committedContents(
  store: Pick<Store<RunState>, 'scan' | 'content'>,
  name: string,
  paths: readonly string[],
): Promise<Contents> {
  const digests = new Map<string, string | null>();
  await store.scan(name, BEGINNING, ({ files }) => {
    for (const { path, after } of files) if (paths.includes(path)) digests.set(path, after);
    return true;
  });
  const contents = new Map<string, Buffer>();
  for (const path of paths) {
    const digest = digests.get(path) ?? null;
    const content = digest === null ? null : await store.content(name, digest);
    if (content !== null) contents.set(path, content);
  }
  return contents;
}

/** The documents as they will be once `contents` are put back. */
export function withContents(files: Files, contents: Contents): Files {
  return { ...files, read: (path) => contents.get(path) ?? files.read(path) };
}

/**
 * Puts lost documents back, in this turn's commit.
 * @returns what the next acknowledgement says of it; empty when there was nothing to put back
 */
export function putBack(turn: Turn, contents: Contents): string[] {
  const { files, state } = turn;
  const lost = [...contents].filter(([path]) => isLost(files, path));
  for (const [path, content] of lost) {
    files.write(path, content);
    // It is no new evidence: its content decides whether its writer has been at it.
    const before = state.pendingAction?.before;
    if (before?.[path] != null) before[path] = factsOf(files, path);
  }
  if (lost.length === 0) return [];
  const names = lost.map(([path]) => path).join(', ');
  const [were, are, they] = lost.length === 1 ? ['was', 'is', 'it'] : ['were', 'are', 'they'];
  return [
    `${names} ${were} gone (git clean, git stash -u?) and ${are} back as recorded; a stash that holds them pops once ${they} ${are} moved away`,
  ];
}
