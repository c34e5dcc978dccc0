// door: recovery

import type { DocumentReader } from '../../base/files.js';
import { renderPlan } from '../../plan/page/render.js';
import { createPlanSetting } from '../../plan/page/setting.js';
import { RUN_LAYOUT } from '../../project/layout.js';
import { digestDocument, readDocument } from '../../store/documents.js';
import { isOwnDocument } from '../../store/layout.js';
import type { Entry, Past, StreamState } from '../../store/store.js';
import { PLAN } from '../paths.js';
import { readPlan } from '../plan/content.js';
import type { RunDraft, RunState } from '../state.js';
import { createWorkspace, type PendingDocuments, readFileFacts } from './pending.js';
import { collectRenderings, isRemnant, type Rendering } from './renderings.js';

/** What a run's journal says of documents that are not as it left them; paths relative to the run's directory. */
export interface LostContents {
  /** What is to be put in place; null: what reappeared is to be removed. */
  contents: ReadonlyMap<string, Buffer | null>;
  /** The same for documents that no entry holds. */
  renderings: ReadonlyMap<string, Buffer>;
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

/** What is found on the way. */
interface Found {
  contents: Map<string, Buffer | null>;
  renderings: Map<string, Buffer>;
  missing: string[];
  edited: string[];
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
  const found: Found = { contents: new Map(), renderings: new Map(), missing: [], edited: [] };
  const stream = { layout: RUN_LAYOUT, stream: state.name };
  const isWanted = (path: string): boolean => (paths === 'all' || paths.includes(path)) && isOwnDocument(stream, path);
  const recorded = new Map<string, Recorded>();
  const collector = collectRenderings();
  past.scan((entry) => {
    collector.take(entry);
    // An earlier run of the name may have left documents that somebody has removed since.
    if (paths !== 'all' || entry.data['runId'] === state.runId) collectRecorded(recorded, entry, isWanted);
  });
  const rebooted = paths === 'all';
  const compared = { files, past, state, rebooted };
  const rendered = [...collector.paths()].filter(isWanted);
  const others = new Map([...recorded].filter(([path]) => !collector.paths().has(path)));
  compareRecorded(compared, others, found);
  const renderings = rendered.length === 0 ? null : collector.render(state, past.contents);
  for (const path of rendered) {
    const rendering = renderings?.get(path);
    if (rendering !== undefined) compareRendering(compared, path, rendering, recorded.get(path)?.known, found);
  }
  const isUnknown = !recorded.has(PLAN) && !collector.paths().has(PLAN);
  const plan = !rebooted && isWanted(PLAN) && isUnknown ? renderPlanAnew(files, state.name) : null;
  if (plan !== null && isTorn(files, PLAN, [plan])) found.contents.set(PLAN, plan);
  return found;
}

function collectRecorded(recorded: Map<string, Recorded>, entry: Entry, isWanted: (path: string) => boolean): void {
  for (const { path, before, after } of entry.files) {
    if (!isWanted(path)) continue;
    const known = recorded.get(path)?.known ?? new Set();
    for (const digest of [before, after]) if (digest !== null) known.add(digest);
    recorded.set(path, { known, after });
  }
}

/** A run whose documents are compared; in the same boot none is older than recorded. */
interface Compared extends Pick<StreamState<RunState>, 'files' | 'past'> {
  state: RunState;
  rebooted: boolean;
}

function compareRecorded(compared: Compared, recorded: ReadonlyMap<string, Recorded>, found: Found): void {
  const { files, past, state, rebooted } = compared;
  const different = [...recorded].filter(([path, { after }]) => isDifferent(compared, path, after));
  const versionsOf = ({ known, after }: Recorded): readonly string[] =>
    rebooted ? [...known] : after === null ? [] : [after];
  const contents = past.contents(different.flatMap(([, document]) => versionsOf(document)));
  for (const [path, document] of different) {
    const versions = versionsOf(document).flatMap((digest) => contents.get(digest) ?? []);
    const isLost = isOlder(compared, path, document) || isTorn(files, path, [NOTHING, ...versions]);
    if (document.after === null) {
      // A document that a commit removed is back, whole or in part.
      if (rebooted && isLost) found.contents.set(path, null);
    } else if (isLost) {
      const content = contents.get(document.after);
      if (content !== undefined) found.contents.set(path, content);
      else if (rebooted) found.missing.push(path);
    } else if (rebooted && !isPromised(state, path)) found.edited.push(path);
  }
}

function isDifferent({ files, state }: Compared, path: string, after: string | null): boolean {
  const current = digestDocument(files, path);
  return current !== after && (current !== null || !isAwaited(state, path));
}

/** Whether a document is as an earlier commit left it, so that its replacement was lost. */
function isOlder({ files, rebooted }: Compared, path: string, { known }: Recorded): boolean {
  const current = rebooted ? digestDocument(files, path) : null;
  return typeof current === 'string' && known.has(current);
}

/** @param known digests of what entries hold of the document */
function compareRendering(
  { files, past, rebooted }: Compared,
  path: string,
  { content, isOlder }: Rendering,
  known: ReadonlySet<string> = new Set(),
  found: Found,
): void {
  const present = readDocument(files, path);
  if (present?.equals(content)) return;
  const versions = rebooted ? [...past.contents(known).values()] : [];
  const isLost = isTorn(files, path, [content, ...versions]) || (present !== null && isOlder(present));
  if (isLost) found.renderings.set(path, content);
  else found.edited.push(path);
}

/**
 * Renders the documents that no entry up to `last` holds, as they were after it.
 * @param state the snapshot of then
 * @throws DevCliError `JOURNAL_CORRUPT`, `STATE_NEWER`, `IO`
 */
export function renderAt(past: Past, state: RunState, last: number): Map<string, Buffer> {
  const collector = collectRenderings();
  past.scan((entry) => {
    if (entry.seq <= last) collector.take(entry);
  });
  return new Map([...collector.render(state, past.contents)].map(([path, { content }]) => [path, content]));
}

/** Shows the documents as they will be once the lost ones are restored. */
export function overlayLost(files: DocumentReader, { contents, renderings }: LostContents): DocumentReader {
  const restored = createWorkspace(files);
  for (const [path, content] of [...contents, ...renderings]) {
    if (content === null) restored.remove(path);
    else restored.write(path, content);
  }
  return restored;
}

/**
 * Restores lost documents, in this transaction's commit.
 * @returns the notices for the next acknowledgement; empty if nothing was lost
 */
export function restoreDocuments(
  { files, state }: { files: PendingDocuments; state: RunDraft },
  lost: LostContents,
  { rebooted, stale }: Pick<StreamState<RunState>, 'rebooted' | 'stale'>,
): string[] {
  for (const [path, content] of lost.contents) {
    if (content === null) files.remove(path);
    else files.write(path, content);
    // Restoring is no new evidence: the content decides whether the agent has written since.
    const pending = state.pendingAction;
    if (pending?.before[path] == null) continue;
    const before = { ...pending.before, [path]: readFileFacts(files, path) };
    state.pendingAction = { ...pending, before };
  }
  for (const [path, content] of lost.renderings) files.render(path, content);
  // That a commit is finished which a crash cut short is not told.
  const rendered = [...lost.renderings.keys()].filter((path) => !stale.includes(path));
  return [
    ...describeRestored([...lost.contents.keys(), ...rendered], rebooted),
    ...lost.missing.map((path) => `${path} is lost: the journal has no content of it`),
    ...(rebooted ? describeEdited(lost.edited) : []),
  ];
}

function describeRestored(paths: readonly string[], rebooted: boolean): string[] {
  if (paths.length === 0) return [];
  const [were, are, they] = paths.length === 1 ? ['was', 'is', 'it'] : ['were', 'are', 'they'];
  const names = [...paths].sort().join(', ');
  if (rebooted) return [`${names} ${were} not as recorded after the machine had stopped and ${are} put back`];
  return [
    `${names} ${were} gone or cut short (git clean, git stash -u?) and ${are} back as recorded; a stash that holds them pops once ${they} ${are} moved away`,
  ];
}

function describeEdited(paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  const [are, were] = paths.length === 1 ? ['is', 'was'] : ['are', 'were'];
  return [
    `the machine has stopped since the last change; ${paths.join(', ')} ${are} not as recorded, as if edited, and ${were} left`,
  ];
}

/** `plan generate` for a name without a run leaves no journal: then plan-content.json gives PLAN.md. */
function renderPlanAnew(files: DocumentReader, name: string): Buffer | null {
  const plan = readPlan(createWorkspace(files));
  return plan === null ? null : Buffer.from(renderPlan(plan, {}, createPlanSetting(plan, name, null)));
}

/** Whether the pending action promises the document, which was not there when it was issued. */
function isAwaited({ pendingAction }: RunState, path: string): boolean {
  return pendingAction?.before[path] === null;
}

/** Whether the pending action promises the document: then somebody may just be writing it. */
function isPromised({ pendingAction }: RunState, path: string): boolean {
  return pendingAction !== null && pendingAction.before[path] !== undefined;
}

/** In place of a content that is not known: only an empty document is the beginning of it. */
const NOTHING = Buffer.alloc(0);

/**
 * Whether a document is missing, or is what a write left that was cut off: the beginning of one of its versions, or zeros in
 * place of a part. Where the power fails twice, the write may be one from before the first time.
 */
function isTorn(files: DocumentReader, path: string, versions: readonly Buffer[]): boolean {
  if (files.facts(path).kind === 'missing') return true;
  const present = readDocument(files, path);
  return present !== null && versions.some((version) => isRemnant(present, version));
}
