import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { type DevCliError, getSystemCode } from '../base/errors.js';
import { withIoErrors } from './io.js';
import { type Lock, type LockOwner, type LockRecord, lockedError, readHolder, tryLock } from './lock.js';
import { identifyProcess, isGone } from './process.js';

/** A claim is held as long as its process lives; one left by a dead process is free (storage.md, Locks). */
export type Claim = Lock;

interface ClaimOptions extends Pick<LockOwner, 'clock' | 'ids' | 'plain' | 'more'> {
  /** What it is for, as others that find it are told. */
  purpose: string;
  /** Set where the directory may be missing: it is made. */
  make?: true;
}

/** How often the directory of a claim is made before its absence is an error. */
const ATTEMPTS = 20;

/**
 * Claims `path` (absolute; without `make`, its directory exists). The file has the form of a lock. Never waits.
 * @returns null when a living process has it
 * @throws DevCliError `IO`
 */
export function claim(path: string, { make, ...taker }: ClaimOptions): Claim | null {
  return withIoErrors(path, null, () => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        if (make) mkdirSync(dirname(path), { recursive: true });
        const got = tryLock(path, { identity: identifyProcess(), ...taker });
        return 'release' in got ? got : null;
      } catch (error) {
        // A holder that is done may remove the directory, empty, just before this one writes into it.
        if (!make || getSystemCode(error) !== 'ENOENT' || attempt === ATTEMPTS) throw error;
      }
    }
  });
}

/**
 * Says why the claim at `path` can never be had from here: its process cannot be looked up, or the file is no claim. Null for
 * one that is free, or will be when its process ends.
 * @throws DevCliError `IO`
 */
export function findClaimObstacle(path: string): DevCliError | null {
  return withIoErrors(path, null, () => {
    const [found, here] = [readHolder(path), identifyProcess()];
    if (found === undefined) return null;
    if (found !== null && (found.host === here.host || isGone(found, here))) return null;
    return lockedError(path, found, here, null);
  });
}

/**
 * The living process that has claimed `path`, or null. A claim made on another machine counts as living.
 * @throws DevCliError `IO`
 */
export function findClaimOwner(path: string): LockRecord | null {
  return withIoErrors(path, null, () => {
    const found = readHolder(path) ?? null;
    return found === null || isGone(found, identifyProcess()) ? null : found;
  });
}
