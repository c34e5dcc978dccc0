import type { MarkdownBlock } from '../../../plan/markdown/parse.js';
import type { SourceLocation } from '../../../plan/markdown/place.js';
import type { ImportNotes } from '../notes.js';
import type { SourceDocument } from '../read-source.js';
import type { SourceCommand } from '../source-plan.js';
import { COMMAND_BOUNDARY, introducesCodeBlock, listCheckCommands, type OrderedCommands } from './command-prose.js';
import { type Expectation, readExpectation, readExpected, readPrinted } from './expectations.js';
import { isShellCode, joinDirectory, listBlockCommands, readCommand } from './find-commands.js';

/** Reads the commands of a step, and their expected results. */

/** A line of a step, or a block of code in it. */
export interface StepFragment {
  /** A line of text; empty for a block of code. */
  text: string;
  code: Extract<MarkdownBlock, { type: 'code' }> | null;
  at: SourceLocation;
}

/** The accepted commands, and whether the step named any command at all. */
export interface StepCommands {
  commands: SourceCommand[];
  isNaming: boolean;
}

/** Commands of one instruction whose expected result has not been read yet. */
interface Pending extends OrderedCommands {
  at: SourceLocation;
}

const UNSAID = 'the source does not say that the work is checked by it';
const LABEL = /\b(?:run|verify|check|test)(?:\s+\S+){0,3}\s*[:：]$/i;
/** Matches `Working directory: svc/`, which applies to the rest of the step. */
const PLACE = /^\W*(?:working directory|workdir|cwd)\s*[:：]\s*`?([^\s`]+)/i;

interface Around {
  document: SourceDocument;
  notes: ImportNotes;
}

/**
 * Reads the commands of a step's fragments in order. An expectation belongs to the last command before it.
 * @param isRed whether the step expects its commands to fail; then none is returned, because none proves the work
 */
export function readStepCommands(pieces: readonly StepFragment[], around: Around, isRed = false): StepCommands {
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
    for (const part of text.split(COMMAND_BOUNDARY)) {
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

/** Reads the commands in a block of code, if the text around it says to run them. */
function readBlock(pieces: readonly StepFragment[], index: number, notes: ImportNotes): Pending[] {
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
    // These commands are expected to fail: the worker runs them in a step, and they become no check.
    if (group === last && expected?.kind === 'fails') return [];
    return group.named.flatMap((each) => {
      const isLast = group === last && each === group.named.at(-1);
      const own = each.expected ?? (isLast ? (expected ?? undefined) : undefined);
      const where = each.cwd === undefined || cwd === null ? (each.cwd ?? cwd) : joinDirectory(cwd, each.cwd);
      return readCommand(each.code, { how: group.how, cwd: where, expected: own }, group.at, around) ?? [];
    });
  });
}

/** Reads the expected result from the fragment after a line that says only `Expected:`. */
function readBelow(piece: StepFragment | undefined): Expectation {
  if (piece === undefined) return { kind: 'unclear' };
  return piece.code === null ? readExpected(piece.text) : readPrinted(piece.code.value);
}

/** Judges by the lines around a block of code whether its commands are checks. */
function judgeBlock(
  code: NonNullable<StepFragment['code']>,
  before: string,
  behind: string,
): OrderedCommands['how'] | null {
  if (LABEL.test(before)) return 'labelled';
  if (!isShellCode(code)) return null;
  if (readExpectation(behind) !== null) return 'labelled';
  return introducesCodeBlock(before) ? 'told' : null;
}
