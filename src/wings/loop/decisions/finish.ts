import { dirname, join } from 'node:path';
import { ensureDirectory, writeDurably } from '../../../store/durable.js';
import { buildEvent } from '../core/events.js';
import type { AttemptSite } from '../site.js';
import type { Spiked } from '../state-schema.js';
import { LOOP } from '../streams.js';
import { acceptTicket, reactivateGoal } from './accept.js';

/** Returns the path of a decision's report, relative to the root. */
export const nameReport = (id: unknown): string => `.ai/reports/decision-${id}.json`;

/** The result of a spike, once it is written and logged. */
export interface SpikeResult {
  failures: readonly string[];
  accepted: boolean;
}

/**
 * Writes and logs the result of a spike, which tries the alternatives of a decision: ticket, report, the goal's status,
 * event. Each step may be repeated; an interrupted spike is finished by the next spike or batch (loop-operations.md,
 * Decisions).
 * @param spiked the result of the caller's own spike; without it, finishes one that an interrupted call left
 * @throws DevCliError `NO_PROJECT`, `SCHEMA_INVALID`, `LOCKED`, `IO`
 */
export async function finishSpike(
  { context, streams }: Pick<AttemptSite, 'context' | 'streams'>,
  spiked?: Spiked,
): Promise<SpikeResult | null> {
  const order = spiked ?? (await streams.read(LOOP)).spiked;
  if (order === null) return null;
  const { accept, key, result } = order;
  const refused = accept === null ? null : await acceptTicket(context, accept, accept);
  const failures = refused === null ? order.failures : [refused];
  const accepted = accept !== null && refused === null;
  const path = join(context.root, nameReport(result['decision_id']));
  ensureDirectory(dirname(path), context.root);
  const report = { ...result, accept_if_guard_failures: failures, accepted };
  writeDurably(path, `${JSON.stringify(report, null, 2)}\n`, context.root);
  if (accepted) await reactivateGoal(context, String(result['goal_id']), accept.file);
  await streams.transact(LOOP, (state, at) => {
    if (state.spiked?.key !== key) return { answer: undefined };
    const event = buildEvent('decision_spike', { key, at, payload: { ...result, accepted } });
    return {
      answer: undefined,
      state: { ...state, spiked: null, unsent: [...state.unsent, event] },
      entry: { type: 'spike-told', data: { decision: String(result['decision_id']) } },
    };
  });
  return { failures, accepted };
}
