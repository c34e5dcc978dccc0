import type { Answer } from '../base/answer.js';
import { ERROR_CODES, type ExitCode } from '../base/error-codes.js';
import { DevCliError, type Fix } from '../base/errors.js';
import { findHarnessMark } from '../base/harness-mark.js';
import { type CommandFormatter, renderInstruction } from '../base/invocation.js';
import { createCommandReplacer, createFormatterFor } from '../registry/render.js';
import type { CommandForm } from '../registry/spec.js';
import { listFailure } from './failure.js';
import { toPlainLine, toPlainText } from './plain.js';
import { escapeWorkflowCommands } from './runner-commands.js';

/** The output of a call, and its exit code. */
export interface Output {
  stdout: string;
  stderr: string;
  exit: ExitCode;
}

type Replacer = (key: string, value: unknown) => unknown;

/** Rewrites paths and commands for a call from outside the root (path-writer.ts). */
export interface PathWriter {
  written: CommandFormatter;
  text: (text: string) => string;
  /** Extends a replacer for `JSON.stringify` that writes out commands, so that it rewrites paths as well. */
  replacer: (commands: Replacer) => Replacer;
  document: (document: object) => object;
}

/** The facts about a call's place that decide how paths and commands are written. */
export interface CallSite {
  /** `--root` as given, which printed commands repeat. */
  root?: string;
  /** Absent if the call was made in the root, where paths are printed as stored. */
  reach?: PathWriter;
}

/** The output format of an answer (protocol.md §1). */
export interface OutputFormat extends CallSite {
  json: boolean;
  /** Whether standard output is a person's terminal, not a harness's; JSON is then indented. */
  terminal: boolean;
  /** Whether output is only ever appended, never redrawn, and uses words in place of signs. */
  inWords?: boolean;
  /** Whether failures are printed as text on standard error. */
  failsInText: boolean;
  /** Whether the text goes to GitHub's runner, which executes any workflow commands that it finds in the text. */
  runner?: boolean;
}

/** Writes an answer as one JSON document, or as text for a person. */
export function printAnswer(answer: Answer, format: OutputFormat): Output {
  const { json, recorded, exit } = answer;
  if (format.json)
    return { stdout: `${renderJson(format.reach?.document(json) ?? json, format, recorded)}\n`, stderr: '', exit };
  const made =
    answer.text?.(createCommandFormatter(format)) ?? renderJson(json, { ...format, terminal: true }, recorded);
  const text = keepInert(toPlainText(format.reach?.text(made) ?? made), format);
  const stderr = answer.stderr === undefined ? '' : `${keepInert(toPlainText(answer.stderr), format)}\n`;
  const stdout = text.endsWith('\n') || text === '' ? text : `${text}\n`;
  return { stdout: format.runner === true ? stdout + (answer.commands ?? '') : stdout, stderr, exit };
}

/** Returns the text; if GitHub's runner reads it, makes workflow commands in it ineffective. */
export function keepInert(text: string, { runner }: Pick<OutputFormat, 'runner'>): string {
  return runner === true ? escapeWorkflowCommands(text) : text;
}

/** Writes an error as one JSON document for standard output or, for a person, as text for standard error. */
export function printFailure(error: DevCliError, format: OutputFormat): Output {
  const exit = ERROR_CODES[error.code];
  if (!format.failsInText)
    return { stdout: `${renderJson(buildFailureDocument(error, format), format)}\n`, stderr: '', exit };
  return { stdout: '', stderr: keepInert(renderFailure(error, format), format), exit };
}

/** Renders an error for a person: message and fix on one line, then each problem and the `answer` on its own line. */
export function renderFailure(error: DevCliError, format: CallSite): string {
  const written = createCommandFormatter(format);
  const { fix, answer } = error;
  const lines = listFailure(error, { fix: fix && renderFix(fix, written), answer: answer && written(answer) });
  return rewritePaths(`${lines.join('\n')}\n`, format);
}

/**
 * Converts any thrown value to a DevCliError. A value that is not one already is a defect in dev-cli.
 * @param debug whether to show the defect's stack
 */
