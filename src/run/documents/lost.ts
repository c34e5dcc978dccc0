import type { DocumentReader } from '../../base/files.js';
import type { StreamState } from '../../store/store.js';
import type { Action } from '../action.js';
import type { ReadContext } from '../context.js';
import { CAPTURED_PLAN, getRunDirectory, PLAN, PLAN_CONTENT } from '../paths.js';
import { excludeEditedPlan } from '../plan/move.js';
import type { RunDraft, RunState } from '../state.js';
import type { PendingDocuments } from './pending.js';
import { findLostContents, type LostContents, overlayLostDocuments } from './recovery.js';

/**
 * Finds lost documents of a run. `git clean -fd` and `git stash -u` remove files that git does not ignore, and a power
 * cut loses files that were not synced. The journal holds their contents (storage.md, Documents that vanished).
 */

/** The documents of a run in a transaction, and its state. */
interface RunDocuments {
  files: PendingDocuments;
  state: RunDraft;
}

/** The parts of a run, as read from the store, that reveal lost documents. */
type Head = Pick<StreamState<RunState>, 'files' | 'past' | 'rebooted' | 'stale'>;

/** Returns whether documents of the run may be lost. Checks the facts of a few files and hardly reads any of them. */
export function mayLackDocuments({ files, rebooted, stale }: Omit<Head, 'past'>, state: RunState): boolean {
  return rebooted || stale.length > 0 || listShortDocuments(files, state).length > 0;
}

/**
 * Lists the documents that the run needs and that may be lost.
 * @returns paths relative to the run's directory
 */
function listShortDocuments(files: DocumentReader, state: RunState): string[] {
  const { documents: sizes, pendingAction } = state;
  const before = pendingAction?.before ?? {};
  const short = Object.entries(sizes)
    .filter(([path, size]) => {
      const promised = before[path];
      // The pending action promises this file, which did not exist when the action was issued: the agent will write it.
      if (promised === null) return false;
      // If the promised file already existed, the agent may be rewriting it: only a missing or empty file is lost.
      return isShort(files, path, promised === undefined ? size : 1);
    })
    .map(([path]) => path);
  return short.length === 0 ? short : excludeEditedPlan(short, state, files);
}

/** Returns whether a document is missing or shorter than recorded: it was lost, truncated, or edited by a person. */
function isShort(files: DocumentReader, path: string, size: number): boolean {
  const facts = files.facts(path);
  return facts.kind === 'missing' || (facts.kind === 'file' && facts.size < size);
}

/**
 * Returns the sizes in bytes, by path, that the run's documents will have after this transaction: those that the run
 * needs, and those that it wrote and did not remove. Prompt files count only while their action is pending.
 */
export function recordSizes({ files, state }: RunDocuments): Record<string, number> {
  const written = [...Object.keys(state.documents), ...files.changes().map(({ path }) => path)];
  const kept = written.filter((path) => !path.startsWith('/') && !path.startsWith('actions/'));
  return Object.fromEntries(
    [...new Set([...documentsOf(state), ...kept])].sort().flatMap((path) => {
      const facts = files.facts(path);
      return facts.kind === 'file' ? [[path, facts.size]] : [];
    }),
  );
}

const isUnfinished = ({ status }: RunState): boolean => status === 'live' || status === 'halted';

/** Lists the documents that the run wrote or was given and will read again. */
function documentsOf(state: RunState): string[] {
  const action = state.pendingAction;
  const { engine } = state;
  const plan = engine !== null || state.written.includes(PLAN) ? [PLAN, PLAN_CONTENT] : [];
  const captured = engine === null ? [] : [CAPTURED_PLAN];
  const named = action === null ? [] : namedBy(action).flatMap((path) => inRun(state.name, path));
  return [
    ...new Set([
      'recipe.json',
      ...(isUnfinished(state) ? ['DRAFT.md', ...outputsOf(state)] : []),
      ...state.written,
      ...plan,
      ...captured,
      ...named,
    ]),
  ];
}

/** Lists the outputs that agents have delivered. */
function outputsOf(state: RunState): string[] {
  return Object.values(state.agents).flatMap(({ status, output }) =>
    status === 'done' && output !== undefined ? [output] : [],
  );
}

/** Lists the paths that an action tells its reader to open. */
function namedBy(action: Action): string[] {
  if (action.action === 'done') return [];
  const { read = [], consult = [] } = action;
  const agents = action.action === 'dispatch-subagents' ? action.agents : [];
  const tasks = action.action === 'engine-dispatch' ? [...action.tasks, ...action.running] : [];
  return [...read, ...consult, ...[...agents, ...tasks].map(({ promptFile }) => promptFile)];
}

/** Converts a path from an action to a path relative to the run's directory; empty if the path is outside of it. */
function inRun(name: string, path: string): string[] {
  const inside = path.split(`${getRunDirectory(name)}/`, 2)[1];
  return inside === undefined ? [] : [inside];
}

/**
 * Finds the lost documents of a run among the documents that it needs or, after a reboot, among all that it has
 * committed. Reads the journal only if documents may be lost.
 * @returns null when no document may be lost
 * @throws DevCliError `JOURNAL_CORRUPT`, `STATE_NEWER`, `IO`
 */
export function findLost(head: Head, state: RunState): LostContents | null {
  if (head.rebooted) return findLostContents(head, state, 'all');
  const paths = [...listShortDocuments(head.files, state), ...head.stale];
  return paths.length === 0 ? null : findLostContents(head, state, paths);
}

/** Creates a read context in which lost documents of runs appear as if they were restored. Writes nothing. */
export function createRestoredView<C extends ReadContext>(context: C): C {
  const { store } = context;
  const read: ReadContext['store']['read'] = async (name) => {
    const head = await store.read(name);
    if (head.snapshot === null) return head;
    const lost = findLost(head, head.snapshot);
    return lost === null ? head : { ...head, files: overlayLostDocuments(head.files, lost) };
  };
  return { ...context, store: { ...store, read } };
}
