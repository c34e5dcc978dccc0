import { setTimeout as sleep } from 'node:timers/promises';
import { DevCliError } from '../../base/errors.js';
import { describeSources, waitForChange } from '../../protocol/questions/home.js';
import { openTimeline, type TimelineNow } from '../../protocol/questions/timeline.js';
import type { Context } from '../../run/context.js';
import { renderClean } from './clean.js';
import { buildRunPage, buildRunsPage } from './pages.js';
import type { RunChange, RunPage, RunsPage } from './wire.js';

/** Minimum milliseconds between two updates; nobody would see a difference if they came faster. */
const PAUSE = 100;

/** Maximum milliseconds of a single wait for a journal to grow; afterwards the run is read again in any case. */
const WAIT = 3_600_000;

/** A run by name; without `runId`, the newest one. */
export interface WantedRun {
  name: string;
  runId?: string;
}

/** Reads the current state of a run. @throws DevCliError `NO_SUCH_RUN`, `STATE_NEWER`, `IO` */
export async function readRunNow(context: Context, { name, runId }: WantedRun): Promise<TimelineNow> {
  return requireRun(name, await openTimeline(context, name, runId).read());
}

function requireRun(name: string, now: TimelineNow | null): TimelineNow {
  if (now !== null) return now;
  throw new DevCliError('NO_SUCH_RUN', `"${name}" has no such run.`);
}

/**
 * Follows a run and yields each change; does not poll while nothing happens (view-page.md, Live).
 * @param since the last entry that the receiver knows; if the run has moved on, the first change contains the whole
 * page
 */
export async function* followRun(
  context: Context,
  { name, runId }: WantedRun,
  since: number,
  signal: AbortSignal,
): AsyncGenerator<RunChange> {
  const reader = openTimeline(context, name, runId);
  let sent: Sent | null = null;
  while (!signal.aborted) {
    const now = requireRun(name, await reader.read());
    const page = await buildRunPage(context, name, now, runId);
    const built = renderParts(page);
    if (page.seq !== (sent?.seq ?? since)) yield compare(sent, built, page);
    sent = built;
    // A damaged journal yields nothing new, so the run is read again only after the long wait.
    await sleep(now.fault === null ? PAUSE : WAIT, undefined, { signal }).catch(() => {});
    await reader.grown(WAIT, signal);
  }
}

/** Yields the list of runs, and again whenever it changes (view-page.md, Live). */
export async function* followRuns(context: Context, signal: AbortSignal): AsyncGenerator<RunsPage> {
  let sent = '';
  while (!signal.aborted) {
    const sources = describeSources(context);
    const page = await buildRunsPage(context);
    const built = renderClean({ ...page, now: 0 });
    if (built !== sent) yield page;
    sent = built;
    await waitForChange(context, sources, { isBusy: true, signal });
  }
}

/** What the receiver has, as JSON text by member and by row, to find out what has changed. */
interface Sent {
  page: Map<string, string>;
  rows: Map<string, string>;
  seq: number;
}

function renderParts({ rows, seq, ...page }: RunPage): Sent {
  const parts = Object.entries(page).map(([key, value]) => [key, renderClean(value)] as const);
  return { page: new Map(parts), rows: new Map(rows.map((row) => [row.id, renderClean(row)])), seq };
}

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
