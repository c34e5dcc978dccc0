import { resolveRoot } from '../app/context.js';
import type { CallEnvironment } from '../app/environment.js';
import { executeCommand } from '../app/execute.js';
import type { Answer, StreamAnswer } from '../base/answer.js';
import type { Decision } from '../base/decision.js';
import { DevCliError } from '../base/errors.js';
import { findHarnessMark } from '../base/harness-mark.js';
import type { TerminalSize } from '../base/screen.js';
import { type ParsedCommand, parseHot } from '../registry/hot.js';
import type { GateScreen } from './gate.js';
import { resolveInput } from './inputs.js';
import { buildInterruptedError } from './interrupted.js';
import {
  type CallSite,
  chooseFormat,
  keepInert,
  type Output,
  type OutputFormat,
  printAnswer,
  printFailure,
  rewritePaths,
  toDevCliError,
} from './print.js';
import { createInputReader } from './read-input.js';

/** The parts of its process that the front door uses; tests pass their own. */
export interface ProcessIo {
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** The descriptor of standard input. */
  stdin: number;
  stdinIsTerminal: boolean;
  stdoutIsTerminal: boolean;
  /**
   * Starts to listen for Ctrl-C, SIGTERM and SIGHUP. Not done from the beginning, because a blocking read of standard
   * input could then not be interrupted; without a listener, each of these signals ends the process at once.
   */
  interruption: () => AbortSignal;
  /** Asks the person at the terminal for one line. */
  ask: (question: string) => Promise<string>;
  /** Opens the screen on which the person at the terminal decides. @param inWords whether to use lines, not pages */
  gateScreen: (inWords: boolean) => Promise<GateScreen>;
  /** Writes part of a stream to standard output; returns false if its reader is gone. */
  write: (text: string) => boolean;
  /** Writes a line to standard error. */
  tell: (line: string) => void;
  /** The size of the terminal. */
  screen: () => TerminalSize;
  /** Passes each key pressed at the terminal to a callback, until the returned function is called. */
  keys: NonNullable<CallEnvironment['keys']>;
}

/** Runs a command line and returns what to print. Never throws, never rejects. */
export async function runCommandLine(argv: readonly string[], io: ProcessIo): Promise<Output> {
  let site: Site | null = null;
  let format = chooseFormat(undefined, { json: argv.includes('--json'), text: argv.includes('--text') }, io);
  try {
    if (argv[0] === '--version' || argv[0] === '-V') return (await import('./version.js')).printVersion(argv, io);
    const isBare = argv.every((word) => word === '--text');
    const home = isBare && isBeforePerson(io) ? await showHome(io, format, argv.length > 0) : null;
    if (home !== null) return home;
    const read = parseHot(argv) ?? (await parseFully(argv));
    format = chooseFormat(read.form, read.globals, io);
    if ('fault' in read) throw read.fault;
    site = { cwd: io.cwd, env: io.env, ...pickRoot(read) };
    if (read.input['watch'] === true && isBeforePerson(io)) {
      const { showRun } = await import('./screen/connect.js');
      const shown = await showRun(createEnvironment(read, io, site, format).environment, read, format);
      if (shown !== null) return shown;
    }
    const result = await answerCall(read, io, site, format);
    format = await adaptToSite(site, format, result.root);
    if (!('stream' in result)) return (await printFitted(result, format, io)) ?? printAnswer(result, format);
    const { printStream } = await import('./stream.js');
    return await printStream(result, format, io);
  } catch (thrown) {
    const error = toDevCliError(thrown, io.env['DEV_CLI_DEBUG'] === '1');
    try {
      if (site !== null) format = await adaptToSite(site, format);
      return (await printFitted(error, format, io)) ?? printFailure(error, format);
    } catch (defect) {
      return printFailure(toDevCliError(defect, false), format);
    }
  }
}

/** Prints for a person at a terminal; null if the ordinary output is to be used. */
async function printFitted(result: Answer | DevCliError, format: OutputFormat, io: ProcessIo): Promise<Output | null> {
  if (!format.terminal || ('json' in result && result.lines === undefined)) return null;
  return (await import('./person.js')).printForPerson(result, format, io);
}

