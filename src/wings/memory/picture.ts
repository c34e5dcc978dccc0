import type { JsonObject } from '../../base/json.js';
import { renderCount } from '../../base/words.js';
import { toBoundedLine } from '../../documents/foreign.js';
import type { HandoffFile, HandoffStatus } from '../../documents/handoff-file.js';
import type { GitHead } from '../../project/git-head.js';
import type { WorkTreeStatus } from '../../work/baseline.js';
import type { RecentCommit } from '../../work/recent-commits.js';
import { ENTRY_KINDS, type Identified, listEntries } from './book.js';
import type { Book, EntryKind } from './book-schema.js';
import { type Freshness, judgeFreshness } from './freshness.js';
import type { RunsReport, Waiting } from './runs.js';

/**
 * Builds the picture that memory shows of the current state (memory.md, Entries; Truth). Pure: the same sources give
 * the same picture.
 */

/** The data from which a picture is built. */
export interface PictureSources extends RunsReport {
  book: Book;
  /** The facts that hooks recorded, oldest first. */
  facts: readonly JsonObject[];
  place: GitHead;
  /** The state of the work tree in git; null without a repository. */
  present: WorkTreeStatus | null;
  /** Commits in the history of HEAD, newest first. */
  commits: readonly RecentCommit[];
  /** Commits that a hook saw but that are not in the history of HEAD, newest first. */
  elsewhere: readonly RecentCommit[];
  /** The current content id of the repository; null if unknown. */
  content: string | null;
  /** The newest handoff. */
  handoff: HandoffFile | null;
}

/** The aim of the work. `branch` is set if the aim was decided on another branch than the current one. */
interface Intent {
  text: string;
  reason?: string;
  source: 'decision' | 'handoff' | 'run' | 'request';
  id?: string;
  branch?: string | null;
}

/**
 * A file that a tool has edited. `is`: what git says about it now; `supporting` if it was neither changed nor
 * committed.
 */
interface Edited {
  path: string;
  at: string;
  is: 'changed' | 'committed' | 'supporting';
}

/** The changes of the work tree, without files that memory writes. */
interface Changes {
  total: number;
  staged: number;
  deleted: number;
  /** All changed paths; those that tools were seen to edit come first. */
  paths: string[];
}

/** The picture that memory shows. Its lists are oldest first, except commits and runs. */
export interface Picture extends RunsReport, GitHead {
  intent: Intent | null;
  next: Identified<'next'> | null;
  decisions: Identified<'decision'>[];
  verification: (Identified<'verification'> & { freshness: Freshness })[];
  /** Commands that failed when they ran on exactly the current content, even those that the picture does not show. */
  red: string[];
  relevant: Identified<'relevant'>[];
  notes: Identified<'note'>[];
  checkpoint: Identified<'checkpoint'> | null;
  requests: string[];
  edited: Edited[];
  said: string | null;
  commits: RecentCommit[];
  elsewhere: RecentCommit[];
  changes: Changes | null;
  handoff: HandoffFile | null;
  /** When and how the last session ended, from its handoff file or else from memory. */
  handed: Pick<HandoffFile, 'timestamp' | 'status'> | null;
  counts: Record<EntryKind, { shown: number; kept: number }>;
}

const LONGEST = 400;
const REQUEST = 200;

/** Maximum number of items shown of each kind. */
const SHOWN = { decision: 5, verification: 3, relevant: 10, note: 5, request: 3, edit: 10, elsewhere: 5 };

const line = (text: string): string => toBoundedLine(text, LONGEST);
const toShown = ({ subject, session, ...commit }: RecentCommit): RecentCommit => ({
  ...{ ...commit, subject: line(subject) },
  ...(session !== undefined && { session: line(session) }),
});

/** Files that memory writes itself; they do not count as changes. */
const OWN = /^(?:PROJECT_CONTEXT\.md$|\.ai\/handoffs\/)/;

