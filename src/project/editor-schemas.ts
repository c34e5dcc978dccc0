import { mkdirSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import type { FileReader } from '../base/files.js';
import { writeDurably } from '../store/durable.js';
import { readRegularText } from '../store/inside.js';
import { withIoErrors } from '../store/io.js';
import { ensureIgnoreRules } from './gitignore.js';
import { DEV_DIRECTORY } from './layout.js';

/**
 * Installs the JSON Schemas with which editors check recipes and their tests (authoring.md, Editors). They are copied
 * into the project, because a path into the package differs between machines; git ignores the copies.
 */

/** Documents whose schemas are copied into a project. */
export const EDITOR_SCHEMAS = ['recipe', 'recipe-test', 'recipe-script'] as const;

/** A document for which an editor can find a schema. */
export type EditorSchema = (typeof EDITOR_SCHEMAS)[number];

/** Returns the path of a schema in a project, relative to the root. */
export function locateEditorSchema(schema: EditorSchema): string {
  return `${DEV_DIRECTORY}/schemas/${schema}.schema.json`;
}

/**
 * Renders the first line of a file, which tells editors where the file's schema is.
 * @param file relative to the root, with slashes: `.dev/recipes/release.yaml`
 * @returns a line of YAML without a line ending
 */
export function renderModeline(file: string, schema: EditorSchema): string {
  return `# yaml-language-server: $schema=${posix.relative(posix.dirname(file), locateEditorSchema(schema))}`;
}

/**
 * Copies the schemas that modelines refer to (`renderModeline`) into the project, if they are missing or outdated, and
 * makes git ignore them (authoring.md, Editors). Idempotent.
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
  if (written.length > 0) ensureIgnoreRules(join(root, DEV_DIRECTORY), { root, made: [] });
  return written.map(locateEditorSchema);
}

/** Writes a schema if it is missing or differs. @returns whether it was written @throws DevCliError `IO` */
function writeSchema(root: string, schema: EditorSchema, text: string): boolean {
  const path = join(root, locateEditorSchema(schema));
  return withIoErrors(path, root, () => {
    if (readRegularText(path, LARGEST) === text) return false;
    mkdirSync(dirname(path), { recursive: true });
    writeDurably(path, text, root);
    return true;
  });
}

/** Upper bound of a schema's size in bytes. */
const LARGEST = 4 * 1024 * 1024;