function isBeforePerson({ stdinIsTerminal, stdoutIsTerminal, env }: ProcessIo): boolean {
  return stdinIsTerminal && stdoutIsTerminal && findHarnessMark(env) === null;
}

async function showHome(io: ProcessIo, format: OutputFormat, inWords: boolean): Promise<Output | null> {
  const home = await import('./home.js');
  const connect = (site: Site) => createEnvironment({ input: {}, globals: {} }, io, site, format).environment;
  return home.showHome({ ...io, inWords }, adaptToSite, connect);
}

/** Parses, with commander, a command line that the small parser does not handle. */
async function parseFully(argv: readonly string[]) {
  return (await import('../registry/parse.js')).readCommandLine(argv);
}

/** The directory and environment of a call, and the root given with `--root`. */
type Site = Pick<CallEnvironment, 'cwd' | 'env' | 'root'>;

/** Finds the root of a call; null if there is none, which the command itself then reports. */
function findKnownRoot(site: Site): string | null {
  try {
    return resolveRoot(site).root;
  } catch (error) {
    if (error instanceof DevCliError) return null;
    throw error;
  }
}

/**
 * Adapts the output format to the call's directory, since paths and commands are written differently outside the root.
 */
async function adaptToSite<T extends CallSite>(site: Site, format: T, known?: string): Promise<T> {
  const root = known ?? findKnownRoot(site);
  if (root === null || root === site.cwd) return format;
  const { createPathWriter } = await import('./path-writer.js');
  return { ...format, reach: createPathWriter(root, site.root) };
}

const pickRoot = ({ globals: { root } }: Pick<ParsedCommand, 'globals'>) => (root === undefined ? {} : { root });

async function answerCall(
  parsed: ParsedCommand,
  io: ProcessIo,
  site: Site,
  format: OutputFormat,
): Promise<Answer | StreamAnswer> {
  const { name: command } = parsed.form;
  let reader: CallEnvironment['readInput'] | null = null;
  const readInput: CallEnvironment['readInput'] = (source) => {
    reader ??= createInputReader({ ...io, root: findKnownRoot(site) });
    return reader(source);
  };
  const input = resolveInput(parsed.form, parsed.input, { cwd: site.cwd, readInput });
  if (command === 'help') {
    return (await import('./help.js')).answerHelp(input['command']);
  }
  const { environment, interrupted } = createEnvironment(parsed, io, site, format);
  if (command === 'mcp') {
    const served = import('./serve.js').then(({ serveMcp: serve }) => serve(input['tools'], environment, adaptToSite));
    return Promise.race([interrupted, served]);
  }
  const answer = executeCommand({ command, input }, { ...environment, readInput });
  return parsed.form.windsDown ? answer : Promise.race([interrupted, answer]);
}

/**
 * Creates a call's environment, without its input. Catches signals from now on: the first one makes `interrupted`
 * reject.
 */
function createEnvironment(
  parsed: Pick<ParsedCommand, 'input' | 'globals'>,
  io: ProcessIo,
  site: Site,
  format: OutputFormat,
): { environment: Omit<CallEnvironment, 'readInput'> & Pick<ProcessIo, 'write'>; interrupted: Promise<never> } {
  const { stdinIsTerminal, stdoutIsTerminal } = io;
  const signal = io.interruption();
  const interrupted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(buildInterruptedError()));
  });
  // Without a handler, Node would treat a rejection that nothing awaits as an error.
  interrupted.catch(() => {});
  const adapt = () => adaptToSite(site, pickRoot(parsed));
  const environment = {
    ...site,
    given: parsed.input,
    stdinIsTerminal,
    stdoutIsTerminal,
    ...(stdoutIsTerminal ? { columns: io.screen().columns } : {}),
    keys: io.keys,
    signal,
    write: io.write,
    tell: (line: string) => io.tell(keepInert(line, format)),
    // A question may name a file, whose path must be valid in the call's directory.
    ask: async (question: string) => Promise.race([interrupted, io.ask(rewritePaths(question, await adapt()))]),
    decide: async (decision: Decision) => {
      const { decideAtTerminal } = await import('./gate-screen.js');
      const open = (inWords: boolean) => io.gateScreen(inWords || parsed.globals.text === true);
      return decideAtTerminal(decision, await adapt(), environment, open);
    },
  };
  return { environment, interrupted };
}
