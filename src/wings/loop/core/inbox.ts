import { toBoundedLine } from '../../../documents/foreign.js';
import { type LogEvent, readInstant } from './log-lines.js';

/** Derives from the log the items that wait for a person (loop-operations.md, Inbox). Pure. */

export type InboxReason =
  | 'security_failure'
  | 'action_block'
  | 'action_escalate'
  | 'baseline_blocked'
  | 'claim_collision';

export type InboxAction = 'approve' | 'reject' | 'defer';

export interface InboxItem {
  /** `inbox-` followed by the id of the event that created the item. */
  inbox_id: string;
  event_id: string;
  goal_id: string | null;
  priority: 'high' | 'medium';
  reason_code: InboxReason;
  /** One line, safe to print. */
  summary: string;
  timestamp: string | null;
  latest_action: InboxAction | null;
  resolved: boolean;
  /** Classification of an `auto_attempt`; null for other events. */
  classification: string | null;
}

/** Maximum characters of a summary, and of a word from a payload. */
const LINE = 200;
const WORD = 48;
/** Maximum characters of git's message. It is longer than LINE, because git names files before it says what to do. */
const GIT = 600;

/**
 * Folds events into items, including closed ones: high priority first, then the newest; of two items with the same
 * time, the one later in the log comes first.
 * @param events each once, in the order of the log
 */
export function foldInbox(events: readonly LogEvent[]): InboxItem[] {
  const inbox = openInbox();
  for (const event of events) inbox.take(event);
  return inbox.list();
}

/** Folds one event at a time, as `foldInbox` does. */
export function openInbox(): { take(event: LogEvent): void; list(): InboxItem[] } {
  const items = new Map<string, InboxItem>();
  // For each goal and reason, only one item is open: a newer item closes the older one.
  const open = new Map<string, Map<string, InboxItem>>();
  const take = (event: LogEvent): void => {
    if (event.event_type === 'operator_inbox_action') answerItem(items, event.payload);
    const goal = event.goal_id ?? '';
    if (isSuccess(event)) closeAll(open.get(goal));
    const item = makeItem(event);
    if (item === null) return;
    items.set(item.inbox_id, item);
    const known = open.get(goal) ?? new Map<string, InboxItem>();
    const older = known.get(item.reason_code);
    if (older !== undefined) older.resolved = true;
    open.set(goal, known.set(item.reason_code, item));
  };
  return { take, list: () => sortItems([...items.values()]) };
}

const isSuccess = ({ event_type: type, goal_id: goal, payload }: LogEvent): boolean =>
  type === 'auto_attempt' && goal !== null && payload['success'] === true;

function closeAll(items: Map<string, InboxItem> | undefined): void {
  for (const item of items?.values() ?? []) item.resolved = true;
  items?.clear();
}

/** Records an answer on its item. The first answer that is not a deferral is final. */
function answerItem(items: ReadonlyMap<string, InboxItem>, { inbox_id: id, action }: LogEvent['payload']): void {
  const item = typeof id === 'string' ? items.get(id) : undefined;
  if (item === undefined || item.latest_action === 'approve' || item.latest_action === 'reject') return;
  if (action !== 'approve' && action !== 'reject' && action !== 'defer') return;
  item.latest_action = action;
  if (action !== 'defer') item.resolved = true;
}

/** Builds the item for an event; null if no person has to answer it. */
function makeItem({ event_id, event_type, goal_id, timestamp, payload }: LogEvent): InboxItem | null {
  const reason_code = findReason(event_type, payload);
  if (reason_code === null) return null;
  const isAttempt = event_type === 'auto_attempt';
  return {
    ...{ inbox_id: `inbox-${event_id}`, event_id, goal_id },
    priority: reason_code === 'action_escalate' || reason_code === 'claim_collision' ? 'medium' : 'high',
    ...{ reason_code, summary: summarize(reason_code, payload), timestamp, latest_action: null, resolved: false },
    classification: isAttempt ? readWord(payload['classification']) : null,
  };
}

/** Returns the first reason that applies. */
function findReason(type: string, payload: LogEvent['payload']): InboxReason | null {
  switch (type) {
    case 'auto_attempt':
      if (payload['failure_classification'] === 'security') return 'security_failure';
      if (payload['action_taken'] === 'block') return 'action_block';
      return payload['action_taken'] === 'escalate' ? 'action_escalate' : null;
    case 'orchestrate_cycle_blocked':
      return 'baseline_blocked';
    case 'queue_claim_rejected':
      return payload['reason_code'] === 'goal_already_claimed' ? 'claim_collision' : null;
    default:
      return null;
  }
}

function summarize(reason: InboxReason, payload: LogEvent['payload']): string {
  const given = readLine(payload['reason']);
  switch (reason) {
    case 'security_failure':
      return given ?? 'an attempt changed files that it must not change';
    case 'action_block':
      return given ?? 'the goal is blocked';
    case 'action_escalate':
      return readLine(payload['reason'], GIT) ?? 'the branch could not be moved';
    case 'baseline_blocked': {
      const guards = payload['failing_guards'];
      const names = Array.isArray(guards) ? guards.slice(0, 10).flatMap((one) => readWord(one) ?? []) : [];
      return names.length === 0 ? 'the baseline is not ready' : `the baseline is not ready: ${names.join(', ')}`;
    }
    case 'claim_collision':
      return `${readWord(payload['worker_id']) ?? 'a worker'} wanted the goal while another held it`;
  }
}

const readLine = (value: unknown, most = LINE): string | null =>
  (typeof value === 'string' && toBoundedLine(value, most)) || null;
const readWord = (value: unknown): string | null => readLine(value, WORD);

/**
 * Sorts items: high priority first, then the newest; of two items with the same time, the later one in the list first.
 */
export function sortItems<T extends Pick<InboxItem, 'priority' | 'timestamp'>>(items: readonly T[]): T[] {
  const placed = items.map((item, at) => ({ item, at, time: readInstant(item.timestamp) ?? 0 }));
  const rank = ({ item }: { item: T }) => (item.priority === 'high' ? 0 : 1);
  return placed.sort((a, b) => rank(a) - rank(b) || b.time - a.time || b.at - a.at).map(({ item }) => item);
}
