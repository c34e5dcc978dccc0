import { posix } from 'node:path';
import { findReserved } from '../../base/reserved.js';
import { findSuggestion } from '../../base/suggest.js';
import { isSectionId, SECTION_IDS } from '../../documents/sections.js';
import { BLOCK_KINDS } from '../../machine/block-kinds.js';
import { listTypeTexts } from '../blocks/block-forms.js';
import {
  findValuePathFault,
  listReadableBlocks,
  type ReadableBlock,
  type ReadPosition,
} from '../conditions/block-values.js';
import type { ResolvedRecipe } from '../resolved.js';
import { BUILTIN_PREFERENCES } from '../settings/builtin-preferences.js';
import type { ProblemLog } from '../source/report.js';
import { quoteWord } from '../source/yaml.js';
import { listPlaceholders } from '../template.js';
import type { Lintable } from './lintable.js';

/** Placeholders that need no declaration. */
const BUILT_IN = ['name', 'goal', 'root', 'workTree', 'round', 'size', 'origin.id', 'origin.attempt'];

/** Whether a bare `{word}` is a built-in placeholder. */
export function isBuiltInName(word: string): boolean {
  return BUILT_IN.includes(word);
}

/** Fields of a block, agent or choice whose placeholders are filled at run time. */
const FILLED = new Set([
  'instruction',
  'message',
  'label',
  'save',
  'exitCheck',
  'command',
  'then',
  'onComplete',
  'cwd',
  'prompt',
  'promptHint',
]);
/** Fields that name files; their placeholders are filled at run time, too. */
const PATHS = new Set(['read', 'consult', 'write', 'output', 'readsFrom', 'artifact', 'cleanup']);
/** Files in a run's directory that only dev-cli may write. */
const OURS = /^(state\.json|events\.jsonl|recipe\.json|objects(\/|$)|actions(\/|$)|lock$)/;
/** Fields that name a file to be written. */
const WRITTEN = new Set(['write', 'output']);

/** A text of the recipe and its position. */
interface Text {
  value: string;
  place: (string | number)[];
  /** The name of the innermost enclosing field. */
  field: string;
  /** Whether a shell runs the text. */
  shell: boolean;
}

/** Checks that the recipe and its prompt files use only known placeholders, and that paths stay in the project. */
export function lintText(lintable: Lintable): void {
  const { recipe, source, report } = lintable;
  const blocks = lintable.type === 'sequential' ? listReadableBlocks(recipe.blocks, lintable.broken) : null;
  const known: Known = { keys: listKnownKeys(recipe), blocks };
  const own = new Set<unknown>(recipe.blocks.flatMap(listTypeTexts));
  for (const text of [...listTexts(lintable), ...collectTexts(source.cleanup ?? [], ['cleanup'], 'cleanup')]) {
    if (PATHS.has(text.field)) lintPath(text, report);
    if (text.field === 'cwd' && leadsOut(text.value)) {
      report.error(text.place, `${quoteWord(text.value)} points outside the work tree.`);
    }
    if (FILLED.has(text.field) || PATHS.has(text.field) || (own.has(text.value) && text.field !== 'title'))
      lintPlaceholders(text, findReader(lintable, text), known, report);
  }
  lintPrompts(lintable, known);
}

/** Checks the placeholders of prompt files. */
function lintPrompts(lintable: Lintable, known: Known): void {
  const { prompts, report } = lintable;
  for (const [reference, { file, text }] of prompts) {
    // A JSON schema is not shown to anybody; its placeholders are not filled.
    if (reference.endsWith('.json')) continue;
    const at = { index: findFirstUser(lintable, reference) };
    for (const { key, whole, index: start } of listDoubled(text, known.keys)) {
      report.warning({ file, text, span: { start, end: start + whole.length } }, ...describeDoubled(key, whole));
    }
    for (const { key, start, end } of listPlaceholders(text)) {
      const fault = findFault(key, at, known);
      if (fault !== null) report.error({ file, text, span: { start, end } }, fault, { fix: ESCAPE });
    }
  }
}

function listTexts(lintable: Lintable): Text[] {
  switch (lintable.type) {
    case 'sequential':
      return lintable.source.blocks.flatMap((block, index) =>
        lintable.broken.has(index)
          ? []
          : collectTexts(block, ['blocks', index], '', 'shell' in block && block.shell === true),
      );
    case 'engine':
      return collectTexts(lintable.source.handlers ?? {}, ['handlers']);
  }
}

/**
 * Lists every text in a value, in order.
 * @param shell whether a shell runs the value's `command`
 */
export function collectTexts(value: unknown, place: (string | number)[], field = '', shell = false): Text[] {
  if (typeof value === 'string') return [{ value, place, field, shell: shell && field === 'command' }];
  if (Array.isArray(value)) return value.flatMap((item, index) => collectTexts(item, [...place, index], field, shell));
  return Object.entries(value ?? {}).flatMap(([key, member]) => collectTexts(member, [...place, key], key, shell));
}

