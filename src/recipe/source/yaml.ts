import type { Document, Node, Pair, YAMLParseError } from 'yaml';
import { omitUndefined } from '../../base/defined.js';
import { findSuggestion } from '../../base/suggest.js';
import { findShippedYaml } from '../load/shipped-texts.js';
import { locateOffset, type OffsetRange, type RecipeProblem } from './problem.js';

const yaml = (): typeof import('yaml') => require('yaml');

/** The largest file, in characters; recipes are far smaller. On hostile text the parser takes quadratic time. */
const MAX_LENGTH = 64 * 1024;
/** The most aliases in a file. An alias counts with all that it expands to, so nested aliases are limited, too. */
const MAX_ALIASES = 100;
/** The largest number of faults reported. */
const MAX_FAULTS = 20;
/** Characters that YAML does not allow; they could control the terminal on which the text is shown. */
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/;

/** A parsed YAML file that can return the positions of its values. */
export interface YamlSource {
  /** The path as shown to the user. */
  file: string;
  text: string;
  /** The document as plain data; undefined if it does not parse or is not a mapping. */
  value: Record<string, unknown> | undefined;
  /** The faults of the YAML. */
  problems: RecipeProblem[];
  /** The parser's document; absent for a shipped text. */
  document?: Document;
  /**
   * Returns the span of the value (or the key) at a JSON pointer, or of the nearest enclosing value that exists.
   * @param within narrows the span to this text, if the value contains it literally
   */
  locate(pointer: string, part: 'key' | 'value', within?: string): OffsetRange;
}

/** Builds a JSON pointer from keys. */
export function toPointer(...keys: (string | number)[]): string {
  return keys.map((key) => `/${String(key).replace(/~/g, '~0').replace(/\//g, '~1')}`).join('');
}

/** Splits a JSON pointer into its keys. */
export function parsePointer(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replace(/~1/g, '/').replace(/~0/g, '~'));
}

/**
 * Parses YAML and collects all problems; never throws, whatever the text.
 * @param file the path as shown to the user
 * @param most the largest allowed size, in characters
 */
export function parseYaml(text: string, file: string, most: number = MAX_LENGTH): YamlSource {
  const value = findShippedYaml(text);
  if (value === undefined) return parseText(text, file, most);
  return { file, text, value, problems: [], locate: (...place) => parseText(text, file).locate(...place) };
}

function parseText(text: string, file: string, most: number = MAX_LENGTH): YamlSource {
  const source: YamlSource = { file, text, value: undefined, problems: [], locate: () => START };
  const report = (message: string, span: OffsetRange, fix?: string) => {
    source.problems.push({ severity: 'error', message, file, ...locateOffset(text, span), ...omitUndefined({ fix }) });
  };
  if (text.length > most) {
    report(`The file is larger than ${most / 1024} KiB.`, START, 'Move long texts to files of their own.');
    return source;
  }
  const foreign = text.indexOf('\uFFFD');
  if (foreign >= 0) {
    report('The file is not UTF-8.', { start: foreign, end: foreign + 1 }, 'Save it as UTF-8.');
    return source;
  }
  const control = text.search(CONTROL);
  if (control >= 0) {
    report('A control character is not allowed in YAML.', { start: control, end: control + 1 }, 'Remove it.');
    return source;
  }
  try {
    const document = yaml().parseDocument(text, { prettyErrors: false, logLevel: 'error', uniqueKeys: false });
    const faults = dropFollowing([...document.errors, ...document.warnings]);
    if (faults.some(({ message }) => message.startsWith('Maximum call stack'))) throw new RangeError();
    for (const fault of faults.slice(0, MAX_FAULTS)) {
      const [message, fix] = explain(fault, text);
      report(message, { start: fault.pos[0], end: fault.pos[1] }, fix);
    }
    source.document = document;
    source.locate = (pointer, part, within) => locate(document, text, pointer, part, within);
    if (faults.length > 0 || !isPlainData(document, report)) return source;
    if (!yaml().isMap(document.contents)) {
      report('A mapping of fields is expected here.', spanOf(document.contents));
      return source;
    }
    source.value = document.toJS({ maxAliasCount: MAX_ALIASES }) as Record<string, unknown>;
  } catch (error) {
    // The parser has no depth limit, so deep nesting overflows the stack. Too many aliases make it throw, too.
    const why = error instanceof RangeError ? 'The file is nested too deeply.' : readFirstLine(error);
    report(`The YAML cannot be read. ${why}`, START);
    source.value = undefined;
  }
  return source;
}

function readFirstLine(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') : '';
}

/** The fix for a text in braces that YAML parsed as a mapping. */
export const BRACES_IN_QUOTES = 'Put a text with braces in quotes.';

type Fault = Pick<YAMLParseError, 'code' | 'message' | 'pos'>;

/** Keeps only the first unexpected token: after it the parser guesses, and one slip causes a fault for every word. */
function dropFollowing<F extends Fault>(faults: readonly F[]): F[] {
  const first = faults.find(({ code }) => code === 'UNEXPECTED_TOKEN');
  return faults.filter((fault) => fault.code !== 'UNEXPECTED_TOKEN' || fault === first);
}

