import {
  answerList,
  answerManifest,
  answerNext,
  answerStatus,
  type Question,
  type QuestionName,
} from '../../src/app/questions.js';
import { type ProcessIo, runCommandLine } from '../../src/cli/front.js';
import type { GateScreen } from '../../src/cli/gate.js';
import { createPlainScreen } from '../../src/cli/gate-screen.js';
import { tryAnswer } from '../../src/cli/hot.js';
import { toPlainText } from '../../src/cli/plain.js';
import type { Output } from '../../src/cli/print.js';

/** The commands that have a program of their own. */
const QUESTIONS: { [Name in QuestionName]: Question<Name> } = {
  next: answerNext,
  manifest: answerManifest,
  status: answerStatus,
  list: answerList,
};

/**
 * Does what bin/dev-cli.js does: the small program answers a question where it can.
 * @param whole skips the small programs, as dist/cli.cjs does
 */
export async function call(argv: string[], whole: boolean, io: ProcessIo): Promise<Output> {
  const [name = ''] = argv;
  const printed = !whole && isQuestion(name) ? await ask(argv, name, io).catch(() => null) : null;
  return printed ?? runCommandLine(argv, io);
}

function ask<Name extends QuestionName>(argv: string[], name: Name, io: ProcessIo): Promise<Output | null> {
  return tryAnswer(argv, name, QUESTIONS[name], io);
}

function isQuestion(name: string): name is QuestionName {
  return Object.hasOwn(QUESTIONS, name);
}

/** Returns what the terminal shows of a question and the typed line, and the answer taken from it (src/cli/ask.ts). */
export function asked(question: string, line: string): { seen: string; answer: string } {
  return { seen: `${toPlainText(question)}${line}\n`, answer: line.trim() };
}

/** Creates the screen of a person who types lines: looks are written as plain text. */
export function plainScreen(
  write: (text: string) => boolean,
  askLine: (question: string) => Promise<string>,
): GateScreen {
  return createPlainScreen({ columns: 0, write }, async (text) => void write(text), askLine);
}
