import { wrapAnsi } from 'fast-wrap-ansi';
import type { CallEnvironment } from '../app/environment.js';
import { describePerson } from '../app/person.js';
import { type Decision, renderDecision } from '../base/decision.js';
import { askForLine, expectTerminalClose } from './ask.js';
import { askForDecision, type GateScreen, writeDecision } from './gate.js';
import { showPage } from './pager.js';
import { toPlainText } from './plain.js';
import { type CallSite, rewritePaths } from './print.js';
import { writeWholeText } from './process.js';
import { movesCursor } from './screen/capable.js';
import { NON_INTERACTIVE } from './unasked.js';

/** Columns and rows below which a page has too little room. A terminal that does not report its size counts as 0. */
const NARROW = 40;
const LOW = 8;

/** Minimum number of columns for wrapping; below that, the terminal breaks the lines itself. */
const LEAST = 13;

/** The parts of its process that a screen uses. */
interface Terminal {
  env: NodeJS.ProcessEnv;
  /** The current size, since a window may be resized while a question is open; 0 if unknown. */
  readonly columns: number;
  readonly rows: number;
  /** Whether the person wants output that is only appended, never redrawn. */
  inWords: boolean;
  write: (text: string) => boolean;
}

/** Opens the screen at the terminal of this process. */
export function openGateScreen(inWords: boolean): Promise<GateScreen> {
  const { env, stdout } = process;
  return createGateScreen({
    env,
    inWords,
    get columns() {
      return stdout.columns ?? 0;
    },
    get rows() {
      return stdout.rows ?? 0;
    },
    write: (text) => writeWholeText(1, text),
  });
}

/**
 * Creates the screen that suits a terminal: plain lines if the terminal is small or cannot move its cursor, or if the
 * person prefers lines; otherwise a page.
 */
export async function createGateScreen(terminal: Terminal): Promise<GateScreen> {
  expectTerminalClose();
  const { env, columns, rows, inWords } = terminal;
  const isOverScreen = !inWords && columns >= NARROW && rows >= LOW && movesCursor(env);
  const page = (text: string) => showPage(text, { env, write: terminal.write, isOverScreen });
  if (!isOverScreen) return createPlainScreen(terminal, page);
  const { createPageScreen } = await import('./gate-page.js');
  return createPageScreen(terminal, page);
}

/**
 * Lets the person at the terminal decide, on the kind of screen that they prefer.
 * @param site where the call was made: paths in the decision are written so that they are valid there
 */
export async function decideAtTerminal(
  decision: Decision,
  site: CallSite,
  environment: Omit<CallEnvironment, 'readInput'>,
  open: (inWords: boolean) => Promise<GateScreen>,
): Promise<string | null> {
  const inWords = describePerson({ ...NON_INTERACTIVE, ...environment })?.wants === 'lines';
  return askForDecision(
    writeDecision(decision, (text) => rewritePaths(text, site)),
    await open(inWords),
  );
}

/** Creates a screen of lines: each question is a line, and a wrong answer repeats the question. */
export function createPlainScreen(
  terminal: Pick<Terminal, 'columns' | 'write'>,
  page: GateScreen['page'],
  askLine: (question: string) => Promise<string> = askForLine,
): GateScreen {
  return {
    show(decision) {
      terminal.write(`${wrapLines(toPlainText(renderDecision(decision)), terminal.columns)}\n\n`);
    },
    page,
    async ask(question, check) {
      let asked = question;
      for (;;) {
        const typed = await askLine(asked);
        const wrong = check(typed);
        if (wrong === undefined) return typed;
        asked = `${wrong} ${question}`;
      }
    },
  };
}

/**
 * Wraps lines at spaces. Indents continuation lines more than their first line, so that foreign text cannot be laid out
 * to look like a line of the question.
 * @param columns the width of the terminal
 */
function wrapLines(text: string, columns: number): string {
  const wrapLine = (line: string) => {
    const indent = `${/^ {0,8}/.exec(line)}  `;
    return wrapAnsi(line, columns - indent.length, { hard: true, trim: false }).replaceAll(/ ?\n ?/g, `\n${indent}`);
  };
  return columns < LEAST ? text : text.split('\n').map(wrapLine).join('\n');
}
