// door: recovery

import type { DocumentReader } from '../../base/files.js';
import { renderPlan } from '../../plan/page/render.js';
import { createPlanExtras } from '../../plan/page/setting.js';
import { RUN_LAYOUT } from '../../project/layout.js';
import { digestDocument, readDocument } from '../../store/documents.js';
import { isOwnDocument } from '../../store/layout.js';
import type { Entry, JournalPast, StreamState } from '../../store/store.js';
import { PLAN } from '../paths.js';
import { readPlan } from '../plan/content.js';
import type { RunDraft, RunState } from '../state.js';
import { createDocumentOverlay, type PendingDocuments, readFileFacts } from './pending.js';
import { collectRenderings, isRemnant, type Rendering } from './renderings.js';

/**
 * The journal's record of documents that are no longer as the run left them. Paths are relative to the run's directory.
 */
export interface LostContents {
  /** The contents to restore; null for a document that reappeared after its removal and is to be removed again. */
  contents: ReadonlyMap<string, Buffer | null>;
  /** The contents to restore for documents whose content is in no entry, so that it had to be rendered again. */
  renderings: ReadonlyMap<string, Buffer>;
  /**
   * Lost documents that no entry holds. Listed only after a reboot, since otherwise every call would report them again.
   */
  missing: readonly string[];
  /** Documents that somebody else changed; they stay as they are. */
  edited: readonly string[];
}

/** A document's history according to the entries. */
interface Recorded {
  /** All digests that the document has had. */
  known: Set<string>;
  after: string | null;
}

/** The results collected while documents are compared. */
interface Found {
  contents: Map<string, Buffer | null>;
  renderings: Map<string, Buffer>;
  missing: string[];
  edited: string[];
}

/**
 * Finds documents that are missing, empty, only partly written, or older than their last content in the journal
 * (storage.md, Recovery).
 * @param paths the documents to compare; `all`, after a reboot, stands for every document that the run has committed
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
    // After a reboot, entries of earlier runs are ignored, because a person may have removed those runs' documents.
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

/** A run whose documents are compared. Only after a reboot can a document be older than recorded. */
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
      // A commit had removed this document, and the reboot brought all or a part of it back, so it is removed again.
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

/** Returns whether a reboot has brought back the content of an earlier commit, so that a later write was lost. */
function isOlder({ files, rebooted }: Compared, path: string, { known }: Recorded): boolean {
  const current = rebooted ? digestDocument(files, path) : null;
  return typeof current === 'string' && known.has(current);
}

/**
 * Finds out whether a rendered document was lost, and whether somebody else edited it.
 * @param known digests of the document's contents in entries
 */
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
 * Renders the documents whose contents no entry holds, as they were after the entry with sequence number `last`.
 * @param state the snapshot after that entry
 * @throws DevCliError `JOURNAL_CORRUPT`, `STATE_NEWER`, `IO`
 */
export function renderDocumentsAt(past: JournalPast, state: RunState, last: number): Map<string, Buffer> {
  const collector = collectRenderings();
  past.scan((entry) => {
    if (entry.seq <= last) collector.take(entry);
  });
  return new Map([...collector.render(state, past.contents)].map(([path, { content }]) => [path, content]));
}

/** Returns a view of the documents in which the lost ones are restored. */
export function overlayLostDocuments(files: DocumentReader, { contents, renderings }: LostContents): DocumentReader {
  const restored = createDocumentOverlay(files);
  for (const [path, content] of [...contents, ...renderings]) {
    if (content === null) restored.remove(path);
    else restored.write(path, content);
  }
  return restored;
}

/**
 * Restores lost documents in this transaction's commit.
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
    // A restored file is not new evidence, so the agent's own write has to differ from the restored file.
    const pending = state.pendingAction;
    if (pending?.before[path] == null) continue;
    const before = { ...pending.before, [path]: readFileFacts(files, path) };
    state.pendingAction = { ...pending, before };
  }
  for (const [path, content] of lost.renderings) files.render(path, content);
  // Stale renderings come from a commit that a crash interrupted. Restoring them only finishes that commit, so there is
  // no notice about them.
  const rendered = [...lost.renderings.keys()].filter((path) => !stale.includes(path));
  return [
    ...describeRestored([...lost.contents.keys(), ...rendered], rebooted),
    ...lost.missing.map((path) => `${path} is lost: the journal does not contain its content`),
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

/**
 * Renders PLAN.md from plan-content.json. Needed if `plan generate` wrote both for a name that had no run yet: such a
 * call writes nothing to the journal.
 */
function renderPlanAnew(files: DocumentReader, name: string): Buffer | null {
  const plan = readPlan(createDocumentOverlay(files));
  return plan === null ? null : Buffer.from(renderPlan(plan, {}, createPlanExtras(plan, name, null)));
}

/** Returns whether an agent has yet to write the document: the action promises it, and it did not exist at issue. */
function isAwaited({ pendingAction }: RunState, path: string): boolean {
  return pendingAction?.before[path] === null;
}

/** Returns whether the pending action promises the document, so that an agent may be writing it now. */
function isPromised({ pendingAction }: RunState, path: string): boolean {
  return pendingAction !== null && pendingAction.before[path] !== undefined;
}

/** A version to compare with in any case, so that an empty document counts as torn even if no real version is known. */
const NOTHING = Buffer.alloc(0);

/**
 * Returns whether a document is missing or is a remnant of an interrupted write: the beginning of one of its versions,
 * or a version with zeros in place of a part. After several power cuts, the remnant may be of any earlier version.
 */
function isTorn(files: DocumentReader, path: string, versions: readonly Buffer[]): boolean {
  if (files.facts(path).kind === 'missing') return true;
  const present = readDocument(files, path);
  return present !== null && versions.some((version) => isRemnant(present, version));
}
