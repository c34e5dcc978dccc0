import { DevCliError } from './errors.js';

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** Returns whether `text` is a valid run name (protocol.md §1). */
export function isName(text: string): boolean {
  return NAME.test(text);
}

/**
 * Returns `text` if it is a valid run name. Must be called before a path is built from `text`.
 * @throws DevCliError `NAME_INVALID` (protocol.md §1)
 */
export function requireName(text: string): string {
  if (isName(text)) return text;
  throw new DevCliError('NAME_INVALID', `${JSON.stringify(text.slice(0, 80))} is not a valid run name.`, {
    fix: 'Use 1 to 64 letters, digits, "-" and "_", beginning with a letter or digit.',
  });
}

/**
 * Builds the error for a name that no run has.
 * @param meant a sentence to append, beginning with a space, that names the runs that were probably meant
 */
export function noSuchRunError(name: string, meant = ''): DevCliError {
  return new DevCliError('NO_SUCH_RUN', `There is no run named "${name}".${meant}`, {
    fix: { command: 'list', input: {} },
  });
}
