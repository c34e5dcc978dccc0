import { toBoundedLine } from '../../../documents/foreign.js';
import type { LogEvent } from './log-lines.js';

/** Summarizes the log for each goal (loop-operations.md, The log). Pure. */

const NEW = {
  ...{ event_count: 0, success_count: 0, failure_count: 0, retry_count: 0, block_count: 0, escalate_count: 0 },
  ...{ security_incidents: 0, claim_collision_count: 0, last_event_type: '' },
  last_timestamp: null as string | null,
  last_action_taken: null as string | null,
  claim_id: null as string | null,
  claimed_by: null as string | null,
  claim_expires_at: null as string | null,
};

/** One goal in `.ai/state/goal_views.yaml`. */
export type GoalView = typeof NEW;

/** Folds events into one view per goal, sorted by goal. Takes each event once, in the order of the log. */
export function openGoalViews(): { take(event: LogEvent): void; list(): [string, GoalView][] } {
  const views = new Map<string, GoalView>();
  const take = (event: LogEvent): void => {
    if (event.goal_id === null) return;
    const view = views.get(event.goal_id) ?? { ...NEW };
    views.set(event.goal_id, view);
    view.event_count += 1;
    view.last_event_type = event.event_type;
    view.last_timestamp = event.timestamp ?? view.last_timestamp;
    if (event.event_type === 'auto_attempt') countAttempt(view, event.payload);
    else foldClaim(view, event);
  };
  const list = () =>
    [...views]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([goal, view]): [string, GoalView] => [goal, makePrintable(view)]);
  return { take, list };
}

function countAttempt(view: GoalView, payload: LogEvent['payload']): void {
  const { success, action_taken: action, failure_classification: failure } = payload;
  if (success === true) view.success_count += 1;
  else view.failure_count += 1;
  if (action === 'retry') view.retry_count += 1;
  if (action === 'block') view.block_count += 1;
  if (action === 'escalate') view.escalate_count += 1;
  if (failure === 'security') view.security_incidents += 1;
  view.last_action_taken = readText(action);
}

/** A goal keeps its claim until the claim is released or expires, or another one is made. */
function foldClaim(view: GoalView, { event_type: type, payload }: LogEvent): void {
  const id = readText(payload['claim_id']);
  switch (type) {
    case 'queue_claim_rejected':
      if (payload['reason_code'] === 'goal_already_claimed') view.claim_collision_count += 1;
      return;
    case 'queue_claim_created':
    case 'queue_claim_renewed':
    case 'queue_idempotent_claim_reused':
      view.claim_id = id;
      view.claimed_by = readText(payload['worker_id']);
      view.claim_expires_at = readText(payload['expires_at']);
      return;
    case 'queue_claim_released':
    case 'queue_claim_expired':
      if (id === view.claim_id) Object.assign(view, { claim_id: null, claimed_by: null, claim_expires_at: null });
  }
}

const readText = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** Cuts foreign text to short single lines that are safe to print. */
function makePrintable(view: GoalView): GoalView {
  const cut = (text: string | null) => (text === null ? null : toBoundedLine(text, 80));
  return {
    ...view,
    last_event_type: toBoundedLine(view.last_event_type, 80),
    last_action_taken: cut(view.last_action_taken),
    ...{ claim_id: cut(view.claim_id), claimed_by: cut(view.claimed_by), claim_expires_at: cut(view.claim_expires_at) },
  };
}
