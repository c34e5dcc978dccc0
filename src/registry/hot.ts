import type { JsonObject } from '../base/json.js';
import forms from '../generated/command-forms.js';
import { GLOBAL_OPTIONS, listBrokenRules } from './rules.js';
import type { CommandForm, OptionForm, ValueForm } from './spec.js';
import { readValue } from './value.js';

/** What the options that every command takes say. */
interface Globals {
  root?: string;
  json?: true;
  text?: true;
}

/** A command line understood. */
export interface ParsedCommand<Form extends CommandForm = CommandForm> {
  form: Form;
  /** By the keys of the specification, positionals first; what was not given is absent. */
  input: JsonObject;
  globals: Globals;
}

/**
 * Reads the command line of a hot command where nothing is wrong with it. Null for every other: commander, which takes longer to
 * load than these calls last, understands all of them and explains what is wrong (parse.ts). Both read the same; a property
 * test holds them equal.
 */
export function parseHot(words: readonly string[]): ParsedCommand | null {
  const form = findHotForm(words[0] ?? '') ?? findHotForm(`${words[0]} ${words[1]}`);
  const values = form && readValues(form, words.slice(form.name.split(' ').length));
  if (!values || listBrokenRules(form, new Set(Object.keys(values))).length > 0) return null;
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

/** What the values of a command line are: input, in the order of the specification, and options of every command. */
export function buildParsedCommand<Form extends CommandForm>(
  form: Form,
  values: Readonly<JsonObject>,
): ParsedCommand<Form> {
  const among = (keys: readonly { key: string }[]) =>
    Object.fromEntries(keys.flatMap(({ key }) => (values[key] === undefined ? [] : [[key, values[key]]])));
  return { form, input: among([...form.positionals, ...form.options]), globals: among(GLOBAL_OPTIONS) };
}

/** Whether an argument vector is a command of ours that a recipe runs as a process of its own. */
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
