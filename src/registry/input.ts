import { DevCliError, type ErrorDetail } from '../base/errors.js';
import type { Json, JsonObject } from '../base/json.js';
import { LIMITS } from '../base/limits.js';
import type { CommandForm, CommandOption, OptionForm, ValueForm } from './spec.js';

/** The value that an argument's text stands for, or the reason why it is not valid. */
export type ReadValue = { value: Json } | { problem: string };

/**
 * Matches `KEY=VALUE`. Only keys that a recipe declares can be set, so a key follows the rules for names of
 * placeholders (recipes.md §1).
 */
const PAIR = /^([A-Za-z][A-Za-z0-9_.-]*)=([\s\S]*)$/;

/** Matches a whole number from 0 to the largest that values.ts allows. */
const SAFE_INTEGER = /^(0|[1-9][0-9]{0,8})$/;

/**
 * Converts the text of one argument into a value of the input. Leaves `text` and `data` as typed: files and standard
 * input are not read here.
 * @param before the option's value so far, to which a repeated `pair` or `texts` adds; other options may not be
 * repeated
 */
export function readValue({ form }: ValueForm, text: string, before?: Json): ReadValue {
  switch (form) {
    case 'integer':
      return SAFE_INTEGER.test(text)
        ? { value: Number(text) }
        : { problem: `${quoteArgument(text)} is not a whole number from 0 to 999999999` };
    case 'list': {
      const items = text.split(',').map((item) => item.trim());
      return items.includes('') ? { problem: `${quoteArgument(text)} has an empty item` } : { value: items };
    }
    case 'pair': {
      const [, key, value] = PAIR.exec(text) ?? [];
      if (key === undefined || value === undefined) return { problem: `${quoteArgument(text)} is not KEY=VALUE` };
      const pairs = (before ?? {}) as JsonObject;
      if (Object.hasOwn(pairs, key)) return { problem: `${quoteArgument(key)} is set twice` };
      return { value: { ...pairs, [key]: value } };
    }
    case 'texts':
      return { value: [...((before ?? []) as Json[]), text] };
    case 'flag':
    case 'text':
    case 'data':
    case 'string':
      return { value: text };
  }
}

/** Returns the long flag of an option's key, without dashes. */
export function toFlag(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Returns the name that a key has as an argument of a tool: `dry_run` for `dryRun`. */
export function toArgument(key: string): string {
  return toFlag(key).replaceAll('-', '_');
}

/** Quotes an argument for an error message: on one line, cut to 60 characters. */
export function quoteArgument(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

/**
 * Returns free text unchanged. A text that is too long is refused instead of cut, so that every agent that acts on the
 * text gets all of it.
 * @param label the name of the text in the error
 * @throws DevCliError `DATA_MALFORMED`
 */
export function requireShort(text: string, label: string): string {
  if (text.length <= LIMITS.freeText) return text;
  throw new DevCliError('DATA_MALFORMED', `${label} has ${text.length} characters; at most ${LIMITS.freeText}.`, {
    details: [{ target: label, problem: `${text.length} characters, at most ${LIMITS.freeText}` }],
    fix: `Shorten it: put what is long into a file of the project, and name that file in ${label}.`,
  });
}

/** Options that every command accepts; they are not part of its input. */
export const GLOBAL_OPTIONS: readonly CommandOption[] = [
  {
    key: 'root',
    flag: 'root',
    form: 'string',
    offers: 'file',
    placeholder: 'DIR',
    description: 'The directory that holds .dev; else DEV_CLI_ROOT, else found from here upward.',
  },
  { key: 'json', flag: 'json', form: 'flag', description: 'Print one JSON document.' },
  { key: 'text', flag: 'text', form: 'flag', description: 'Print text for a person.' },
  { key: 'help', flag: 'help', form: 'flag', description: 'Explain the command.' },
];

/** Lists the global options of a command, without those that it replaces with an option of the same name. */
export function listGlobalOptions({ options }: Pick<CommandForm, 'options'>): readonly CommandOption[] {
  return GLOBAL_OPTIONS.filter(({ key }) => !options.some((own) => own.key === key));
}

/**
 * Lists the violated rules about combinations of values: a required value is missing, values exclude each other, or a
 * value lacks another that it needs.
 * @param given the keys given on the command line
 */
export function listBrokenInputRules(form: CommandForm, given: ReadonlySet<string>): ErrorDetail[] {
  return [...listMissing(form, given), ...listClashes(form, given), ...listLonely(form, given)];
}

/** Renders the name of a value as help does: `--action`, `<name>`. */
export function renderName(value: ValueForm | OptionForm): string {
  return 'flag' in value ? `--${value.flag}` : `<${value.key}>`;
}

function listMissing(form: CommandForm, given: ReadonlySet<string>): ErrorDetail[] {
  const absent = listValues(form).flatMap((value) =>
    value.required && !given.has(value.key) ? [renderName(value)] : [],
  );
  const oneOf = form.oneOf ?? [];
  if (oneOf.length > 0 && !oneOf.some((key) => given.has(key))) absent.push(joinNames(form, oneOf, 'or'));
  return absent.map((target) => ({ target, problem: `${target} is missing.` }));
}

function listClashes(form: CommandForm, given: ReadonlySet<string>): ErrorDetail[] {
  const forms = listGlobalOptions(form).flatMap(({ key }) => (key === 'json' || key === 'text' ? [key] : []));
  const groups = [...(form.exclusive ?? []), form.oneOf ?? [], forms];
  const both = groups.map((group) => group.filter((key) => given.has(key))).filter((group) => group.length > 1);
  return both.map((group) => {
    const target = joinNames(form, group, 'and');
    return { target, problem: `${target} cannot be combined.` };
  });
}

function listLonely(form: CommandForm, given: ReadonlySet<string>): ErrorDetail[] {
  const lonely = listValues(form).filter(
    ({ key, needs }) => needs && given.has(key) && !needs.some((other) => given.has(other)),
  );
  return lonely.map((value) => ({
    target: renderName(value),
    problem: `${renderName(value)} requires ${joinNames(form, value.needs ?? [], 'or')}.`,
  }));
}

function listValues(form: CommandForm): readonly (ValueForm | OptionForm)[] {
  return [...form.positionals, ...form.options];
}

function joinNames(form: CommandForm, keys: readonly string[], word: 'and' | 'or'): string {
  const values = [...listValues(form), ...listGlobalOptions(form)].filter(({ key }) => keys.includes(key));
  const visible = values.filter((value) => !('hidden' in value && value.hidden));
  return visible.map(renderName).join(` ${word} `);
}
