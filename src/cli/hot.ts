import { ask } from '../app/questions.js';
import { mannerOf } from './manner.js';
import { writeWhole } from './output.js';
import { type Printed, printAnswer } from './print.js';
import { plainQuestion } from './question.js';
import { isTerminal } from './terminal.js';

/**
 * The short way of the questions an agent asks all the time (house.md, Speed): it answers, or it leaves the whole call to
 * main.ts, which then starts from the beginning. Nothing was printed or changed until then.
 */
async function answered(words: readonly string[]): Promise<Printed | null> {
  const question = plainQuestion(words);
  if (question === null) return null;
  const { command, form, input, globals } = question;
  const stdoutIsTerminal = isTerminal(1);
  const answer = await ask(command, input, {
    cwd: process.cwd(),
    env: process.env,
    stdinIsTerminal: stdoutIsTerminal && isTerminal(0),
    stdoutIsTerminal,
    signal: new AbortController().signal,
    readInput: notHere,
    ask: notHere,
  });
  return answer === null ? null : printAnswer(answer, mannerOf(form, globals, { env: process.env, stdoutIsTerminal }));
}

function notHere(): never {
  throw new Error('A question neither reads input nor asks.');
}

void answered(process.argv.slice(2))
  .catch(() => null)
  .then(async (printed) => {
    if (printed === null) {
      await import('./main.js');
      return;
    }
    writeWhole(1, printed.stdout);
    writeWhole(2, printed.stderr);
    process.exit(printed.exit);
  });
