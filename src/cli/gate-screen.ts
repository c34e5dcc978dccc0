import { once } from 'node:events';
import { wrapAnsi } from 'fast-wrap-ansi';
import { listAnswers, renderDecision } from '../base/decision.js';
import { ask, discardTypedAhead, expectEnd, unansweredError, whileOpen } from './ask.js';
import type { GateScreen } from './gate.js';
import { toPlainText } from './plain.js';

const clack = (): typeof import('@clack/prompts') => require('@clack/prompts');

/** Characters of a line below which frames leave no room for words; a terminal that does not say its size has 0. */
const NARROW = 40;

/** Columns that a frame takes of each line. */
const FRAME = 3;

/** Columns below which no line is wrapped: the terminal breaks it as well. */
const LEAST = 10;

/** What a screen needs of its process. */
interface Terminal {
  env: NodeJS.ProcessEnv;
  /** As it is now: windows are resized while a question is open. 0 where it is not known. */
  readonly columns: number;
  write: (text: string) => boolean;
}

/** The screen that suits a terminal: with frames, or plain lines where it is narrow or cannot move its cursor. */
export function createGateScreen(terminal: Terminal): GateScreen {
  expectEnd();
  const { env } = terminal;
  const isPlain = terminal.columns < NARROW || env['TERM'] === undefined || env['TERM'] === 'dumb';
  const page = (text: string) => showPage(text, terminal);
  return isPlain ? createPlainScreen(terminal, page) : createFramedScreen(terminal, page);
}

/** A screen of lines: each question is one, and a wrong answer asks again. */
export function createPlainScreen(
  terminal: Pick<Terminal, 'columns' | 'write'>,
  page: GateScreen['page'],
  askLine: (question: string) => Promise<string> = ask,
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

function createFramedScreen(terminal: Pick<Terminal, 'columns'>, page: GateScreen['page']): GateScreen {
  const { S_BAR, intro, isCancel, log, text } = clack();
  const wrap = (lines: readonly string[]) => wrapLines(toPlainText(lines.join('\n')), terminal.columns - FRAME);
  const showStep = (lines: readonly string[]) => log.step(wrap(lines));
  const askFramed: GateScreen['ask'] = async (question, check) => {
    for (;;) {
      const ahead = (await discardTypedAhead()).trim();
      if (ahead !== '') log.warn(ahead);
      const stopped = new AbortController();
      const abort = () => stopped.abort();
      process.once('SIGCONT', abort);
      // Of a question, the library frames only the first line.
      const message = wrap([question]).replaceAll('\n', `\n${S_BAR}  `);
      const answer = await text({ message, signal: stopped.signal });
      process.off('SIGCONT', abort);
      // In the foreground again after a Ctrl-Z: what the shell wrote meanwhile is not to be drawn over.
      if (stopped.signal.aborted) continue;
      if (isCancel(answer)) throw unansweredError();
      const typed = (answer ?? '').trim();
      const wrong = check(typed);
      if (wrong === undefined) return typed;
      // Its own validation would keep what was typed, and the next key would be added to that.
      log.warn(toPlainText(wrong));
    }
  };
  return {
    show(decision) {
      intro(toPlainText(decision.title));
      for (const { heading, lines } of decision.sections) showStep([heading, ...lines]);
      showStep(['Answers', ...listAnswers(decision)]);
    },
    page,
    ask: (question, check) => whileOpen(() => askFramed(question, check)),
  };
}

/**
 * Wraps lines at blanks. What goes on stands further in than its line: text of others cannot be measured out so that it
 * passes for a line of the question.
 * @param columns what a line may take
 */
function wrapLines(text: string, columns: number): string {
  const wrapLine = (line: string) => {
    const indent = `${/^ {0,8}/.exec(line)}  `;
    return wrapAnsi(line, columns - indent.length, { hard: true, trim: false }).replaceAll(/ ?\n ?/g, `\n${indent}`);
  };
  return columns < LEAST + FRAME ? text : text.split('\n').map(wrapLine).join('\n');
}

/** Shows a text by the user's pager; where there is none, or it cannot be started, as it is. */
async function showPage(
  text: string,
  { env, write }: { env: NodeJS.ProcessEnv; write: (text: string) => boolean },
): Promise<void> {
  const shown = text.endsWith('\n') ? text : `${text}\n`;
  const pager = env['PAGER'] ?? 'less';
  if (pager === '' || !(await isShownBy(pager, shown, env))) write(shown);
}

/** By a shell, as every program that honours PAGER starts it: it may hold options. */
async function isShownBy(pager: string, text: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const { spawn } = await import('node:child_process');
  const child = spawn('/bin/sh', ['-c', `command -v ${firstWord(pager)} >/dev/null || exit 127; ${pager}`], {
    // Without a locale less takes every other sign for a byte that it cannot show.
    env: { LESS: 'FRX', LESSCHARSET: 'utf-8', ...env },
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  // Whoever leaves the pager early has seen enough.
  child.stdin.on('error', () => {});
  child.stdin.end(text);
  const [exit] = await once(child, 'close').catch(() => [127]);
  return exit !== 127;
}

function firstWord(command: string): string {
  return command.trim().split(/\s+/)[0] ?? '';
}
