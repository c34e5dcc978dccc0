import { relative, resolve } from 'node:path';
import { type ParseError, parseTree } from 'jsonc-parser';
import { DevCliError } from '../../base/errors.js';
import type { DocumentReader } from '../../base/files.js';
import type { ImportFormat } from '../../base/import-formats.js';
import { toBoundedLine } from '../../documents/foreign.js';
import { isNested } from '../../plan/markdown/parse.js';
import { MAX_LEVELS } from '../../plan/markdown/visible.js';
import { isTaskHeading } from './formats/superpowers.js';
import type { ImportSource } from './import-plan.js';
import type { SourceFile } from './source-plan.js';

/** Finds and reads the source of an import: only inside the project, and only of a reasonable size. */

/** Maximum size in bytes of all files of a source. */
const MAX_SOURCE = 400_000;
/** Maximum number of files in a source, and maximum depth of directories. */
const MAX_FILES = 200;
const MAX_DEPTH = 5;

interface Given {
  files: DocumentReader;
  /** Absolute path of the root. */
  root: string;
  /** Absolute path of the current directory; `path` is relative to it. */
  cwd: string;
  path: string;
  format: ImportFormat | undefined;
}

/**
 * Reads the files that a path refers to: one plan file, or those of a change or a feature.
 * @throws DevCliError `DATA_MISSING` if nothing is there; `DATA_MALFORMED` for a source that is outside the project,
 * too large, not text, or contains several plans
 */
export function readImportSource({ files, root, cwd, path, format }: Given): ImportSource {
  const place = relative(root, resolve(cwd, path)).replaceAll('\\', '/');
  if (/^(?:\.\.(?:\/|$)|\/|[A-Za-z]:)/.test(place)) throw malformedSourceError(path, 'is outside the project');
  const { kind } = files.facts(`/${place}`);
  const nexus = format === undefined || format === 'nexus' ? findNexus(files, place) : null;
  if (nexus !== null) return readNexus(files, nexus);
  switch (kind) {
    case 'missing':
      throw new DevCliError('DATA_MISSING', `${show(path)} does not exist.`, {
        details: [{ target: path, problem: 'missing' }],
        fix: 'Name the file or the directory of the plan, relative to the current directory.',
      });
    case 'outside':
      throw malformedSourceError(path, 'leads out of the project');
    case 'special':
      throw malformedSourceError(path, 'is neither a file nor a directory');
    case 'directory':
      return readDirectory(files, chooseDirectory(files, place, path), format, path);
    case 'file': {
      const parent = place.includes('/') ? place.slice(0, place.lastIndexOf('/')) : '';
      const directory = format === 'markdown' || format === 'superpowers' ? null : findFormat(files, parent);
      if (directory !== null && isPart(place)) return readDirectory(files, parent, format ?? directory, path);
      if (format === 'openspec' || format === 'speckit') return readDirectory(files, parent, format, path);
      return readOne(files, place, format);
    }
  }
}

/** Finds the neutral contract's `state` directory at or below a path, by its tasks.json; null if there is none. */
function findNexus(files: DocumentReader, place: string): string | null {
  const candidates = [
    join(place, 'state'),
    join(place),
    ...(/(?:^|\/)tasks\.json$/.test(place) ? [join(place, '..')] : []),
  ];
  const found = candidates.map((path) => resolve('/', path).slice(1));
  return found.find((path) => path.endsWith('state') && files.facts(join(path, 'tasks.json')).kind === 'file') ?? null;
}

function readNexus(files: DocumentReader, state: string): ImportSource {
  const paths = ['tasks.json', 'plan.json'].map((name) => `${state}/${name}`);
  const there = paths.filter((path) => files.facts(`/${path}`).kind !== 'missing');
  return { format: 'nexus', name: 'nexus', files: readAll(files, there, refuseOther) };
}

/** Refuses a file that is not valid JSON: of a truncated file, the parser would silently read only a part. */
function refuseOther({ path, text, unreadable = [] }: SourceFile): number {
  const errors: ParseError[] = [];
  try {
    parseTree(text, errors, { disallowComments: true });
  } catch (error) {
    if (error instanceof RangeError) throw malformedSourceError(path, 'is nested too deeply');
    throw error;
  }
  if (errors.length > 0 || unreadable.length > 0) throw malformedSourceError(path, 'is not JSON in UTF-8');
  return 0;
}

/** Returns whether a file name is one of those from which a change of OpenSpec or a feature of spec-kit consists. */
function isPart(place: string): boolean {
  return /(?:^|\/)(?:proposal|tasks|spec|plan|design)\.md$/.test(place);
}

/** Returns the format of a directory, according to its files; null if it holds neither a change nor a feature. */
function findFormat(files: DocumentReader, directory: string): 'openspec' | 'speckit' | null {
  const has = (name: string) => files.facts(join(directory, name)).kind === 'file';
  if (has('proposal.md')) return 'openspec';
  return has('spec.md') || (has('tasks.md') && has('plan.md')) ? 'speckit' : null;
}

