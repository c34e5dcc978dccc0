import type { answerOffer } from '../app/questions.js';
import type { Candidate } from '../registry/spec.js';
import { findWanted } from './completion-table.js';
import { UNASKED } from './unasked.js';

/** What a completion knows of its process. */
interface Site {
  cwd: string;
  env: NodeJS.ProcessEnv;
}

/** A shell puts words on its line as they are: one that would need quotes is not offered. */
const PLAIN = /^[\p{L}\p{N}_@%+:,./-]+$/u;

/** What stands in place of candidates where the shell completes files by itself: no word is empty. */
const FILES = '\tfiles\n';

/**
 * `completion --complete SHELL -- WORDS`: lines `word TAB description` (view.md, Completion).
 * @param argv behind `--complete`; the last of the words is completed
 * @param ask asks the project; what it throws completes nothing
 */
export async function complete(
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
    ...UNASKED,
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

/** Bash ends words at `=`, `:` and `@` too: puts them together again. */
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

/** A word of bash as a command gets it; the last quote may be open still. */
function unquote(word: string): string {
  return word.replace(
    /'([^']*)(?:'|$)|"((?:\\.|[^"\\])*)(?:"|$)|\\(.)/gs,
    (_, plain?: string, text?: string, sign?: string) => plain ?? text?.replace(/\\(["\\$`])/g, '$1') ?? sign ?? '',
  );
}

/** What bash replaces. */
function getLastPiece(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return /^[=:@]+$/.test(last) ? '' : last;
}
