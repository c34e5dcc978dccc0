import type { DevCliError } from '../../base/errors.js';
import { PLAN } from '../../run/paths.js';

/** Lists what keeps a plan from being taken up, a line each, for a person who is asked what to do about it. */
export function listFaults({ details }: Pick<DevCliError, 'details'>): string[] {
  return details.map(({ target, pointer, problem, expected }) => {
    const instead = expected === undefined ? '' : ` (${expected})`;
    return `${target ?? pointer ?? PLAN}: ${problem}${instead}`;
  });
}
