import type { answerOffer } from '../app/questions.js';
import type { Candidate } from '../registry/spec.js';
import { findWanted } from './completion-table.js';
import { NON_INTERACTIVE } from './unasked.js';

/** The parts of its process that completion uses. */
interface Site {
  cwd: string;
  env: NodeJS.ProcessEnv;
}

/** Matches words that need no quotes. Others are not offered, since a shell inserts candidates literally. */
const PLAIN = /^[\p{L}\p{N}_@%+:,./-]+$/u;

/** Printed instead of candidates to make the shell complete file names; unambiguous, since no candidate is empty. */
const FILES = '\tfiles\n';

/**
 * Answers `completion --complete SHELL -- WORDS` with lines `word TAB description` (view.md, Completion).
 * @param argv the arguments after `--complete`; the last word is the one to complete
 * @param ask looks up candidates in the project; if it throws, only the other candidates are offered
 */
export async function completeWords(
  [shell, , ...given]: readonly string[],
  ask: typeof answerOffer,
  { cwd, env }: Site,
): Promise<string> {
  const words = shell === 'bash' ? joinWords(given).map(unquote) : given.map((word) => (word === '""' ? '' : word));
  const { before, typed, candidates, listed = [], offer, name, root } = findWanted(words);
  if (offer === 'file') return FILES;
  const site = {
    cwd,
    env,
    ...(root === undefined ? {} : { root: root.replace(/^~(?=\/|$)/, () => env['HOME'] ?? '~') }),
    ...NON_INTERACTIVE,
    stdinIsTerminal: false,
    stdoutIsTerminal: false,
  };
  const asked = offer === undefined ? [] : await ask({ offer, name, typed }, site).catch(() => []);
  const kept = shell === 'bash' ? (words.at(-1) ?? '').length - unquote(getLastPiece(given)).length : 0;
  const fitting = [...candidates, ...asked].filter(
    ({ word }) => word.startsWith(typed) && PLAIN.test(word) && !listed.includes(word),
  );
  return fitting.map((one) => renderLine(before, one).slice(kept)).join('');
}

function renderLine(before: string, { word, text }: Candidate): string {
  return `${before}${word}\t${text}\n`;
}

/** Rejoins words that bash has split at `=`, `:` and `@`. */
function joinWords(words: readonly string[]): string[] {
  const joined: string[] = [];
  for (const word of words) {
    const last = joined.at(-1);
    const joins = last !== undefined && (/^[=:]/.test(word) || /[=:@]$/.test(last)) && last !== '' && word !== '';
    if (joins) joined[joined.length - 1] = last + word;
    else joined.push(word);
  }
  return joined;
}

/** Removes quotes from a bash word as the shell does when it runs a command; the last quote may still be open. */
function unquote(word: string): string {
  return word.replace(
    /'([^']*)(?:'|$)|"((?:\\.|[^"\\])*)(?:"|$)|\\(.)/gs,
    (_, plain?: string, text?: string, sign?: string) => plain ?? text?.replace(/\\(["\\$`])/g, '$1') ?? sign ?? '',
  );
}

/** Returns the part of the last word that bash replaces. */
function getLastPiece(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return /^[=:@]+$/.test(last) ? '' : last;
}
