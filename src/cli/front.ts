import type { Environment } from '../app/environment.js';
import { execute } from '../app/execute.js';
import { knownRoot } from '../app/root-of.js';
import type { Answer, StreamAnswer } from '../base/answer.js';
import { DevCliError } from '../base/errors.js';
import { VERSION } from '../base/version.js';
import type { Registry } from '../registry/find.js';
import { type ParsedCommand, parseHot } from '../registry/hot.js';
import type { Screen } from './block.js';
import { resolvedInput } from './inputs.js';
import { mannerOf } from './manner.js';
import { asDevCliError, type Printed, printAnswer, printFailure, reachable, type Standpoint } from './print.js';
import { inputReader } from './read-input.js';

/** The process around the front door; a test passes its own. */
export interface Rim {
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
export async function front(argv: readonly string[], rim: Rim): Promise<Printed> {
  let manner = mannerOf(undefined, { json: argv.includes('--json'), text: argv.includes('--text') }, rim);
  try {
    if (argv[0] === '--version' || argv[0] === '-V') return versionPrinted(argv, rim);
    const read = parseHot(argv) ?? (await explained(argv, rim));
    manner = mannerOf(read.form, read.globals, rim);
    if ('fault' in read) throw read.fault;
    const root = knownRoot({ cwd: rim.cwd, env: rim.env, ...rootGiven(read) });
    if (root !== null && root !== rim.cwd) {
      const { reachFrom } = await import('./reach.js');
      manner = { ...manner, reach: reachFrom(root, read.globals.root) };
    }
    const result = await answer(read, { ...rim, ask: asking(rim, manner) }, root);
    if (!('stream' in result)) return printAnswer(result, manner);
    const { printStream } = await import('./stream.js');
    return await printStream(result, manner, rim);
  } catch (thrown) {
    const error = asDevCliError(thrown, rim.env['DEV_CLI_DEBUG'] === '1');
    try {
      return printFailure(error, manner);
    } catch (defect) {
      return printFailure(asDevCliError(defect, false), manner);
    }
  }
}

/** What commander makes of the words: all that the small parser leaves. */
async function explained(argv: readonly string[], { wings }: Rim) {
  const { readCommandLine } = await import('../registry/parse.js');
  return readCommandLine(argv, await registryWith(wings));
}

async function registryWith(wings: Rim['wings']): Promise<Registry> {
  const { REGISTRY, withGroups } = await import('../registry/find.js');
  return wings === undefined ? REGISTRY : withGroups(wings);
}

const rootGiven = ({ globals: { root } }: Pick<ParsedCommand, 'globals'>) => (root === undefined ? {} : { root });

/** What a person is asked may name a file. */
function asking({ ask }: Rim, standpoint: Standpoint): Rim['ask'] {
  return (question) => ask(reachable(question, standpoint));
}

async function answer(parsed: ParsedCommand, rim: Rim, root: string | null): Promise<Answer | StreamAnswer> {
  const { cwd, env, stdin, stdinIsTerminal, stdoutIsTerminal, ask } = rim;
  const readInput = inputReader({ cwd, root, stdin, stdinIsTerminal });
  const input = resolvedInput(parsed.form, parsed.input, { cwd, readInput });
  const { name: command } = parsed.form;
  if (command === 'help') {
    return (await import('./help.js')).helpAnswer(input['command'], await registryWith(rim.wings));
  }
  if (command === 'completion' && typeof input['shell'] === 'string') {
    return (await import('./completion.js')).completionAnswer(input['shell'], await registryWith(rim.wings));
  }
  const signal = rim.interruption();
  const call = { command, input };
  const surroundings = {
    ...(rim.wings && { wings: rim.wings }),
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

function versionPrinted(argv: readonly string[], rim: Rim): Printed {
  const manner = mannerOf({ output: 'text', actor: 'person' }, { json: argv.includes('--json') }, rim);
  return printAnswer({ json: { ok: true, version: VERSION }, exit: 0, text: () => VERSION }, manner);
}
