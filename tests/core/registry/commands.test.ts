import { describe, expect, it } from 'vitest';
import { listNextWords, REGISTRY, RESERVED_WORDS } from '../../../src/registry/find.js';
import { GLOBAL_OPTIONS } from '../../../src/registry/input.js';
import { parseCommand } from '../../../src/registry/parse.js';
import { splitCommand } from '../../../src/registry/split.js';

const camelCase = (flag: string) => flag.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());

describe('the registry', () => {
  it('names every command once, in at most two words, none of them reserved', () => {
    const names = REGISTRY.commands.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) {
      expect(name).toMatch(/^[a-z]+(-[a-z]+)*( [a-z-]+)?$/);
      expect(RESERVED_WORDS).not.toContain(name.split(' ')[0]);
    }
  });

  it('has a word for each group, and no group that is a command', () => {
    const names = REGISTRY.commands.map(({ name }) => name);
    const groups = names.filter((name) => name.includes(' ')).map((name) => name.split(' ')[0] ?? '');
    // Leaves out `observe`, which is a command and also has a subcommand.
    const words = [...new Set(groups)].filter((group) => !names.includes(group));
    expect(Object.keys(REGISTRY.words).sort()).toEqual(words.sort());
    expect(names.filter((name) => name in REGISTRY.words)).toEqual([]);
    expect(listNextWords([])).toEqual(expect.arrayContaining(['init', 'step', 'help']));
  });

  it.each(REGISTRY.commands.map((spec) => [spec.name, spec] as const))('specifies %s consistently', (_, spec) => {
    const values = [...spec.positionals, ...spec.options];
    const keys = values.map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
    // The command must have no option of its own that hides a global one.
    expect(GLOBAL_OPTIONS.map(({ key }) => key).filter((key) => key !== 'text' && keys.includes(key))).toEqual([]);
    for (const option of spec.options) {
      expect(option.key).toBe(camelCase(option.flag));
      if (option.form !== 'flag' && !option.choices) expect(option.placeholder).toBeDefined();
    }
    for (const key of [
      ...(spec.exclusive ?? []).flat(),
      ...(spec.oneOf ?? []),
      ...values.flatMap((v) => v.needs ?? []),
    ]) {
      expect(keys).toContain(key);
    }
    expect(spec.positionals.slice(0, -1).some(({ variadic }) => variadic)).toBe(false);
    expect(values.filter(({ absent, form }) => absent && form !== 'data')).toEqual([]);
    expect(spec.summary).toMatch(/[.?]$/);
  });

  it.each(REGISTRY.commands.flatMap((spec) => spec.examples.map((example) => [example.command, spec.name] as const)))(
    'has an example that parses: %s',
    (line, name) => {
      expect(parseCommand(splitCommand(line)).form.name).toBe(name);
    },
  );

  it('gives every command an example', () => {
    expect(REGISTRY.commands.filter(({ examples }) => examples.length === 0)).toEqual([]);
  });
});
