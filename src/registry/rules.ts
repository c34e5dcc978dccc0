import type { Detail } from '../base/errors.js';
import { GLOBAL_OPTIONS } from './find.js';
import type { CommandSpec, OptionSpec, PositionalSpec } from './spec.js';

/**
 * What a command's rules on which values go together say against the keys that were given: one missing, two that exclude
 * each other, one that goes only with another.
 */
export function brokenRules(spec: CommandSpec, given: ReadonlySet<string>): Detail[] {
  return [...missing(spec, given), ...clashes(spec, given), ...alone(spec, given)];
}

/** A value as help writes it: `--action`, `<name>`. */
export function shown(value: PositionalSpec | OptionSpec): string {
  return 'flag' in value ? `--${value.flag}` : `<${value.key}>`;
}

function missing(spec: CommandSpec, given: ReadonlySet<string>): Detail[] {
  const required = valuesOf(spec).filter(({ key, required }) => required && !given.has(key));
  const absent = required.map((value) => shown(value));
  const oneOf = spec.oneOf ?? [];
  if (oneOf.length > 0 && !oneOf.some((key) => given.has(key))) absent.push(names(spec, oneOf, 'or'));
  return absent.map((target) => ({ target, problem: `${target} is missing.` }));
}

function clashes(spec: CommandSpec, given: ReadonlySet<string>): Detail[] {
  const groups = [...(spec.exclusive ?? []), spec.oneOf ?? [], ['json', 'text']];
  const both = groups.map((group) => group.filter((key) => given.has(key))).filter((group) => group.length > 1);
  return both.map((group) => {
    const target = names(spec, group, 'and');
    return { target, problem: `${target} exclude each other.` };
  });
}

function alone(spec: CommandSpec, given: ReadonlySet<string>): Detail[] {
  const lonely = valuesOf(spec).filter(
    ({ key, needs }) => needs && given.has(key) && !needs.some((other) => given.has(other)),
  );
  return lonely.map((value) => ({
    target: shown(value),
    problem: `${shown(value)} is given only together with ${names(spec, value.needs ?? [], 'or')}.`,
  }));
}

function valuesOf(spec: CommandSpec): (PositionalSpec | OptionSpec)[] {
  return [...spec.positionals, ...spec.options];
}

function names(spec: CommandSpec, keys: readonly string[], word: 'and' | 'or'): string {
  const values = [...valuesOf(spec), ...GLOBAL_OPTIONS].filter(({ key }) => keys.includes(key));
  const visible = values.filter((value) => !('hidden' in value && value.hidden));
  return visible.map(shown).join(` ${word} `);
}