/** Returns the only change or feature below a directory, or the directory itself if it is one or contains none. */
function chooseDirectory(files: DocumentReader, place: string, path: string): string {
  if (findFormat(files, place) !== null) return place;
  const below = ['', 'changes', 'specs', 'openspec/changes'].map((part) => [place, part].filter(Boolean).join('/'));
  const found = new Set<string>();
  for (const directory of below) {
    for (const name of files.list(`/${directory}`)) {
      const inside = [directory, name].filter(Boolean).join('/');
      if (name !== 'archive' && files.facts(`/${inside}`).kind === 'directory' && findFormat(files, inside) !== null)
        found.add(inside);
    }
  }
  const all = [...found];
  if (all.length === 1) return all[0] ?? place;
  if (all.length === 0) return place;
  throw severalError(path, all);
}

function readDirectory(
  files: DocumentReader,
  place: string,
  given: ImportFormat | undefined,
  path: string,
): ImportSource {
  const format = given ?? findFormat(files, place);
  if (format !== 'openspec' && format !== 'speckit') {
    const texts = files.list(`/${place}`).filter((name) => /\.md$/i.test(name));
    const [only, ...more] = texts.map((name) => [place, name].filter(Boolean).join('/'));
    if (only !== undefined && more.length === 0) return readOne(files, only, format ?? undefined);
    if (only !== undefined) throw severalError(path, [only, ...more]);
    throw new DevCliError('DATA_MISSING', `There is no plan in ${show(path)}.`, {
      details: [
        {
          target: path,
          problem: 'contains neither a tasks.md beside a proposal.md, spec.md or plan.md, nor any Markdown',
        },
      ],
      fix: 'Name the directory of a change or a feature, or the file of a plan.',
    });
  }
  const wanted =
    format === 'openspec'
      ? ['proposal.md', 'design.md', 'tasks.md', ...listBelow(files, place, 'specs', path)]
      : ['spec.md', 'plan.md', 'tasks.md'];
  const paths = wanted
    .map((name) => [place, name].filter(Boolean).join('/'))
    .filter((each) => files.facts(`/${each}`).kind !== 'missing');
  const read = readAll(files, paths);
  if (!read.some(({ path: each }) => each.endsWith('tasks.md'))) {
    throw new DevCliError('DATA_MISSING', `There is no tasks.md in ${show(place || '.')}.`, {
      details: [{ target: path, problem: `a plan of ${format} must have its tasks in tasks.md` }],
      fix: 'Have the tasks written first, or name another format with --format.',
    });
  }
  const unread = listBeside(files, place, wanted).map((name) => [place, name].filter(Boolean).join('/'));
  return { format, name: place.slice(place.lastIndexOf('/') + 1), files: read, unread: unread.slice(0, MAX_FILES) };
}

/**
 * Lists other Markdown files in a directory and its direct subdirectories; an empty list for the root of the project,
 * where unrelated files would be listed too.
 */
function listBeside(files: DocumentReader, place: string, wanted: readonly string[]): string[] {
  if (place === '') return [];
  const names = files
    .list(join(place, ''))
    .flatMap((name) => [name, ...files.list(join(place, name)).map((inner) => `${name}/${inner}`)]);
  return names.filter(
    (name) =>
      /\.md$/i.test(name) &&
      !wanted.includes(name) &&
      !name.startsWith('specs/') &&
      files.facts(join(place, name)).kind === 'file',
  );
}

/** Lists the Markdown files below `start`, as paths relative to `place`. */
function listBelow(files: DocumentReader, place: string, start: string, path: string): string[] {
  const found: string[] = [];
  const open = [start];
  for (let at = open.shift(); at !== undefined; at = open.shift()) {
    if (at.split('/').length > MAX_DEPTH)
      throw malformedSourceError(path, `has directories more than ${MAX_DEPTH} deep`);
    for (const name of files.list(join(place, at))) {
      const inside = `${at}/${name}`;
      const { kind } = files.facts(join(place, inside));
      if (kind === 'directory') open.push(inside);
      else if (/\.md$/i.test(name)) found.push(inside);
      if (found.length > MAX_FILES || open.length > MAX_FILES)
        throw malformedSourceError(path, `has more than ${MAX_FILES} files`);
    }
  }
  return found.sort();
}

function readOne(files: DocumentReader, place: string, format: ImportFormat | undefined): ImportSource {
  const [file] = readAll(files, [place]) as [SourceFile];
  return { format: format ?? recogniseFile(file), name: place.slice(place.lastIndexOf('/') + 1), files: [file] };
}

