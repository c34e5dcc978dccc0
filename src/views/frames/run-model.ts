import { toBoundedLine } from '../../documents/foreign.js';
import type { RunHead } from '../../run/state.js';
import type { SignName } from '../signs.js';
import { describeWaiting } from '../status.js';
import type { Timeline } from '../timeline.js';
import type { TimelineRow } from '../timeline-rows.js';

/** The content of a run's screen (view.md, Run screen). Foreign texts are sanitized when they are laid out. */
export interface RunModel {
  name: string;
  recipe: string;
  /** Whether the run is live; any other run is shown as it ended. */
  isLive: boolean;
  isHeld: boolean;
  /** What the run waits for, and since when, in milliseconds. */
  waits: { sign: SignName; text: string; since: number | null };
  rows: readonly TimelineRow[];
  split: Timeline['split'];
  /** The time up to which `split` counts, in milliseconds. */
  at: number;
  /** The code of the error that stops the journal from being read further; null if there is none. */
  fault: string | null;
}

/**
 * Builds the model of a run's screen.
 * @param read `head` is null if the run cannot be read; then only the journal is used
 * @param at the time at which the run was read, in milliseconds
 */
export function buildRunModel(
  name: string,
  { timeline, head, fault }: { timeline: Timeline; head: RunHead | null; fault: { code: string } | null },
  at: number,
): RunModel {
  const { rows, split, runs } = timeline;
  const state = head?.snapshot ?? null;
  const run = runs.at(-1);
  const { now, since } = state === null ? { now: 'its state cannot be read', since: null } : describeWaiting(state);
  return {
    name,
    recipe: state?.recipe ?? run?.recipe ?? '',
    isLive: (state?.status ?? run?.status) === 'live',
    isHeld: state?.held !== undefined,
    waits: {
      sign: findSign(head, now),
      text: toBoundedLine(now, 300),
      since: since === null ? null : Date.parse(since),
    },
    rows,
    split,
    at,
    fault: fault?.code ?? null,
  };
}

function findSign(head: RunHead | null, now: string): SignName {
  const state = head?.snapshot;
  if (state === undefined) return 'failed';
  if (state.status === 'completed') return 'done';
  if (state.status !== 'live') return 'failed';
  if (now.startsWith('waiting for you')) return 'waiting';
  return state.held === undefined ? 'running' : 'held';
}
