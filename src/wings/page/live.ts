import { setTimeout as sleep } from 'node:timers/promises';
import { DevCliError } from '../../base/errors.js';
import { openTimeline, type TimelineNow } from '../../protocol/questions/timeline.js';
import type { Context } from '../../run/context.js';
import { renderClean } from './clean.js';
import { buildRunPage } from './pages.js';
import type { RunChange, RunPage } from './wire.js';

/** Milliseconds between two changes that are sent: more than a person sees. */
const PAUSE = 100;

/** Milliseconds after which a wait for a journal is begun anew; it says nothing. */
const WAIT = 3_600_000;

/** Runs that are kept read. */
const KEPT = 4;

/** A run by name; `runId` is missing for the newest. */
export interface WantedRun {
  name: string;
  runId?: string;
}

/** Reads runs as they are now; what was read of the last few is not read again. */
export interface RunReader {
  /** @throws DevCliError `NO_SUCH_RUN`, `STATE_NEWER`, `IO` */
  read(wanted: WantedRun): Promise<TimelineNow>;
}

/** Creates a reader that has read nothing yet. */
export function createRunReader(context: Context): RunReader {
  const kept = new Map<string, () => Promise<TimelineNow | null>>();
  const open = ({ name, runId }: WantedRun) => {
    const reader = openTimeline(context, name, runId);
    let last: Promise<unknown> = Promise.resolve();
    // One after the other: a second read would take the entries of the first.
    return () => {
      const next = last.then(() => reader.read());
      last = next.catch(() => {});
      return next;
    };
  };
  return {
    async read(wanted) {
      const key = `${wanted.name} ${wanted.runId ?? ''}`;
      const read = kept.get(key) ?? open(wanted);
      kept.delete(key);
      const now = requireRun(wanted, await read());
      // What could not be read may have been mended by the next time.
      if (now.fault === null) kept.set(key, read);
      const [oldest] = kept.keys();
      if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest);
      return now;
    },
  };
}

function requireRun({ name }: WantedRun, now: TimelineNow | null): TimelineNow {
  if (now !== null) return now;
  throw new DevCliError('NO_SUCH_RUN', `There is no such run of "${name}".`);
}

/**
 * Follows a run, and gives what has changed whenever something has; what stands still is asked for nothing (view-page.md, Live).
 * @param since the last entry that the receiver knows; where it is another one by now, the first change holds all
 */
export async function* followRun(
  context: Context,
  wanted: WantedRun,
  since: number,
  signal: AbortSignal,
): AsyncGenerator<RunChange> {
  const reader = openTimeline(context, wanted.name, wanted.runId);
  let sent: Sent | null = null;
  while (!signal.aborted) {
    const now = requireRun(wanted, await reader.read());
    const page = await buildRunPage(context, wanted.name, now, wanted.runId);
    const built = renderParts(page);
    if (sent === null ? page.seq !== since : hasChanged(sent, built)) yield compare(sent, built, page);
    sent = built;
    // Behind damage nothing can be read any more.
    if (now.fault !== null) return;
    await sleep(PAUSE, undefined, { signal }).catch(() => {});
    await reader.grown(WAIT, signal);
  }
}

/** What the receiver has, as it was written. */
interface Sent {
  page: Map<string, string>;
  rows: Map<string, string>;
  seq: number;
}

function renderParts({ rows, seq, ...page }: RunPage): Sent {
  const parts = Object.entries(page).map(([key, value]) => [key, renderClean(value)] as const);
  return { page: new Map(parts), rows: new Map(rows.map((row) => [row.id, renderClean(row)])), seq };
}

const hasChanged = (before: Sent, after: Sent) => before.seq !== after.seq;

function compare(before: Sent | null, after: Sent, { rows, seq, ...page }: RunPage): RunChange {
  const members = Object.entries(page).filter(([key]) => before?.page.get(key) !== after.page.get(key));
  const order = [...after.rows.keys()];
  const isSame = before !== null && order.join('\n') === [...before.rows.keys()].join('\n');
  return {
    seq,
    page: Object.fromEntries(members),
    rows: rows.filter(({ id }) => before?.rows.get(id) !== after.rows.get(id)),
    ...(isSame ? {} : { order }),
  };
}
