import { LIMITS } from '../../base/limits.js';
import { maskSecrets } from '../foreign.js';
import { parseCommandLine } from '../plan-argv.js';
import { findReferences } from '../plan-graph.js';
import { findPathProblem } from '../plan-paths.js';
import { findProseProblem, type NamedCommand } from './command-prose.js';
import type { ImportNotes } from './notes.js';
import type { SourceDocument } from './read-source.js';
import type { Place, SourceCommand } from './source-plan.js';

/** Reads the commands that a task says to be checked by. None is made up, and none is changed: a doubtful one is noted. */

/** What is read beside a command: why it counts, and where it runs, as lines before it say. */
interface Reading {
  how: NamedCommand['how'];
  cwd?: string | null;
}

/**
 * Reads one line as a command. What a shell has to run is given to one, unchanged, where the source says that it checks.
 * @returns null for one that is refused, which is noted
 */
export function readCommand(
  line: string,
  { how, cwd = null }: Reading,
  at: Place,
  { document, notes }: { document: SourceDocument; notes: ImportNotes },
): SourceCommand | null {
  const typed = line.trim().replace(/^\$\s+/, '');
  const problem = findProblem(typed, cwd, at, document) ?? findReason(typed, how);
  if (problem !== null) {
    notes.refuse(at, typed, problem);
    return null;
  }
  const read = parseCommandLine(typed);
  const words = read.kind === 'words' ? read.argv : ['sh', '-c', typed];
  return { argv: words, ...(cwd === null ? {} : { cwd }), isShell: read.kind !== 'words', isTold: how === 'told', at };
}

/** Why a command that is harmless in itself is no proof. */
function findReason(typed: string, how: NamedCommand['how']): string | null {
  switch (how) {
    case 'labelled':
      return null;
    case 'told':
      return findProseProblem(typed);
    case 'fails':
      return 'it has to fail, so that it judges nothing';
  }
}

function findProblem(typed: string, cwd: string | null, { line, end = line }: Place, document: SourceDocument) {
  const touched = [...document.touched].some((each) => each >= line && each <= end);
  if (touched) return 'a command with invisible characters is not imported';
  if (maskSecrets(typed) !== typed || typed.includes('[masked]'))
    return 'a command with what looks like a secret is not imported';
  if (typed.length > LIMITS.argument) return `a command of more than ${LIMITS.argument} characters is not imported`;
  if (findReferences(typed).length > 0) return 'a command with a value of another todo is not imported';
  if (/^<|<[a-z][\w -]*>|\[[A-Z_ ]{3,}\]/.test(typed)) return 'a command with a placeholder is not imported';
  if (WRITES.test(typed)) return 'a command that changes the repository judges nothing';
  const place = cwd === null ? null : findPathProblem(cwd);
  return place === null ? null : `the directory that it runs in ${place}`;
}

/** Commands of git that change it, or what others have of it: judged again and again, they would be run again and again. */
const WRITES =
  /(?:^|[;&|(\n])\s*git\s+(?:-[cC]\s+\S+\s+)*(?:add|am|checkout|cherry-pick|clean|commit|fetch|merge|mv|pull|push|rebase|reset|restore|revert|rm|stash|switch)\b/;

const SHELLS = /^(?:bash|sh|shell|zsh|console|terminal)$/i;

/** Whether a block of code says that it is for a shell. */
export const isShellCode = ({ lang }: { lang?: string | null | undefined }): boolean => SHELLS.test(lang ?? '');

/**
 * Reads the lines of a block of code as commands, each by itself; `cd` says where the next ones run. A block that only makes
 * sense as a whole is one command of a shell.
 */
export function readCommandBlock(
  block: { lang?: string | null | undefined; value: string },
  at: Place,
  around: { document: SourceDocument; notes: ImportNotes },
  how: NamedCommand['how'] = 'labelled',
): SourceCommand[] {
  if ((block.lang ?? '') !== '' && !isShellCode(block)) return [];
  const lines = block.value.split('\n').filter((line) => line.trim() !== '' && !/^\s*#/.test(line));
  if (/\\\s*$|<<|^\s*(?:for|while|if|case|function)\b|^\s*(?:export\s+)?\w+=\S*\s*$/m.test(block.value)) {
    return [readCommand(lines.join('\n'), { how }, at, around) ?? []].flat();
  }
  let cwd: string | null = null;
  return lines.flatMap((line) => {
    const [, directory] = /^\s*(?:\$\s+)?cd\s+([^\s;&|]+)\s*$/.exec(line) ?? [];
    if (directory === undefined) return readCommand(line, { how, cwd }, at, around) ?? [];
    cwd = cwd === null ? directory : `${cwd}/${directory}`;
    return [];
  });
}
