import type { Answer } from '../base/answer.js';
import { ERROR_CODES, type ExitCode } from '../base/error-codes.js';
import { type Detail, DevCliError, type Fix } from '../base/errors.js';
import { sentence, type Written } from '../base/invocation.js';
import { writtenFor, writtenOut } from '../registry/written-out.js';
import { oneLine, plainText } from './plain.js';

/** What goes where, and how the process ends. */
export interface Printed {
  stdout: string;
  stderr: string;
  exit: ExitCode;
}

type Replacer = (key: string, value: unknown) => unknown;

/** How paths and commands are written for a call that was not made in the root (reach.ts). */
export interface Reach {
  written: Written;
  text: (text: string) => string;
  /** Of a replacer for `JSON.stringify` that writes out commands, one that sees to paths, too. */
  replacer: (commands: Replacer) => Replacer;
  document: (document: object) => object;
}

/** Where the call was made, as far as that decides how paths and commands are written. */
export interface Standpoint {
  /** `--root` as given: printed commands repeat it. */
  root?: string;
  /** Left out where the call was made in the root: there paths are written as they are kept. */
  reach?: Reach;
}

/** The form of an answer (protocol.md §1). */
export interface Manner extends Standpoint {
  json: boolean;
  /** Standard output is the terminal of a person, no harness's: JSON is indented. */
  terminal: boolean;
  /** A failure is text on standard error. */
  failsInText: boolean;
}

/** Writes an answer as one JSON document, or as text for a person. */
export function printAnswer(answer: Answer, manner: Manner): Printed {
  const { json, recorded, exit } = answer;
  if (manner.json)
    return { stdout: `${jsonText(manner.reach?.document(json) ?? json, manner, recorded)}\n`, stderr: '', exit };
  const made = answer.text?.(writtenFrom(manner)) ?? jsonText(json, { ...manner, terminal: true }, recorded);
  const text = plainText(manner.reach?.text(made) ?? made);
  return { stdout: text.endsWith('\n') || text === '' ? text : `${text}\n`, stderr: '', exit };
}

/** Problems listed to a person. */
const DETAILS_SHOWN = 20;

/** Writes an error as one JSON document on standard output, or for a person on standard error. */
export function printFailure(error: DevCliError, manner: Manner): Printed {
  const { exit } = ERROR_CODES[error.code];
  if (!manner.failsInText) return { stdout: `${jsonText(failureDocument(error, manner), manner)}\n`, stderr: '', exit };
  return { stdout: '', stderr: failureText(error, manner), exit };
}

/** An error for a person: what is wrong and what to do on one line, each problem and what they can run on lines of their own. */
export function failureText(error: DevCliError, manner: Standpoint): string {
  const { details } = error;
  // One problem that only says what the line says already is no list.
  const listed = details.length > 1 || details.some(({ problem }) => !error.message.includes(problem)) ? details : [];
  const lines = listed.slice(0, DETAILS_SHOWN).map((detail) => `  ${detailLine(detail)}\n`);
  const more = listed.length > DETAILS_SHOWN ? `  and ${listed.length - DETAILS_SHOWN} more: --json has all\n` : '';
  const answer = error.answer === undefined ? '' : `  answer: ${writtenFrom(manner)(error.answer)}\n`;
  return reachable(`${failureLine(error, manner)}${lines.join('')}${more}${answer}`, manner);
}

function detailLine({ target, agent, pointer, at, problem, expected }: Detail): string {
  const place = [at ?? target ?? agent, pointer].filter((part) => part !== undefined && part !== '').join(' ');
  return oneLine(`${place === '' ? '' : `${place}: `}${problem}${expected === undefined ? '' : ` (${expected})`}`);
}

function failureLine(error: DevCliError, standpoint: Standpoint): string {
  const written = writtenFrom(standpoint);
  const message = oneLine(error.message);
  const ended = /[.!?]$/.test(message) ? message : `${message}.`;
  const fix = error.fix === undefined ? '' : ` ${fixText(error.fix, written)}`;
  return `${error.code}: ${ended}${fix}\n`;
}

/** Any thrown value as the one error type. What is none already is a defect; its stack is shown on request only. */
export function asDevCliError(thrown: unknown, debug: boolean): DevCliError {
  if (thrown instanceof DevCliError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const stack = thrown instanceof Error && thrown.stack ? thrown.stack : message;
  return new DevCliError('INTERNAL', `Unexpected: ${message.slice(0, 500)}`, {
    details: debug ? [{ problem: stack }] : [],
    fix: 'Run the same command again. If it fails again, it is a defect of dev-cli: DEV_CLI_DEBUG=1 shows where.',
    cause: thrown,
  });
}

/** A failure as it is printed (protocol.md, Errors). */
export function failureDocument(error: DevCliError, standpoint: Standpoint): { ok: false; error: object } {
  const written = writtenFrom(standpoint);
  return {
    ok: false,
    ...(error.run !== undefined && { run: error.run }),
    error: {
      code: error.code,
      message: oneLine(error.message),
      details: error.details.map(cleanDetail),
      ...(error.fix !== undefined && { fix: fixText(error.fix, written) }),
      ...(error.answer && { answer: error.answer }),
      ...(error.instead && { instead: error.instead }),
    },
    ...(error.pending && { pending: error.pending }),
  };
}

function cleanDetail(detail: Detail): object {
  return Object.fromEntries(
    Object.entries(detail).map(([key, value]) => [key, typeof value === 'string' ? oneLine(value) : value]),
  );
}

function fixText(fix: Fix, written: Written): string {
  if (typeof fix === 'string') return oneLine(fix);
  return 'command' in fix ? written(fix) : oneLine(sentence(fix, written));
}

/**
 * A document as JSON: on one line, or indented for a terminal.
 * @param recorded printed as it is, with invocations as they were recorded
 */
export function jsonText(
  document: object,
  manner: Pick<Manner, 'terminal' | keyof Standpoint>,
  recorded = false,
): string {
  const commands = writtenOut(writtenFrom(manner));
  const replacer = recorded ? undefined : (manner.reach?.replacer(commands) ?? commands);
  const text = JSON.stringify(document, replacer, manner.terminal ? 2 : undefined);
  // JSON leaves these as they are; a terminal would act on them, bidi overrides included.
  return text.replace(
    /[\u007f-\u009f\u2028-\u202e\u2060-\u206f]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Writes commands for where the call was made: what is printed must run there. */
export function writtenFrom({ root, reach }: Standpoint): Written {
  return reach?.written ?? writtenFor(root);
}

/** A text whose paths can be opened from where the call was made. */
export function reachable(text: string, { reach }: Standpoint): string {
  return reach?.text(text) ?? text;
}
