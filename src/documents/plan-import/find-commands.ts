import { LIMITS } from '../../base/limits.js';
import { maskSecrets } from '../foreign.js';
import { parseCommandLine } from '../plan-argv.js';
import { findReferences } from '../plan-graph.js';
import { findPathProblem } from '../plan-paths.js';
import type { ImportNotes } from './notes.js';
import type { SourceDocument } from './read-source.js';
import type { Place, SourceCommand } from './source-plan.js';

/** Finds the commands that a task says to be checked by. None is made up, and none is changed: a doubtful one is noted. */

/** `Run:`, `Verify with`, `Test by running`: what follows in backticks is a command to check by. */
const LABEL =
  /(?:^|[\s(])run\s*:\s*$|(?:^|[.;:,(–—]\s*|\band\s+)(?:verify|test|check|validate|verification)\s*:\s*$|(?:verify|test|check|validate|confirm)(?:ied|ed)?\s+(?:it\s+)?(?:with|by|via|using)(?:\s+running)?\s*:?\s*$/i;
/** `Run` in prose counts where the line says that something is checked. */
const RUN = /(?:^|[\s(])(?:re-?)?run\s+$/i;
const CHECKS = /\b(?:verif|check|test|validat|confirm|ensure|expect|pass|green|succeed)/i;

/** Lists the commands in backticks of a line that the line says to check by. */
export function listCheckCommands(text: string): string[] {
  const found: string[] = [];
  for (const match of text.matchAll(/(`+)(.+?)\1(?!`)/g)) {
    const [whole, , code = ''] = match;
    const before = text.slice(Math.max(0, match.index - 60), match.index);
    const around = text.slice(0, match.index) + text.slice(match.index + whole.length);
    const isNamed = LABEL.test(before) || (RUN.test(before) && CHECKS.test(around));
    if (isNamed && !NO_PROGRAM.test(code.trim())) found.push(code.trim());
  }
  return found;
}

/** One word with an ending is a file; one with a capital or with brackets is a name of the code. */
const NO_PROGRAM = /^(?:[^\s/]*\.\w+|[^\s/]*(?:\p{Lu}|\()[^\s/]*)$/u;

/**
 * Reads one line as a command. What a shell has to run is given to one, unchanged.
 * @param cwd where it runs, as lines before it say
 * @returns null for one that is refused, which is noted
 */
export function readCommand(
  line: string,
  cwd: string | null,
  at: Place,
  { document, notes }: { document: SourceDocument; notes: ImportNotes },
): SourceCommand | null {
  const typed = line.trim().replace(/^\$\s+/, '');
  const problem = findProblem(typed, cwd, at, document);
  if (problem !== null) {
    notes.refuse(at, typed, problem);
    return null;
  }
  const read = parseCommandLine(typed);
  const words = read.kind === 'words' ? read.argv : ['sh', '-c', typed];
  return { argv: words, ...(cwd === null ? {} : { cwd }), isShell: read.kind !== 'words', at };
}

function findProblem(typed: string, cwd: string | null, { line, end = line }: Place, document: SourceDocument) {
  const touched = [...document.touched].some((each) => each >= line && each <= end);
  if (touched) return 'a command with invisible characters is not taken up';
  if (maskSecrets(typed) !== typed || typed.includes('[masked]'))
    return 'a command with what looks like a secret is not taken up';
  if (typed.length > LIMITS.argument) return `a command of more than ${LIMITS.argument} characters is not taken up`;
  if (findReferences(typed).length > 0) return 'a command with a value of another todo is not taken up';
  if (/^<|<[a-z][\w -]*>|\[[A-Z_ ]{3,}\]/.test(typed)) return 'a command with a placeholder is not taken up';
  if (WRITES.test(typed)) return 'a command that changes the repository judges nothing';
  const place = cwd === null ? null : findPathProblem(cwd);
  return place === null ? null : `the directory that it runs in ${place}`;
}

/** Commands of git that change it, or what others have of it: judged again and again, they would be run again and again. */
const WRITES =
  /(?:^|[;&|(\n])\s*git\s+(?:-[cC]\s+\S+\s+)*(?:add|am|checkout|cherry-pick|clean|commit|fetch|merge|mv|pull|push|rebase|reset|restore|revert|rm|stash|switch)\b/;

const SHELLS = /^(?:|bash|sh|shell|zsh|console|terminal)$/i;

/**
 * Reads the lines of a block of code as commands, each by itself; `cd` says where the next ones run. A block that only makes
 * sense as a whole is one command of a shell.
 */
export function readCommandBlock(
  block: { lang?: string | null | undefined; value: string },
  at: Place,
  around: { document: SourceDocument; notes: ImportNotes },
): SourceCommand[] {
  if (!SHELLS.test(block.lang ?? '')) return [];
  const lines = block.value.split('\n').filter((line) => line.trim() !== '' && !/^\s*#/.test(line));
  if (/\\\s*$|<<|^\s*(?:for|while|if|case|function)\b|^\s*(?:export\s+)?\w+=\S*\s*$/m.test(block.value)) {
    return [readCommand(lines.join('\n'), null, at, around) ?? []].flat();
  }
  let cwd: string | null = null;
  return lines.flatMap((line) => {
    const [, directory] = /^\s*(?:\$\s+)?cd\s+([^\s;&|]+)\s*$/.exec(line) ?? [];
    if (directory === undefined) return readCommand(line, cwd, at, around) ?? [];
    cwd = cwd === null ? directory : `${cwd}/${directory}`;
    return [];
  });
}
