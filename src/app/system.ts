import type { Clock, Ids } from '../base/clock.js';
import { createRandomHex } from '../base/sha256.js';

/** Returns how long this process has been running, in milliseconds. Unlike `performance.now`, this loads no module. */
const uptime = (): number => process.uptime() * 1000;

/** When this process started, according to the wall clock at the moment this module was loaded. */
const BEGAN = Date.now() - uptime();

/**
 * The real clock. Only this file reads the time; all other code is given a clock. The time is never less than the start
 * time plus the uptime of this process, so setting the wall clock back makes no wait longer.
 */
export const systemClock: Clock = { now: () => Math.max(Date.now(), Math.floor(BEGAN + uptime())) };

/** The real source of randomness. */
export const systemIds: Ids = { hex: createRandomHex };
