import type { JsonObject } from '../../base/json.js';
import { readStored } from '../../documents/stored.js';
import outline from '../../generated/loop-state-outline.js';
import { openWingStreams } from '../../project/wing-streams.js';
import type { Context } from '../../run/context.js';
import { requireActive } from './core/leases.js';
import { EMPTY_LOOP, LOOP_VERSION } from './state.js';
import type { LoopState } from './state-schema.js';

/** The stream of the loop, as all of the wing sees it: what stands behind could be another machine's (loop-core.md, Bounds). */

/** One stream holds everything. */
export const LOOP = 'loop';

/** What is to be kept, and what is told of it. */
interface Change<A> {
  answer: A;
  /** The state from then on; left out: nothing is kept. */
  state?: LoopState;
  /** What happened, for the journal. */
  entry?: { type: string; data: JsonObject };
  /** Documents beside the state, by path. */
  documents?: readonly { path: string; content: string }[];
}

export interface Streams {
  /** @throws DevCliError `STATE_CORRUPT`, `STATE_NEWER`, `JOURNAL_CORRUPT`, `IO` */
  read(stream: string): Promise<LoopState>;
  /**
   * Changes the state in one step.
   * @param decide pure, called with the state as it is
   * @throws DevCliError `CLAIM_REFUSED` where the claim is over; `LOCKED`, `IO`, and as `read`; what `decide` throws
   */
  transact<A>(stream: string, decide: (state: LoopState, at: string) => Change<A>, fence?: Fence): Promise<A>;
  /**
   * Hands over the events that the log of this root lacks; a crash before they are forgotten at most doubles them.
   * @param write has them in the log when it returns
   * @throws DevCliError as `transact`; what `write` throws
   */
  tellNews(write: (events: readonly JsonObject[]) => void): Promise<void>;
}

/** What a change depends on. */
interface Fence {
  /** A lease that has to be active; null: none. */
  claim: string | null;
}

/** How the state is read again. @param what it is called in messages */
export const createLoopCodec = (what: string) => ({
  parse: (text: string) => readStored<LoopState>(text, { outline, version: LOOP_VERSION, what }),
});

export const LOOP_CODEC = createLoopCodec('The loop in .dev/loop');

/** Opens the stream of a root. Nothing is written. @throws DevCliError `IO` */
export function openLoop({ root, clock, ids, caller }: Pick<Context, 'root' | 'clock' | 'ids' | 'caller'>): Streams {
  const streams = openWingStreams({ root, noun: 'loop', readable: true, codec: LOOP_CODEC, clock, ids });
  const read: Streams['read'] = async (stream) => ({ ...EMPTY_LOOP, ...(await streams.read(stream)).snapshot });
  const transact: Streams['transact'] = (stream, decide, fence) =>
    streams.transact(stream, ({ snapshot, at }) => {
      const before = { ...EMPTY_LOOP, ...snapshot };
      requireActive(before.leases, fence?.claim ?? null, at);
      const { answer, state, entry, documents = [] } = decide(before, at);
      if (state === undefined || entry === undefined) return { answer };
      return { answer, entries: [{ ...entry, by: caller }], snapshot: state, files: [...documents] };
    });
  return {
    read,
    transact,
    tellNews: (write) => tellUnsent({ read, transact }, write),
  };
}

/** Hands over the events that the state keeps until they are in the log, then has it forget just these. @throws DevCliError as `Streams` */
export async function tellUnsent(
  { read, transact }: Pick<Streams, 'read' | 'transact'>,
  write: (events: readonly JsonObject[]) => void,
): Promise<void> {
  const unsent = (await read(LOOP)).unsent as readonly JsonObject[];
  if (unsent.length === 0) return;
  write(unsent);
  const sent = new Set(unsent.map(({ event_id: id }) => id));
  await transact(LOOP, (state) => {
    const left = state.unsent.filter(({ event_id: id }) => !sent.has(id as string));
    const events = state.unsent.length - left.length;
    return {
      answer: undefined,
      ...(events > 0 && { state: { ...state, unsent: left }, entry: { type: 'logged', data: { events } } }),
    };
  });
}
