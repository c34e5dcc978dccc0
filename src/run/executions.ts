import { DevCliError } from '../base/errors.js';
import type { Past } from '../store/store.js';
import type { EntryData } from './entries.js';

/** What the journal of a name says about the commits of its executions: also of those before the one at work. */

export interface MadeCommit {
  /** The run that made it. */
  run: string;
  /** Null for the commit of what remained, and for one that takes others back. */
  todo: string | null;
  /** Null where a hook took away what it is found by. */
  sha: string | null;
  /** The first line of its message; entries of older releases have none. */
  subject?: string;
  /** The commit that took it back. */
  undoneBy?: string;
  /** The todos of which it takes the commits back. */
  reverts?: string[];
}

/** An entry, as far as commits are read from it. */
interface ReadEntry {
  type: string;
  data: Readonly<Record<string, unknown>>;
}

/** Adds what an entry says to the commits known before it. */
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
 * @returns null where the journal cannot be read
 */
export function readCommits(past: Past, added: readonly ReadEntry[]): MadeCommit[] | null {
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
