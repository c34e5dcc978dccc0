import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { type DevCliError, getSystemCode } from '../base/errors.js';
import { withIoErrors } from './io.js';
import { type Lock, type LockOwner, type LockRecord, lockedError, readHolder, tryLock } from './lock.js';
import { identifyProcess, isGone } from './process.js';

/** A claim, held until it is released or its process ends; a dead process's claim is free (storage.md, Locks). */
export type Claim = Lock;

interface ClaimOptions extends Pick<LockOwner, 'clock' | 'ids' | 'plain' | 'more'> {
  /** The purpose of the claim, shown to other processes that find the claim taken. */
  purpose: string;
  /** Set if the directory may be missing and is to be created. */
  make?: true;
}

/** How many times the directory of a claim is created before its absence is an error. */
const ATTEMPTS = 20;

/**
 * Claims `path` (absolute; its directory must exist unless `make` is set). The file has the format of a lock. Never
 * waits.
 * @returns null if a living process holds the claim
 * @throws DevCliError `IO`
 */
export function claimPath(path: string, { make, ...taker }: ClaimOptions): Claim | null {
  return withIoErrors(path, null, () => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        if (make) mkdirSync(dirname(path), { recursive: true });
        const got = tryLock(path, { identity: identifyProcess(), ...taker });
        return 'release' in got ? got : null;
      } catch (error) {
        // Another process that held the claim may have removed the empty directory after this one made sure that it
        // exists.
        if (!make || getSystemCode(error) !== 'ENOENT' || attempt === ATTEMPTS) throw error;
      }
    }
  });
}

/**
 * Returns the reason why waiting for the claim at `path` is useless: its holder cannot be looked up from this machine
 * or container, or the file is not a claim. Null if the claim is free, or becomes free when its holder ends.
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
 * Returns the living process that holds the claim at `path`, or null. A holder on another machine counts as living.
 * @throws DevCliError `IO`
 */
export function findClaimOwner(path: string): LockRecord | null {
  return withIoErrors(path, null, () => {
    const found = readHolder(path) ?? null;
    return found === null || isGone(found, identifyProcess()) ? null : found;
  });
}
