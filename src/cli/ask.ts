import { setImmediate as afterReading, setTimeout as pause } from 'node:timers/promises';
import { DevCliError, getSystemCode } from '../base/errors.js';
import { toPlainText } from './plain.js';

/** Milliseconds without input after which everything typed ahead has arrived. */
const QUIET = 20;

const CTRL_C = '\u0003';

/**
 * Asks the person at the terminal for a line (protocol.md, A person's word). The question loses its control characters,
 * since it may quote a plan. What was typed before the question is discarded.
 * @throws DevCliError `INTERRUPTED` when the person ends the input instead, or the terminal is closed
 */
export function ask(question: string): Promise<string> {
  return whileOpen(() => askLine(question));
}

/**
 * Asks something at the terminal. One that is closed meanwhile has given no answer.
 * @throws DevCliError `INTERRUPTED`; what `asking` throws
 */
export async function whileOpen<T>(asking: () => Promise<T>): Promise<T> {
  expectEnd();
  try {
    return await asking();
  } catch (error) {
    throw isOfClosedTerminal(error) ? unansweredError() : error;
  }
}

/**
 * From now on takes a terminal that is closed for the end of its input, as SIGHUP need not come: it is an error of readline, to
 * which nobody can listen.
 */
export function expectEnd(): void {
  if (process.listenerCount('uncaughtException') > 0) return;
  process.on('uncaughtException', (error) => {
    if (!isOfClosedTerminal(error)) throw error;
    process.emit('beforeExit', 130);
  });
}

/** Whether an error says that the terminal was closed: by its reader or writer, or by what sets its mode. */
export function isOfClosedTerminal(error: unknown): boolean {
  return (
    getSystemCode(error) === 'EIO' || (error instanceof Error && 'syscall' in error && error.syscall === 'setRawMode')
  );
}

async function askLine(question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  const text = `${await discardTypedAhead()}${question}`;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const closed = new Promise<never>((_resolve, reject) => {
    const stop = () => reject(unansweredError());
    terminal.once('SIGINT', stop);
    terminal.once('close', stop);
  });
  // Stopped by Ctrl-Z, readline does not listen any more when the call is in the foreground again.
  terminal.on('SIGCONT', () => terminal.prompt(true));
  try {
    return (await Promise.race([terminal.question(toPlainText(text)), closed])).trim();
  } finally {
    terminal.close();
  }
}

/**
 * Throws away what was typed before a question: it was meant for something else.
 * @returns what to tell the person of it; empty where nothing was typed
 * @throws DevCliError `INTERRUPTED` for a Ctrl-C among it
 */
async function discardTypedAhead(): Promise<string> {
  const ahead = await readTypedAhead();
  if (ahead.includes(CTRL_C)) throw unansweredError();
  return ahead === '' ? '' : 'Text typed before this question was ignored.\n';
}

/** Reads what was typed before the question; a terminal gives unfinished lines only in raw mode. */
async function readTypedAhead(): Promise<string> {
  const { stdin } = process;
  // Closed since the call began.
  if (!stdin.isTTY) throw unansweredError();
  let ahead = '';
  let seen = -1;
  const take = (bytes: Buffer) => {
    ahead += bytes.toString('latin1');
  };
  stdin.setRawMode(true);
  stdin.on('data', take);
  while (ahead.length > seen) {
    seen = ahead.length;
    await pause(QUIET);
    // On a busy machine the pause may end before pending input was read.
    await afterReading();
  }
  stdin.off('data', take);
  stdin.pause();
  stdin.setRawMode(false);
  return ahead;
}

/** The error for a person who ends the input instead of answering. */
export function unansweredError(): DevCliError {
  return new DevCliError('INTERRUPTED', 'No answer was given; nothing changed.');
}
