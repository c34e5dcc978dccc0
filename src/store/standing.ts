import type { DevCliError } from '../base/errors.js';
import { withIoErrors } from './io.js';
import { type LockRecord, lockedError, readHolder } from './lock.js';
import { identifyProcess, isGone } from './process.js';

/** The state of a claim file, including files of other programs that contain little more than `pid: N`. */
export type ClaimState =
  /** Nobody holds the claim: there is no file, or its process is gone. */
  | { state: 'free' | 'dead' }
  /** Somebody may hold it: the file names no process. */
  | { state: 'unreadable' }
  | { state: 'alive'; holder: LockRecord };

/**
 * Reads the state of a claim, including one that another program wrote as YAML. `claim` takes over such a file if its
 * process is dead and `plain` is set.
 * @throws DevCliError `IO`
 */
export function inspectClaim(path: string): ClaimState {
  return withIoErrors(path, null, () => {
    const found = readHolder(path, true);
    if (found === undefined) return { state: 'free' };
    if (found === null) return { state: 'unreadable' };
    return isGone(found, identifyProcess()) ? { state: 'dead' } : { state: 'alive', holder: found };
  });
}

/** Creates the error for a claim that a living process holds, or whose file names no process. */
export function claimedError(
  path: string,
  standing: Extract<ClaimState, { state: 'alive' | 'unreadable' }>,
): DevCliError {
  return lockedError(path, standing.state === 'alive' ? standing.holder : null, identifyProcess(), null);
}
