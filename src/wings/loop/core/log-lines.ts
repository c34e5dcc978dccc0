import { isRecord, parseOrNull } from '../../../base/json.js';
import { sha1 } from '../../../base/sha256.js';

/** Reads the log (loop-operations.md, The log). Any program may write to it, so no line is trusted. Pure. */

/** An event whose fields, except type and payload, are safe to print. */
export interface LogEvent {
  /**
   * The id that the line gives, if that is a plain word; otherwise a digest: of that id or, if the line gives none, of
   * the line.
   */
  event_id: string;
  event_type: string;
  /** The timestamp as the line gives it; null if it is not a date. */
  timestamp: string | null;
  /** The goal's id; null if what the line gives cannot be one. */
  goal_id: string | null;
  payload: Readonly<Record<string, unknown>>;
}

/** Counts of the lines of a log. */
export interface LogCount {
  /** Lines that are events, including duplicates. */
  total: number;
  duplicates: number;
  /** Lines that are not events: incomplete, not an object, or without a type. */
  skipped: number;
}

const ID = /^[\w.:@/+#-]{1,128}$/;
const GOAL = /^[A-Za-z0-9][A-Za-z0-9._-]{0,47}$/;
const DATE = /^\d{4}-\d\d-\d\d[\d:.TZtz+ -]{0,30}$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

/** The events of a log, each once, in order. */
export interface ParsedLog extends LogCount {
  events: LogEvent[];
}

/** Parses a log; ignores empty lines. */
export function parseEvents(text: string): ParsedLog {
  const events: LogEvent[] = [];
  return { ...scanEvents(text, (event) => events.push(event)), events };
}

/** Calls `take` with one event at a time, so that a long log need not be held in memory as events. */
export function scanEvents(text: string, take: (event: LogEvent) => void): LogCount {
  const seen = new Set<string>();
  let [total, skipped] = [0, 0];
  for (let from = text.charCodeAt(0) === 0xfeff ? 1 : 0, end = 0; from < text.length; from = end + 1) {
    end = text.indexOf('\n', from);
    if (end < 0) end = text.length;
    const line = text.slice(from, end).trim();
    if (line === '') continue;
    const event = readEvent(line);
    if (event === null) skipped += 1;
    else {
      total += 1;
      if (seen.has(event.event_id)) continue;
      seen.add(event.event_id);
      take(event);
    }
  }
  return { total, duplicates: total - seen.size, skipped };
}

function readEvent(line: string): LogEvent | null {
  const value = line.startsWith('{') ? parseOrNull(line) : null;
  if (!isRecord(value)) return null;
  const { event_id: id, event_type: type, timestamp, payload } = value;
  if (typeof type !== 'string' || type === '') return null;
  const own = isRecord(payload) ? payload : {};
  const named = typeof id === 'string' && id !== '';
  return {
    event_id: named && ID.test(id) ? id : `evt_${sha1(named ? `id|${id}` : `line|${line}`).slice(0, 24)}`,
    event_type: type,
    timestamp: typeof timestamp === 'string' && DATE.test(timestamp) ? timestamp : null,
    goal_id: readGoalId(own['goal_id']),
    payload: own,
  };
}

const readGoalId = (value: unknown): string | null => (typeof value === 'string' && GOAL.test(value) ? value : null);

/**
 * Converts a timestamp to milliseconds since the epoch; null if it has no UTC offset, and so is ambiguous, or is not a
 * timestamp at all.
 */
export function readInstant(timestamp: string | null): number | null {
  const at = timestamp !== null && INSTANT.test(timestamp) ? Date.parse(timestamp) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}
