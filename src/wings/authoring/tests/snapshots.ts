import { isRecord } from '../../../base/json.js';
import type { PendingAction } from '../../../run/action.js';
import { buildActionView } from '../../../views/action.js';
import { renderActionJson } from '../rehearsal.js';

/** Stored actions that tests compare with (authoring.md, Snapshots). */

/** Actions by case name, then by step number, counted from 1. */
type Kept = Record<string, Record<string, unknown>>;

/** The snapshots of one test file. */
export interface Snapshots {
  /** Returns a message about the first difference, or null. With `update`, the action only replaces its snapshot. */
  compare(name: string, step: number, action: PendingAction): string | null;
  /** Keeps the stored snapshots of steps that a failed case did not reach; otherwise an update would drop them. */
  keepRest(name: string): void;
  /** Returns the text to write; null if nothing is to be updated, nothing changed, or there are no snapshots. */
  render(): string | null;
}

/** Returns the path of the snapshots of a test file. */
export function getSnapshotPath(test: string): string {
  return test.replace(/\.test\.ya?ml$/, '.snapshots.json');
}

/** Opens the snapshots of a test file. @param text the content of the snapshot file; null if there is no such file */
export function openSnapshots(text: string | null, update: boolean): Snapshots {
  const kept = parseKept(text);
  const made: Kept = {};
  return {
    compare(name, step, action) {
      const key = String(step + 1);
      const now = renderActionJson(buildActionView(action, false, null));
      made[name] = { ...made[name], [key]: now };
      if (update) return null;
      const before = kept[name]?.[key];
      if (before === undefined) return 'No snapshot of this action has been saved yet.';
      const path = findDifference(before, now, '');
      if (path === null) return null;
      const [was, is] = [before, now].map((value) => shorten(pick(value, path)));
      return `The action differs from its snapshot at ${path || '/'}: expected ${was}, got ${is}.`;
    },
    keepRest(name) {
      const rest = { ...kept[name], ...made[name] };
      if (Object.keys(rest).length > 0) made[name] = rest;
    },
    render() {
      const next = `${JSON.stringify(made, null, 2)}\n`;
      return update && Object.keys({ ...made, ...kept }).length > 0 && next !== text ? next : null;
    },
  };
}

function parseKept(text: string | null): Kept {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return isRecord(value)
      ? (Object.fromEntries(Object.entries(value).filter(([, one]) => isRecord(one))) as Kept)
      : {};
  } catch {
    // A file that does not parse holds no snapshots: each is reported as missing.
    return {};
  }
}

/** Returns the JSON pointer of the first difference; null if there is none. */
function findDifference(before: unknown, now: unknown, at: string): string | null {
  if (isPlain(before) && isPlain(now)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(now)])) {
      const found = findDifference(before[key], now[key], `${at}/${key}`);
      if (found !== null) return found;
    }
    return null;
  }
  return Object.is(before, now) ? null : at;
}

const isPlain = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function pick(value: unknown, path: string): unknown {
  return path
    .split('/')
    .slice(1)
    .reduce<unknown>((part, key) => (isPlain(part) ? part[key] : undefined), value);
}

function shorten(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > 160 ? `${text.slice(0, 159)}…` : text;
}
