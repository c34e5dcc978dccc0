import { setImmediate as afterReading, setTimeout as pause } from 'node:timers/promises';
import { DevCliError } from '../base/errors.js';
import { toPlainText } from './plain.js';

/** How long nothing must come for all that was typed ahead to be there, in milliseconds. */
const QUIET = 20;

const CTRL_C = '\u0003';

/**
 * Asks the person at the terminal for a line. The question is cleaned of control characters: a plan's words stand in it.
 * Only what is typed after the question is an answer to it: a line typed ahead was meant for something else.
 * @throws DevCliError `INTERRUPTED` when the person ends the input instead
 */
export async function ask(question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  const ahead = await readTypedAhead();
  if (ahead.includes(CTRL_C)) throw unansweredError();
  const said = ahead === '' ? question : `What was typed before this question is no answer to it.\n${question}`;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const closed = new Promise<never>((_resolve, reject) => {
    const stop = () => reject(unansweredError());
    terminal.once('SIGINT', stop);
    terminal.once('close', stop);
  });
  try {
    return (await Promise.race([terminal.question(toPlainText(said)), closed])).trim();
  } finally {
    terminal.close();
  }
}

/** Takes what lies in the terminal's input already. The terminal hands out unfinished lines in raw mode only. */
async function readTypedAhead(): Promise<string> {
  const { stdin } = process;
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
    // On a busy machine the time may be over before anything was read.
    await afterReading();
  }
  stdin.off('data', take);
  stdin.pause();
  stdin.setRawMode(false);
  return ahead;
}

function unansweredError(): DevCliError {
  return new DevCliError('INTERRUPTED', 'No answer was given; nothing changed.');
}
