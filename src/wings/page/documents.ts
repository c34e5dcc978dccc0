import { DevCliError } from '../../base/errors.js';
import type { TimelineNow } from '../../protocol/questions/timeline.js';
import type { Context } from '../../run/context.js';
import { PLAN, REPORT } from '../../run/paths.js';
import { BEGINNING, type Entry } from '../../store/store.js';
import { renderEntry } from '../../views/history-text.js';
import { showCommit } from '../../work/show-commit.js';
import { cutDocument } from './clean.js';
import type { WantedRun } from './live.js';
import { readRunText } from './pages.js';
import type { PageDocument, TabName } from './wire.js';

/** Draws the recipe of a run and the run's position in it, as SVG. */
export type DrawRun = (context: Context, name: string) => Promise<string>;

/** What the functions of the page need: the call's context, and how to draw a recipe. */
export type PageContext = Context & { drawRun: DrawRun | undefined };

/** A document of a segment, and the journal entry that names it. */
export interface NamedDocument {
  seq: number;
  path: string;
}

/**
 * Reads documents as they were when an entry named them. Documents that the journal does not keep, such as logs, are
 * read as they are now.
 * @returns the contents by document; documents that no longer exist are missing
 * @throws DevCliError `IO`, `JOURNAL_CORRUPT`
 */
export async function readDocuments(
  { store }: Pick<Context, 'store'>,
  name: string,
  wanted: readonly NamedDocument[],
  { head }: TimelineNow,
): Promise<Map<NamedDocument, PageDocument>> {
  const digests = await findDigests(store, name, wanted);
  const contents = await store.contents(name, new Set(digests.values()));
  const found = new Map<NamedDocument, PageDocument>();
  for (const document of wanted) {
    const kept = contents.get(digests.get(document) ?? '')?.toString('utf8');
    const text = kept ?? (head === null ? null : readRunText(head, document.path));
    if (text !== null) found.set(document, { kind: findKind(document.path), ...cutDocument(text) });
  }
  return found;
}

/**
 * Returns the digest that each document had after the transaction whose entry names it. Documents that the journal does
 * not keep are missing.
 */
async function findDigests(
  store: Context['store'],
  name: string,
  wanted: readonly NamedDocument[],
): Promise<Map<NamedDocument, string>> {
  const bySeq = new Map<number, NamedDocument[]>();
  for (const document of wanted) bySeq.set(document.seq, [...(bySeq.get(document.seq) ?? []), document]);
  const found = new Map<NamedDocument, string>();
  let commit: Entry[] = [];
  await store.scan(name, BEGINNING, (entry) => {
    commit.push(entry);
    if (entry.more === true) return true;
    const files = new Map(commit.flatMap((one) => one.files.map(({ path, after }) => [path, after] as const)));
    for (const document of commit.flatMap(({ seq }) => bySeq.get(seq) ?? [])) {
      const digest = files.get(document.path);
      if (digest) found.set(document, digest);
    }
    for (const { seq } of commit) bySeq.delete(seq);
    commit = [];
    return bySeq.size > 0;
  });
  return found;
}

function findKind(path: string): PageDocument['kind'] {
  return path.endsWith('.md') ? 'markdown' : /\.(?:diff|patch)$/.test(path) ? 'diff' : 'text';
}

/**
 * Reads the document with this index, in this segment of this row of the timeline.
 * @throws DevCliError like `readDocuments`; `DATA_MISSING` if there is no document
 */
export async function readPageDocument(
  context: Context,
  name: string,
  { row, segment, document }: { row: string; segment: number; document: number },
  now: TimelineNow,
): Promise<PageDocument> {
  const at = now.timeline.rows.find(({ id }) => id === row)?.segments[segment]?.documents[document];
  const found = at && (await readDocuments(context, name, [at], now)).get(at);
  if (found === undefined)
    throw goneError(at === undefined ? 'There is no such document.' : `${at.path} no longer exists.`);
  return found;
}

/**
 * Reads the content of a tab; plan and report are those of the newest run.
 * @throws DevCliError `DATA_MISSING` if there is nothing to show; `IO`
 */
export async function readTab(
  context: PageContext,
  { name, runId }: WantedRun,
  tab: TabName,
  now: TimelineNow,
): Promise<PageDocument> {
  const show = (path: string): PageDocument => {
    const text = now.head === null ? null : readRunText(now.head, path);
    if (text === null) throw goneError(`${path} does not exist.`);
    return { kind: 'markdown', ...cutDocument(text) };
  };
  switch (tab) {
    case 'plan':
      return show(PLAN);
    case 'report':
      return show(REPORT);
    case 'recipe':
      if (context.drawRun === undefined) throw goneError('This program draws no recipes.');
      return { kind: 'svg', text: await context.drawRun(context, name) };
    case 'journal': {
      const lines = await listEntries(context, name, runId ?? now.timeline.runs.at(-1)?.runId);
      return { kind: 'text', ...cutDocument(lines.join('\n')) };
    }
  }
}

/** Lists the entries of a run, one line each. If one cannot be read, the last line says why. */
async function listEntries({ store }: Context, name: string, runId: string | undefined): Promise<string[]> {
  const lines: string[] = [];
  try {
    await store.scan(name, BEGINNING, (entry) => {
      if (entry.data['runId'] === runId) lines.push(renderEntry(entry));
      return true;
    });
  } catch (error) {
    if (!(error instanceof DevCliError) || error.code !== 'JOURNAL_CORRUPT') throw error;
    lines.push(`${error.code}: ${error.message}`);
  }
  return lines;
}

/**
 * Reads the diff of a commit that a row names.
 * @throws DevCliError `DATA_MISSING` for any other commit; `GIT_FAILED`, `IO`, `INTERRUPTED`
 */
export async function readCommit(context: Context, sha: string, { timeline }: TimelineNow): Promise<PageDocument> {
  const isNamed = /^[0-9a-f]{7,64}$/.test(sha) && timeline.rows.some(({ commit }) => commit === sha);
  if (!isNamed) throw goneError('No row of the run names this commit.');
  return { kind: 'diff', ...cutDocument(await showCommit(context.root, sha, context.signal)) };
}

function goneError(message: string): DevCliError {
  return new DevCliError('DATA_MISSING', message);
}
