import { defined } from '../../base/defined.js';
import { DevCliError } from '../../base/errors.js';
import type { PendingAction } from '../../run/action.js';
import { fault } from './fault.js';
import type { Reply } from './rehearsal.js';
import type { ScriptStep } from './script-schema.js';

/** Refusals that a script meets: whether it wanted them, and how they are told to its author (authoring.md, Scripts). */

/** What is wrong, and at which place of the script: keys from its top down. */
export interface Finding {
  place: readonly (string | number)[];
  message: string;
  fix?: string;
}

/** Holds a reply against whether it was to be refused. @throws DevCliError what is not as it was to be */
export function judgeReply(reply: Reply, { refuse }: Pick<ScriptStep, 'refuse'>): void {
  const wanted = refuse !== undefined && refuse !== false;
  if (!reply.ok && !wanted) throw reply.error;
  if (reply.ok && wanted) throw fault('refuse', 'It was accepted, expected a refusal.');
  if (!reply.ok && typeof refuse === 'string' && reply.error.code !== refuse) {
    throw fault('refuse', `It was refused with ${reply.error.code}, expected ${refuse}: ${reply.error.message}`);
  }
}

/**
 * Tells a refusal as a finding: a mistake of the script at its own place, anything else with its code.
 * @param fix what helps, where the caller knows it
 */
export function describeRefusal(error: DevCliError, place: Finding['place'], fix?: string): Finding {
  const [detail] = error.details;
  const isScripts = error.code === 'DATA_UNEXPECTED' || error.code === 'DATA_MISSING';
  const inside = isScripts && place.length > 0 ? parse(detail?.pointer) : [];
  const problems = inside.length > 0 ? [] : error.details.map(({ problem }) => problem);
  const why = problems.length === 0 ? '' : ` ${problems.slice(0, 5).join('; ')}`;
  const code = inside.length > 0 ? '' : ` [${error.code}]`;
  const own = typeof error.fix === 'string' && inside.length > 0 ? error.fix : hint(error.code);
  return { place: [...place, ...inside], message: `${error.message}${why}${code}`, ...defined({ fix: fix ?? own }) };
}

/** What is canned does not fit what the action demands: the author has to say what does. */
export function cannedError(action: PendingAction, error: DevCliError): DevCliError {
  return new DevCliError(error.code, `The canned answer for ${action.block} was refused: ${error.message}`, {
    details: error.details,
  });
}

const parse = (pointer: string | undefined) =>
  (pointer ?? '')
    .split('/')
    .slice(1)
    .map((key) => key.replace(/~1/g, '/').replace(/~0/g, '~'));

const hint = (code: string) =>
  code === 'HUMAN_REQUIRED' ? 'Only a person may choose here: add `person: true`.' : undefined;
