import { DevCliError } from '../../base/errors.js';
import { holdsMask, toBoundedLine } from '../../documents/foreign.js';
import { type Head, readHead } from '../../project/git-head.js';

/** Characters of a text that are kept. */
const LONGEST = 400;

/**
 * A text as memory keeps it: one line, secrets masked, then cut (memory.md, Entries).
 * @param target the option or argument that gave it
 * @returns `masked`: whether a secret in it was masked
 * @throws DevCliError `DATA_MISSING` for a text of which nothing can be seen
 */
export function keepText(given: string, target: string): { text: string; masked: boolean } {
  const text = toBoundedLine(given, LONGEST);
  if (text === '') {
    throw new DevCliError('DATA_MISSING', `${target} is blank.`, {
      details: [{ target, problem: 'blank' }],
      fix: `Say it in ${target}, then repeat the call.`,
    });
  }
  return { text, masked: holdsMask(text) && !holdsMask(given) };
}

/** The texts of a call, as they are kept. */
export interface Keeper {
  /** As `keepText`; a text that was left out stays so. */
  keep<T extends string | undefined>(given: T, target: string): T;
  /** What the answer says of them. */
  told(): { masked?: true };
}

/** Keeps the texts of one call. */
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

/** What HEAD is; the name of a branch as foreign text. @param workTree absolute */
export function readShownHead(workTree: string): Head {
  const { branch, head } = readHead(workTree);
  return { branch: branch === null ? null : toBoundedLine(branch, LONGEST), head };
}