/** Builds the picture. @param all whether to show everything stored, instead of only as much as a session gets */
export function buildPicture(sources: PictureSources, all = false): Picture {
  const { book, present, handoff, runs, content, warnings } = sources;
  const { branch, head } = sources.place;
  const most = (kind: keyof typeof SHOWN): number => (all ? Number.POSITIVE_INFINITY : SHOWN[kind]);
  const changes = present === null ? null : summarize(present, sources.facts);
  const decided = listEntries(book, 'decision');
  const noted = listEntries(book, 'note');
  const decisions = decided.slice(-most('decision'));
  const requests = textsOf(sources.facts, 'request', REQUEST)
    .filter((text) => !/^\/[\w:-]+$/.test(text))
    .slice(-most('request'));
  const verification = selectVerification(listEntries(book, 'verification'), most('verification')).map((one) => ({
    ...one,
    freshness: judgeFreshness(one, content),
  }));
  const relevant = listEntries(book, 'relevant').slice(-most('relevant'));
  const notes = (['tried', 'blocked', 'risk'] as const).flatMap((kind) =>
    noted.filter((note) => note.kind === kind).slice(-most('note')),
  );
  const lists: Partial<Record<EntryKind, readonly object[]>> = {
    decision: decisions,
    verification,
    relevant,
    note: notes,
  };
  return {
    ...{ branch, head, decisions, verification, relevant, notes, requests, handoff, runs, changes, warnings },
    next: listEntries(book, 'next').at(-1) ?? null,
    red: listEntries(book, 'verification').flatMap((one) =>
      one.how === 'ran' && one.outcome === 'failed' && content !== null && one.content === content ? [one.command] : [],
    ),
    checkpoint: listEntries(book, 'checkpoint').at(-1) ?? null,
    waiting: [...sources.waiting, ...findBlocked(noted), ...waitsOf(handoff)],
    handed: findHanded(book, handoff),
    intent: findIntent(decided, { branch, handoff, runs, requests }),
    edited: listEdited(sources, changes).slice(-most('edit')),
    said: textsOf(sources.facts, 'said', LONGEST).at(-1) ?? null,
    commits: sources.commits.map(toShown),
    elsewhere: sources.elsewhere.slice(0, most('elsewhere')).map(toShown),
    counts: Object.fromEntries(
      ENTRY_KINDS.map((kind) => {
        const kept = Object.keys(book[kind]).length;
        return [kind, { shown: lists[kind]?.length ?? Math.min(1, kept), kept }];
      }),
    ) as Picture['counts'],
  };
}

function summarize({ dirty, staged = [] }: WorkTreeStatus, facts: PictureSources['facts']): Changes {
  const edited = new Set(facts.map(({ path }) => path));
  const rank = (path: string): number => (edited.has(path) ? 0 : 1);
  const paths = Object.keys(dirty)
    .filter((path) => !OWN.test(path))
    .sort((a, b) => rank(a) - rank(b));
  return {
    total: paths.length,
    staged: staged.filter((path) => !OWN.test(path)).length,
    deleted: paths.filter((path) => dirty[path] === null).length,
    paths: paths.map(line),
  };
}

/** Selects verifications: results of commands that dev-cli ran take precedence over claims. */
function selectVerification(all: Identified<'verification'>[], most: number): Identified<'verification'>[] {
  const ran = all.filter(({ how }) => how === 'ran').slice(-most);
  const told = all.filter(({ how }) => how === 'told');
  return [...ran, ...told.slice(Math.max(0, told.length - (most - ran.length)))];
}

/**
 * Finds the aim: the newest decision that was not superseded, preferably on this branch; else the aim of the handoff,
 * of a live run, or of the last request.
 */
