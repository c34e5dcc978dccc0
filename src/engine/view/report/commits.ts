import type { RunEngine } from '../../../run/engine.js';
import type { TodoState } from '../../../run/engine-rows.js';
import { describeBranch, NO_SHA } from '../../act/commit-words.js';

/** Commits that dev-cli made, each by its own name, and where they are. */
export function renderCommits({ head }: RunEngine, rows: readonly TodoState[]): string[] {
  const made = rows.flatMap(({ id, commit, substeps }) => {
    if (commit !== undefined) return [`${id}: ${commit}`];
    return substeps['commit']?.status === 'done' ? [`${id}: ${NO_SHA}: a hook took its trailer away`] : [];
  });
  if (head === undefined || made.length === 0 || (head.branch === head.began && head.branch !== null)) return made;
  const moved = head.branch === head.began ? '' : `; the run began on ${describeBranch(head.began)}`;
  return [...made, `now on ${describeBranch(head.branch)}${moved}`];
}
