import { DevCliError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json.js';
import { appendLines, requireInside } from '../../project/own-places.js';
import type { Context } from '../../run/context.js';
import { openSharedFiles } from '../../store/shared-files.js';
import { renderEvents } from './core/events.js';
import { type LogCount, type LogEvent, type ParsedLog, scanEvents } from './core/log-lines.js';
import type { AttemptSite } from './site.js';

/** The path of the log, relative to the root. */
export const EVENT_LOG_PATH = '.ai/events/events.jsonl';

/** Runs one piece of work at a time, in the order of the calls. */
export type WorkQueue = <T>(work: () => Promise<T>) => Promise<T>;

export function createQueue(): WorkQueue {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work, work);
    last = next.catch(() => {});
    return next;
  };
}

/**
 * Reads the log; a missing one is empty.
 * @throws DevCliError `IO` if it is not a file of at most 64 MiB, or a link leads out of the project
 */
export function readLog(context: Pick<Context, 'root' | 'clock' | 'ids'>): ParsedLog {
  const events: LogEvent[] = [];
  return { ...scanLog(context, (event) => events.push(event)), events };
}

/** Calls `take` with one event after the other. @throws DevCliError as `readLog` */
export function scanLog(
  { root, clock, ids }: Pick<Context, 'root' | 'clock' | 'ids'>,
  take: (event: LogEvent) => void,
): LogCount {
  requireInside(root, EVENT_LOG_PATH);
  const content = openSharedFiles({ root, clock, ids, purpose: 'the log' }).read(EVENT_LOG_PATH);
  if (content !== 'unusable') return scanEvents(content?.toString('utf8') ?? '', take);
  const problem = 'it is not a regular file of at most 64 MiB';
  throw new DevCliError('IO', `${EVENT_LOG_PATH}: ${problem}.`, {
    details: [{ target: EVENT_LOG_PATH, problem }],
    fix: `Move ${EVENT_LOG_PATH} away; the next event begins a new one. Then repeat the same call.`,
  });
}

/**
 * Appends unsent events to the log, then removes exactly those from the state. After a crash in between, or with a
 * concurrent call, a line may occur twice, but none is lost.
 */
export function flushEvents(
  { streams, context }: Pick<AttemptSite, 'streams' | 'context'>,
  oneByOne: WorkQueue,
): Promise<void> {
  const write = (events: readonly JsonObject[]): void =>
    appendLines(`${context.root}/${EVENT_LOG_PATH}`, renderEvents(events), context.root);
  return oneByOne(() => streams.tellNews(write));
}

/**
 * Logs work that is already done: if the log cannot be written, the call does not fail, and the next one writes the
 * events.
 * @param oneByOne the queue that all writers of the log in this process share
 */
export async function flushEventsQuietly(
  site: Pick<AttemptSite, 'streams' | 'context'>,
  oneByOne = createQueue(),
): Promise<void> {
  await flushEvents(site, oneByOne).catch((error: unknown) => {
    if (!(error instanceof DevCliError) || error.code === 'INTERNAL') throw error;
  });
}
