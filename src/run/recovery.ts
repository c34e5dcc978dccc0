import type { DocumentReader } from '../base/files.js';
import { renderPlan } from '../documents/plan-render.js';
import { digestDocument } from '../store/digest.js';
import type { Entry, Past, StreamState } from '../store/store.js';
import { PLAN } from './paths.js';
import { createWorkspace } from './pending-documents.js';
import { readPlan } from './plan-content.js';
import type { RunState } from './state.js';

/** What a run's journal says of documents that are not as it left them; paths relative to the run's directory. */
export interface LostContents {
  /** What is to be put in place; null: what reappeared is to be removed. */
  contents: ReadonlyMap<string, Buffer | null>;
  /** Lost, and in no entry; told only after a reboot, once: else every call would tell it. */
  missing: readonly string[];
  /** Somebody else's changes, which stay. */
  edited: readonly string[];
}

/** A document as the entries tell it. */
interface Recorded {
  /** Every digest that it had. */
  known: Set<string>;
  after: string | null;
}

/**
 * Finds documents that are missing, empty, torn or older than the journal's last word on them (storage.md, Recovery).
 * @param paths those to look at; `all`: after a reboot, every document that the run has committed
 * @throws DevCliError `JOURNAL_CORRUPT`, `STATE_NEWER`, `IO`
 */
export function findLostContents(
  { files, past }: Pick<StreamState<RunState>, 'files' | 'past'>,
  state: RunState,
  paths: readonly string[] | 'all',
): LostContents {
  const recorded = collectRecorded(past, paths === 'all' ? isOfRun(state) : (path) => paths.includes(path));
  const [contents, missing, edited] = [new Map<string, Buffer | null>(), [] as string[], [] as string[]];
  const different = [...recorded].flatMap(([path, { known, after }]) => {
    const current = digestDocument(files, path);
    if (current === after || (current === null && isAwaited(state, path))) return [];
    if (after !== null)
      return [{ path, after, isOlder: paths === 'all' && typeof current === 'string' && known.has(current) }];
    // A document that a commit removed is back as it was.
    if (paths === 'all' && typeof current === 'string' && known.has(current)) contents.set(path, null);
    return [];
  });
  const found = past.contents(different.map(({ after }) => after));
  for (const { path, after, isOlder } of different) {
    const content = found.get(after);
    if (isOlder || isTorn(files, path, content)) {
      if (content !== undefined) contents.set(path, content);
      else if (paths === 'all') missing.push(path);
    } else if (paths === 'all' && !isPromised(state, path)) edited.push(path);
  }
  const plan = paths === 'all' || !paths.includes(PLAN) || recorded.has(PLAN) ? null : renderPlanAnew(files);
  if (plan !== null && isTorn(files, PLAN, plan)) contents.set(PLAN, plan);
  return { contents, missing, edited };
}

/** `plan generate` for a name without a run leaves no journal: then plan-content.json gives PLAN.md. */
function renderPlanAnew(files: DocumentReader): Buffer | null {
  const plan = readPlan(createWorkspace(files));
  return plan === null ? null : Buffer.from(renderPlan(plan));
}

/** An earlier run of the name may have left documents that somebody has removed since. */
function isOfRun({ runId }: RunState): (path: string, entry: Entry) => boolean {
  return (path, { data }) => data['runId'] === runId && !path.startsWith('/');
}

function collectRecorded(past: Past, isWanted: (path: string, entry: Entry) => boolean): Map<string, Recorded> {
  const recorded = new Map<string, Recorded>();
  past.scan((entry) => {
    for (const { path, before, after } of entry.files) {
      if (!isWanted(path, entry)) continue;
      const known = recorded.get(path)?.known ?? new Set();
      for (const digest of [before, after]) if (digest !== null) known.add(digest);
      recorded.set(path, { known, after });
    }
  });
  return recorded;
}

/** Whether the pending action promises the document, which was not there when it was issued. */
function isAwaited({ pendingAction }: RunState, path: string): boolean {
  return pendingAction?.before[path] === null;
}

/** Whether the pending action promises the document: then somebody may just be writing it. */
function isPromised({ pendingAction }: RunState, path: string): boolean {
  return pendingAction !== null && pendingAction.before[path] !== undefined;
}

/**
 * Whether a document is missing, or is what a write left that was cut off: the beginning of its content, or zeros in place of a
 * part. Any that is missing or empty is, where the content is not known.
 */
function isTorn(files: DocumentReader, path: string, whole: Buffer | undefined): boolean {
  const { kind } = files.facts(path);
  if (kind === 'missing') return true;
  const present = kind === 'file' ? files.read(path) : null;
  if (present === null) return false;
  return present.length <= (whole?.length ?? 0) && present.every((byte, at) => byte === 0 || byte === whole?.[at]);
}
