import type { Clock, Ids } from '../base/clock.js';
import { randomHex } from '../base/sha256.js';

/** The real clock; made here and passed on, nowhere else is time read. */
export const systemClock: Clock = { now: () => Date.now() };

/** Real randomness. */
export const systemIds: Ids = { hex: randomHex };
