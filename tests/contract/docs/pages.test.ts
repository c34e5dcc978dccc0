import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { CHECKOUT } from '../../support/project.mjs';

const DOCS = readdirSync(join(CHECKOUT, 'docs'), { recursive: true, encoding: 'utf8' });
const PAGES = ['README.md', ...DOCS.filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)];
const textOf = (page: string) => readFileSync(join(CHECKOUT, page), 'utf8');

/** Links of a page that lead to no file, or to no heading of it. */
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

/** JSON and YAML blocks of a page that do not parse. */
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

/** What must not stand in a page: directories of somebody's machine, hosts of package registries. */
const FOREIGN = /(?:^|[\s"'`(=])\/(?:work|tmp|home|root|Users)\/|registry\.[a-z]+\.[a-z]+/m;

describe('the pages', () => {
  it.each(PAGES)('%s: links lead somewhere, blocks parse, under 300 lines, nothing of one machine', (page) => {
    const text = textOf(page);
    expect(deadLinks(page, text)).toEqual([]);
    expect(brokenBlocks(text)).toEqual([]);
    expect(text.split('\n').length).toBeLessThan(300);
    expect(text).not.toMatch(FOREIGN);
  });

  it('would be caught with a dead link, a dead anchor, a broken block, a foreign path', () => {
    const page = 'docs/protocol.md';
    expect(deadLinks(page, '[a](nowhere.md) [b](errors.md) [c](../README.md#install) [d](#nothing)')).toEqual([
      'nowhere.md',
      '#nothing',
    ]);
    expect(brokenBlocks('```json\n{ "a": }\n```\n```yaml\na: [b\n```\n```yaml\na: b\n```\n')).toHaveLength(2);
    expect('cd /home/me/project').toMatch(FOREIGN);
  });

  it('are all reachable from the README; those of the contract by its own', () => {
    const linked = (from: string, page: string) => textOf(from).includes(`](${relative(dirname(from), page)})`);
    const from = (page: string) =>
      page.startsWith('docs/spec/') && page !== 'docs/spec/README.md' ? 'docs/spec/README.md' : 'README.md';
    expect(PAGES.filter((page) => page !== 'README.md' && !linked(from(page), page))).toEqual([]);
  });
});
