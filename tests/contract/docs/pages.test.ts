import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { BLOCK_KINDS } from '../../../src/machine/block-kinds.js';
import { CHECKOUT } from '../../support/project.mjs';

const DOCS = readdirSync(join(CHECKOUT, 'docs'), { recursive: true, encoding: 'utf8' });
/** Pages for those who change dev-cli, with their maximum bytes: nobody reads a longer page before each change. */
const WORKING: Readonly<Record<string, number>> = {
  'CONTRIBUTING.md': 6000,
  'AGENTS.md': 2000,
  'docs/architecture.md': 16_000,
};
const PAGES = [
  'README.md',
  ...Object.keys(WORKING).filter((page) => !page.startsWith('docs/')),
  ...DOCS.filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`),
];
const textOf = (page: string) => readFileSync(join(CHECKOUT, page), 'utf8');

/** Lists links of a page that lead to a missing file or heading. */
function deadLinks(page: string, text: string): string[] {
  const links = [...text.matchAll(/\[[^\]]*\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return links.filter((target) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? page : join(dirname(page), path);
    if (!existsSync(join(CHECKOUT, file))) return true;
    return anchor !== undefined && !anchorsOf(textOf(file)).includes(anchor);
  });
}

function anchorsOf(text: string): string[] {
  const headings = [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replace(/ /g, '-'),
  );
}

/** Lists JSON and YAML blocks of a page that do not parse. */
function brokenBlocks(text: string): string[] {
  const blocks = [...text.matchAll(/^```(json|yaml)\n([\s\S]*?)^```$/gm)];
  return blocks.flatMap(([, language, block = '']) => (parses(language === 'json', block) ? [] : [block]));
}

function parses(json: boolean, block: string): boolean {
  if (!json) return parseAllDocuments(block).every(({ errors }) => errors.length === 0);
  try {
    JSON.parse(block);
    return true;
  } catch {
    return false;
  }
}

/** Lists scripts that a page runs but package.json does not have. */
function missingScripts(text: string): string[] {
  const { scripts } = JSON.parse(textOf('package.json')) as { scripts: object };
  return [...text.matchAll(/npm run ([\w:]+)/g)].map(([, script = '']) => script).filter((name) => !(name in scripts));
}

/** Text that a page must not contain: directories of somebody's machine, hosts of package registries. */
const FOREIGN = /(?:^|[\s"'`(=])\/(?:work|tmp|home|root|Users)\/|registry\.[a-z]+\.[a-z]+/m;

describe('the pages', () => {
  it.each(PAGES)('%s: links lead somewhere, blocks parse, under 300 lines, nothing of one machine', (page) => {
    const text = textOf(page);
    expect(deadLinks(page, text)).toEqual([]);
    expect(brokenBlocks(text)).toEqual([]);
    expect(text.split('\n').length).toBeLessThan(300);
    expect(text).not.toMatch(FOREIGN);
  });

  it.each(Object.entries(WORKING))('%s: at most %i bytes, and every script that it names is there', (page, most) => {
    const text = textOf(page);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(most);
    expect(missingScripts(text)).toEqual([]);
    expect(missingScripts('`npm run nothing`, `npm run lint && npm test`')).toEqual(['nothing']);
  });

  it('would be caught with a dead link, a dead anchor, a broken block, a foreign path', () => {
    const page = 'docs/run-protocol.md';
    expect(deadLinks(page, '[a](nowhere.md) [b](errors.md) [c](../README.md#install) [d](#nothing)')).toEqual([
      'nowhere.md',
      '#nothing',
    ]);
    expect(brokenBlocks('```json\n{ "a": }\n```\n```yaml\na: [b\n```\n```yaml\na: b\n```\n')).toHaveLength(2);
    expect('cd /home/me/project').toMatch(FOREIGN);
  });

  it('are all linked from docs/README.md, which the README links; those of the contract from its own', () => {
    const linked = (from: string, page: string) => textOf(from).includes(`](${relative(dirname(from), page)})`);
    const from = (page: string) =>
      page.startsWith('docs/spec/') && page !== 'docs/spec/README.md' ? 'docs/spec/README.md' : 'docs/README.md';
    const fronts = ['README.md', 'docs/README.md'];
    expect(PAGES.filter((page) => !fronts.includes(page) && !linked(from(page), page))).toEqual([]);
    expect(linked('README.md', 'docs/README.md')).toBe(true);
  });
});

