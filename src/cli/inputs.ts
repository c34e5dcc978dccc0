import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CallEnvironment } from '../app/environment.js';
import { DevCliError } from '../base/errors.js';
import type { DataInput } from '../base/invocation.js';
import type { JsonObject } from '../base/json.js';
import { quoteArgument, requireShort } from '../registry/input.js';
import type { CommandForm, OptionForm, ValueForm } from '../registry/spec.js';

type Surroundings = Pick<CallEnvironment, 'cwd' | 'readInput'>;

/**
 * Replaces references on the command line with the contents that they refer to (protocol.md, Data): text values become
 * text, data options become a `DataInput`.
 * @throws DevCliError `DATA_MISSING` if there is no content; `DATA_MALFORMED` if it is too large or not UTF-8; `IO`
 */
export function resolveInput(form: CommandForm, input: JsonObject, around: Surroundings): JsonObject {
  const resolved: JsonObject = { ...input };
  for (const { key, form: kind } of form.positionals) {
    const given = input[key];
    if (kind === 'text' && typeof given === 'string') resolved[key] = readFreeText(given, key, around);
  }
  for (const option of form.options) {
    const label = `--${option.flag}`;
    const given = input[option.key] ?? getDefault(option, label);
    if (option.form === 'texts' && Array.isArray(given)) {
      resolved[option.key] = given.map((text) => readFreeText(String(text), label, around));
    }
    if (typeof given !== 'string') continue;
    if (option.form === 'text') resolved[option.key] = readFreeText(given, label, around);
    if (option.form !== 'data') continue;
    if (isBareFile(given, around.cwd)) throw buildBareFileError(form, input, option, given);
    resolved[option.key] = { ...readValue(given, label, around) };
  }
  return resolved;
}

function getDefault(option: ValueForm, label: string): string | undefined {
  if (option.absent === 'refused') throw buildMissingError(label, `${label} is missing.`);
  return option.absent === 'stdin' ? '-' : undefined;
}

function readFreeText(given: string, label: string, around: Surroundings): string {
  return requireShort(readValue(given, label, around).text.trimEnd(), label);
}

/** Returns whether a value is the name of a file without the `@`, as other tools accept it. */
function isBareFile(given: string, cwd: string): boolean {
  return given !== '-' && !given.startsWith('@') && namesFile(given, cwd) && !isJson(given);
}

/** Builds the error for a bare file name. dev-cli does not guess; the fix is the same command with an `@`. */
function buildBareFileError(form: CommandForm, input: JsonObject, option: OptionForm, given: string): DevCliError {
  const label = `--${option.flag}`;
  return new DevCliError(
    'DATA_MALFORMED',
    `${label} ${quoteArgument(given)} is not JSON, but there is a file of that name.`,
    {
      details: [{ target: label, problem: 'neither JSON nor @FILE' }],
      fix: { command: form.name, input: { ...input, [option.key]: `@${given}` } },
    },
  );
}

function readValue(given: string, label: string, around: Surroundings): DataInput {
  if (given === '-') return { source: 'stdin', text: decodeOptionText(around.readInput('-'), label, 'standard input') };
  if (given.startsWith('@')) {
    const name = given.slice(1);
    if (name === '') throw buildMissingError(label, `${label} has no file name after the @.`);
    return { source: 'file', name, text: decodeOptionText(around.readInput({ file: name }), label, name) };
  }
  if (given.trim() === '') throw buildMissingError(label, `${label} is empty.`);
  return { source: 'inline', text: given };
}

/**
 * Decodes the bytes read for an option. @throws DevCliError `DATA_MISSING` if they are blank, `DATA_MALFORMED` if they
 * are not UTF-8
 */
export function decodeOptionText(bytes: Buffer, label: string, shown: string): string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new DevCliError('DATA_MALFORMED', `${shown} is not UTF-8 text.`, {
      details: [{ target: label, problem: 'invalid UTF-8' }],
      fix: 'Write it as UTF-8, then run the same command again.',
    });
  }
  if (text.trim() !== '') return text;
  throw new DevCliError('DATA_MISSING', `${shown} is empty.`, {
    details: [{ target: label, problem: 'nothing in it' }],
    fix: `Write ${shown} first, then run the same command again.`,
  });
}

function buildMissingError(label: string, message: string): DevCliError {
  return new DevCliError('DATA_MISSING', message, {
    details: [{ target: label, problem: 'nothing given' }],
    fix: `Give ${label} as @FILE, as - for standard input, or as the text itself.`,
  });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function namesFile(text: string, cwd: string): boolean {
  return text !== '' && text.length < 1024 && !text.includes('\0') && existsSync(resolve(cwd, text));
}
