import type { Block } from '../../../plan/markdown/parse.js';
import type { Place } from '../../../plan/markdown/place.js';
import type { ImportNotes } from '../notes.js';
import type { SourceDocument } from '../read-source.js';
import type { SourceCommand } from '../source-plan.js';
import { listCheckCommands, type OrderedCommands, ordersBlock, PARTS } from './command-prose.js';
import { type Expectation, readExpectation, readExpected, readPrinted } from './expectations.js';
import { isShellCode, joinDirectory, listBlockCommands, readCommand } from './find-commands.js';

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

/** Commands that one order names, which wait for what is expected of them. */
interface Pending extends OrderedCommands {
  at: Place;
}

const UNSAID = 'the source does not say that the work is checked by it';
const LABEL = /\b(?:run|verify|check|test)(?:\s+\S+){0,3}\s*[:：]$/i;
/** `Working directory: svc/`, for all that follows in the step. */
const PLACE = /^\W*(?:working directory|workdir|cwd)\s*[:：]\s*`?([^\s`]+)/i;

interface Around {
  document: SourceDocument;
  notes: ImportNotes;
}

/**
 * Reads the commands of pieces that follow each other; what is expected belongs to the last one before it.
 * @param isRed whether the step says that they have to fail, so that none of them judges the work
 */
export function readStepCommands(pieces: readonly Piece[], around: Around, isRed = false): StepCommands {
  const commands: SourceCommand[] = [];
  let pending: Pending[] = [];
  let cwd: string | null = null;
  let isNaming = false;
  let heard = -1;
  const flush = (expected: Expectation | null): void => {
    isNaming ||= pending.length > 0;
    if (!isRed) commands.push(...readPending(pending, { expected, cwd }, around));
    pending = [];
  };
  for (const [index, { text, code, at }] of pieces.entries()) {
    if (index === heard) continue;
    if (code !== null) pending.push(...readBlock(pieces, index, around.notes));
    for (const part of text.split(PARTS)) {
      cwd = PLACE.exec(part)?.[1] ?? cwd;
      const expected = readExpectation(part);
      if (expected === 'below') heard = index + 1;
      if (expected !== null) flush(expected === 'below' ? readBelow(pieces[heard]) : expected);
      else pending.push(...listCheckCommands(part).map((group) => ({ ...group, at })));
    }
  }
  flush(null);
  return { commands, isNaming };
}

/** Reads a block of code, by what stands around it. */
function readBlock(pieces: readonly Piece[], index: number, notes: ImportNotes): Pending[] {
  const [before, own, behind] = [pieces[index - 1], pieces[index], pieces[index + 1]];
  if (own?.code == null) return [];
  const how = judgeBlock(own.code, before?.text ?? '', behind?.text ?? '');
  if (how !== null) return [{ named: listBlockCommands(own.code), how, at: own.at }];
  if (isShellCode(own.code)) notes.refuse(own.at, own.code.value, UNSAID);
  return [];
}

function readPending(
  groups: readonly Pending[],
  { expected, cwd }: { expected: Expectation | null; cwd: string | null },
  around: Around,
): SourceCommand[] {
  const last = groups.at(-1);
  return groups.flatMap((group) => {
    // A test that has to fail first is a step like any other.
    if (group === last && expected?.kind === 'fails') return [];
    return group.named.flatMap((each) => {
      const isLast = group === last && each === group.named.at(-1);
      const own = each.expected ?? (isLast ? (expected ?? undefined) : undefined);
      const where = each.cwd === undefined || cwd === null ? (each.cwd ?? cwd) : joinDirectory(cwd, each.cwd);
      return readCommand(each.code, { how: group.how, cwd: where, expected: own }, group.at, around) ?? [];
    });
  });
}

/** What stands below a line that only announces what is expected. */
function readBelow(piece: Piece | undefined): Expectation {
  if (piece === undefined) return { kind: 'unclear' };
  return piece.code === null ? readExpected(piece.text) : readPrinted(piece.code.value);
}

/** How a block of code is meant, by the lines around it. */
function judgeBlock(code: NonNullable<Piece['code']>, before: string, behind: string): OrderedCommands['how'] | null {
  if (LABEL.test(before)) return 'labelled';
  if (!isShellCode(code)) return null;
  if (readExpectation(behind) !== null) return 'labelled';
  return ordersBlock(before) ? 'told' : null;
}
