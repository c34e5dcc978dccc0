import type { JsonObject } from '../base/json.js';
import forms from '../generated/command-forms.js';
import { GLOBAL_OPTIONS, listBrokenInputRules, listGlobalOptions, readValue } from './input.js';
import type { CommandForm, OptionForm, ValueForm } from './spec.js';

/** The options that every command accepts. */
interface Globals {
  root?: string;
  json?: true;
  text?: true;
}

/** A parsed command line. */
export interface ParsedCommand<Form extends CommandForm = CommandForm> {
  form: Form;
  /** The given values, by their keys in the specification, positionals first. */
  input: JsonObject;
  globals: Globals;
}

/**
 * Parses a valid command line of a hot command without commander, since loading commander would take longer than the
 * call itself. A property test checks that both parsers agree.
 * @param words the command line without `dev-cli`
 * @returns null for any other command line, which parse.ts then parses or refuses
 */
export function parseHot(words: readonly string[]): ParsedCommand | null {
  const form = findHotForm(words[0] ?? '') ?? findHotForm(`${words[0]} ${words[1]}`);
  const values = form && readValues(form, words.slice(form.name.split(' ').length));
  if (!values || listBrokenInputRules(form, new Set(Object.keys(values))).length > 0) return null;
  return buildParsedCommand(form, values);
}

function findHotForm(name: string): CommandForm | undefined {
  const form = Object.hasOwn(forms, name) ? forms[name] : undefined;
  return form?.hot === true ? form : undefined;
}

function readValues(form: CommandForm, words: readonly string[]): JsonObject | null {
  const values: JsonObject = {};
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const [, flag, inline] = /^--([a-z-]+)(?:=([\s\S]*))?$/.exec(word) ?? [];
    const value = flag === undefined ? findPositional(word, form) : findOption(flag, form);
    const takesText = flag !== undefined && value?.form !== 'flag';
    const text = takesText ? (inline ?? words[++at]) : inline === undefined ? word : undefined;
    if (value === undefined || text === undefined || Object.hasOwn(values, value.key)) return null;
    const read = readValue(value, text);
    if ('problem' in read) return null;
    values[value.key] = value.form === 'flag' || read.value;
  }
  return values;
}

/** Splits the values of a command line into the input, in the order of the specification, and the global options. */
export function buildParsedCommand<Form extends CommandForm>(
  form: Form,
  values: Readonly<JsonObject>,
): ParsedCommand<Form> {
  const among = (keys: readonly { key: string }[]) =>
    Object.fromEntries(keys.flatMap(({ key }) => (values[key] === undefined ? [] : [[key, values[key]]])));
  return { form, input: among([...form.positionals, ...form.options]), globals: among(listGlobalOptions(form)) };
}

/** Whether an argument vector calls a dev-cli command that recipes run as a process (recipes.md §2). */
export function runsAsProcess([program, ...words]: readonly string[]): boolean {
  const name = words.slice(0, 2).join(' ');
  return program === 'dev-cli' && Object.hasOwn(forms, name) && forms[name]?.inRecipe === 'process';
}

function findOption(flag: string, form: CommandForm): OptionForm | undefined {
  return flag === 'help' ? undefined : [...form.options, ...GLOBAL_OPTIONS].find((option) => option.flag === flag);
}

function findPositional(word: string, { positionals }: CommandForm): ValueForm | undefined {
  return word.startsWith('-') && word !== '-' ? undefined : positionals[0];
}
