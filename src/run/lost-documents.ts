import type { DocumentReader } from '../base/files.js';
import { renderPlan } from '../documents/plan-render.js';
import { BEGINNING, type HistoryStore } from '../store/store.js';
import type { Action } from './action.js';
import type { HistoryContext } from './context.js';
import { CAPTURED_PLAN, getRunDirectory, PLAN, PLAN_CONTENT } from './paths.js';
import { createWorkspace, type PendingDocuments, readFileFacts } from './pending-documents.js';
import { readPlan } from './plan-content.js';
import type { RunState } from './state.js';

/**
 * Documents of a run that are gone although nobody meant them to be: `git clean -fd` and `git stash -u` take what git does
 * not ignore, a power cut what was not synced. The journal says what they held, `objects/` has it (storage.md, Documents that vanished).
 */

/** A run's documents in a transaction, and what its state says of them. */
interface RunDocuments {
  files: PendingDocuments;
  state: RunState;
}

/** What documents held when they were committed last, by path as in `DocumentReader`. */
export type DocumentContents = ReadonlyMap<string, Buffer>;

/**
 * The documents that a run cannot do without, and that may be lost. Looks at a few files and reads none.
 * @returns paths relative to the run's directory
 */
export function findLostDocuments(files: DocumentReader, state: RunState): string[] {
  const { documents: sizes, pendingAction } = state;
  const before = pendingAction?.before ?? {};
  const wanted = sizes === undefined ? documentsOf(state) : Object.keys(sizes);
  return wanted.filter((path) => {
    const promised = before[path];
    // What the pending action promises and what was not there when it was issued is still to be written.
    if (promised === null) return false;
    // Release 0.1.0 did not note the sizes: whether something was cut short shows in its content alone.
    if (sizes === undefined && isUnfinished(state)) return true;
    // What it promises and what was there may be being written again.
    return isShort(files, path, promised === undefined ? (sizes?.[path] ?? 1) : 1);
  });
}

/** Missing, or with fewer bytes than it should have: empty or cut short, or a person has been at it. */
function isShort(files: DocumentReader, path: string, size: number): boolean {
  const facts = files.facts(path);
  return facts.kind === 'missing' || (facts.kind === 'file' && facts.size < size);
}

/** Whether a document is missing, or holds no more than the beginning of what it held: a write that was cut off. */
function isLost(files: DocumentReader, path: string, content: Buffer): boolean {
  if (!isShort(files, path, content.length)) return false;
  const present = files.read(path);
  return present === null || content.subarray(0, present.length).equals(present);
}

/**
 * The sizes in bytes of the documents of a run as this transaction leaves them, by path: those it cannot do without, and those that it
 * has written and not removed. Prompt files count as long as somebody works by them.
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

/** What the run has written or was handed so far and reads again. */
function documentsOf(state: RunState): string[] {
  const action = state.pendingAction?.action;
  const plan = state.engine !== null || state.written.includes(PLAN) ? [PLAN, PLAN_CONTENT] : [];
  const captured = state.engine === null ? [] : [CAPTURED_PLAN];
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

/** What agents have delivered. */
function outputsOf({ agents }: RunState): string[] {
  return Object.values(agents).flatMap(({ status, output }) =>
    status === 'done' && output !== undefined ? [output] : [],
  );
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
  const inside = path.split(`${getRunDirectory(name)}/`, 2)[1];
  return inside === undefined ? [] : [inside];
}

/**
 * What documents held when they were committed last. Reads the journal from its beginning.
 * @param paths relative to the run's directory
 * @returns without those that no commit holds, that were removed, or whose content is not in `objects/`
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
 * The same; of PLAN.md, where no commit holds it, as it follows from plan-content.json: `plan generate` for a name without a run
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

/** The documents as they will be once those of `contents` that are lost are put back. */
export function overlayContents(files: DocumentReader, contents: DocumentContents): DocumentReader {
  const lost = new Map([...contents].filter(([path, content]) => isLost(files, path, content)));
  return { ...files, read: (path) => lost.get(path) ?? files.read(path) };
}

/**
 * A context whose runs are read as they will be once what they have lost is put back: for who only asks and writes nothing.
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
 * Puts lost documents back, in this transaction's commit.
 * @returns what the next acknowledgement says of it; empty when there was nothing to put back
 */
export function restoreDocuments(tx: RunDocuments, contents: DocumentContents): string[] {
  const { files, state } = tx;
  const lost = [...contents].filter(([path, content]) => isLost(files, path, content));
  for (const [path, content] of lost) {
    files.write(path, content);
    // It is no new evidence: its content decides whether its writer has been at it.
    const before = state.pendingAction?.before;
    if (before?.[path] != null) before[path] = readFileFacts(files, path);
  }
  if (lost.length === 0) return [];
  const names = lost.map(([path]) => path).join(', ');
  const [were, are, they] = lost.length === 1 ? ['was', 'is', 'it'] : ['were', 'are', 'they'];
  return [
    `${names} ${were} gone or cut short (git clean, git stash -u?) and ${are} back as recorded; a stash that holds them pops once ${they} ${are} moved away`,
  ];
}
