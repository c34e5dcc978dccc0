import type { Document, Node, Pair, YAMLParseError } from 'yaml';
import { defined } from '../base/defined.js';
import { loadLazily } from '../base/lazy.js';
import { locateOffset, type RecipeProblem, type Span } from './problem.js';

const yaml = loadLazily<typeof import('yaml')>('yaml');

/** Several times what any recipe needs; on hostile text the parser's time grows with the square of its length. */
const MAX_LENGTH = 64 * 1024;
/** Each use of an alias counts for all it stands for, so that nested aliases cannot grow without bound. */
const MAX_ALIASES = 100;
/** More complaints of the parser than these only repeat the first. */
const MAX_FAULTS = 20;

/** A parsed YAML file that knows where everything stands. */
export interface YamlSource {
  /** The path as the user knows it. */
  file: string;
  text: string;
  /** The document as plain data; undefined when it does not parse or is no mapping. */
  value: Record<string, unknown> | undefined;
  problems: RecipeProblem[];
  /**
   * Where the value (or the key) at a JSON pointer stands; the nearest enclosing one when there is none.
   * @param within narrows the span to this text inside the value, where it stands there literally
   */
  locate(pointer: string, part: 'key' | 'value', within?: string): Span;
}

/** Makes a JSON pointer of keys. */
export function toPointer(...keys: (string | number)[]): string {
  return keys.map((key) => `/${String(key).replace(/~/g, '~0').replace(/\//g, '~1')}`).join('');
}

/** The keys of a JSON pointer. */
export function parsePointer(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replace(/~1/g, '/').replace(/~0/g, '~'));
}

/**
 * Parses YAML, all problems at once; never throws, whatever the text.
 * @param file the path as the user knows it
 */
export function parseYaml(text: string, file: string): YamlSource {
  const source: YamlSource = { file, text, value: undefined, problems: [], locate: () => ({ start: 0, end: 1 }) };
  const report = (message: string, span: Span, fix?: string) => {
    source.problems.push({
      severity: 'error',
      message,
      file,
      ...locateOffset(text, span),
      ...defined({ fix }),
    });
  };
  if (text.length > MAX_LENGTH) {
    report(
      `The file is larger than ${MAX_LENGTH / 1024} KiB.`,
      { start: 0, end: 1 },
      'Move long texts to prompt files.',
    );
    return source;
  }
  try {
    const document = yaml().parseDocument(text, { prettyErrors: false, logLevel: 'error', uniqueKeys: false });
    const faults = [...document.errors, ...document.warnings];
    for (const fault of faults.slice(0, MAX_FAULTS)) {
      const [message, fix] = explain(fault, text);
      report(message, { start: fault.pos[0], end: fault.pos[1] }, fix);
    }
    source.locate = (pointer, part, within) => locate(document, text, pointer, part, within);
    if (faults.length > 0 || !onlyPlainData(document, report)) return source;
    if (!yaml().isMap(document.contents)) {
      report('A mapping of fields is expected here.', spanOf(document.contents) ?? { start: 0, end: 1 });
      return source;
    }
    source.value = document.toJS({ maxAliasCount: MAX_ALIASES }) as Record<string, unknown>;
  } catch (error) {
    // The parser has no limit on depth and reports alias bombs by throwing.
    const why = error instanceof RangeError ? 'It is nested too deeply.' : readFirstLine(error);
    report(`The YAML cannot be read. ${why}`, { start: 0, end: 1 });
    source.value = undefined;
  }
  return source;
}

function readFirstLine(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') : '';
}

/** A parser's complaint in our words where it has a usual cause. */
function explain(fault: Pick<YAMLParseError, 'code' | 'message' | 'pos'>, text: string): [string, string?] {
  const shown = text.slice(fault.pos[0], fault.pos[1]).split('\n')[0] ?? '';
  if (fault.code === 'TAB_AS_INDENT') return ['A tab cannot indent YAML.', 'Indent with blanks.'];
  if (fault.code === 'MULTIPLE_DOCS') return ['The file holds more than one document.', 'Write one recipe per file.'];
  if (fault.code === 'TAG_RESOLVE_FAILED')
    return [`The tag of ${quoteWord(shown)} is not supported.`, 'Leave tags out.'];
  return [`This is not valid YAML: ${lowerFirst(fault.message)}.`];
}

const lowerFirst = (text: string) => (text.charAt(0).toLowerCase() + text.slice(1)).replace(/\.$/, '');

/** A word in backquotes, short and on one line. */
export function quoteWord(word: string): string {
  return `\`${word.length > 60 ? `${word.slice(0, 60)}…` : word}\``;
}

/**
 * Refuses what JSON cannot say, before plain data is made of the document, and reports keys that stand twice: the parser's
 * own check for these compares every key with every other.
 */
function onlyPlainData(document: Document, report: (message: string, span: Span, fix?: string) => void): boolean {
  const { visit, isScalar } = yaml();
  let plain = true;
  visit(document, {
    Map(_key, map) {
      const seen = new Set<unknown>();
      for (const { key } of map.items) {
        const name: unknown = isScalar(key) ? key.value : key;
        if (seen.has(name))
          report(`The key ${quoteWord(String(name))} stands here twice.`, spanOf(key) ?? { start: 0, end: 1 });
        seen.add(name);
      }
    },
    Pair(_key, pair: Pair) {
      if (isScalar(pair.key) && typeof pair.key.value === 'string') return;
      plain = false;
      report('A key is a word.', spanOf(pair.key) ?? { start: 0, end: 1 }, 'Put the key into quotes.');
    },
    Scalar(_key, node) {
      if (typeof node.value !== 'number' || Number.isFinite(node.value)) return;
      plain = false;
      report('A number is finite.', spanOf(node) ?? { start: 0, end: 1 });
    },
  });
  return plain;
}

function spanOf(node: unknown): Span | undefined {
  const range = (node as Node | null | undefined)?.range;
  return range ? { start: range[0], end: range[1] } : undefined;
}

function locate(document: Document, text: string, pointer: string, part: 'key' | 'value', within?: string): Span {
  let place: { key: unknown; node: unknown } = { key: null, node: document.contents };
  for (const segment of parsePointer(pointer)) {
    const next = child(document, place.node, segment);
    if (next === undefined) break;
    place = next;
  }
  const whole = (part === 'key' ? spanOf(place.key) : undefined) ?? spanOf(place.node) ?? { start: 0, end: 1 };
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

/** Without the white space a block scalar or collection ends with. */
function trimmed(text: string, span: Span): Span {
  return { start: span.start, end: span.start + text.slice(span.start, span.end).trimEnd().length };
}
