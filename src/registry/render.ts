import { DevCliError } from '../base/errors.js';
import { type CommandFormatter, type Instruction, type Invocation, renderInstruction } from '../base/invocation.js';
import { isRecord, type Json } from '../base/json.js';
import forms from '../generated/command-forms.js';
import { toFlag } from './input.js';
import type { WrittenForm, WrittenOption } from './spec.js';

/**
 * Renders an invocation as a command line: positionals in order, then options in the order of the specification, quoted
 * for a POSIX shell. `parseCommand(splitCommand(line).slice(1))` returns the same invocation. Values that are
 * `undefined`, `null`, `false` or empty lists count as not given.
 * @throws DevCliError `INTERNAL` for an unknown command or key, or a value of the wrong type (protocol.md, Printed
 * commands)
 */
export function renderInvocation(invocation: Invocation): string {
  const form = Object.hasOwn(forms, invocation.command) ? forms[invocation.command] : undefined;
  if (!form) throw new DevCliError('INTERNAL', `There is no command "${invocation.command}" to print.`);
  const spec = { positionals: readWritten(form.positionals), options: readWritten(form.options) };
  refuseUnknownKeys(spec, invocation);
  const positionals = spec.positionals.flatMap(({ key }) => renderWords(invocation, key));
  const options = spec.options.flatMap((option) => renderOption(invocation, option));
  const dashed = positionals.some((word) => word.startsWith('-') && word !== '-');
  const args = dashed ? [...options, '--', ...positionals] : [...positionals, ...options];
  return ['dev-cli', invocation.command, ...args.map(quoteForShell)].join(' ');
}

/** Quotes a word for a POSIX shell: unquoted if it has no special characters, otherwise in single quotes. */
export function quoteForShell(word: string): string {
  if (/^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+=:,./-]*$/.test(word)) return word;
  return `'${word.replaceAll("'", "'\\''")}'`;
}

function renderOption(invocation: Invocation, option: WrittenOption): string[] {
  const value: Json | undefined = invocation.input[option.key];
  if (value === undefined || value === null || value === false) return [];
  const flag = `--${toFlag(option.key)}`;
  if (option.form === 'flag') return value === true ? [flag] : throwUnprintable(invocation, option.key);
  if (option.form === 'pair') {
    if (!isRecord(value)) return throwUnprintable(invocation, option.key);
    return Object.entries(value).flatMap(([key, item]) => [flag, `${key}=${renderText(invocation, option.key, item)}`]);
  }
  if (option.form === 'list') {
    const items = renderWords(invocation, option.key);
    if (items.some((item) => item === '' || item !== item.trim() || item.includes(',')))
      throwUnprintable(invocation, option.key);
    return items.length > 0 ? [flag, items.join(',')] : [];
  }
  if (option.form === 'texts') return renderWords(invocation, option.key).flatMap((text) => [flag, text]);
  return [flag, renderText(invocation, option.key, value)];
}

function renderWords(invocation: Invocation, key: string): string[] {
  const value = invocation.input[key];
  if (value === undefined || value === null) return [];
  return (Array.isArray(value) ? value : [value]).map((item) => renderText(invocation, key, item));
}

function renderText(invocation: Invocation, key: string, value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : throwUnprintable(invocation, key);
}

/**
 * Returns a command's positionals or options as a list. Hot commands have such a list; for all others, it is parsed
 * from the compact form (spec.ts).
 */
function readWritten(values: readonly WrittenOption[] | WrittenForm['options']): readonly WrittenOption[] {
  if (typeof values !== 'string') return values;
  const written = values.split(' ').map((word) => word.split(':'));
  return written.map(
    ([key = '', form]): WrittenOption => ({ key, ...(form && { form: form as NonNullable<WrittenOption['form']> }) }),
  );
}

function refuseUnknownKeys(spec: Record<'positionals' | 'options', readonly WrittenOption[]>, invocation: Invocation) {
  const known = [...spec.positionals, ...spec.options].map(({ key }) => key);
  const unknown = Object.keys(invocation.input).find((key) => !known.includes(key));
  if (unknown !== undefined) throwUnprintable(invocation, unknown);
}

function throwUnprintable(invocation: Invocation, key: string): never {
  throw new DevCliError('INTERNAL', `"${key}" of "${invocation.command}" cannot be printed as an argument.`);
}

/**
 * Members of a document, at any depth, whose commands are rendered as command lines (protocol.md, Printed commands).
 */
const COMMAND_MEMBERS = new Set(['ack', 'poll', 'answer', 'fix', 'instead', 'resume', 'ruling', 'you']);

/**
 * Creates the formatter for commands that a call prints. They must work in the directory of the call.
 * @param root the call's `--root`, which printed commands repeat
 */
export function createFormatterFor(root: string | undefined): CommandFormatter {
  if (root === undefined) return renderInvocation;
  const ending = ` --root ${quoteForShell(root)}`;
  return (command) => renderInvocation(command) + ending;
}

/** Creates a replacer for `JSON.stringify` that renders the commands in a document. */
export function createCommandReplacer(format: CommandFormatter): (key: string, value: unknown) => unknown {
  return (key, value) => {
    if (!COMMAND_MEMBERS.has(key)) return value;
    if (isInvocation(value)) return format(value);
    return isInstruction(value) ? renderInstruction(value, format) : value;
  };
}

function isInvocation(value: unknown): value is Invocation {
  return isRecord(value) && typeof value['command'] === 'string' && isRecord(value['input']);
}

function isInstruction(value: unknown): value is Instruction {
  return Array.isArray(value) && value.every((part) => typeof part === 'string' || isInvocation(part));
}
