import { DevCliError } from '../../base/errors.js';
import { holdsMask, toBoundedLine } from '../../documents/foreign.js';
import { type GitHead, readGitHead } from '../../project/git-head.js';

/** Maximum length of a stored text in characters. */
const LONGEST = 400;

/**
 * Prepares a text for memory: one line, secrets masked, then cut (memory.md, Entries).
 * @param target the option or argument that the text was given in
 * @returns `masked`: whether a secret in it was masked
 * @throws DevCliError `DATA_MISSING` for a text without visible characters
 */
export function keepText(given: string, target: string): { text: string; masked: boolean } {
  const text = toBoundedLine(given, LONGEST);
  if (text === '') {
    throw new DevCliError('DATA_MISSING', `${target} is blank.`, {
      details: [{ target, problem: 'blank' }],
      fix: `Give ${target} a text, then repeat the call.`,
    });
  }
  return { text, masked: holdsMask(text) && !holdsMask(given) };
}

/** Prepares all texts of one call, and remembers whether a secret was masked in any. */
export interface Keeper {
  /** Does the same as `keepText`; a missing text stays undefined. */
  keep<T extends string | undefined>(given: T, target: string): T;
  /** Returns the member of the answer that says whether a secret was masked. */
  told(): { masked?: true };
}

/** Creates the keeper for one call. */
export function createKeeper(): Keeper {
  let anyMasked = false;
  return {
    keep<T extends string | undefined>(given: T, target: string): T {
      if (given === undefined) return given;
      const { text, masked } = keepText(given, target);
      anyMasked ||= masked;
      return text as T;
    },
    told: () => (anyMasked ? { masked: true } : {}),
  };
}

/** Reads HEAD; makes the branch name, which is foreign text, safe to show. @param workTree absolute */
export function readShownHead(workTree: string): GitHead {
  const { branch, head } = readGitHead(workTree);
  return { branch: branch === null ? null : toBoundedLine(branch, LONGEST), head };
}
