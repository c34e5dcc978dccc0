import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ensureEditorSchemas, renderModeline } from '../../../src/project/editor-schemas.js';
import { DISK_READER } from '../../../src/project/reader.js';
import { CHECKOUT } from '../../support/project.mjs';
import { scratchDirectory } from '../../support/scratch.js';

const RECIPE = '.dev/schemas/recipe.schema.json';
const TEST = '.dev/schemas/recipe-test.schema.json';

describe('schemas for editors (authoring.md, Editors)', () => {
  it('are there once, as they ship, and git ignores them', () => {
    const root = scratchDirectory('schemas-');
    const context = { root, library: { reader: DISK_READER, shipped: CHECKOUT, project: root } };
    expect(ensureEditorSchemas(context)).toEqual([RECIPE, TEST, '.dev/schemas/recipe-script.schema.json']);
    expect(ensureEditorSchemas(context)).toEqual([]);
    writeFileSync(join(root, RECIPE), '{}');
    expect(ensureEditorSchemas(context)).toEqual([RECIPE]);
    expect(readFileSync(join(root, RECIPE), 'utf8')).toBe(
      readFileSync(join(CHECKOUT, 'schemas/recipe.schema.json'), 'utf8'),
    );
    const rules = readFileSync(join(root, '.dev/.gitignore'), 'utf8').split('\n');
    expect(rules).toContain('/*');
    expect(rules.filter((rule) => rule.includes('schemas'))).toEqual([]);
  });

  it('replace no link', () => {
    const root = scratchDirectory('schemas-');
    mkdirSync(join(root, dirname(TEST)), { recursive: true });
    writeFileSync(join(root, 'mine.json'), 'mine');
    symlinkSync('../../mine.json', join(root, TEST));
    const context = { root, library: { reader: DISK_READER, shipped: CHECKOUT, project: root } };
    expect(() => ensureEditorSchemas(context)).toThrow(/recipe-test/);
    expect(readFileSync(join(root, 'mine.json'), 'utf8')).toBe('mine');
  });

  it('are named relative to the file', () => {
    expect(renderModeline('.dev/recipes/a.yaml', 'recipe')).toBe(
      '# yaml-language-server: $schema=../schemas/recipe.schema.json',
    );
    expect(renderModeline('.dev/recipes/team/b/a.test.yaml', 'recipe-test')).toBe(
      '# yaml-language-server: $schema=../../../schemas/recipe-test.schema.json',
    );
  });
});
