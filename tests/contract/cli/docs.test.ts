import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pages } from '../../../scripts/docs.js';
import { REGISTRY } from '../../../src/registry/find.js';

const docs = join(import.meta.dirname, '../../../docs');

describe('docs/', () => {
  it.each(Object.entries(pages))('%s says what the sources say; else run `npm run docs`', (name, text) => {
    expect(readFileSync(join(docs, name), 'utf8')).toBe(text());
  });

  it.each(Object.entries(pages))('%s stays under 300 lines', (_, text) => {
    expect(text().split('\n').length).toBeLessThan(300);
  });

  it('names every command', () => {
    const text = [
      'commands',
      'commands-memory',
      'commands-people',
      'commands-loop',
      'commands-runtime',
      'commands-authors',
    ]
      .map((name) => pages[`${name}.md`]?.())
      .join('');
    expect(REGISTRY.commands.filter(({ name }) => !text.includes(`\n### \`dev-cli ${name}`))).toEqual([]);
  });
});
