import type { ErrorDetail } from '../base/errors.js';
import type { CommandForm, CommandOption, OptionForm, ValueForm } from './spec.js';

/** Options that every command takes; they are not part of its input. */
export const GLOBAL_OPTIONS: readonly CommandOption[] = [
  {
    key: 'root',
    flag: 'root',
    form: 'file',
    placeholder: 'DIR',
    description: 'The directory that holds .dev; else DEV_CLI_ROOT, else found from here upward.',
  },
  { key: 'json', flag: 'json', form: 'flag', description: 'Print one JSON document.' },
  { key: 'text', flag: 'text', form: 'flag', description: 'Print text for a person.' },
  { key: 'help', flag: 'help', form: 'flag', description: 'Explain the command.' },
];

/**
 * Lists the violated rules about which values go together: a missing value, values that exclude each other, a value
 * without the one that it needs.
 * @param given the keys that were given
 */
export function listBrokenRules(form: CommandForm, given: ReadonlySet<string>): ErrorDetail[] {
  return [...listMissing(form, given), ...listClashes(form, given), ...listLonely(form, given)];
}

/** Renders a value's name as help does: `--action`, `<name>`. */
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
  const groups = [...(form.exclusive ?? []), form.oneOf ?? [], ['json', 'text']];
  const both = groups.map((group) => group.filter((key) => given.has(key))).filter((group) => group.length > 1);
  return both.map((group) => {
    const target = joinNames(form, group, 'and');
    return { target, problem: `${target} exclude each other.` };
  });
}

function listLonely(form: CommandForm, given: ReadonlySet<string>): ErrorDetail[] {
  const lonely = listValues(form).filter(
    ({ key, needs }) => needs && given.has(key) && !needs.some((other) => given.has(other)),
  );
  return lonely.map((value) => ({
    target: renderName(value),
    problem: `${renderName(value)} is given only together with ${joinNames(form, value.needs ?? [], 'or')}.`,
  }));
}

function listValues(form: CommandForm): readonly (ValueForm | OptionForm)[] {
  return [...form.positionals, ...form.options];
}

function joinNames(form: CommandForm, keys: readonly string[], word: 'and' | 'or'): string {
  const values = [...listValues(form), ...GLOBAL_OPTIONS].filter(({ key }) => keys.includes(key));
  const visible = values.filter((value) => !('hidden' in value && value.hidden));
  return visible.map(renderName).join(` ${word} `);
}
