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
}

/** What a change depends on. */
interface Fence {
  /** A lease that has to be active; null: none. */
  claim: string | null;
}

/** Opens the stream of a root. Nothing is written. @throws DevCliError `IO` */
export function openLoop({ root, clock, ids, caller }: Pick<Context, 'root' | 'clock' | 'ids' | 'caller'>): Streams {
  const codec = {
    parse: (text: string) =>
      readStored<LoopState>(text, { outline, version: LOOP_VERSION, what: 'The loop in .dev/loop' }),
  };
  const streams = openWingStreams({ root, noun: 'loop', readable: true, codec, clock, ids });
  return {
    read: async (stream) => ({ ...EMPTY_LOOP, ...(await streams.read(stream)).snapshot }),
    transact: (stream, decide, fence) =>
      streams.transact(stream, ({ snapshot, at }) => {
        const before = { ...EMPTY_LOOP, ...snapshot };
        requireActive(before.leases, fence?.claim ?? null, at);
        const { answer, state, entry, documents = [] } = decide(before, at);
        if (state === undefined || entry === undefined) return { answer };
        return { answer, entries: [{ ...entry, by: caller }], snapshot: state, files: [...documents] };
      }),
  };
}
