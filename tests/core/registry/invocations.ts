import fc from 'fast-check';
import type { Invocation } from '../../../src/base/invocation.js';
import type { Json, JsonObject } from '../../../src/base/json.js';
import { REGISTRY } from '../../../src/registry/find.js';
import { listBrokenInputRules } from '../../../src/registry/input.js';
import type { DescribedCommand, Positional, ValueForm } from '../../../src/registry/spec.js';

/** Generates anything that an operating system can pass as an argument. */
export const argument = fc.oneof(
  fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')),
  fc.constantFrom('', '-', '--', '--json', '-x', '@file.md', "it's", 'a b', '{name}', '$HOME', 'line\nbreak'),
);
const item = fc.stringMatching(/^[A-Za-z0-9 ]{1,8}$/).filter((text) => text.trim() === text);

function anyValue(spec: ValueForm): fc.Arbitrary<Json> {
  if (spec.choices) return fc.constantFrom(...spec.choices);
  if (spec.form === 'flag') return fc.constant(true);
  if (spec.form === 'integer') return fc.nat(999_999_999);
  if (spec.form === 'list') return fc.array(item, { minLength: 1, maxLength: 3 });
  if (spec.form === 'texts') return fc.array(argument, { minLength: 1, maxLength: 3 });
  if (spec.form === 'pair') {
    return fc.dictionary(fc.stringMatching(/^[A-Za-z][A-Za-z0-9_.-]{0,6}$/), argument, {
      minKeys: 1,
      maxKeys: 3,
      noNullPrototype: true,
    });
  }
  return argument;
}

function anyPositional(spec: Positional): fc.Arbitrary<Json> {
  return spec.variadic ? fc.array(anyValue(spec), { minLength: 1, maxLength: 3 }) : anyValue(spec);
}

function anyInput(spec: DescribedCommand): fc.Arbitrary<JsonObject> {
  const values = [
    ...spec.positionals.map((value) => [value.key, anyPositional(value)] as const),
    ...spec.options.map((value) => [value.key, anyValue(value)] as const),
  ];
  const required = [...spec.positionals, ...spec.options].filter((value) => value.required).map(({ key }) => key);
  return fc
    .record(Object.fromEntries(values), { requiredKeys: required, noNullPrototype: true })
    .filter((input) => listBrokenInputRules(spec, new Set(Object.keys(input))).length === 0);
}

/** Generates invocations of a command. */
export function invocationOf(command: DescribedCommand): fc.Arbitrary<Invocation> {
  return anyInput(command).map((input) => ({ command: command.name, input }));
}

/** Generates invocations of every command. */
export const invocation: fc.Arbitrary<Invocation> = fc.constantFrom(...REGISTRY.commands).chain(invocationOf);
