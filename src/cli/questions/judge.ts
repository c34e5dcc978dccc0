import { isUtf8 } from 'node:buffer';
import { answerToolCall, findJudgedHarness } from '../../app/judging.js';
import { DevCliError } from '../../base/errors.js';
import { type Output, type OutputFormat, printAnswer, printFailure, toDevCliError } from '../print.js';
import { isTerminal, writeAll } from '../process.js';
import { createInputReader } from '../read-input.js';

const TEXT: OutputFormat = { json: false, terminal: false, failsInText: true };

/** Judges a call of a tool; null when the whole program has to answer. */
async function tryJudge(words: string[]): Promise<Output | null> {
  const harness = findJudgedHarness(words);
  if (harness === null || isTerminal(0)) return null;
  const cwd = process.cwd();
  if (cwd.includes('\uFFFD')) return null;
  const text = takeInput(cwd);
  if (typeof text !== 'string') return text;
  // It can be read but once: whoever answers gets it.
  process.argv.push('--payload', text);
  const answer = await answerToolCall(text, harness, {
    cwd,
    env: process.env,
    given: {},
    stdinIsTerminal: false,
    stdoutIsTerminal: false,
    // A signal ends the call at once: it changes nothing.
    signal: new AbortController().signal,
    readInput: refuse,
    ask: refuse,
    decide: refuse,
  });
  return answer && printAnswer(answer, TEXT);
}

/** Reads standard input, or says why it cannot be read: what is left of it then must not be taken for all of it. */
function takeInput(cwd: string): string | Output {
  try {
    const bytes = createInputReader({ cwd, root: null, stdin: 0, stdinIsTerminal: false })('-');
    if (isUtf8(bytes)) return bytes.toString('utf8');
    throw new DevCliError('DATA_MALFORMED', 'Standard input is not UTF-8 text.', { fix: 'Send one JSON document.' });
  } catch (error) {
    return printFailure(toDevCliError(error, false), TEXT);
  }
}

function refuse(): never {
  throw new Error('What judges a call neither reads more input nor asks.');
}

// As in ../hot.ts: when this cannot answer, main.ts begins anew; nothing has been printed or changed by then.
void tryJudge(process.argv.slice(2))
  .catch(() => null)
  .then(async (printed) => {
    if (printed === null) {
      await import('../main.js');
      return;
    }
    writeAll(1, printed.stdout);
    writeAll(2, printed.stderr);
    process.exit(printed.exit);
  });
