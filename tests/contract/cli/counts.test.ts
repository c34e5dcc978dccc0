import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CHECKOUT } from '../../support/project.mjs';

/** Plural nouns that texts count; each needs another form if the count is one. */
const COUNTED =
  'rounds|todos|files|commits|retries|agents|tasks|calls|commands|attempts|gates|actions|warnings|steps|findings|transitions|reports|problems|entries|items|lines|questions|issues|documents|contents|errors|choices|edits';

/**
 * Matches a template value before a counted noun: `${n} rounds` could say "1 rounds". Texts must use `renderCount`;
 * only constants (in capitals) need not.
 */
const BARE = new RegExp(String.raw`\$\{(?![A-Z_]+\})[^}]*\} (?:${COUNTED})\b`);

/**
 * If this matches in the same line or the two lines above, the count is allowed: it is never one, or the same
 * expression has a text of its own for one.
 */
const BESIDE = /=== 1\s*\?|length > [A-Z]|at most \$|, not \$/;

function listBareCounts(text: string): string[] {
  const lines = text.split('\n');
  return lines.filter(
    (line, at) => BARE.test(line) && !BESIDE.test(lines.slice(Math.max(0, at - 2), at + 1).join('\n')),
  );
}

it('no text can say "1 rounds"', () => {
  expect(listBareCounts('`${maxRounds} rounds at most`')).toHaveLength(1);
  expect(listBareCounts("n === 1 ? 'one round' : `${n} rounds`")).toEqual([]);
  const sources = readdirSync(join(CHECKOUT, 'src'), { recursive: true, encoding: 'utf8' });
  const found = sources
    .filter((path) => path.endsWith('.ts') && !path.startsWith('generated'))
    .flatMap((path) =>
      listBareCounts(readFileSync(join(CHECKOUT, 'src', path), 'utf8')).map((line) => `${path}: ${line.trim()}`),
    );
  expect(found).toEqual([]);
});
