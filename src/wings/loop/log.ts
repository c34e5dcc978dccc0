import { DevCliError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json.js';
import { appendLines, requireInside } from '../../project/own-places.js';
import type { Context } from '../../run/context.js';
import { openSharedFiles } from '../../store/shared-files.js';
import { renderEvents } from './core/events.js';
import { type LogCount, type LogEvent, type ParsedLog, scanEvents } from './core/log-lines.js';
import type { Site } from './site.js';

/** The log, relative to the root. */
export const EVENTS = '.ai/events/events.jsonl';

/** Runs one piece of work at a time, in the order in which they are given. */
export type Queue = <T>(work: () => Promise<T>) => Promise<T>;

export function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work, work);
    last = next.catch(() => {});
    return next;
  };
}

/**
 * Reads the log; one that is missing is empty.
 * @throws DevCliError `IO` where it is no file of at most 64 MiB, or a link leads out of the project
 */
export function readLog(context: Pick<Context, 'root' | 'clock' | 'ids'>): ParsedLog {
  const events: LogEvent[] = [];
  return { ...scanLog(context, (event) => events.push(event)), events };
}

/** The same, handed on one by one. @throws DevCliError as `readLog` */
export function scanLog(
  { root, clock, ids }: Pick<Context, 'root' | 'clock' | 'ids'>,
  take: (event: LogEvent) => void,
): LogCount {
  requireInside(root, EVENTS);
  const content = openSharedFiles({ root, clock, ids, purpose: 'the log' }).read(EVENTS);
  if (content !== 'unusable') return scanEvents(content?.toString('utf8') ?? '', take);
  const problem = 'it is no regular file of at most 64 MiB';
  throw new DevCliError('IO', `${EVENTS}: ${problem}.`, {
    details: [{ target: EVENTS, problem }],
    fix: `Move ${EVENTS} away; the next event begins a new one. Then repeat the same call.`,
  });
}

/**
 * Appends what is not in the log yet, then forgets just that: a crash in between, or another call that does the same, doubles a line, and
 * none is lost.
 */
export function flushEvents({ streams, context }: Pick<Site, 'streams' | 'context'>, oneByOne: Queue): Promise<void> {
  const write = (events: readonly JsonObject[]): void =>
    appendLines(`${context.root}/${EVENTS}`, renderEvents(events), context.root);
  return oneByOne(() => streams.tellNews(write));
}

/** The same after something that is done already: a log that cannot be written takes nothing back, and the next call tells it. */
export async function tellLog(site: Pick<Site, 'streams' | 'context'>): Promise<void> {
  await flushEvents(site, createQueue()).catch((error: unknown) => {
    if (!(error instanceof DevCliError) || error.code === 'INTERNAL') throw error;
  });
}
