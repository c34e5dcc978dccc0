import { posix } from 'node:path';
import type { Document, Scalar } from 'yaml';
import { type EditorSchema, renderModeline } from '../../../project/editor-schemas.js';

const yaml = (): typeof import('yaml') => require('yaml');

/** A recipe, or the test of one, under another name: a text that keeps its comments and its form. Pure. */

/** What a recipe is renamed from and to. */
export interface Renaming {
  from: string;
  to: string;
  /** Where the text will lie, relative to the root. */
  file: string;
}

/** A file that a recipe names. */
export interface NamedFile {
  /** As the recipe names it, relative to itself. */
  from: string;
  /** The same for the renamed recipe: in a directory of its own. */
  to: string;
}

/** Keys whose value is a file beside the recipe. */
const FILE_KEYS = ['instructionFile', 'promptFile', 'schema'];

/**
 * Renames a recipe that is sound.
 * @param isFile whether a value of such a key is a file, and not the name of a schema that ships
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
    // Otherwise the copy would at once be what `init` begins where no recipe is named.
    .replace(/^begins:/m, '# What init begins with where no recipe is named:\n# begins:');
  return { text: withModeline(renamed, renaming.file, 'recipe'), files: [...files.values()] };
}

/** Says in the description of a recipe what it was copied from, or a list would have two lines that say the same. */
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

/** Renames the recipe that a test is about. */
export function renameTest(text: string, { to, file }: Renaming): string {
  const edits = listScalars(yaml().parseDocument(text))
    .filter(({ key, top }) => top && key === 'recipe')
    .map(({ value }) => replace(value, to));
  return withModeline(applyEdits(text, edits), file, 'recipe-test');
}

interface Named {
  key: string;
  value: Scalar;
  /** Whether it stands in the document itself, and not in a part of it. */
  top: boolean;
}

/** Lists the scalars of a document that stand under a key, in order. */
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

/** Gives a text the first line that leads an editor to its schema. */
function withModeline(text: string, file: string, schema: EditorSchema): string {
  return `${renderModeline(file, schema)}\n${text.replace(/^\uFEFF?(?:# yaml-language-server:.*\n)?/, '')}`;
}
