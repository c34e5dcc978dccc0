import { resolveRoot } from '../app/context.js';
import type { Question, QuestionName } from '../app/questions.js';
import type { InputOf } from '../registry/catalogue.js';
import { parseHot } from '../registry/hot.js';
import type { ProcessIo } from './front.js';
import { chooseFormat, type Output, printAnswer } from './print.js';
import { isTerminal, listenForSignals, writeAll } from './process.js';

/** The process around a question; a test passes its own. */
type QuestionRim = Pick<ProcessIo, 'cwd' | 'env' | 'stdinIsTerminal' | 'stdoutIsTerminal' | 'interruption'>;

/** From argv to what is printed, or null for what the whole program has to answer. */
export async function tryAnswer<Name extends QuestionName>(
  words: readonly string[],
  name: Name,
  answerTo: Question<Name>,
  io: QuestionRim,
): Promise<Output | null> {
  const read = parseHot(words);
  if (read?.form.name !== name || read.globals.root !== undefined) return null;
  const { form, input, globals } = read;
  const { cwd, env, stdoutIsTerminal } = io;
  // A name that is not UTF-8 is for others to explain.
  if (cwd.includes('\uFFFD')) return null;
  // From elsewhere paths are written otherwise, by what is not loaded here.
  if (resolveRoot({ cwd, env }).root !== cwd) return null;
  const answer = await answerTo(input as InputOf<Name>, {
    cwd,
    env,
    given: input,
    stdinIsTerminal: stdoutIsTerminal && io.stdinIsTerminal,
    stdoutIsTerminal,
    // Too short a call to be interrupted: whoever tries gets its answer.
    signal: io.interruption(),
    readInput: refuseInput,
    ask: refuseInput,
  });
  return answer === null ? null : printAnswer(answer, chooseFormat(form, globals, { env, stdoutIsTerminal }));
}

/** Asked for where it is needed: most of it costs time. */
const processRim: QuestionRim = {
  get cwd() {
    return process.cwd();
  },
  env: process.env,
  get stdinIsTerminal() {
    return isTerminal(0);
  },
  get stdoutIsTerminal() {
    return isTerminal(1);
  },
  interruption: listenForSignals,
};

function refuseInput(): never {
  throw new Error('A question neither reads input nor asks.');
}

/**
 * The short way of a question that an agent asks all the time (house.md, Speed): it answers, or it leaves the whole call to
 * main.ts, which then starts from the beginning. Nothing was printed or changed until then.
 */
export function answerQuestion<Name extends QuestionName>(name: Name, answerTo: Question<Name>): void {
  void tryAnswer(process.argv.slice(2), name, answerTo, processRim)
    .catch(() => null)
    .then(async (printed) => {
      if (printed === null) {
        await import('./main.js');
        return;
      }
      writeAll(1, printed.stdout);
      writeAll(2, printed.stderr);
      process.exit(printed.exit);
    });
}
