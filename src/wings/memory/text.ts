import { DevCliError } from '../../base/errors.js';
import { holdsMask, toBoundedLine } from '../../documents/foreign.js';
import { type Head, readHead } from '../../project/git-head.js';

/** Characters of a text that are kept. */
const LONGEST = 400;

/** A text as memory keeps it. */
export interface KeptText {
  text: string;
  /** Whether a secret in it was masked. */
  masked: boolean;
}

/**
 * A text as memory keeps it: one line, secrets masked, then cut (memory.md, Entries).
 * @param target the option or argument that gave it
 * @throws DevCliError `DATA_MISSING` for a text of which nothing can be seen
 */
export function keepText(given: string, target: string): KeptText {
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
  /** As `keepText`. */
  keep(given: string, target: string): string;
  /** The same of a text that may be left out. */
  keepGiven(given: string | undefined, target: string): string | undefined;
  /** Whether a secret was masked in one of them. */
  hasMasked(): boolean;
}

/** Keeps the texts of one call. */
export function createKeeper(): Keeper {
  let hasMasked = false;
  const keep = (given: string, target: string): string => {
    const { text, masked } = keepText(given, target);
    hasMasked ||= masked;
    return text;
  };
  return {
    keep,
    keepGiven: (given, target) => (given === undefined ? undefined : keep(given, target)),
    hasMasked: () => hasMasked,
  };
}

/** What HEAD is; the name of a branch as foreign text. @param workTree absolute */
export function readShownHead(workTree: string): Head {
  const { branch, head } = readHead(workTree);
  return { branch: branch === null ? null : toBoundedLine(branch, LONGEST), head };
}
