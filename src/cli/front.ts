import { execute } from '../app/execute.js';
import { knownRoot } from '../app/root-of.js';
import type { Answer, StreamAnswer } from '../base/answer.js';
import { DevCliError } from '../base/errors.js';
import { VERSION } from '../base/version.js';
import { locate } from '../registry/find.js';
import { type ParsedCommand, parseCommand } from '../registry/parse.js';
import type { Screen } from './block.js';
import { resolvedInput } from './inputs.js';
import { mannerOf } from './manner.js';
import {
  asDevCliError,
  type Manner,
  type Printed,
  printAnswer,
  printFailure,
  reachable,
  type Standpoint,
} from './print.js';
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
}

/** From argv to what is printed. Never throws, never rejects. */
export async function front(argv: readonly string[], rim: Rim): Promise<Printed> {
  let manner = guessedManner(argv, rim);
  try {
    if (argv[0] === '--version' || argv[0] === '-V') return printAnswer(versionAnswer(), manner);
    const parsed = parseCommand(argv);
    manner = mannerOf(parsed.spec, parsed.globals, rim);
    const root = knownRoot({ cwd: rim.cwd, env: rim.env, ...rootGiven(parsed) });
    if (root !== null && root !== rim.cwd) {
      const { reachFrom } = await import('./reach.js');
      manner = { ...manner, reach: reachFrom(root, parsed.globals.root) };
    }
    const result = await answer(parsed, { ...rim, ask: asking(rim, manner) }, root);
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

const rootGiven = ({ globals: { root } }: ParsedCommand) => (root === undefined ? {} : { root });

/** What a person is asked may name a file. */
function asking({ ask }: Rim, standpoint: Standpoint): Rim['ask'] {
  return (question) => ask(reachable(question, standpoint));
}

async function answer(parsed: ParsedCommand, rim: Rim, root: string | null): Promise<Answer | StreamAnswer> {
  const { cwd, env, stdin, stdinIsTerminal, stdoutIsTerminal, ask } = rim;
  const readInput = inputReader({ cwd, root, stdin, stdinIsTerminal });
  const input = resolvedInput(parsed.spec, parsed.input, { cwd, readInput });
  if (parsed.command === 'help') return (await import('./help.js')).helpAnswer(input['command']);
  if (parsed.command === 'completion' && typeof input['shell'] === 'string') {
    return (await import('./completion.js')).completionAnswer(input['shell']);
  }
  const signal = rim.interruption();
  const call = { command: parsed.command, input };
  const surroundings = { cwd, env, given: parsed.input, stdinIsTerminal, stdoutIsTerminal, signal, readInput, ask };
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

/** For what goes wrong before the command line is understood. */
function guessedManner(argv: readonly string[], rim: Rim): Manner {
  const { spec, path, rest } = locate(argv);
  const flags = { json: argv.includes('--json'), text: argv.includes('--text') };
  const version = path.length === 0 && (rest[0] === '--version' || rest[0] === '-V');
  return mannerOf(version ? { output: 'text', actor: 'person' } : spec, flags, rim);
}

function versionAnswer(): Answer {
  return { json: { ok: true, version: VERSION }, exit: 0, text: () => VERSION };
}
