import type { Environment } from '../app/environment.js';
import type { Answer } from '../base/answer.js';
import { isRecord, parseOrNull } from '../base/json.js';
import { EVENT_NAMES } from '../generated/harness-events.js';
import { HARNESS_IDS, type HarnessId } from '../generated/harnesses.js';
import { endWith } from './hot-end.js';
import { decode } from './inputs.js';
import { type Output, type OutputFormat, printAnswer, printFailure, toDevCliError } from './print.js';
import { isTerminal } from './process.js';
import { createInputReader } from './read-input.js';
import { UNASKED } from './unasked.js';

const TEXT: OutputFormat = { json: false, terminal: false, failsInText: true };

type EventName = keyof NonNullable<(typeof EVENT_NAMES)[string]>;

/** An event of a harness, from the command line and standard input. */
interface HookCall {
  event: EventName;
  harness: HarnessId;
  payload: { text: string };
}

type AnswerTo = (call: HookCall, environment: Environment) => Promise<Answer | null>;

/** Answers an event; null when the whole program has to answer. */
async function tryHook(words: readonly string[], answerTo: AnswerTo): Promise<Output | null> {
  const call = findCall(words);
  if (call === null || isTerminal(0)) return null;
  const cwd = process.cwd();
  if (cwd.includes('\uFFFD')) return null;
  const text = takeInput(cwd);
  if (typeof text !== 'string') return text;
  // Standard input can be read only once, so whoever answers gets its text as an option. Only an object is an event;
  // anything else becomes `{}`, so that it is not taken for a file name.
  process.argv.push('--payload', isRecord(parseOrNull(text)) ? text : '{}');
  const answer = await answerTo(
    { ...call, payload: { text } },
    { ...UNASKED, cwd, env: process.env, stdinIsTerminal: false, stdoutIsTerminal: false },
  );
  return answer && printAnswer(answer, TEXT);
}

/** Parses exactly `hook EVENT --harness NAME`; null for any other command line. */
function findCall([command, event = '', option, name, ...more]: readonly string[]): Omit<HookCall, 'payload'> | null {
  const harness = HARNESS_IDS.find((id) => id === name);
  if (command !== 'hook' || option !== '--harness' || harness === undefined || more.length > 0) return null;
  return Object.hasOwn(EVENT_NAMES[harness] ?? {}, event) ? { event: event as EventName, harness } : null;
}

/** Reads standard input, or returns the failure: after a failed read, the rest must not be taken for the whole. */
function takeInput(cwd: string): string | Output {
  try {
    const read = createInputReader({ cwd, root: null, stdin: 0, stdinIsTerminal: false });
    return decode(read('-'), '--payload', 'standard input');
  } catch (error) {
    return printFailure(toDevCliError(error, false), TEXT);
  }
}

/** Answers an event of a harness without loading the whole program. */
export function answerHook(answerTo: AnswerTo): void {
  endWith(tryHook(process.argv.slice(2), answerTo));
}
