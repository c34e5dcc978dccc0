import { answerToolCall } from '../../src/app/judging.js';
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
import { tryAnswerHook } from '../../src/cli/hot-hook.js';
import { toPlainText } from '../../src/cli/plain.js';
import type { Output } from '../../src/cli/print.js';
import { requireDeclared } from './declared.js';
import { replayEveryRun } from './replayed.js';

/** Checks of every call and of every project. */
export const checks = { requireDeclared, replayEveryRun };

/** The commands that have a program of their own. */
const QUESTIONS: { [Name in QuestionName]: Question<Name> } = {
  next: answerNext,
  manifest: answerManifest,
  status: answerStatus,
  list: answerList,
};

/**
 * Answers a call as bin/dev-cli.js does: by a small program if the call is a question or reports a tool call, and the
 * small program can answer it. All other hook events are answered by the whole program here, because only the build
 * makes smaller programs for them.
 * @param whole whether the whole program answers every call, as in dist/cli.cjs
 */
export async function call(argv: string[], whole: boolean, io: ProcessIo): Promise<Output> {
  const [name = ''] = argv;
  if (!whole && name === 'hook' && argv[1] === 'pre-tool-use') return judge(argv, io);
  const printed = !whole && isQuestion(name) ? await ask(argv, name, io).catch(() => null) : null;
  return printed ?? runCommandLine(argv, io);
}

async function judge(argv: string[], io: ProcessIo): Promise<Output> {
  const words = ['node', 'dev-cli', ...argv];
  const printed = await tryAnswerHook(words, answerToolCall, io).catch(() => null);
  return printed ?? runCommandLine(words.slice(2), io);
}

function ask<Name extends QuestionName>(argv: string[], name: Name, io: ProcessIo): Promise<Output | null> {
  return tryAnswer(argv, name, QUESTIONS[name], io);
}

function isQuestion(name: string): name is QuestionName {
  return Object.hasOwn(QUESTIONS, name);
}

/** Returns a question and its typed line as a terminal shows them, and the answer in that line (src/cli/ask.ts). */
export function asked(question: string, line: string): { seen: string; answer: string } {
  return { seen: `${toPlainText(question)}${line}\n`, answer: line.trim() };
}

/** Creates the screen of a person who types lines; it writes styled text as plain text. */
export function plainScreen(
  write: (text: string) => boolean,
  askLine: (question: string) => Promise<string>,
): GateScreen {
  return createPlainScreen({ columns: 0, write }, async (text) => void write(text), askLine);
}
