import { DevCliError, type ErrorDetail } from '../../base/errors.js';
import { joinFirst, renderCount } from '../../base/words.js';
import { keepsSources } from '../../recipe/declared.js';
import { recordEntry, recordFault, recordStepSummary, type Transaction } from '../../run/transaction.js';
import type { Acknowledged } from '../acknowledgement.js';

/** The most paths named in a refusal. */
const PATHS_SHOWN = 20;

/** The most paths named in the reason why a run halted. */
const PATHS_IN_REASON = 3;

/**
 * Catches what the guard missed: sources changed in a phase that may not touch them (harness.md, The second net). The
 * acknowledgement is refused with the list of paths. Once a person has answered, repeating the acknowledgement accepts
 * the listed paths into the baseline. In autopilot the run halts.
 * @returns null when the acknowledgement may go on
 */
export function refuseChangedSources(tx: Transaction, actionId: string): Acknowledged | null {
  const { state } = tx;
  if (state.baseline === null || !keepsSources(tx.captured.recipe)) return null;
  // Where git can no longer tell what changed, this check is skipped, and only the guard remains.
  const { paths, now } = tx.changes(state.baseline) ?? { paths: [], now: state.baseline };
  if (paths.length === 0) return null;
  if (isApproved(tx, actionId, paths)) {
    state.baseline = now;
    recordEntry(tx, 'sources-taken', { actionId, paths });
    state.sourcesRefused = null;
    return null;
  }
  recordEntry(tx, 'sources-refused', { actionId, paths });
  if (state.mode['interaction'] === 'autopilot') return haltRun(tx, paths);
  state.sourcesRefused = { seq: 0, actionId, paths };
  const error = new DevCliError('SOURCES_CHANGED', `${renderChange(paths)}.`, {
    details: listDetails(paths),
    fix: 'If you changed them, restore them and repeat the ack. If the user did, show the user the list and what `answer` says: the user runs it in their own terminal, then the same ack accepts the changes.',
    answer: { command: 'approve', input: { name: state.name } },
  });
  return { result: { kind: 'refused', error } };
}

/** Halts a run in autopilot, which has nobody to ask. Only invalidating the step resumes it. */
function haltRun(tx: Transaction, paths: string[]): Acknowledged {
  const { state } = tx;
  const block = state.currentBlock ?? '';
  const line = renderChange(paths);
  const reason = `${line}: ${joinFirst(paths, PATHS_IN_REASON)}`;
  recordStepSummary(tx, block, reason);
  recordFault(tx, block, 'SOURCES_CHANGED', reason);
  state.sourcesRefused = null;
  const error = new DevCliError('SOURCES_CHANGED', `${line}; the run halted. Restore them before reopening it.`, {
    details: listDetails(paths),
    fix: [
      'Tell the user. Only once the user wants to continue and the files are restored: ',
      { command: 'step invalidate', input: { name: state.name, step: block } },
    ],
  });
  return { result: { kind: 'refused', error }, event: { type: 'HALT' } };
}

/** Whether a person has answered since the refusal that listed all these paths for this action. */
function isApproved({ state }: Transaction, actionId: string, paths: string[]): boolean {
  const refused = state.sourcesRefused;
  if (refused === null || refused.actionId !== actionId) return false;
  if (!paths.every((path) => refused.paths.includes(path))) return false;
  return (state.lastHuman?.seq ?? 0) > refused.seq;
}

function renderChange(paths: string[]): string {
  return `${renderCount(paths.length, 'file')} outside .dev/ changed during a phase that may not touch them`;
}

function listDetails(paths: string[]): ErrorDetail[] {
  return paths.slice(0, PATHS_SHOWN).map((path) => ({ target: path, problem: 'changed since the run began' }));
}