const ARCHITECTURE = textOf('docs/architecture.md');
const ROOT = readdirSync(CHECKOUT);
const ROOMS = readdirSync(join(CHECKOUT, 'src')).filter((name) => name !== 'generated');
const FILES = ['src', 'tests', 'scripts', 'bench'].flatMap((directory) =>
  readdirSync(join(CHECKOUT, directory), { recursive: true, encoding: 'utf8' }).map((path) => `${directory}/${path}`),
);

/** Finds a file that a page names, relative to the root, to src/, or to tests/ in the section on tests. */
function fileNamed(path: string): string | undefined {
  const found = ['', 'src/', 'tests/'].map((base) => `${base}${path}`).find((file) => existsSync(join(CHECKOUT, file)));
  return found ?? (path.includes('/') ? undefined : FILES.find((file) => file.endsWith(`/${path}`)));
}

const FOLDERS = [...ROOMS, ...ROOT];

/**
 * Lists paths in code spans that lead nowhere: source files, and paths that begin with a room or a folder of the root.
 */
function deadPaths(text: string): string[] {
  const spans = [...text.matchAll(/`([\w./-]+)`/g)].map(([, span = '']) => span);
  const isPath = (span: string) =>
    /\.(?:ts|mjs)$/.test(span) || FOLDERS.some((folder) => span.startsWith(`${folder}/`));
  return spans.filter((span) => isPath(span) && fileNamed(span) === undefined);
}

/** Lists functions named directly after a path, as in `path` `one`, `another`, each with its path. */
function functionsNamed(text: string): [path: string, name: string][] {
  const flat = text.replace(/\s+/g, ' ');
  return [...flat.matchAll(/`([\w./-]+\.ts)`((?:,? `[A-Za-z_]\w*`)+)/g)].flatMap(([, path = '', names = '']) =>
    [...names.matchAll(/\w+/g)].map(([name]): [string, string] => [path, name]),
  );
}

function isDeclared([path, name]: [path: string, name: string]): boolean {
  const file = fileNamed(path);
  if (file === undefined) return false;
  const declared = `(?:function\\*?|const|class|interface|type) ${name}\\b`;
  const method = `^\\s+(?:async )?${name}(?:\\(|: \\()`;
  return new RegExp(`${declared}|${method}`, 'm').test(textOf(file));
}

const { forbidden: RULES } = createRequire(import.meta.url)('../../../.dependency-cruiser.cjs') as {
  forbidden: { name: string; comment?: string }[];
};

/**
 * Lists the imports between rooms that lint allows although the page's picture draws the imported room above the
 * importing one. Each is given as `room: imported`.
 */
function importedFromBelow(drawn: readonly string[]): string[] {
  return drawn.flatMap((room, at) => {
    const { comment = '' } = RULES.find(({ name }) => name === `room-${room}`) ?? {};
    const allowed = comment.slice(comment.indexOf('only ')).match(/[a-z]+/g) ?? [];
    return allowed.filter((other) => drawn.slice(0, at).includes(other)).map((other) => `${room}: ${other}`);
  });
}

