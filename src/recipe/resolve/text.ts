import type { ProblemLog } from '../source/report.js';
import type { AskingSource } from '../source/schema-rows.js';
import { quoteWord } from '../source/yaml.js';

/** A text file that a recipe uses. */
export interface SourceText {
  /** The path as shown to the user. */
  file: string;
  /** Whether the file is shipped with dev-cli. */
  shipped: boolean;
  text: string;
}

/** Why an existing file cannot be read. */
interface Unreadable {
  problem: string;
}

/** Reads a file beside the recipe by its relative path; null if it does not exist or the path is not allowed. */
export type ReadSibling = (reference: string) => SourceText | Unreadable | null;

/** The longest instruction of an action, in characters (protocol.md §2). */
const MAX_INSTRUCTION = 600;

/**
 * Resolves the instruction of a block: inline, else the first paragraph of its file. An instruction that is too long is
 * shortened, and the agent reads all of it in `instructionText` (recipes.md §2).
 * @param fallback used if the block states neither; null makes that an error
 */
export function resolveInstruction(
  block: Pick<AskingSource, 'instruction' | 'instructionFile'>,
  fallback: string | null,
  place: readonly (string | number)[],
  report: ProblemLog,
  read: ReadSibling,
): { instruction: string; instructionText?: string } {
  const file = readSiblingText(block.instructionFile, [...place, 'instructionFile'], report, read);
  if (block.instruction !== undefined) {
    const whole = joinLines(block.instruction);
    if (whole.length <= MAX_INSTRUCTION && file === null) return { instruction: whole };
    const text = [whole.length > MAX_INSTRUCTION ? block.instruction.trim() : null, file].filter(
      (part) => part !== null,
    );
    return {
      instruction: shortenInstruction(whole, findFirstParagraph(block.instruction), [...place, 'instruction'], report),
      instructionText: `${text.join('\n\n')}\n`,
    };
  }
  if (file !== null) {
    const paragraph = findFirstParagraph(file);
    return {
      instruction: shortenInstruction(paragraph, paragraph, [...place, 'instructionFile'], report),
      instructionText: file,
    };
  }
  if (block.instructionFile !== undefined) return { instruction: '-' };
  if (fallback !== null) return { instruction: fallback };
  report.error(place, '`instruction` or `instructionFile` is missing.', {
    fix: 'Say what the agent should do: goal, limits, what counts as done.',
  });
  return { instruction: '-' };
}

/** Reads a file beside the recipe; returns null if none is named, or if it is unusable, which is reported. */
export function readSiblingText(
  reference: string | undefined,
  place: readonly (string | number)[],
  report: ProblemLog,
  read: ReadSibling,
): string | null {
  if (reference === undefined) return null;
  const found = read(reference);
  if (found === null) {
    report.error(place, `There is no file ${quoteWord(reference)} beside the recipe.`, {
      fix: 'The path is relative to the recipe file and stays inside the project.',
    });
    return null;
  }
  if ('problem' in found) {
    report.error(place, `${quoteWord(reference)} cannot be read: ${found.problem}.`);
    return null;
  }
  const isBlank = found.text.trim() === '';
  if (!isBlank && !found.text.includes('\uFFFD')) return found.text;
  report.error(place, `${quoteWord(reference)} is ${isBlank ? 'empty' : 'not UTF-8'}.`);
  return null;
}

function shortenInstruction(
  whole: string,
  start: string,
  place: readonly (string | number)[],
  report: ProblemLog,
): string {
  if (whole.length <= MAX_INSTRUCTION) return whole;
  report.warning(place, `The instruction has ${whole.length} characters; an action shows at most ${MAX_INSTRUCTION}.`, {
    fix: 'Shorten its first paragraph; what follows is read from a file.',
  });
  if (start.length <= MAX_INSTRUCTION) return start;
  const cut = start.slice(0, MAX_INSTRUCTION - 1);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), MAX_INSTRUCTION / 2)).trimEnd()}…`;
}

/** Finds the first paragraph of a Markdown text that is not a heading, and joins its lines. */
function findFirstParagraph(text: string): string {
  const paragraphs = text.trim().split(/\r?\n[ \t]*\r?\n/);
  return joinLines(paragraphs.find((part) => !/^\s*#{1,6}\s/.test(part)) ?? paragraphs[0] ?? '');
}

function joinLines(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
