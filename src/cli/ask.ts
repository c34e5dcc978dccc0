import { DevCliError } from '../base/errors.js';
import { plainText } from './plain.js';

/**
 * Asks the person at the terminal for a line. The question is cleaned of control characters: a plan's words stand in it.
 * @throws DevCliError `INTERRUPTED` when the person ends the input instead
 */
export async function ask(question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const closed = new Promise<never>((_resolve, reject) => {
    const stop = () => reject(new DevCliError('INTERRUPTED', 'No answer was given; nothing changed.'));
    terminal.once('SIGINT', stop);
    terminal.once('close', stop);
  });
  try {
    return (await Promise.race([terminal.question(plainText(question, false)), closed])).trim();
  } finally {
    terminal.close();
  }
}
