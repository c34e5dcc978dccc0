import type { Environment } from '../app/environment.js';
import { execute } from '../app/execute.js';
import { findKnownRoot } from '../app/root-of.js';
import type { Answer, StreamAnswer } from '../base/answer.js';
import { DevCliError } from '../base/errors.js';
import { VERSION } from '../base/version.js';
import type { Registry } from '../registry/find.js';
import { type ParsedCommand, parseHot } from '../registry/hot.js';
import type { Screen } from './block.js';
import { resolveInput } from './inputs.js';
import { chooseFormat } from './output-format.js';
import { type CallSite, type Output, printAnswer, printFailure, toDevCliError, writePaths } from './print.js';
import { createInputReader } from './read-input.js';

/** The process around the front door; a test passes its own. */
export interface ProcessIo {
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** The descriptor of standard input. */
  stdin: number;
  stdinIsTerminal: boolean;
  stdoutIsTerminal: boolean;
  /**
   * Starts to listen for Ctrl-C, SIGTERM and SIGHUP. Until then each ends the process at once: a read of standard input
   * could not be interrupted otherwise.
   */
  interruption: () => AbortSignal;
  /** Asks the person at the terminal for a line. */
  ask: (question: string) => Promise<string>;
  /** Writes a piece of a stream to standard output; false when nobody reads it any more. */
  write: (text: string) => boolean;
  /** How much has room on the terminal. */
  screen: () => Screen;
  /** Command groups besides the core's, instead of those that app/ composes. */
  wings?: Environment['wings'];
}

/** From argv to what is printed. Never throws, never rejects. */
export async function runCommandLine(argv: readonly string[], io: ProcessIo): Promise<Output> {
  let format = chooseFormat(undefined, { json: argv.includes('--json'), text: argv.includes('--text') }, io);
  try {
    if (argv[0] === '--version' || argv[0] === '-V') return versionPrinted(argv, io);
    const read = parseHot(argv) ?? (await explained(argv, io));
    format = chooseFormat(read.form, read.globals, io);
    if ('fault' in read) throw read.fault;
    const root = findKnownRoot({ cwd: io.cwd, env: io.env, ...rootGiven(read) });
    if (root !== null && root !== io.cwd) {
      const { createPathWriter } = await import('./path-writer.js');
      format = { ...format, reach: createPathWriter(root, read.globals.root) };
    }
    const result = await answer(read, { ...io, ask: asking(io, format) }, root);
    if (!('stream' in result)) return printAnswer(result, format);
    const { printStream } = await import('./stream.js');
    return await printStream(result, format, io);
  } catch (thrown) {
    const error = toDevCliError(thrown, io.env['DEV_CLI_DEBUG'] === '1');
    try {
      return printFailure(error, format);
    } catch (defect) {
      return printFailure(toDevCliError(defect, false), format);
    }
  }
}

/** What commander makes of the words: all that the small parser leaves. */
async function explained(argv: readonly string[], { wings }: ProcessIo) {
  const { readCommandLine } = await import('../registry/parse.js');
  return readCommandLine(argv, await registryWith(wings));
}

async function registryWith(wings: ProcessIo['wings']): Promise<Registry> {
  const { REGISTRY, withGroups } = await import('../registry/find.js');
  return wings === undefined ? REGISTRY : withGroups(wings);
}

const rootGiven = ({ globals: { root } }: Pick<ParsedCommand, 'globals'>) => (root === undefined ? {} : { root });

/** What a person is asked may name a file. */
function asking({ ask }: ProcessIo, standpoint: CallSite): ProcessIo['ask'] {
  return (question) => ask(writePaths(question, standpoint));
}

async function answer(parsed: ParsedCommand, io: ProcessIo, root: string | null): Promise<Answer | StreamAnswer> {
  const { cwd, env, stdin, stdinIsTerminal, stdoutIsTerminal, ask } = io;
  const readInput = createInputReader({ cwd, root, stdin, stdinIsTerminal });
  const input = resolveInput(parsed.form, parsed.input, { cwd, readInput });
  const { name: command } = parsed.form;
  if (command === 'help') {
    return (await import('./help.js')).answerHelp(input['command'], await registryWith(io.wings));
  }
  if (command === 'completion' && typeof input['shell'] === 'string') {
    return (await import('./completion.js')).answerCompletion(input['shell'], await registryWith(io.wings));
  }
  const signal = io.interruption();
  const call = { command, input };
  const surroundings = {
    ...(io.wings && { wings: io.wings }),
    cwd,
    env,
    given: parsed.input,
    stdinIsTerminal,
    stdoutIsTerminal,
    signal,
    readInput,
    ask,
  };
  return Promise.race([execute(call, { ...surroundings, ...rootGiven(parsed) }), interrupted(signal)]);
}

function interrupted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () =>
      reject(
        new DevCliError('INTERRUPTED', 'Interrupted. What was committed stays, nothing is half done.', {
          fix: 'Run the same command again when you like.',
        }),
      ),
    );
  });
}

function versionPrinted(argv: readonly string[], io: ProcessIo): Output {
  const format = chooseFormat({ output: 'text', actor: 'person' }, { json: argv.includes('--json') }, io);
  return printAnswer({ json: { ok: true, version: VERSION }, exit: 0, text: () => VERSION }, format);
}
