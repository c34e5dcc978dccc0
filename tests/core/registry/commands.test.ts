import { describe, expect, it } from 'vitest';
import { COMMANDS, followers, GLOBAL_OPTIONS, GROUPS, RESERVED_WORDS } from '../../../src/registry/find.js';
import { parseCommand, splitCommand } from '../../../src/registry/parse.js';

const camelCase = (flag: string) => flag.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());

describe('the registry', () => {
  it('names every command once, in at most two words, none of them reserved', () => {
    const names = COMMANDS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) {
      expect(name).toMatch(/^[a-z]+(-[a-z]+)*( [a-z-]+)?$/);
      expect(RESERVED_WORDS).not.toContain(name.split(' ')[0]);
    }
  });

  it('has a word for each group, and no group that is a command', () => {
    const groups = COMMANDS.filter(({ name }) => name.includes(' ')).map(({ name }) => name.split(' ')[0]);
    expect(Object.keys(GROUPS).sort()).toEqual([...new Set(groups)].sort());
    expect(COMMANDS.map(({ name }) => name).filter((name) => name in GROUPS)).toEqual([]);
    expect(followers([])).toEqual(expect.arrayContaining(['init', 'step', 'help']));
  });

  it.each(COMMANDS.map((spec) => [spec.name, spec] as const))('specifies %s consistently', (_, spec) => {
    const values = [...spec.positionals, ...spec.options];
    const keys = values.map(({ key }) => key);
    expect(new Set([...keys, ...GLOBAL_OPTIONS.map(({ key }) => key)]).size).toBe(keys.length + GLOBAL_OPTIONS.length);
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
    expect(spec.exits).toEqual([...new Set(spec.exits)].sort((a, b) => a - b));
    expect(spec.summary).toMatch(/[.?]$/);
  });

  it.each(COMMANDS.flatMap((spec) => spec.examples.map((example) => [example.command, spec.name] as const)))(
    'has an example that parses: %s',
    (line, name) => {
      expect(parseCommand(splitCommand(line)).command).toBe(name);
    },
  );

  it('gives every command an example', () => {
    expect(COMMANDS.filter(({ examples }) => examples.length === 0)).toEqual([]);
  });
});