describe('the pages about the code', () => {
  it.each([
    ['docs/architecture.md', 40] as const,
    ['docs/architecture-walks.md', 100] as const,
    ['docs/decisions.md', 0] as const,
    ['tests/README.md', 0] as const,
    ...ROOT.filter((name) => name.endsWith('.md') && name !== 'CHANGELOG.md').map((page) => [page, 0] as const),
  ])('%s names paths that are there, and functions that are in their files', (page, least) => {
    const text = textOf(page);
    expect(deadPaths(text)).toEqual([]);
    const named = functionsNamed(text);
    expect(named.length).toBeGreaterThanOrEqual(least);
    expect(named.filter((one) => !isDeclared(one))).toEqual([]);
  });

  it('would be caught with a dead path, a function of another file', () => {
    expect(
      deadPaths('`run/nothing.ts`, `src/jobs/nowhere`, `docs/no.md`, `views/`, `jobs/job.ts`, `nobody.ts`'),
    ).toEqual(['run/nothing.ts', 'src/jobs/nowhere', 'docs/no.md', 'nobody.ts']);
    const named = functionsNamed('`jobs/life.ts` `awaitJob`,\n  `awaitNothing` → `jobs/none.ts` `launch`: `not this`');
    expect(named.filter((one) => !isDeclared(one))).toEqual([
      ['jobs/life.ts', 'awaitNothing'],
      ['jobs/none.ts', 'launch'],
    ]);
  });

  it('draws every room, above all that it may import', () => {
    const drawn = [...ARCHITECTURE.matchAll(/^[a-z ]{16}([a-z]+)\/ {2,}/gm)].map(([, room = '']) => room);
    expect([...drawn].sort()).toEqual([...ROOMS].sort());
    expect(importedFromBelow(drawn)).toEqual([]);
    expect(importedFromBelow(drawn.toReversed())).toContain('blocks: jobs');
  });
});

/** Lists types of block without a section in the recipe reference, or without a row in the contract. */
function undescribed(types: readonly string[], reference: string, contract: string): string[] {
  return types.flatMap((type) => [
    ...(reference.includes(`\n### \`${type}\`: `) ? [] : [`${type}: docs/recipe-language.md`]),
    ...(contract.includes(`\n| \`${type}\` `) ? [] : [`${type}: docs/spec/recipes.md`]),
  ]);
}

/**
 * Lists types of block that are missing in the protocol's tables, which list the action and the acknowledgement of each
 * type.
 */
function unasked(types: readonly string[], protocol: string): string[] {
  const tables = [
    { heading: 'Kinds of action', cell: 2 },
    { heading: 'Evidence', cell: 1 },
  ];
  return tables.flatMap(({ heading, cell }) => {
    const [table = ''] = (protocol.split(`\n### ${heading}\n`)[1] ?? '').split('\n### ');
    const told = table.split('\n').flatMap((row) => row.split('|')[cell]?.split(/[\s`,]+/) ?? []);
    return types.filter((type) => !told.includes(type)).map((type) => `${type}: docs/spec/protocol.md, ${heading}`);
  });
}

describe('the reference of recipes', () => {
  const [reference, contract] = [textOf('docs/recipe-language.md'), textOf('docs/spec/recipes.md')];
  const protocol = textOf('docs/spec/protocol.md');

  it('describes every type of block', () => {
    const types = Object.keys(BLOCK_KINDS).filter((type) => type !== 'engine');
    const asking = Object.entries(BLOCK_KINDS).flatMap(([type, { by }]) => (by === 'cli' ? [] : type));
    expect([...undescribed(types, reference, contract), ...unasked(asking, protocol)]).toEqual([]);
  });

  it('would be caught without one', () => {
    const [less, row] = [reference.replace('### `llm`', '### llm'), contract.replace('| `cli` ', '| cli ')];
    expect(undescribed(['cli', 'llm', 'checklist'], less, row)).toEqual([
      'cli: docs/spec/recipes.md',
      'llm: docs/recipe-language.md',
      'checklist: docs/recipe-language.md',
      'checklist: docs/spec/recipes.md',
    ]);
    expect(unasked(['llm', 'checklist'], protocol.replace('| `llm`            | its', '| `other` | its'))).toEqual([
      'checklist: docs/spec/protocol.md, Kinds of action',
      'llm: docs/spec/protocol.md, Evidence',
      'checklist: docs/spec/protocol.md, Evidence',
    ]);
  });
});
