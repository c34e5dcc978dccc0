import type { Clock, Ids } from '../base/clock.js';
import { createRandomHex } from '../base/sha256.js';

/** How long this process has been at work, in milliseconds. `performance.now` says the same and loads a module first. */
const uptime = (): number => process.uptime() * 1000;

/** When this process began, by the wall clock of then. */
const BEGAN = Date.now() - uptime();

/**
 * The real clock; made here and passed on, nowhere else is time read. It is never behind what has really passed since the
 * process began: a wall clock that is set back meanwhile draws no wait out.
 */
export const systemClock: Clock = { now: () => Math.max(Date.now(), Math.floor(BEGAN + uptime())) };

/** Real randomness. */
export const systemIds: Ids = { hex: createRandomHex };