function lintPlaceholders({ value, place, shell }: Text, at: ReadPosition, known: Known, report: ProblemLog): void {
  for (const { key, whole } of listDoubled(value, known.keys)) report.warning(place, ...describeDoubled(key, whole));
  for (const { key } of listPlaceholders(value)) {
    if (shell && key !== 'name') {
      report.error(place, `A shell command may contain no placeholder but {name}; this one contains {${key}}.`, {
        within: `{${key}}`,
        fix: 'Without `shell: true` each placeholder is one argument, whatever it contains.',
      });
      continue;
    }
    const fault = findFault(key, at, known);
    if (fault !== null) report.error(place, fault, { within: `{${key}}`, fix: ESCAPE, unlessTold: true });
  }
}

/** A placeholder in double braces, as in other template languages. */
const DOUBLED = /\{\{\s*([a-z][\w.-]*)\s*\}\}/g;

function listDoubled(text: string, known: ReadonlySet<string>): { key: string; whole: string; index: number }[] {
  return [...text.matchAll(DOUBLED)].flatMap(({ 0: whole, 1: key = '', index }) =>
    known.has(key) ? [{ key, whole, index }] : [],
  );
}

function describeDoubled(key: string, whole: string): [message: string, options: { within: string; fix: string }] {
  return [
    `${quoteWord(whole)} fills in nothing: two braces are one literal brace.`,
    { within: whole, fix: `Write {${key}} for its value.` },
  ];
}

/** The names that placeholders can use. */
interface Known {
  keys: ReadonlySet<string>;
  /** Null if no block values can be read. */
  blocks: readonly ReadableBlock[] | null;
}

/** Returns what is wrong with a placeholder, or null. */
function findFault(key: string, at: ReadPosition, { keys, blocks }: Known): string | null {
  if (keys.has(key)) return null;
  const [root, ...path] = key.split('.');
  return root === 'blocks' && blocks !== null ? findValuePathFault(blocks, path, at) : describeUnknown(key, keys);
}

/** Fields with commands that run after their block's data was handed in. */
const AFTER_DATA = ['save', 'exitCheck', 'then', 'onComplete'];

/** Returns the position of a text among the blocks. Placeholders outside all blocks are filled after the last one. */
function findReader({ recipe }: Lintable, { place: [list, index], field }: Text): ReadPosition {
  if (list !== 'blocks' || typeof index !== 'number') return { index: recipe.blocks.length };
  const block = recipe.blocks[index];
  const follows = field === 'command' && block !== undefined && BLOCK_KINDS[block.kind].hands !== null;
  return { index, own: AFTER_DATA.includes(field) || follows };
}

/** Returns the index of the first block that uses a prompt file. */
function findFirstUser(lintable: Lintable, reference: string): number {
  if (lintable.type !== 'sequential') return 0;
  const found = lintable.source.blocks.findIndex(
    (block) =>
      ('instructionFile' in block && block.instructionFile === reference) ||
      ('agents' in block && block.agents.some(({ promptFile }) => promptFile === reference)),
  );
  return Math.max(found, 0);
}

function lintPath({ value, place, field }: Text, report: ProblemLog): void {
  if (value.includes('\\') || value.includes('\0') || value.split('/').includes('..')) {
    report.error(place, `${quoteWord(value)} is not a path below the run's directory or the root.`, {
      fix: 'Use `/` between names and no `..`; a leading `/` means the root.',
    });
  } else if (WRITTEN.has(field) && OURS.test(value)) {
    report.error(place, `${quoteWord(value)} belongs to dev-cli; a block cannot write it.`);
  } else if (WRITTEN.has(field) && findReserved(value) !== null) {
    report.error(place, `${quoteWord(value)} belongs to ${findReserved(value)?.owner} and cannot be written.`);
  } else if (WRITTEN.has(field) && /[*?]|\/$/.test(value)) {
    report.warning(place, `${quoteWord(value)} must be the name of one file.`, {
      fix: 'Name the file to write; the name may contain placeholders.',
    });
  }
}

/** Whether a directory relative to the work tree leads out of it. */
function leadsOut(cwd: string): boolean {
  if (cwd.startsWith('/') || listPlaceholders(cwd).length > 0) return false;
  const path = posix.normalize(cwd);
  return path === '..' || path.startsWith('../');
}

const ESCAPE = 'Write {{ for a literal brace.';

function listKnownKeys(recipe: ResolvedRecipe): ReadonlySet<string> {
  const vars = Object.keys(recipe.vars);
  const modes = ['depth', 'interaction', ...Object.keys(recipe.mode)];
  const preferences = [...Object.keys(BUILTIN_PREFERENCES), ...Object.keys(recipe.preferences)];
  return new Set([
    ...BUILT_IN,
    ...modes.map((key) => `mode.${key}`),
    ...vars.flatMap((key) => [key, `vars.${key}`]),
    ...SECTION_IDS.flatMap((id) => [id, `draft.${id}`]),
    ...preferences.map((key) => `preferences.${key}`),
  ]);
}

function describeUnknown(key: string, known: ReadonlySet<string>): string {
  const section = /^draft\.(.+)$/.exec(key)?.[1];
  if (section !== undefined && !isSectionId(section))
    return `The draft has no section ${quoteWord(section)}; its sections are ${SECTION_IDS.join(', ')}.`;
  const near = findSuggestion(key, [...known]);
  return `Unknown placeholder {${key}}${near === undefined ? '' : `; did you mean {${near}}?`}`;
}