function findIntent(
  decisions: readonly Identified<'decision'>[],
  { branch, handoff, runs, requests }: Pick<Picture, 'branch' | 'handoff' | 'runs' | 'requests'>,
): Intent | null {
  const replaced = new Set(decisions.map(({ supersedes }) => supersedes));
  const standing = decisions.filter(({ id }) => !replaced.has(id));
  const here = standing.filter((one) => one.branch === branch).at(-1);
  const decided = here ?? standing.at(-1);
  if (decided !== undefined) {
    const { id, text, reason } = decided;
    const elsewhere = here === undefined ? { branch: decided.branch } : {};
    return { text, ...(reason !== undefined && { reason }), source: 'decision', id, ...elsewhere };
  }
  const handed = handoff?.sections['Key Decisions'].at(-1);
  if (handed !== undefined) return { text: handed, source: 'handoff' };
  const goal = runs.find(({ state }) => state === 'live')?.goal;
  if (goal) return { text: goal, source: 'run' };
  const request = requests.at(-1);
  return request === undefined ? null : { text: request, source: 'request' };
}

/** Returns how the last session ended: from the handoff file or, if a later call wrote no file, from memory. */
function findHanded(book: Book, handoff: HandoffFile | null): Picture['handed'] {
  const last = listEntries(book, 'handoff').at(-1);
  if (last === undefined || last.file !== undefined) return handoff;
  const isNewer = handoff === null || Date.parse(last.at) > Date.parse(handoff.timestamp);
  return isNewer ? { timestamp: last.at, status: last.status } : handoff;
}

function findBlocked(notes: readonly Identified<'note'>[]): Waiting[] {
  return notes
    .filter(({ kind }) => kind === 'blocked')
    .slice(-SHOWN.note)
    .map(({ text, at }) => ({ kind: 'blocked', summary: text, since: at }));
}

function waitsOf(handoff: HandoffFile | null): Waiting[] {
  if (handoff?.status !== 'blocked' || handoff.reason === undefined) return [];
  return [{ kind: 'blocked', summary: handoff.reason, since: handoff.timestamp }];
}

function textsOf(facts: readonly JsonObject[], kind: string, longest: number): string[] {
  return facts.flatMap((fact) => {
    const { text } = fact;
    return fact['kind'] === kind && typeof text === 'string' ? [toBoundedLine(text, longest)] : [];
  });
}

function listEdited({ facts, commits }: PictureSources, changes: Changes | null): Edited[] {
  const changed = new Set(changes?.paths);
  const committed = commits[0]?.at ?? '';
  const edited = new Map<string, Edited>();
  for (const { kind, path: given, at } of facts) {
    if (kind !== 'edit' || typeof given !== 'string' || typeof at !== 'string') continue;
    const path = line(given);
    edited.delete(path);
    const is = changed.has(path) ? 'changed' : at < committed ? 'committed' : 'supporting';
    edited.set(path, { path, at, is });
  }
  return [...edited.values()];
}

/** Judges the work by proof alone: it is complete if no proof is missing. */
export function judgeStatus(picture: Picture): { status: HandoffStatus; missing: string[] } {
  const { changes, verification, runs, waiting, red } = picture;
  const last = verification.filter(({ how }) => how === 'ran').at(-1);
  const missing: string[] = [];
  if (changes === null) missing.push('there is no git repository to show what changed');
  else if (changes.total > 0) missing.push(`${renderCount(changes.total, 'changed file')} not committed`);
  if (last === undefined) missing.push('no check was run');
  else if (last.freshness !== 'fresh') missing.push(`the newest verification is ${last.freshness}: ${last.command}`);
  for (const command of red)
    if (command !== last?.command) missing.push(`a verification failed on exactly these files: ${command}`);
  for (const { name, state } of runs) {
    if (state === 'live' || state === 'halted') missing.push(`the run ${name} is ${state}`);
  }
  for (const { kind, run, summary } of waiting) {
    if (kind === 'blocked' && run === undefined) missing.push(`something is in the way: ${summary}`);
  }
  if (missing.length === 0) return { status: 'complete', missing };
  return { status: waiting.length > 0 ? 'blocked' : 'failed', missing };
}
