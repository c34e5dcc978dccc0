import type { JsonObject } from '../../base/json.js';
import { appendLines } from '../../project/own-places.js';
import { renderEvents } from './core/events.js';
import type { Site } from './site.js';
import { LOOP } from './streams.js';

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

/** Appends what is not in the log yet, then forgets it: a crash in between doubles a line, and loses none. */
export function flushEvents({ streams, context }: Pick<Site, 'streams' | 'context'>, oneByOne: Queue): Promise<void> {
  return oneByOne(async () => {
    const { unsent } = await streams.read(LOOP);
    if (unsent.length === 0) return;
    appendLines(`${context.root}/${EVENTS}`, renderEvents(unsent as readonly JsonObject[]), context.root);
    await streams.transact(LOOP, (state) => ({
      answer: undefined,
      state: { ...state, unsent: state.unsent.slice(unsent.length) },
      entry: { type: 'logged', data: { events: unsent.length } },
    }));
  });
}
