import type { JsonObject } from '../../../base/json.js';
import { sha1 } from '../../../base/sha256.js';
import { maskSecrets } from '../../../documents/foreign.js';
import { formatLocalInstant } from '../../../documents/handoff-file.js';

/** Lines of `.ai/events/events.jsonl`, the log of everything that the loop did (loop-core.md, Events). Pure. */

export type EventType =
  | 'batch_started'
  | 'batch_ended'
  | 'auto_attempt'
  | 'queue_claim_created'
  | 'queue_claim_rejected'
  | 'queue_claim_renewed'
  | 'queue_claim_released'
  | 'queue_claim_expired'
  | 'queue_idempotent_claim_reused'
  | 'operator_inbox_action'
  | 'protocol_result_ingested'
  | 'decision_spike'
  | 'orchestrate_cycle_blocked';

/**
 * Builds an event.
 * @param about.key unique within its type: the same key gives the same id
 */
export function buildEvent(
  type: EventType,
  { key, at, payload }: { key: string; at: string; payload: JsonObject },
): JsonObject {
  const source = 'dev-cli';
  return {
    timestamp: formatLocalInstant(Date.parse(at)),
    event_id: `evt_${sha1(`${source}|${type}|${key}`).slice(0, 24)}`,
    event_type: type,
    source,
    idempotency_key: key,
    schema_version: 'event_bus.v1',
    payload,
  };
}

/** Renders events as lines, with secrets in their texts masked. */
export function renderEvents(events: readonly JsonObject[]): string {
  return events
    .map(
      (event) =>
        `${JSON.stringify(event, (_key, value) => (typeof value === 'string' ? maskSecrets(value) : value))}\n`,
    )
    .join('');
}

/** Builds the id of a batch: `20261127T010203+0100-1f2e`. */
export function nameBatch(milliseconds: number, hex: string): string {
  const instant = formatLocalInstant(milliseconds);
  const [date, time, offset] = [instant.slice(0, 10), instant.slice(11, 19), instant.slice(19)];
  return `${date.replaceAll('-', '')}T${time.replaceAll(':', '')}${offset.replace(':', '')}-${hex}`;
}