/** @param count refuses a file by its content, or returns how many of its lines count towards `MAX_LINES` */
function readAll(files: DocumentReader, paths: readonly string[], count = refuseLines): SourceFile[] {
  let size = 0;
  let lines = 0;
  return paths.map((path) => {
    const facts = files.facts(`/${path}`);
    if (facts.kind === 'outside') throw malformedSourceError(path, 'leads out of the project');
    if (facts.kind !== 'file') throw malformedSourceError(path, 'is not a file');
    size += facts.size;
    if (size > MAX_SOURCE) throw malformedSourceError(path, `makes the source larger than ${MAX_SOURCE} bytes`);
    const file = decode(path, files.read(`/${path}`) ?? Buffer.alloc(0));
    lines += count(file);
    if (lines > MAX_LINES) throw malformedSourceError(path, `makes the source longer than ${MAX_LINES} lines`);
    return file;
  });
}

/** Maximum number of lines in all files of a source, and of characters in a line. */
const MAX_LINES = 10_000;
const MAX_LINE = 20_000;
const ENTRY = /^[ \t>]*(?=(?:[-*+]|\d{1,9}[.)])[ \t])/;

/**
 * Refuses lines so long, or lists so deeply nested, that the Markdown parser would take too long. Nobody writes such
 * lines by hand.
 * @returns the number of lines
 */
function refuseLines({ path, text }: SourceFile): number {
  const lines = text.split(/\r\n?|\n/);
  const indents: number[] = [];
  for (const [index, line] of lines.entries()) {
    const place = `${path}:${index + 1}`;
    if (line.length > MAX_LINE) throw malformedSourceError(place, `is longer than ${MAX_LINE} characters`);
    const [before] = ENTRY.exec(line) ?? [];
    if (before !== undefined) {
      const indent = before.replaceAll('\t', '    ').length;
      while ((indents.at(-1) ?? -1) >= indent) indents.pop();
      indents.push(indent);
    }
    if (isNested(line) || indents.length > MAX_LEVELS)
      throw malformedSourceError(place, `lies more than ${MAX_LEVELS} levels deep`);
  }
  return lines.length;
}

/** Maximum number of invalid lines that are left out; a file with more is refused. */
const MAX_UNREADABLE = 20;

/** Decodes a file as UTF-8; an invalid line is left out, and reported later. */
function decode(path: string, bytes: Buffer): SourceFile {
  const strict = new TextDecoder('utf-8', { fatal: true });
  try {
    return { path, text: strict.decode(bytes) };
  } catch {
    // Some lines are invalid; find out which.
  }
  const unreadable: { line: number; text: string }[] = [];
  // Latin-1 maps each byte to one character and back, so the bytes can be split into lines and each line decoded alone.
  const lines = bytes.toString('latin1').split('\n');
  const read = lines.map((line, index) => {
    const part = Buffer.from(line, 'latin1');
    try {
      return strict.decode(part);
    } catch {
      unreadable.push({ line: index + 1, text: part.toString('utf8') });
      return '';
    }
  });
  const isText = !bytes.includes(0) && read.some((line) => line.trim() !== '');
  if (isText && unreadable.length > MAX_UNREADABLE) {
    const first = unreadable.slice(0, NAMED).map(({ line }) => line);
    throw malformedSourceError(
      path,
      `has ${unreadable.length} lines that are not UTF-8 text; at most ${MAX_UNREADABLE} are allowed: ${first.join(', ')}, …`,
    );
  }
  if (!isText) throw malformedSourceError(path, 'is not UTF-8 text');
  return { path, text: read.join('\n'), unreadable };
}

function join(...parts: string[]): string {
  return `/${parts.filter((part) => part !== '').join('/')}`;
}

function show(path: string): string {
  return JSON.stringify(toBoundedLine(path, 300));
}

/** Builds the refusal of a source. */
export function malformedSourceError(path: string, problem: string): DevCliError {
  return new DevCliError('DATA_MALFORMED', `${show(path)} ${problem}; it is not imported.`, {
    details: [{ target: path, problem }],
    fix: 'Name a plan inside the project: a file, or the directory of a change or a feature, of at most 400 kB.',
  });
}

/** Maximum number of candidates, or of invalid lines, that an error names. */
const NAMED = 10;

function severalError(path: string, all: readonly string[]): DevCliError {
  const shown = all.slice(0, NAMED).map((each) => toBoundedLine(each, 200));
  return new DevCliError('DATA_MALFORMED', `${show(path)} contains several plans: ${all.length}.`, {
    details: shown.map((target) => ({ target, problem: 'one of several' })),
    fix: `Name one of them: ${shown.join(', ')}${all.length > NAMED ? ', …' : ''}`,
  });
}

/** Recognizes the format of a single file by its lines. */
function recogniseFile({ text }: SourceFile): ImportFormat {
  const headings = [...text.matchAll(/^ {0,3}#{2,4}[ \t]+(.+)$/gm)].map(([, title = '']) => title);
  const hasTasks = headings.some((title) => isTaskHeading(title.trim()));
  const hasSteps = /^\s*(?:[-*] \[.?\] )?\*\*(?:Step\b|Files\s*:)/m.test(text);
  if (hasTasks && (hasSteps || /\bsuperpowers:[\w-]+/.test(text))) return 'superpowers';
  return /^\s*[-*] \[.?\] \**T\d{2,}/m.test(text) ? 'speckit' : 'markdown';
}
