import type { Block } from '../plan-edit/markdown.js';
import { listCheckCommands, type NamedCommand, ordersBlock } from './command-prose.js';
import { EXPECTED, type Expectation, readExpectation } from './expectations.js';
import { isShellCode, listBlockCommands, readCommand } from './find-commands.js';
import type { ImportNotes } from './notes.js';
import type { SourceDocument } from './read-source.js';
import type { Place, SourceCommand } from './source-plan.js';

/** Reads the commands of a step: what it names, and what it expects of that. */

/** A line of a step, or a block of code in it. */
export interface Piece {
  /** In one line; empty for code. */
  text: string;
  code: Extract<Block, { type: 'code' }> | null;
  at: Place;
}

/** The commands that were taken up, and whether any were named. */
export interface StepCommands {
  commands: SourceCommand[];
  isNaming: boolean;
}

interface Pending extends NamedCommand {
  at: Place;
}

const UNSAID = 'the source does not say that the work is checked by it';
const LABEL = /\b(?:run|verify|check|test)(?:\s+\S+){0,3}\s*[:：]$/i;

/** Reads the commands of pieces that follow each other; what is expected belongs to those named since the last time. */
export function readStepCommands(
  pieces: readonly Piece[],
  around: { document: SourceDocument; notes: ImportNotes },
): StepCommands {
  const commands: SourceCommand[] = [];
  let pending: Pending[] = [];
  let isNaming = false;
  const flush = (expected: Expectation | null): void => {
    isNaming ||= pending.length > 0;
    // A test that has to fail first is a step like any other.
    if (expected?.kind !== 'fails')
      commands.push(...pending.flatMap((each) => readPending(each, expected, pending, around)));
    pending = [];
  };
  for (const [index, { text, code, at }] of pieces.entries()) {
    if (code !== null) {
      const how = judgeBlock(code, pieces[index - 1]?.text ?? '', pieces[index + 1]?.text ?? '');
      if (how !== null) pending.push(...listBlockCommands(code).map((command) => ({ ...command, how, at })));
      else if (isShellCode(code)) around.notes.refuse(at, code.value, UNSAID);
      continue;
    }
    for (const part of text.split(EXPECTED)) {
      const expected = readExpectation(part);
      if (expected !== null) flush(expected);
      else pending.push(...listCheckCommands(part).map((command) => ({ ...command, at })));
    }
  }
  flush(null);
  return { commands, isNaming };
}

/** How a block of code is meant, by the lines around it. */
function judgeBlock(code: NonNullable<Piece['code']>, before: string, behind: string): NamedCommand['how'] | null {
  if (LABEL.test(before)) return 'labelled';
  if (!isShellCode(code)) return null;
  if (readExpectation(behind) !== null) return 'labelled';
  return ordersBlock(before) ? 'told' : null;
}

function readPending(
  { at, ...named }: Pending,
  expected: Expectation | null,
  { length }: readonly Pending[],
  around: { document: SourceDocument; notes: ImportNotes },
): SourceCommand[] {
  // Which of several commands prints it, nobody says.
  const isShared = length > 1 && (expected?.kind === 'prints' || expected?.kind === 'counts');
  const own = named.expected ?? (isShared ? undefined : (expected ?? undefined));
  return [readCommand(named.code, { ...named, expected: own }, at, around) ?? []].flat();
}
