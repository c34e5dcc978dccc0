import { randomBytes } from 'node:crypto';
import { openWingStreams } from '../../../src/project/wing-streams.js';
import type { Context } from '../../../src/run/context.js';
import type { Replay } from '../../../src/store/store.js';
import type { LoopState } from '../../../src/wings/loop/state-schema.js';
import { LOOP, LOOP_CODEC } from '../../../src/wings/loop/streams.js';

/** What a loop is opened with, besides its root. */
export const SYSTEM: Pick<Context, 'clock' | 'ids' | 'caller'> = {
  clock: { now: () => Date.now() },
  ids: { hex: (length) => randomBytes(length).toString('hex').slice(0, length) },
  caller: { kind: 'cli', via: 'cli' },
};

/** Compares the loop's stream of a root with its journal (storage.md, Recovery). */
export function replayLoop(root: string): Promise<Replay<LoopState>> {
  return openWingStreams({ root, noun: 'loop', codec: LOOP_CODEC, ...SYSTEM }).replay(LOOP);
}
