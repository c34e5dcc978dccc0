import { posix } from 'node:path';
import type { Document, Scalar } from 'yaml';
import { type EditorSchema, renderModeline } from '../../../project/editor-schemas.js';

const yaml = (): typeof import('yaml') => require('yaml');

/** Renames a recipe or a recipe's test; the text keeps its comments and layout. Pure. */

/** The old and the new name of a recipe. */
export interface Renaming {
  from: string;
  to: string;
  /** The future path of the text, relative to the root. */
  file: string;
}

/** A file that a recipe names. */
export interface NamedFile {
  /** The path that the recipe gives, relative to the recipe's file. */
  from: string;
  /** The path that the renamed recipe gives, below a directory of its own. */
  to: string;
}

/** Keys that can name a file beside the recipe. */
const FILE_KEYS = ['instructionFile', 'promptFile', 'schema'];

/**
 * Renames a valid recipe.
 * @param isFile returns whether the value of one of `FILE_KEYS` names a file rather than a shipped schema
 */
export function renameRecipe(
  text: string,
  renaming: Renaming,
  isFile: (path: string) => boolean,
): { text: string; files: NamedFile[] } {
  const { from, to } = renaming;
  const files = new Map<string, NamedFile>();
  const document = yaml().parseDocument(text);
  const edits = listScalars(document).flatMap(({ key, value, top }): Edit[] => {
    const said = String(value.value);
    if (top && key === 'name') return [replace(value, to)];
    if (!FILE_KEYS.includes(key) || !isFile(said)) return [];
    const named = { from: said, to: `${to}/${posix.join('/', said).slice(1).replaceAll('../', '')}` };
    files.set(said, named);
    return [replace(value, named.to)];
  });
  const own = new RegExp(`(dev-cli init .*--(?:recipe|workflow)[ =])${from}(?![\\w-])`, 'g');
  const renamed = applyEdits(text, edits)
    .replace(own, `$1${to}`)
    // Otherwise `init` would use the copy whenever no recipe is named.
    .replace(/^begins:/m, '# What init begins with where no recipe is named:\n# begins:');
  return { text: withModeline(renamed, renaming.file, 'recipe'), files: [...files.values()] };
}

/** Adds the origin to the description of a copy; otherwise a list would show two equal lines. */
export function markCopied(text: string, from: string): string {
  const described = listScalars(yaml().parseDocument(text)).filter(({ key, top }) => top && key === 'description');
  const edits = described.flatMap(({ value }): Edit[] => {
    const [at, end] = value.range ?? [0, 0];
    const said = text.slice(at, end).trimEnd();
    const quote = value.type === 'QUOTE_SINGLE' || value.type === 'QUOTE_DOUBLE' ? said.slice(-1) : '';
    const words = said.slice(0, said.length - quote.length).replace(/ \(from [\w-]+\)$/, '');
    return [{ at, end: at + said.length, text: `${words} (from ${from})${quote}` }];
  });
  return applyEdits(text, edits);
}

/** Renames the recipe in a test. */
export function renameTest(text: string, { to, file }: Renaming): string {
  const edits = listScalars(yaml().parseDocument(text))
    .filter(({ key, top }) => top && key === 'recipe')
    .map(({ value }) => replace(value, to));
  return withModeline(applyEdits(text, edits), file, 'recipe-test');
}

interface Named {
  key: string;
  value: Scalar;
  /** Whether it is at the top level of the document. */
  top: boolean;
}

/** Lists the scalar values in a document's mappings, in order. */
function listScalars(document: Document): Named[] {
  const found: Named[] = [];
  yaml().visit(document, {
    Pair(_, { key, value }, path) {
      if (!yaml().isScalar(key) || !yaml().isScalar(value)) return;
      found.push({ key: String(key.value), value, top: path.length === 2 });
    },
  });
  return found;
}

interface Edit {
  at: number;
  end: number;
  text: string;
}

function replace({ range }: Scalar, text: string): Edit {
  const [at, end] = range ?? [0, 0];
  return { at, end, text };
}

function applyEdits(text: string, edits: readonly Edit[]): string {
  return [...edits]
    .sort((one, other) => other.at - one.at)
    .reduce((done, { at, end, text: put }) => done.slice(0, at) + put + done.slice(end), text);
}

/** Prepends the comment line that tells editors which schema the text has. */
function withModeline(text: string, file: string, schema: EditorSchema): string {
  return `${renderModeline(file, schema)}\n${text.replace(/^\uFEFF?(?:# yaml-language-server:.*\n)?/, '')}`;
}
