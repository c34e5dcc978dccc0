import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

// Shipped recipes declare what they mean: the code knows neither them nor their blocks by name
// (docs/recipe-language.md).
const checkout = fileURLToPath(new URL('../../', import.meta.url));

interface Recipe {
  name: string;
  skill?: string;
  blocks?: { id: string }[];
}

const recipes = ['recipes', 'workflows'].flatMap((directory) =>
  readdirSync(join(checkout, directory))
    .filter((file) => file.endsWith('.yaml') && !file.endsWith('.test.yaml'))
    .map((file): Recipe => parse(readFileSync(join(checkout, directory, file), 'utf8'))),
);
const lines = (readdirSync(join(checkout, 'src'), { recursive: true }) as string[])
  .filter((file) => file.endsWith('.ts') && !file.startsWith('generated'))
  .flatMap((file) =>
    readFileSync(join(checkout, 'src', file), 'utf8')
      .split('\n')
      .map((text, index) => ({ file, text, place: `${file}:${index + 1}: ${text.trim()}` })),
  );

/** Commands of dev-cli that have the same name as a block in a shipped recipe. */
const COMMANDS = ['auto-assume'];

/** The file with the defaults of optional recipe fields, which depend on the skill. */
const BY_SKILL = join('recipe', 'declared.ts');

function mentions(words: readonly (string | undefined)[], quote = ''): string[] {
  const known = words.filter((word) => word !== undefined && !COMMANDS.includes(word)).join('|');
  const pattern = new RegExp(`(?<![\\w-])${quote}(${known})${quote}(?![\\w-])`);
  return lines.filter(({ text, file }) => file !== BY_SKILL && pattern.test(text)).map(({ place }) => place);
}

describe('src/', () => {
  it('names no shipped recipe', () => {
    expect(recipes.length).toBeGreaterThan(8);
    expect(mentions(recipes.map(({ name }) => name))).toEqual([]);
  });

  it('names no block of one', () => {
    // Checks only ids with a hyphen, because others are ordinary words.
    const ids = recipes.flatMap(({ blocks }) => blocks ?? []).map(({ id }) => id);
    expect(mentions(ids.filter((id) => id.includes('-')))).toEqual([]);
    const steps = lines.filter(({ text }) => /\b(steps|gates)(\?\.)?\[['"]/.test(text)).map(({ place }) => place);
    // `approvePlan` and `approveCommands` are questions of an execution itself, not blocks.
    expect(steps.filter((place) => !/\['approve(Plan|Commands)'\]/.test(place))).toEqual([]);
  });

  it('asks for no skill by its word but where the defaults stand', () => {
    const skills = [...new Set(recipes.flatMap(({ skill }) => skill ?? []))];
    expect(skills).toHaveLength(3);
    const asking = mentions(skills, '[\'"]').filter((place) => /skill/i.test(place));
    expect(asking).toEqual([]);
  });
});
