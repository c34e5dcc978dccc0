import { omitUndefined } from '../../base/defined.js';
import { DevCliError } from '../../base/errors.js';
import type { PendingAction } from '../../run/action.js';
import { scriptError } from './fault.js';
import type { RehearsalReply } from './rehearsal.js';
import type { ScriptStep } from './script-schema.js';

/**
 * Refusals during a script: whether the script expects them, and how they are reported to its author (authoring.md,
 * Scripts).
 */

/** A fault, with its place in the script as keys from the top down. */
export interface ScriptFault {
  place: readonly (string | number)[];
  message: string;
  fix?: string;
}

/** Checks whether a reply was refused as the script expects. @throws DevCliError if it was not */
export function judgeReply(reply: RehearsalReply, { refuse }: Pick<ScriptStep, 'refuse'>): void {
  const wanted = refuse !== undefined && refuse !== false;
  if (!reply.ok && !wanted) throw reply.error;
  if (reply.ok && wanted) throw scriptError('refuse', 'Expected a refusal, but it was accepted.');
  if (!reply.ok && typeof refuse === 'string' && reply.error.code !== refuse) {
    throw scriptError(
      'refuse',
      `Expected ${refuse}, but it was refused with ${reply.error.code}: ${reply.error.message}`,
    );
  }
}

/**
 * Converts a refusal to a finding: a mistake in the script at its exact place, any other refusal with its error code.
 * @param fix the remedy, if the caller knows one
 */
export function describeRefusal(error: DevCliError, place: ScriptFault['place'], fix?: string): ScriptFault {
  const [detail] = error.details;
  const isScripts = error.code === 'DATA_UNEXPECTED' || error.code === 'DATA_MISSING';
  const inside = isScripts && place.length > 0 ? parse(detail?.pointer) : [];
  const problems = inside.length > 0 ? [] : error.details.map(({ problem }) => problem);
  const why = problems.length === 0 ? '' : ` ${problems.slice(0, 5).join('; ')}`;
  const code = inside.length > 0 ? '' : ` [${error.code}]`;
  const own = typeof error.fix === 'string' && inside.length > 0 ? error.fix : hint(error.code);
  return {
    place: [...place, ...inside],
    message: `${error.message}${why}${code}`,
    ...omitUndefined({ fix: fix ?? own }),
  };
}

/** Builds the error for a canned answer that was refused; the script's author has to supply one that fits. */
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
