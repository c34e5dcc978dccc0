import { describe, expect, it } from 'vitest';
import { listChangedSources } from '../../../src/recipe/load/captured.js';
import { loadRecipe } from '../../../src/recipe/load/load.js';
import { parseCaptured } from '../../../src/run/captured-recipe.js';
import { libraryWith } from './library-fixture.js';

const FILES = {
  '.dev/recipes/demo.yaml': `name: demo
type: sequential
blocks:
  - { id: a, type: llm, instructionFile: prompts/a.md }
  - { id: b, type: subagent, agents: [{ type: scout, promptFile: ../prompts/b.md }, { type: gap-analyzer }] }
`,
  '.dev/recipes/prompts/a.md': 'Do {goal}.\n\nAll of it.\n',
  '.dev/prompts/b.md': 'Look.\n',
  '.dev/agents/scout.md': '---\nname: scout\ndescription: Scouts.\n---\n\nYou scout ahead. Nothing else.\n',
};
const load = (files: Record<string, string> = FILES) => {
  const { captured } = loadRecipe(libraryWith(files), 'demo');
  if (captured === null) throw new Error('does not load');
  return captured;
};

describe('capture', () => {
  it('holds every source, the recipe first, and the agents used', () => {
    const captured = load();
    expect(captured.sources.map(({ path, shipped }) => [path, shipped])).toEqual([
      ['.dev/recipes/demo.yaml', false],
      ['.dev/agents/scout.md', false],
      ['dev-cli:agents/gap-analyzer.md', true],
      ['.dev/recipes/prompts/a.md', false],
      ['.dev/prompts/b.md', false],
    ]);
    expect(captured.agents['scout']).toEqual({
      type: 'scout',
      source: '.dev/agents/scout.md',
      description: 'Scouts.',
      role: 'You scout ahead.',
      body: 'You scout ahead. Nothing else.',
    });
  });

  it('is the same value for the same files, and its digest another for any other', () => {
    expect(JSON.stringify(load())).toBe(JSON.stringify(load()));
    for (const path of Object.keys(FILES)) {
      expect(load({ ...FILES, [path]: `${FILES[path as keyof typeof FILES]}\n` }).digest).not.toBe(load().digest);
    }
  });

  it('comes back from its text', () => {
    expect(parseCaptured(JSON.stringify(load()))).toEqual(load());
  });

  it('is compiled again from its own sources under another compiler', () => {
    const older = { ...load(), compiler: 0, recipe: { ...load().recipe, blocks: [] } };
    expect(parseCaptured(JSON.stringify(older))).toEqual(load());
  });

  it('says so when its sources mean nothing to this version', () => {
    const captured = load();
    const [main, ...rest] = captured.sources;
    const foreign = { ...captured, compiler: 99, sources: [{ ...main, text: 'name: demo\ntype: spiral\n' }, ...rest] };
    expect(() => parseCaptured(JSON.stringify(foreign))).toThrow(expect.objectContaining({ code: 'STATE_NEWER' }));
  });

  it.each([
    '',
    '{',
    '[]',
    'null',
    '{"compiler":1}',
    '{"compiler":1,"digest":"x","sources":[],"recipe":{},"agents":{}}',
  ])('refuses %j', (text) => {
    expect(() => parseCaptured(text)).toThrow(expect.objectContaining({ code: 'STATE_CORRUPT' }));
  });

  it('tells which sources of the project changed since, never those shipped', () => {
    const captured = load();
    const { reader } = libraryWith({
      ...FILES,
      '.dev/prompts/b.md': 'Look!\n',
      '.dev/agents/scout.md': undefined as never,
    });
    expect(listChangedSources(captured, reader, '/project')).toEqual(['.dev/agents/scout.md', '.dev/prompts/b.md']);
    expect(listChangedSources(captured, libraryWith(FILES).reader, '/project')).toEqual([]);
  });
});
