import { DevCliError } from '../base/errors.js';
import type { JournalPast } from '../store/store.js';
import type { EntryData } from './entries.js';

/** A commit made by an execution of this name, now or earlier, according to the journal. */

export interface MadeCommit {
  /** The id of the run that made it. */
  run: string;
  /** Null for the commit of remaining changes, and for a commit that reverts others. */
  todo: string | null;
  /** Null if a hook removed the trailer that identifies the commit. */
  sha: string | null;
  /** The first line of its message; absent from entries written by older releases. */
  subject?: string;
  /** The commit that reverted this one. */
  undoneBy?: string;
  /** The todos whose commits this one reverts. */
  reverts?: string[];
}

/** The parts of an entry from which commits are read. */
interface ReadEntry {
  type: string;
  data: Readonly<Record<string, unknown>>;
}

/** Adds what one entry says to the known commits: a new commit, or that known ones were reverted. */
function addCommits(known: readonly MadeCommit[], { type, data }: ReadEntry): MadeCommit[] {
  if (type === 'committed') {
    const { runId: run, todoId: todo, outcome, commit: sha, subject } = data as unknown as EntryData<'committed'>;
    const isKnown = sha !== null && known.some((one) => one.sha === sha);
    if ((outcome !== 'made' && outcome !== 'found') || isKnown) return [...known];
    return [...known, { run, todo, sha, ...(subject === undefined ? {} : { subject }) }];
  }
  if (type !== 'undone') return [...known];
  const { runId: run, todos, commits, commit } = data as unknown as EntryData<'undone'>;
  const marked = known.map((one) =>
    one.sha !== null && commits.includes(one.sha) ? { ...one, undoneBy: commit ?? 'an earlier commit' } : one,
  );
  return commit === null ? marked : [...marked, { run, todo: null, sha: commit, reverts: todos }];
}

/**
 * Reads the commits of all runs of a name, oldest first.
 * @param added entries that the journal does not have yet
 * @returns null if the journal cannot be read
 */
export function readCommits(past: JournalPast, added: readonly ReadEntry[]): MadeCommit[] | null {
  let commits: MadeCommit[] = [];
  try {
    past.scan((entry) => {
      if (entry.type === 'committed' || entry.type === 'undone') commits = addCommits(commits, entry);
    });
  } catch (error) {
    if (error instanceof DevCliError) return null;
    throw error;
  }
  for (const entry of added) commits = addCommits(commits, entry);
  return commits;
}
