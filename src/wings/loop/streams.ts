import type { JsonObject } from '../../base/json.js';
import { readStored } from '../../documents/stored.js';
import outline from '../../generated/loop-state-outline.js';
import { openWingStreams } from '../../project/wing-streams.js';
import type { Context } from '../../run/context.js';
import { requireActive } from './core/leases.js';
import { EMPTY_LOOP, LOOP_VERSION } from './state.js';
import type { LoopState } from './state-schema.js';

/** The interface to the loop's stream, which may be stored on another machine (loop-core.md, Bounds). */

/** The name of the single stream. */
export const LOOP = 'loop';

/** The result of a transaction: an answer, and what to store. */
interface Change<A> {
  answer: A;
  /** The new state; if absent, nothing is stored. */
  state?: LoopState;
  /** The entry for the journal. */
  entry?: { type: string; data: JsonObject };
  /** Documents to store beside the state, by path. */
  documents?: readonly { path: string; content: string }[];
}

export interface Streams {
  /** Reads the state. @throws DevCliError `STATE_CORRUPT`, `STATE_NEWER`, `JOURNAL_CORRUPT`, `IO` */
  read(stream: string): Promise<LoopState>;
  /**
   * Changes the state in one transaction.
   * @param decide pure, called with the current state
   * @throws DevCliError `CLAIM_REFUSED` if the claim has ended; `LOCKED`, `IO`, and as `read`; any error of `decide`
   */
  transact<A>(stream: string, decide: (state: LoopState, at: string) => Change<A>, fence?: Fence): Promise<A>;
  /**
   * Hands to `write` the events that this root's log lacks, then removes them from the state. A crash in between can
   * only make them appear twice in the log.
   * @param write must have written them to the log when it returns
   * @throws DevCliError as `transact`; any error of `write`
   */
  tellNews(write: (events: readonly JsonObject[]) => void): Promise<void>;
}

/** A precondition of a change. */
interface Fence {
  /** The lease that must be active; null if the change needs none. */
  claim: string | null;
}

/** Creates the codec that parses the state. @param what the name of the state in messages */
export const createLoopCodec = (what: string) => ({
  parse: (text: string) => readStored<LoopState>(text, { outline, version: LOOP_VERSION, what }),
});

export const LOOP_CODEC = createLoopCodec('The loop in .dev/loop');

/** Opens the stream of a root. Writes nothing. @throws DevCliError `IO` */
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
    tellNews: (write) => passOnUnsentEvents({ read, transact }, write),
  };
}

/**
 * Hands the state's unsent events to `write`, then removes exactly these from the state.
 * @throws DevCliError as `Streams`
 */
export async function passOnUnsentEvents(
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
