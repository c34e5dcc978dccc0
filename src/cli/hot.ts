import { resolveRoot } from '../app/context.js';
import type { Question, QuestionName } from '../app/questions.js';
import type { InputOf } from '../registry/catalogue.js';
import { parseHot } from '../registry/hot.js';
import type { ProcessIo } from './front.js';
import { printAndExit } from './hot-end.js';
import { chooseFormat, type Output, printAnswer } from './print.js';
import { isTerminal, listenForSignals } from './process.js';

/** The parts of its process that a question uses; tests pass their own. */
type QuestionRim = Pick<ProcessIo, 'cwd' | 'env' | 'stdinIsTerminal' | 'stdoutIsTerminal' | 'interruption'>;

/** Answers a question and returns the output; null if the whole program has to answer. */
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
  // If the directory's name is not UTF-8, the whole program reports the problem.
  if (cwd.includes('\uFFFD')) return null;
  // Outside the root, paths are written differently, by a module that is not loaded here.
  if (resolveRoot({ cwd, env }).root !== cwd) return null;
  const answer = await answerTo(input as InputOf<Name>, {
    cwd,
    env,
    given: input,
    stdinIsTerminal: stdoutIsTerminal && io.stdinIsTerminal,
    stdoutIsTerminal,
    // Nothing awaits this signal, since the call is too short to be interrupted.
    signal: io.interruption(),
    readInput: refuseInput,
    ask: refuseInput,
    decide: refuseInput,
    tell: () => {},
  });
  return answer === null ? null : printAnswer(answer, chooseFormat(form, globals, { env, stdoutIsTerminal }));
}

/** The real process. Uses getters, because most of the facts cost time and few calls need all of them. */
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

/** Answers a question that agents ask often, without loading the whole program. */
export function answerQuestion<Name extends QuestionName>(name: Name, answerTo: Question<Name>): void {
  printAndExit(tryAnswer(process.argv.slice(2), name, answerTo, processRim));
}
