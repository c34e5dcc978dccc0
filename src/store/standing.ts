import type { DevCliError } from '../base/errors.js';
import { withIoErrors } from './io.js';
import { type LockRecord, lockedError, readHolder } from './lock.js';
import { identifyProcess, isGone } from './process.js';

/** How a file stands that programs claim, also such as write no more than `pid: N` into it. */
export type ClaimStanding =
  /** Nobody has it: there is no file, or its process is gone. */
  | { state: 'free' | 'dead' }
  /** Somebody may have it: the file names no process. */
  | { state: 'unreadable' }
  | { state: 'alive'; holder: LockRecord };

/**
 * Reads how a claim stands, also one of a program that writes YAML; with `plain`, `claim` takes such a file over from the dead.
 * @throws DevCliError `IO`
 */
export function inspectClaim(path: string): ClaimStanding {
  return withIoErrors(path, null, () => {
    const found = readHolder(path, true);
    if (found === undefined) return { state: 'free' };
    if (found === null) return { state: 'unreadable' };
    return isGone(found, identifyProcess()) ? { state: 'dead' } : { state: 'alive', holder: found };
  });
}

/** The error for a claim that a living process has, or that names none. */
export function claimedError(
  path: string,
  standing: Extract<ClaimStanding, { state: 'alive' | 'unreadable' }>,
): DevCliError {
  return lockedError(path, standing.state === 'alive' ? standing.holder : null, identifyProcess(), null);
}
