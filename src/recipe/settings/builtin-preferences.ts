import type { PreferenceSpec } from '../resolved.js';

/** Preferences that every recipe may read without declaring them (recipes.md §1). */
export const BUILTIN_PREFERENCES: Readonly<Record<string, PreferenceSpec>> = {
  external_research: {
    type: 'bool',
    default: false,
    description: 'Let an agent look up facts outside the repository.',
  },
  pull_request: {
    type: 'string',
    default: 'auto',
    description: 'Open a pull request: true, false, or auto (if there is a remote and gh).',
    values: ['auto', true, false],
  },
  approve_commands: {
    type: 'string',
    default: 'ask',
    description: 'Whether to ask before the commands of a plan run: ask or auto.',
    values: ['ask', 'auto'],
  },
  second_vendor: {
    type: 'string',
    default: 'none',
    description: 'Let the agent of another vendor draft the direction of a plan: none, codex or gemini.',
    values: ['none', 'codex', 'gemini'],
  },
};

/** Whether `value` is valid for the preference. */
export function isPreferenceValue(spec: PreferenceSpec, value: unknown): value is string | number | boolean {
  if (spec.values !== undefined) return spec.values.some((allowed) => allowed === value);
  if (spec.type === 'bool') return typeof value === 'boolean';
  return spec.type === 'int' ? Number.isSafeInteger(value) : typeof value === 'string';
}

/** Describes the valid values of a preference, for a message. */
export function describePreferenceValues(spec: PreferenceSpec): string {
  if (spec.values !== undefined) return spec.values.join(', ');
  return { bool: 'true or false', int: 'a whole number', string: 'text' }[spec.type];
}
