import { posix } from 'node:path';
import type { MatchedLine } from './lines.js';

/**
 * Finds the files that import others, judging by single lines (loop-operations.md, Explore). Paths are relative to one
 * root, with `/`.
 */

const SCRIPTS = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs'];
const ENDS = ['', ...SCRIPTS, '.d.ts', '.json', ...SCRIPTS.map((end) => `/index${end}`)];
const S = '[[:space:]]';

/**
 * For each language: its file endings, a pattern for lines that may import, and a function that lists the files that
 * such lines import. Git matches the pattern as a POSIX one, without backtracking, because a line may be huge.
 */
export const LANGUAGES = [
  {
    ends: SCRIPTS,
    buildPattern: (names: string) =>
      `/(${names})([.][A-Za-z.]+)?/?["'\`?]|["'\`][.][./]*["'\`]|(import|require)${S}*[(]${S}*$`,
    listImported: (importer: string, lines: readonly MatchedLine[]): string[][] =>
      lines.flatMap(({ line, text }, n) => {
        // A long dynamic import has its specifier on the next line.
        const before = lines[n - 1];
        const isGoing = before?.line === line - 1 && /\b(?:import|require)\s*\(\s*$/.test(before.text);
        const code = /^\s*(?:\/\/|\*)/.test(text) ? '' : isGoing ? `import(${text}` : text;
        const found = code.matchAll(
          /\b(?:from|import|require)\s{0,9}\(?\s{0,99}(?:\/\*.{0,200}?\*\/\s{0,9})?["'`](\.[^"'`?]*)/g,
        );
        return [...found].map(([, specifier = '']) => {
          const base = posix.join(posix.dirname(importer), specifier).replace(/\/$/, '');
          const typed = /\.[mc]?jsx?$/.test(base)
            ? [base.replace(/js(x?)$/, 'ts$1'), base.replace(/jsx?$/, 'tsx')]
            : [];
          return [...typed, ...ENDS.map((end) => posix.normalize(base + end))];
        });
      }),
  },
  {
    ends: ['.py', '.pyi'],
    buildPattern: (names: string) =>
      `(^|[[:space:].,(])(${names})([[:space:].,);#]|$)|^${S}*from${S}+([.]+${S}*import|[^[:space:]]+${S}+import${S}*[(])`,
    listImported: (importer: string, lines: readonly MatchedLine[]): string[][] => {
      let open = { module: '', until: -1 };
      return lines.flatMap(({ line, text }) => {
        const [, from, after] = /^\s*from\s+(\.+|\.*[^\s.]\S*)\s*\bimport\b(.*)/.exec(text) ?? [];
        if (from !== undefined) open = { module: from, until: /\([^)]*$/.test(text) ? line + 200 : -1 };
        const isListed = line <= open.until && /^[\s\w,]*\)?\s*(?:#.*)?$/.test(text);
        const list = after ?? /^\s*import\s(.*)/.exec(text)?.[1] ?? (isListed ? text : '');
        const module = from ?? (isListed ? open.module : undefined);
        const names = list
          .replace(/[#;].*/, '')
          .split(',')
          .flatMap((one) => /[^\s()*]+/.exec(one)?.[0] ?? []);
        const inside = names.map((name) => (module === undefined ? name : module.replace(/(?<=[^.])$/, '.') + name));
        return [...(from === undefined ? [] : [from]), ...inside].map((one) => listModules(importer, one));
      });
    },
  },
] as const;

/** Lists the files that a Python module may be: beside its importer, in a directory above, or in a `src` there. */
function listModules(importer: string, module: string): string[] {
  const [, dots = '', name = ''] = /^(\.*)(.*)$/.exec(module) ?? [];
  const above = posix.dirname(importer).split('/');
  const places = above.map((_, n) => above.slice(0, above.length - n).join('/'));
  const all = [...places, '.'].flatMap((place) => [place, `${place}/src`]);
  const bases = dots === '' ? all : [posix.join(posix.dirname(importer), '../'.repeat(dots.length - 1))];
  const paths = bases.map((base) => posix.join(base, name.replaceAll('.', '/')).replace(/\/$/, ''));
  return paths.flatMap((path) => ['.py', '/__init__.py', '.pyi'].map((end) => posix.normalize(path + end)));
}

/**
 * Returns the names under which files are imported, as alternatives of a POSIX pattern. An index file may also be
 * imported by the name of its directory.
 */
export function nameForImports(paths: readonly string[]): string {
  const names = paths.flatMap((path) => {
    const name = posix.basename(path).replace(/(?:\.d)?(?<=.)\.[^.]+$/, '');
    return /^(?:index|__init__)$/.test(name) ? [name, posix.basename(posix.dirname(path))] : [name];
  });
  const usable = [...new Set(names)].filter((name) => !name.includes('\n'));
  return usable.map((name) => name.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&')).join('|');
}

/** Returns whether a file is a test, judging by its path. */
export const isTest = (path: string): boolean =>
  /(?:^|\/)(?:tests?|__tests__)\/|(?:^|\/)test_[^/]*$|[^/][._-](?:test|spec)s?\.[^/]+$/.test(path);