/** Converts a fault of the parser to a message and, if it has a usual cause, a fix. */
function explain(fault: Fault, text: string): [string, string?] {
  const shown = text.slice(fault.pos[0], fault.pos[1]).split('\n')[0] ?? '';
  if (fault.code === 'TAB_AS_INDENT') return ['YAML cannot be indented with tabs.', 'Indent with spaces.'];
  if (fault.code === 'MULTIPLE_DOCS')
    return ['The file contains more than one document.', 'Write one recipe per file.'];
  if (fault.code === 'TAG_RESOLVE_FAILED') {
    const fix = 'Leave tags out, and put a text that begins with `!` in quotes.';
    return [`The tag of ${quoteWord(shown)} is not supported.`, fix];
  }
  const message = `This is not valid YAML: ${lowerFirst(fault.message)}.`;
  if (shown.startsWith('{')) return [message, BRACES_IN_QUOTES];
  if (fault.code === 'BAD_SCALAR_START') return [message, 'Put the text in quotes.'];
  if (fault.code !== 'BLOCK_AS_IMPLICIT_KEY') return [message];
  return [message, 'Put a text with a colon in quotes, or on lines of its own after `>-`.'];
}

const lowerFirst = (text: string) => (text.charAt(0).toLowerCase() + text.slice(1)).replace(/\.$/, '');

/** Puts a word in backquotes, truncated after 60 characters. */
export function quoteWord(word: string): string {
  return `\`${word.length > 60 ? `${word.slice(0, 60)}…` : word}\``;
}

/** Renders ` Did you mean …?`, to follow a sentence; empty if no known word is similar. */
export function quoteSuggestion(word: string, known: readonly string[]): string {
  const near = findSuggestion(word, known);
  return near === undefined ? '' : ` Did you mean ${quoteWord(near)}?`;
}

/**
 * Whether a document contains only what JSON can express. Reports everything else, and repeated keys. The parser's own
 * check for repeated keys is off, since it compares every key with every other.
 */
function isPlainData(document: Document, report: (message: string, span: OffsetRange, fix?: string) => void): boolean {
  const { visit, isScalar } = yaml();
  let plain = true;
  visit(document, {
    Map(_key, map) {
      const seen = new Set<unknown>();
      for (const { key } of map.items) {
        const name: unknown = isScalar(key) ? key.value : key;
        if (seen.has(name)) report(`The key ${quoteWord(String(name))} occurs twice.`, spanOf(key));
        seen.add(name);
      }
    },
    Pair(_key, pair: Pair) {
      if (isScalar(pair.key) && pair.key.value === '<<') {
        plain = false;
        report('Merge keys (`<<`) are not supported.', spanOf(pair.key), 'Write the fields out.');
      }
      if (isScalar(pair.key) && typeof pair.key.value === 'string') return;
      plain = false;
      report('A key must be a word.', spanOf(pair.key), 'Put the key in quotes.');
    },
    Scalar(_key, node) {
      if (typeof node.value !== 'number' || Number.isFinite(node.value)) return;
      plain = false;
      report('A number must be finite.', spanOf(node));
    },
  });
  return plain;
}

/** The span for problems without a position of their own. */
const START: OffsetRange = { start: 0, end: 1 };

function spanOf(node: unknown): OffsetRange {
  const range = (node as Node | null | undefined)?.range;
  return range ? { start: range[0], end: range[1] } : START;
}

function locate(
  document: Document,
  text: string,
  pointer: string,
  part: 'key' | 'value',
  within?: string,
): OffsetRange {
  let place: { key: unknown; node: unknown } = { key: null, node: document.contents };
  for (const segment of parsePointer(pointer)) {
    const next = child(document, place.node, segment);
    if (next === undefined) break;
    place = next;
  }
  const whole = spanOf(part === 'key' && (place.key as Node | null)?.range ? place.key : place.node);
  const inner = within === undefined || within === '' ? -1 : text.slice(whole.start, whole.end).indexOf(within);
  if (inner >= 0) return { start: whole.start + inner, end: whole.start + inner + (within ?? '').length };
  return trimmed(text, whole);
}

function child(document: Document, parent: unknown, segment: string): { key: unknown; node: unknown } | undefined {
  const { isAlias, isMap, isScalar, isSeq } = yaml();
  const node = isAlias(parent) ? parent.resolve(document) : parent;
  if (isMap(node)) {
    const pair: Pair | undefined = node.items.find(({ key }) => isScalar(key) && key.value === segment);
    return pair && { key: pair.key, node: pair.value ?? pair.key };
  }
  const item: unknown = isSeq(node) ? node.items[Number(segment)] : undefined;
  return item === undefined ? undefined : { key: null, node: item };
}

/** Excludes the white space at the end of a block scalar or collection. */
function trimmed(text: string, span: OffsetRange): OffsetRange {
  return { start: span.start, end: span.start + text.slice(span.start, span.end).trimEnd().length };
}
