import { DevCliError } from '../base/errors.js';
import { advance } from '../effects/advance.js';
import { fault } from '../effects/execute.js';
import { record, type Turn } from '../effects/turn.js';
import type { AckResult, ChangedSources } from './acknowledgement.js';
import { pendingPart } from './identify.js';

/** Paths named at most in a refusal. */
const PATHS_SHOWN = 20;

/**
 * The second net below the guard (harness.md, Guard): sources changed in a phase that may not touch them. Refused with
 * the list; accepted into the baseline once a person was there after the refusal; in autopilot the run halts.
 * Null when nothing changed.
 */
export function refuseChangedSources(turn: Turn, actionId: string, sources: ChangedSources): AckResult | null {
  if (sources === null || sources.paths.length === 0) return null;
  const { state } = turn;
  const { paths } = sources;
  if (personWasThere(turn)) {
    state.baseline = sources.now;
    record(turn, 'sources-taken', { actionId, paths });
    state.sourcesRefused = null;
    return null;
  }
  const error = new DevCliError(
    'SOURCES_CHANGED',
    `${paths.length} files outside .dev/ changed during a phase that may not touch them.`,
    {
      run: state.name,
      details: paths.slice(0, PATHS_SHOWN).map((path) => ({ target: path, problem: 'changed since the run began' })),
      fix: 'If you changed them, put them back as they were and repeat the ack. If the user did, tell the user; after the user has answered (or runs the ack on a terminal) the same ack takes them as given.',
      ...pendingPart(turn),
    },
  );
  record(turn, 'sources-refused', { actionId, paths });
  state.sourcesRefused = { seq: 0, paths };
  if (state.mode['interaction'] === 'autopilot') {
    const block = state.currentBlock ?? '';
    fault(turn, block, 'SOURCES_CHANGED', error.message);
    state.acknowledged[actionId] = block;
    advance(turn, { type: 'HALT' });
  }
  return { kind: 'refused', error };
}

function personWasThere(turn: Turn): boolean {
  const { state, by } = turn;
  if (state.sourcesRefused === null) return false;
  return by.terminal === true || (state.lastHuman?.seq ?? 0) > state.sourcesRefused.seq;
}
