import { DevCliError } from '../base/errors.js';
import { isRecord, parseOrNull } from '../base/json.js';
import { findMisfit, type OutlineSchema } from './outline.js';

/** The expected form of a stored snapshot. */
interface Form {
  outline: OutlineSchema;
  /** The `schemaVersion` that this dev-cli writes. */
  version: number;
  /** The name of the snapshot in messages, such as `The memory in .dev/memory`. */
  what: string;
}

/**
 * Reads a snapshot that dev-cli wrote.
 * @throws DevCliError `STATE_NEWER`; `STATE_CORRUPT` if it does not fit its outline, so that the caller has to rebuild
 * it from the journal (storage.md, Recovery)
 */
export function readStored<T>(text: string, { outline, version, what }: Form): T {
  const stored = parseOrNull(text);
  const found = isRecord(stored) ? stored['schemaVersion'] : undefined;
  if (typeof found === 'number' && found > version) {
    throw new DevCliError('STATE_NEWER', `${what} has schema version ${found}; this dev-cli knows ${version}.`, {
      fix: 'Update dev-cli to the version that wrote it.',
    });
  }
  const fault = findMisfit(outline, stored);
  if (fault === null) return stored as T;
  throw new DevCliError('STATE_CORRUPT', `${what} does not fit its schema at ${fault.at || '/'}: ${fault.problem}.`);
}
