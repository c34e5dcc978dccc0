import type { Answer } from '../base/answer.js';
import { DevCliError, type ErrorDetail } from '../base/errors.js';
import type { Json, JsonObject } from '../base/json.js';
import { listSchemaFaults } from '../documents/schema-faults.js';
import { describeFaults } from '../documents/schema-findings.js';
import type TOOLS from '../generated/tools.js';
import type { OwnGroup, ToolSite } from '../protocol/ports.js';
import { findCommand } from '../registry/find.js';
import { listBrokenInputRules, requireShort, toArgument } from '../registry/input.js';
import type { DescribedCommand, ValueForm } from '../registry/spec.js';
import { createContext } from './context.js';
import type { CallEnvironment } from './environment.js';
import { executeCommand } from './execute.js';

/**
 * Carries out the command behind a tool (memory.md, MCP).
 * @param given the arguments, not yet checked
 * @throws DevCliError `USAGE` for arguments that do not fit the tool's schema; whatever the command itself throws
 */
export async function callTool(
  { command, fixed, validate }: (typeof TOOLS)[number],
  site: ToolSite,
  given: JsonObject,
): Promise<Answer> {
  const form = findCommand(command);
  if (form === undefined) throw new DevCliError('INTERNAL', `${command} is not a command.`);
  requireNothing(describeFaults(listSchemaFaults(validate, given)));
  const input = { ...fixed, ...readArguments(form, given) };
  requireNothing(listBrokenInputRules(form, new Set(Object.keys(input))).map(nameArguments));
  const answer = await executeCommand({ command, input }, surround(site, input));
  if ('stream' in answer) throw new DevCliError('INTERNAL', `${command} does not give a single answer.`);
  if (form.output === 'text') return answer;
  const { text: _, ...document } = answer;
  return document;
}

/** Carries out a tool that has no command behind it. @throws whatever the tool throws */
export async function callOwnTool(own: OwnGroup, site: ToolSite, tool: string, given: JsonObject): Promise<Answer> {
  const context = createContext(surround(site, {}), tool);
  return { ...(await own.call(context, tool, given)), root: context.root };
}

/**
 * Converts a tool's arguments to the input that the command line builds from options. Unlike there, a value such as
 * `@FILE` is taken literally, not as the name of a file to read.
 */
function readArguments(form: DescribedCommand, given: JsonObject): JsonObject {
  const values = [...form.positionals, ...form.options].map((value) => [value, given[toArgument(value.key)]] as const);
  return Object.fromEntries(
    values.flatMap(([value, raw]) => (raw === undefined || raw === false ? [] : [[value.key, read(value, raw)]])),
  );
}

function read({ key, form }: ValueForm, given: Json): Json {
  switch (form) {
    case 'text':
      return readText(String(given), toArgument(key));
    case 'texts':
      return (given as string[]).map((text) => readText(text, toArgument(key)));
    case 'data':
      return { source: 'inline', text: String(given) };
    default:
      return given;
  }
}

function readText(text: string, name: string): string {
  if (text.trim() !== '') return requireShort(text.trimEnd(), name);
  throw new DevCliError('DATA_MISSING', `${name} is empty.`, {
    details: [{ target: name, problem: 'nothing given' }],
    fix: `Give a text for ${name}.`,
  });
}

function requireNothing(details: ErrorDetail[]): void {
  const [first] = details;
  if (first === undefined) return;
  const where = first.pointer ? `${first.pointer.slice(1)} ` : '';
  const more = details.length > 1 ? ` (and ${details.length - 1} more)` : '';
  throw new DevCliError('USAGE', `${where}${first.problem}${more}`, {
    details,
    fix: 'Correct the arguments as the schema of the tool requires.',
  });
}

/** Rewrites messages about options so that they name arguments: `--dry-run` becomes `dry_run`. */
function nameArguments({ target = '', problem }: ErrorDetail): ErrorDetail {
  const named = (text: string) =>
    text.replace(/--([a-z-]+)|<(\w+)>/g, (_, flag?: string, key?: string) =>
      flag ? flag.replaceAll('-', '_') : (key ?? ''),
    );
  return { target: named(target), problem: named(problem) };
}

/** Builds the environment of a tool call, which has no terminal, no standard input, and nobody to ask. */
function surround(site: ToolSite, given: JsonObject): CallEnvironment {
  const nobody = (): never => {
    throw new DevCliError('TERMINAL_REQUIRED', 'A tool has no terminal.');
  };
  return {
    ...site,
    given,
    stdinIsTerminal: false,
    stdoutIsTerminal: false,
    readInput: nobody,
    ask: nobody,
    decide: nobody,
    tell: () => {},
  };
}
