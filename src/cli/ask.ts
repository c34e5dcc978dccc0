import { setImmediate as afterReading, setTimeout as pause } from 'node:timers/promises';
import { DevCliError, getSystemCode } from '../base/errors.js';
import { toPlainText } from './plain.js';

/** How long, in milliseconds, no key may arrive before everything typed ahead of the question counts as read. */
const QUIET = 20;

const CTRL_C = '\u0003';

/**
 * Asks the person at the terminal for a line (protocol.md, A person's word). Control characters are removed from the
 * question, since it may quote a plan. Type-ahead is discarded.
 * @throws DevCliError `INTERRUPTED` when the person ends the input instead, or the terminal is closed
 */
export function askForLine(question: string): Promise<string> {
  return askWhileOpen(() => askLine(question));
}

/**
 * Runs a question at the terminal; a terminal that is closed in the meantime counts as no answer.
 * @throws DevCliError `INTERRUPTED`; any other error of `asking`
 */
export async function askWhileOpen<T>(asking: () => Promise<T>): Promise<T> {
  expectTerminalClose();
  try {
    return await asking();
  } catch (error) {
    throw isClosedTerminalError(error) ? unansweredError() : error;
  }
}

/**
 * From now on, treats the closing of the terminal as the end of its input, since the process does not always get
 * SIGHUP. This takes a handler for uncaught exceptions, because the closing shows only as an error inside readline that
 * no listener receives.
 */
export function expectTerminalClose(): void {
  if (process.listenerCount('uncaughtException') > 0) return;
  process.on('uncaughtException', (error) => {
    if (!isClosedTerminalError(error)) throw error;
    process.emit('beforeExit', 130);
  });
}

/** Returns whether an error of reading, writing or setting the mode means that the terminal was closed. */
export function isClosedTerminalError(error: unknown): boolean {
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
  // When the call returns to the foreground after Ctrl-Z, readline no longer listens until it prompts again.
  terminal.on('SIGCONT', () => terminal.prompt(true));
  try {
    return (await Promise.race([terminal.question(toPlainText(text)), closed])).trim();
  } finally {
    terminal.close();
  }
}

/**
 * Discards type-ahead, since it was not meant as an answer.
 * @returns a note for the person that typed text was ignored; empty if nothing was typed
 * @throws DevCliError `INTERRUPTED` if it contains a Ctrl-C
 */
async function discardTypedAhead(): Promise<string> {
  const ahead = await readTypedAhead();
  if (ahead.includes(CTRL_C)) throw unansweredError();
  return ahead === '' ? '' : 'Text typed before this question was ignored.\n';
}

/** Reads type-ahead, in raw mode because a terminal otherwise delivers a line only once it is finished. */
async function readTypedAhead(): Promise<string> {
  const { stdin } = process;
  // If standard input is no longer a terminal, the terminal has been closed since the call began.
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
    // On a busy machine the pause may be over although input that has arrived was not read yet, so wait until it was.
    await afterReading();
  }
  stdin.off('data', take);
  stdin.pause();
  stdin.setRawMode(false);
  return ahead;
}

/** Builds the error for a person who ends the input instead of answering. */
export function unansweredError(): DevCliError {
  return new DevCliError('INTERRUPTED', 'No answer was given; nothing changed.');
}
