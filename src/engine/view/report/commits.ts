import type { TodoState } from '../../../run/engine-rows.js';
import { type MadeCommit, readCommits } from '../../../run/executions.js';
import { NO_SHA } from '../../../run/notes.js';
import type { Transaction } from '../../../run/transaction.js';

/** Leading characters of a sha that the report shows. */
const SHA_SHOWN = 12;

/** Renders the commits of this run, and those of the executions before it, oldest first, each with its subject. */
export function renderAllCommits(tx: Transaction, rows: readonly TodoState[]): { own: string[]; earlier: string[] } {
  const made = readCommits(tx.past, tx.entries) ?? listKnownCommits(tx, rows);
  const isOwn = ({ run }: MadeCommit) => run === tx.state.runId;
  return {
    own: made.filter(isOwn).map(renderCommit),
    earlier: made.filter((one) => !isOwn(one)).map(renderCommit),
  };
}

/** What the state knows, where the journal cannot be read. */
function listKnownCommits({ state }: Transaction, rows: readonly TodoState[]): MadeCommit[] {
  return rows.flatMap(({ id, commit }) => (commit === undefined ? [] : [{ run: state.runId, todo: id, sha: commit }]));
}

function renderCommit({ todo, sha, subject, undoneBy, reverts }: MadeCommit): string {
  const whose = reverts === undefined ? (todo ?? 'the rest') : `takes back ${reverts.join(', ')}`;
  if (sha === null) return `${whose}: ${NO_SHA}: a hook took its trailer away`;
  const said = subject === undefined ? '' : ` ${subject}`;
  const gone = undoneBy === undefined ? '' : ` (taken back by ${undoneBy.slice(0, SHA_SHOWN)})`;
  return `${whose}: ${sha.slice(0, SHA_SHOWN)}${said}${gone}`;
}
