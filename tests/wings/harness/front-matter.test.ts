// A harness that cannot parse the front matter of a skill or agent ignores it without an error. The skill or agent then
// has no name, no description, and no list of what it may use.

import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import fastGlob from 'fast-glob';
import { describe, expect, it } from 'vitest';
import { splitFrontMatter } from '../../../src/documents/front-matter.js';
import { HARNESS_IDS } from '../../../src/generated/harnesses.js';
import { listPieces, type ShippedFiles } from '../../../src/wings/harness/install/pieces.js';

const read = (pattern: string, getName: (path: string) => string): Record<string, string> =>
  Object.fromEntries(fastGlob.sync(pattern).map((path) => [getName(path), readFileSync(path, 'utf8')]));

const SHIPPED: ShippedFiles = {
  skills: read('skills/*/SKILL.md', (path) => basename(dirname(path))),
  agents: read('agents/*.md', (path) => basename(path, '.md')),
  hook: '',
  schemas: { recipe: '', 'recipe-test': '', 'recipe-script': '' },
};

/** Lists the Markdown files of a harness whose front matter does not parse, or lacks a name or a description. */
function listUnreadable(harness: (typeof HARNESS_IDS)[number], shipped: ShippedFiles): string[] {
  return listPieces(harness, 'project', shipped).flatMap((piece) => {
    if (piece.kind !== 'file' || !/(?:SKILL|agents\/[^/]+)\.md$/.test(piece.path)) return [];
    const matter = splitFrontMatter(piece.content);
    const { name, description } = matter.kind === 'found' ? matter.data : {};
    return typeof name === 'string' && typeof description === 'string' ? [] : [piece.path];
  });
}

describe('every skill and agent that is installed has front matter that parses', () => {
  it.each(HARNESS_IDS)('%s', (harness) => {
    expect(listUnreadable(harness, SHIPPED)).toEqual([]);
  });

  it('and a description with an unquoted colon is found', () => {
    const skills = { broken: '---\nname: broken\ndescription: Plans a change: explores\n---\nText\n' };
    expect(listUnreadable('claude', { ...SHIPPED, skills })).toEqual([expect.stringContaining('broken/SKILL.md')]);
  });
});
