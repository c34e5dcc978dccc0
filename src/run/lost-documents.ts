import type { DocumentReader } from '../base/files.js';
import { renderPlan } from '../documents/plan-render.js';
import { BEGINNING, type HistoryStore } from '../store/store.js';
import type { Action } from './action.js';
import type { HistoryContext } from './context.js';
import { getCurrent } from './current.js';
import { CAPTURED_PLAN, getRunDirectory, PLAN, PLAN_CONTENT } from './paths.js';
import { createWorkspace, type PendingDocuments, readFileFacts } from './pending-documents.js';
import { readPlan } from './plan-content.js';
import type { RunDraft, RunState } from './state.js';

/**
 * Documents of a run that are lost: `git clean -fd` and `git stash -u` take what git does not ignore, a power cut what was not
 * synced. The journal names their contents, and `objects/` holds them (storage.md, Documents that vanished).
 */

/** A run's documents in a transaction, and what its state says of them. */
interface RunDocuments {
  files: PendingDocuments;
  state: RunDraft;
}

/** The last committed contents of documents, by path as in `DocumentReader`. */
export type DocumentContents = ReadonlyMap<string, Buffer>;

/**
 * Finds the documents that the run needs and that may be lost. Looks at a few files and reads none.
 * @returns paths relative to the run's directory
 */
export function findLostDocuments(files: DocumentReader, state: RunState): string[] {
  const { documents: sizes, pendingAction } = state;
  const before = pendingAction?.before ?? {};
  const wanted = sizes === undefined ? documentsOf(state) : Object.keys(sizes);
  return wanted.filter((path) => {
    const promised = before[path];
    // Promised by the pending action, and missing when it was issued: still to be written.
    if (promised === null) return false;
    // Version 0.1.0 recorded no sizes: only the content shows whether a document was cut short.
    if (sizes === undefined && isUnfinished(state)) return true;
    // Promised, and present when it was issued: it may just be rewritten.
    return isShort(files, path, promised === undefined ? (sizes?.[path] ?? 1) : 1);
  });
}

/** Whether a document is missing or shorter than recorded: lost, cut short, or edited by a person. */
function isShort(files: DocumentReader, path: string, size: number): boolean {
  const facts = files.facts(path);
  return facts.kind === 'missing' || (facts.kind === 'file' && facts.size < size);
}

/** Whether a document is missing, or holds only the beginning of its content: a write that was cut off. */
function isLost(files: DocumentReader, path: string, content: Buffer): boolean {
  if (!isShort(files, path, content.length)) return false;
  const present = files.read(path);
  return present === null || content.subarray(0, present.length).equals(present);
}

/**
 * Records the sizes in bytes of the run's documents as this transaction leaves them, by path: those that the run needs, and those
 * that it has written and not removed. Prompt files count while their action is pending.
 */
export function recordSizes({ files, state }: RunDocuments): Record<string, number> {
  const written = [...Object.keys(state.documents ?? {}), ...files.changes().map(({ path }) => path)];
  const kept = written.filter((path) => !path.startsWith('/') && !path.startsWith('actions/'));
  return Object.fromEntries(
    [...new Set([...documentsOf(state), ...kept])].sort().flatMap((path) => {
      const facts = files.facts(path);
      return facts.kind === 'file' ? [[path, facts.size]] : [];
    }),
  );
}

const isUnfinished = ({ status }: RunState): boolean => status === 'live' || status === 'halted';

/** Lists the documents that the run has written or was given, and reads again. */
function documentsOf(state: RunState): string[] {
  const action = state.pendingAction?.action;
  const { engine } = getCurrent(state);
  const plan = engine !== null || state.written.includes(PLAN) ? [PLAN, PLAN_CONTENT] : [];
  const captured = engine === null ? [] : [CAPTURED_PLAN];
  const named = action === undefined ? [] : namedBy(action).flatMap((path) => inRun(state.name, path));
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

/** Lists what agents have delivered. */
function outputsOf(state: RunState): string[] {
  return Object.values(getCurrent(state).agents).flatMap(({ status, output }) =>
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

/** Converts a path as actions name it to one relative to the run's directory; none if it lies elsewhere. */
function inRun(name: string, path: string): string[] {
  const inside = path.split(`${getRunDirectory(name)}/`, 2)[1];
  return inside === undefined ? [] : [inside];
}

/**
 * Reads the last committed contents of documents. Reads the journal from its beginning.
 * @param paths relative to the run's directory
 * @returns without documents that no commit holds, that were removed, or whose content is not in `objects/`
 * @throws DevCliError `JOURNAL_CORRUPT`, `STATE_NEWER`, `IO`
 */
export async function readCommittedContents(
  store: Pick<HistoryStore<RunState>, 'scan' | 'content'>,
  name: string,
  paths: readonly string[],
): Promise<DocumentContents> {
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

/**
 * Reads the same, and renders PLAN.md from plan-content.json where no commit holds it: `plan generate` for a name without a run
 * leaves no journal.
 * @throws what the store throws
 */
export async function readContents(
  store: Pick<HistoryStore<RunState>, 'scan' | 'content' | 'read'>,
  name: string,
  paths: readonly string[],
): Promise<DocumentContents> {
  const contents = await readCommittedContents(store, name, paths);
  if (!paths.includes(PLAN) || contents.has(PLAN)) return contents;
  const plan = readPlan(createWorkspace((await store.read(name)).files));
  return plan === null ? contents : new Map([...contents, [PLAN, Buffer.from(renderPlan(plan))]]);
}

/** Shows the documents as they will be once the lost ones among `contents` are restored. */
export function overlayContents(files: DocumentReader, contents: DocumentContents): DocumentReader {
  const lost = new Map([...contents].filter(([path, content]) => isLost(files, path, content)));
  return { ...files, read: (path) => lost.get(path) ?? files.read(path) };
}

/**
 * Creates a context for questions, in which runs appear with their lost documents restored; writes nothing.
 */
export function createRestoredView<C extends HistoryContext>(context: C): C {
  const { store } = context;
  const read: HistoryContext['store']['read'] = async (name) => {
    const head = await store.read(name);
    if (head.snapshot === null) return head;
    const older = head.snapshot.documents === undefined ? ['recipe.json'] : [];
    const paths = [...findLostDocuments(head.files, head.snapshot), ...older];
    if (paths.length === 0) return head;
    return { ...head, files: overlayContents(head.files, await readCommittedContents(store, name, paths)) };
  };
  return { ...context, store: { ...store, read } };
}

/**
 * Restores lost documents, in this transaction's commit.
 * @returns the notices for the next acknowledgement; empty if nothing was lost
 */
export function restoreDocuments(tx: RunDocuments, contents: DocumentContents): string[] {
  const { files, state } = tx;
  const lost = [...contents].filter(([path, content]) => isLost(files, path, content));
  for (const [path, content] of lost) {
    files.write(path, content);
    // Restoring is no new evidence: the content decides whether the agent has written since.
    const pending = state.pendingAction;
    if (pending?.before[path] == null) continue;
    const before = { ...pending.before, [path]: readFileFacts(files, path) };
    state.pendingAction = { ...pending, before };
  }
  if (lost.length === 0) return [];
  const names = lost.map(([path]) => path).join(', ');
  const [were, are, they] = lost.length === 1 ? ['was', 'is', 'it'] : ['were', 'are', 'they'];
  return [
    `${names} ${were} gone or cut short (git clean, git stash -u?) and ${are} back as recorded; a stash that holds them pops once ${they} ${are} moved away`,
  ];
}