export function toDevCliError(thrown: unknown, debug: boolean): DevCliError {
  if (thrown instanceof DevCliError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const stack = thrown instanceof Error && thrown.stack ? thrown.stack : message;
  return new DevCliError('INTERNAL', `Unexpected: ${message.slice(0, 500)}`, {
    details: debug ? [{ problem: stack }] : [],
    fix: 'Run the same command again. If it fails again, it is a defect in dev-cli; DEV_CLI_DEBUG=1 shows where.',
    cause: thrown,
  });
}

/** Builds the JSON document of a failure (protocol.md, Errors). */
export function buildFailureDocument(error: DevCliError, standpoint: CallSite): { ok: false; error: object } {
  const written = createCommandFormatter(standpoint);
  return {
    ok: false,
    ...(error.run !== undefined && { run: error.run }),
    error: {
      code: error.code,
      message: toPlainLine(error.message),
      details: error.details.map(cleanDetail),
      ...(error.fix !== undefined && { fix: renderFix(error.fix, written) }),
      ...(error.answer && { answer: error.answer }),
      ...(error.instead && { instead: error.instead }),
    },
    ...(error.pending && { pending: error.pending }),
  };
}

function cleanDetail(detail: DevCliError['details'][number]): object {
  return Object.fromEntries(
    Object.entries(detail).map(([key, value]) => [key, typeof value === 'string' ? toPlainLine(value) : value]),
  );
}

function renderFix(fix: Fix, written: CommandFormatter): string {
  if (typeof fix === 'string') return toPlainLine(fix);
  return 'command' in fix ? written(fix) : toPlainLine(renderInstruction(fix, written));
}

/**
 * Renders a document as JSON: on one line, or indented for a terminal.
 * @param recorded whether to print it verbatim, without writing out its invocations
 */
export function renderJson(
  document: object,
  format: Pick<OutputFormat, 'terminal' | keyof CallSite>,
  recorded = false,
): string {
  const commands = createCommandReplacer(createCommandFormatter(format));
  const replacer = recorded ? undefined : (format.reach?.replacer(commands) ?? commands);
  const text = JSON.stringify(document, replacer, format.terminal ? 2 : undefined);
  // JSON does not escape these control characters and bidi overrides, but a terminal would interpret them.
  return text.replace(
    /[\u007f-\u009f\u2028-\u202e\u2060-\u206f]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Creates the formatter whose commands can be run in the call's directory. */
export function createCommandFormatter({ root, reach }: CallSite): CommandFormatter {
  return reach?.written ?? createFormatterFor(root);
}

/** Rewrites the paths in a text so that they are valid in the call's directory. */
export function rewritePaths(text: string, { reach }: CallSite): string {
  return reach?.text(text) ?? text;
}

/**
 * Chooses JSON for documents and streams, and text for output meant for people. At a person's terminal, the output of
 * commands for people and all failures are text. Under a harness mark, no terminal is a person's (protocol.md §1).
 * @param form the command; undefined if the command line does not parse
 */
export function chooseFormat(
  form: Pick<CommandForm, 'output' | 'actor'> | undefined,
  globals: { root?: string; json?: boolean; text?: boolean },
  around: { env: NodeJS.ProcessEnv; stdoutIsTerminal: boolean },
): OutputFormat {
  const terminal = around.stdoutIsTerminal && findHarnessMark(around.env) === null;
  const forPerson = form?.actor === 'person' && terminal;
  const document = (form === undefined || form.output !== 'text') && !forPerson;
  // A command such as `mcp` is a server: it prints the messages of its own protocol, never one JSON document.
  const json = form?.output !== 'server' && (document ? globals.text !== true : globals.json === true);
  return {
    json,
    terminal,
    failsInText: !json || (terminal && globals.json !== true),
    // Under a harness mark, the harness reads the output, not GitHub's runner.
    runner: around.env['GITHUB_ACTIONS'] === 'true' && findHarnessMark(around.env) === null,
    ...(globals.root !== undefined && { root: globals.root }),
  };
}
