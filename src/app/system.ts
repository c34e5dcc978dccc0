import { randomBytes } from 'node:crypto';
import type { Clock, Ids } from '../base/clock.js';

/** The real clock; made here and passed on, nowhere else is time read. */
export const systemClock: Clock = { now: () => Date.now() };

/** Real randomness. */
export const systemIds: Ids = {
  hex: (length) =>
    randomBytes(Math.ceil(length / 2))
      .toString('hex')
      .slice(0, length),
};
