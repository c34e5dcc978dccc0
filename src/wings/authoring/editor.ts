import { join } from 'node:path';
import { EDITOR_SCHEMAS, locateEditorSchema, writeEditorSchema } from '../../project/editor-schemas.js';
import { ensureIgnoreRules } from '../../project/gitignore.js';
import { HOME } from '../../project/layout.js';
import type { Context } from '../../run/context.js';

/**
 * Puts the schemas that modelines of recipes and tests point to (`renderModeline`) into the project, as far as they are missing
 * or of another version, and sees to it that git ignores them (authoring.md, Editors). Twice is as once.
 * @returns the files that were written, relative to the root
 * @throws DevCliError `IO`
 */
export function ensureEditorSchemas({ root, library }: Pick<Context, 'root' | 'library'>): string[] {
  const written = EDITOR_SCHEMAS.filter((schema) => {
    const text = library.reader.read(`${library.shipped}/schemas/${schema}.schema.json`);
    return text !== null && writeEditorSchema(root, schema, text);
  });
  if (written.length > 0) ensureIgnoreRules(join(root, HOME), { root, made: [] });
  return written.map(locateEditorSchema);
}
