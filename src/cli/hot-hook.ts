import type { CallEnvironment } from '../app/environment.js';
import type { Answer } from '../base/answer.js';
import { isRecord, parseOrNull } from '../base/json.js';
import { EVENT_NAMES } from '../generated/harness-events.js';
import { HARNESS_IDS, type HarnessId } from '../generated/harnesses.js';
import type { ProcessIo } from './front.js';
import { printAndExit } from './hot-end.js';
import { decodeOptionText } from './inputs.js';
import { type Output, type OutputFormat, printAnswer, printFailure, toDevCliError } from './print.js';
import { isTerminal } from './process.js';
import { createInputReader } from './read-input.js';
import { NON_INTERACTIVE } from './unasked.js';

const TEXT: OutputFormat = { json: false, terminal: false, failsInText: true };

type EventName = keyof NonNullable<(typeof EVENT_NAMES)[string]>;

/** An event of a harness, from the command line and standard input. */
interface HookCall {
  event: EventName;
  harness: HarnessId;
  payload: { text: string };
}

type AnswerTo = (call: HookCall, environment: CallEnvironment) => Promise<Answer | null>;

/**
 * Answers the event of a harness that is described on standard input; null if the whole program has to answer.
 * @param argv `process.argv`; the text read from standard input is appended to it as `--payload`
 */
export async function tryAnswerHook(
  argv: string[],
  answerTo: AnswerTo,
  { stdin, stdinIsTerminal }: Pick<ProcessIo, 'stdin' | 'stdinIsTerminal'>,
): Promise<Output | null> {
  const call = findCall(argv.slice(2));
  if (call === null || stdinIsTerminal) return null;
  const cwd = process.cwd();
  if (cwd.includes('\uFFFD')) return null;
  const text = takeInput(cwd, stdin);
  if (typeof text !== 'string') return text;
  // Standard input can be read only once, so the whole program gets the text as an argument. Text that is not a JSON
  // object is replaced, so that it is not taken for a reference to a file.
  argv.push('--payload', isRecord(parseOrNull(text)) ? text : '{}');
  const answer = await answerTo(
    { ...call, payload: { text } },
    { ...NON_INTERACTIVE, cwd, env: process.env, stdinIsTerminal: false, stdoutIsTerminal: false },
  );
  return answer && printAnswer(answer, TEXT);
}

/** Parses exactly `hook EVENT --harness NAME`; null for any other command line. */
function findCall([command, event = '', option, name, ...more]: readonly string[]): Omit<HookCall, 'payload'> | null {
  const harness = HARNESS_IDS.find((id) => id === name);
  if (command !== 'hook' || option !== '--harness' || harness === undefined || more.length > 0) return null;
  return Object.hasOwn(EVENT_NAMES[harness] ?? {}, event) ? { event: event as EventName, harness } : null;
}

/**
 * Reads standard input. If that fails, returns the failure as output to print: the whole program must not try again,
 * since it would get only the rest of the input and take it for all of it.
 */
function takeInput(cwd: string, stdin: number): string | Output {
  try {
    const read = createInputReader({ cwd, root: null, stdin, stdinIsTerminal: false });
    return decodeOptionText(read('-'), '--payload', 'standard input');
  } catch (error) {
    return printFailure(toDevCliError(error, false), TEXT);
  }
}

/** Answers an event of a harness without loading the whole program. */
export function answerHook(answerTo: AnswerTo): void {
  printAndExit(tryAnswerHook(process.argv, answerTo, { stdin: 0, stdinIsTerminal: isTerminal(0) }));
}
