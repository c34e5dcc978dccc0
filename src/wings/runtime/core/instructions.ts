import { renderForeignBlock, toBoundedLine } from '../../../documents/foreign.js';

/** Renders a project's instructions to agents (runtime.md, Prompt). */

/** Names of instruction files, relative to a directory. */
export const INSTRUCTION_FILES = [
  'AGENTS.md',
  'CLAUDE.md',
  'CLAW.md',
  'CLAW.local.md',
  '.claw/CLAW.md',
  '.claw/instructions.md',
] as const;

/** Maximum characters of one file, and of all files. */
const ONE = 4_000;
const ALL = 12_000;

/** An instruction file. `path`: relative to the top directory, with `/`. */
export interface InstructionFile {
  path: string;
  text: string;
}

/**
 * Renders instruction files, each in a fence with its path. Files of inner directories come first; of equal texts, only
 * the first is shown.
 * @param files the files of directories nested in one another
 * @returns an empty text if there are no instructions
 */
export function renderInstructions(files: readonly InstructionFile[]): string {
  const nearest = files.toSorted((a, b) => directoryOf(b.path).length - directoryOf(a.path).length);
  const texts = new Set<string>();
  const left: string[] = [];
  let room = ALL;
  const shown = nearest.flatMap(({ path, text }) => {
    const trimmed = text.trim();
    if (trimmed === '' || texts.has(trimmed)) return [];
    texts.add(trimmed);
    const cap = Math.min(ONE, room);
    if (cap === 0) left.push(toBoundedLine(path, 200));
    room -= Math.min(cap, trimmed.length);
    return cap === 0 ? [] : [renderForeignBlock(trimmed, { label: path, cap, holds: true })];
  });
  const more = left.length === 0 ? [] : [`Not shown, for lack of room: ${left.join(', ')}. Read them first.`];
  return [...shown, ...more].join('\n\n');
}

const directoryOf = (path: string): string => path.replace(/(?:^|\/)(?:\.claw\/)?[^/]+$/, '');
