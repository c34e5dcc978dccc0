import { mkdirSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import type { FileReader } from '../base/files.js';
import { writeDurably } from '../store/durable.js';
import { readRegularText } from '../store/inside.js';
import { withIoErrors } from '../store/io.js';
import { ensureIgnoreRules } from './gitignore.js';
import { HOME } from './layout.js';

/**
 * JSON Schemas that editors check recipes and their tests with (authoring.md, Editors). They lie in the project, because a path
 * into the package differs from machine to machine; git ignores them.
 */

/** Documents whose schemas are put into a project. */
export const EDITOR_SCHEMAS = ['recipe', 'recipe-test', 'recipe-script'] as const;

/** A document that an editor finds the schema of. */
export type EditorSchema = (typeof EDITOR_SCHEMAS)[number];

/** Where a schema lies in a project, relative to its root. */
export function locateEditorSchema(schema: EditorSchema): string {
  return `${HOME}/schemas/${schema}.schema.json`;
}

/**
 * Renders the first line of a file, which tells editors its schema.
 * @param file relative to the root, with slashes: `.dev/recipes/release.yaml`
 * @returns a line of YAML without its end
 */
export function renderModeline(file: string, schema: EditorSchema): string {
  return `# yaml-language-server: $schema=${posix.relative(posix.dirname(file), locateEditorSchema(schema))}`;
}

/**
 * Puts the schemas that modelines of recipes and tests point to (`renderModeline`) into the project, as far as they are missing
 * or of another version, and sees to it that git ignores them (authoring.md, Editors): they are copies, which nobody edits. Twice is
 * as once.
 * @returns the files that were written, relative to the root
 * @throws DevCliError `IO`
 */
export function ensureEditorSchemas({
  root,
  library: { reader, shipped },
}: {
  root: string;
  library: { reader: FileReader; shipped: string };
}): string[] {
  const written = EDITOR_SCHEMAS.filter((schema) => {
    const text = reader.read(`${shipped}/schemas/${schema}.schema.json`);
    return text !== null && writeSchema(root, schema, text);
  });
  if (written.length > 0) ensureIgnoreRules(join(root, HOME), { root, made: [] });
  return written.map(locateEditorSchema);
}

/** Writes a schema where it is missing or another one. @returns whether it was written @throws DevCliError `IO` */
function writeSchema(root: string, schema: EditorSchema, text: string): boolean {
  const path = join(root, locateEditorSchema(schema));
  return withIoErrors(path, root, () => {
    if (readRegularText(path, LARGEST) === text) return false;
    mkdirSync(dirname(path), { recursive: true });
    writeDurably(path, text, root);
    return true;
  });
}

/** More than any of them, in bytes. */
const LARGEST = 4 * 1024 * 1024;
