import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CHECKOUT } from '../../support/project.mjs';

// Comments cite docs/spec/ in the two forms defined in its README; each citation must name an existing heading. Files
// and folders named in comments must exist, too.

const SPEC = join(CHECKOUT, 'docs/spec');
const PAGES = new Map(
  readdirSync(SPEC)
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .map((name) => [name, headingsOf(readFileSync(join(SPEC, name), 'utf8'))]),
);

/**
 * Matches the file name of a page of docs/spec/, but not within a path (`docs/run-protocol.md` is a guide), a longer
 * name (`own-recipes.md`) or a link, which leads to a guide.
 */
const CITED = new RegExp(`(?<![\\w./-]|\\[|\\]\\()(?:${[...PAGES.keys()].join('|').replaceAll('.', '\\.')})`, 'g');

/** Lists the headings of a page without formatting, except those in fenced code. */
function headingsOf(text: string): string[] {
  const prose = text.replace(/^```[\s\S]*?^```$/gm, '');
  return [...prose.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => heading.replaceAll('`', ''));
}

/** Lists the wrong citations of a text, one per line. */
function wrongCitations(text: string): string[] {
  // A citation may continue on the next line of a comment.
  const flat = text.replace(/\n\s*(?:\*|\/\/|#)(?!\/) ?/g, ' ');
  return [...flat.matchAll(CITED)].flatMap(({ 0: page, index }) => {
    const behind = flat.slice(index + page.length, index + page.length + 100);
    return isCitation(PAGES.get(page) ?? [], behind) ? [] : [`${page}${behind.slice(0, 40)}`];
  });
}

/** @param behind the text after the page's name */
function isCitation(headings: readonly string[], behind: string): boolean {
  // A number followed by a comma is not accepted: it would seem to cite a subsection as well, and nothing checks
  // subsections.
  const number = /^ §(\d+)(?![\d,])/.exec(behind)?.[1];
  if (number !== undefined) return headings.some((heading) => heading.startsWith(`${number}. `));
  return headings.some((heading) => {
    const cited = `, ${heading}`;
    return behind.startsWith(cited) && !/^[\w-]/.test(behind.slice(cited.length));
  });
}

function sources(): string[] {
  return ['src', 'tests', 'scripts', 'bench'].flatMap((directory) =>
    readdirSync(join(CHECKOUT, directory), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(?:tsx?|mjs|cjs|js|md)$/.test(entry.name))
      .map((entry) => relative(CHECKOUT, join(entry.parentPath, entry.name))),
  );
}

/** Runs a check on the sources; returns its findings, each prefixed with the file's name. */
function findWrong(find: (text: string, file: string) => string[]): string[] {
  const here = relative(CHECKOUT, import.meta.filename);
  return sources()
    .filter((file) => file !== here && !file.startsWith('src/generated/'))
    .flatMap((file) => find(readFileSync(join(CHECKOUT, file), 'utf8'), file).map((wrong) => `${file}: ${wrong}`));
}

const COMMENT = /(?<!\S)(?:\/\*[\s\S]*?\*\/|\/\/.*(?:\n\s*\/\/.*)*)/g;

/** A file in a folder, a folder with a trailing slash, or a source file alone. Paths in `.dev/` belong to users. */
const PATH = /^(?:(?:\.\.?|[\w-][\w.-]*)\/)+(?:[\w-][\w.-]*\.(?:[cm]?js|ts|md))?$|^[\w-][\w.-]*\.(?:ts|mjs)$/;

const TOP = readdirSync(CHECKOUT);

/**
 * Lists the paths of this repository in a comment. Backticks may also contain a user's paths, so there a path must
 * begin at the root.
 */
function pathsIn(comment: string): string[] {
  const prose = comment
    .replace(/^\s*(?:\/?\*+|\/\/)/gm, ' ')
    .replace(/`([^`]*)`/g, (_, quoted: string) => (TOP.includes(quoted.split('/')[0] ?? '') ? quoted : ' '));
  return prose
    .split(/[\s(),;:]+/)
    .map((word) => word.replace(/\.$/, ''))
    .filter((word) => PATH.test(word));
}

/** Lists named paths that do not exist, relative to a folder above the file, to the root or to src/. */
function wrongPaths(text: string, file: string): string[] {
  const bases = ['src'];
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    bases.push(folder);
    if (folder === '.') break;
  }
  const isThere = (path: string) => bases.some((base) => existsSync(join(CHECKOUT, base, path)));
  return [...text.matchAll(COMMENT)].flatMap(([comment]) => pathsIn(comment)).filter((path) => !isThere(path));
}

describe('citations of docs/spec', () => {
  it('lead to a page and a heading', () => {
    expect(findWrong(wrongCitations)).toEqual([]);
  });

  it('are not told apart by a heading that is there twice', () => {
    const doubled = [...PAGES].flatMap(([page, headings]) =>
      headings.filter((heading, at) => headings.indexOf(heading) !== at).map((heading) => `${page}, ${heading}`),
    );
    expect(doubled).toEqual([]);
  });

  it.each([
    ['a page that is named alone', '// As it stands (storage.md).', 1],
    ['a section that is not there', '// protocol.md §9', 1],
    ['a heading that is not there', '/** A lock (storage.md, A lock). */', 1],
    ['a heading with more behind it', '// engine.md, Wavest', 1],
    ['a section with a heading behind it', '// protocol.md §1, Root', 1],
    ['both forms, also over two lines', '/**\n * Both (protocol.md §3; storage.md,\n * A commit).\n */', 0],
    ['a guide of that name', '// docs/run-protocol.md and engine-recipes.md', 0],
  ])('would be caught: %s', (_, text, count) => {
    expect(wrongCitations(text)).toHaveLength(count);
  });
});

describe('files and folders in comments', () => {
  it('are there', () => {
    expect(findWrong(wrongPaths)).toEqual([]);
  });

  it.each([
    ['a file named alone', '/** Only noted: rules.ts reports it. */', ['rules.ts']],
    ['a file of a room', 'read(); // As in jobs/job.ts and\n  // jobs/none/job.ts.', ['jobs/none/job.ts']],
    [
      'a file from the root',
      '/**\n * Tried (tests/forms.mjs, `scripts/none.mjs`).\n */',
      ['tests/forms.mjs', 'scripts/none.mjs'],
    ],
    ['a page', '// docs/errors.md, docs/faults.md', ['docs/faults.md']],
    ['a folder', '/** In adapters/ and act/, below src/engine/ and `src/motor/`. */', ['adapters/', 'src/motor/']],
    ['a name of another folder', '// registry/parse.ts, parse.ts and ../hot.ts', ['parse.ts', '../hot.ts']],
    ['nothing of a user', '/** `findings/one.md`, `Modify: src/a.ts`, `dir/`, .dev/goal.md; https://a.io/b/ */', []],
    ['nothing of the code', "const path = 'src/api.ts'; import('./none.js');", []],
  ])('would be caught: %s', (_, text, dead) => {
    expect(wrongPaths(text, 'src/engine/core/step.ts')).toEqual(dead);
  });
});
