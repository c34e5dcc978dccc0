import { describe, expect, it } from 'vitest';
import { findAgentDefinition, listAgentTypes } from '../../../src/recipe/load/agent-definitions.js';
import { listRecipes, loadRecipe, loadRecipeFile, requireRecipe } from '../../../src/recipe/load/load.js';
import { findRecipe, resolveSibling } from '../../../src/recipe/load/recipe-files.js';
import { libraryWith } from './library-fixture.js';

const RECIPE = 'name: NAME\ntype: sequential\ndescription: Mine.\nblocks: [{ id: a, type: llm, instruction: x }]\n';
const mine = (name: string) => RECIPE.replace('NAME', name);

describe('the library', () => {
  it('lets a recipe of the project replace a shipped one, and says which file won', () => {
    const library = libraryWith({
      '.dev/recipes/specify-quick-autopilot.yaml': mine('specify-quick-autopilot'),
      '.dev/workflows/extra.yaml': mine('extra'),
      '.dev/recipes/extra.test.yaml': 'cases: []\n',
      '.dev/recipes/broken.yaml': 'name: broken\ntype: sequential\nblocks: []\n',
    });
    const listed = listRecipes(library);
    expect(listed.find(({ name }) => name === 'specify-quick-autopilot')).toEqual({
      name: 'specify-quick-autopilot',
      type: 'sequential',
      description: 'Mine.',
      file: '.dev/recipes/specify-quick-autopilot.yaml',
      shipped: false,
      shadows: ['dev-cli:recipes/specify-quick-autopilot.yaml'],
    });
    expect(listed.find(({ name }) => name === 'broken')?.problem).toContain('.dev/recipes/broken.yaml:3:9: ');
    expect(listed.map(({ name }) => name)).toEqual([...listed.map(({ name }) => name)].sort());
    expect(listed.map(({ name }) => name)).not.toContain('extra.test');
    expect(requireRecipe(library, 'specify-quick-autopilot').sources[0]?.shipped).toBe(false);
  });

  it('knows the shipped ones without a project', () => {
    expect(loadRecipe({ ...libraryWith(), project: null }, 'specify-quick-autopilot').captured).not.toBeNull();
  });

  it.each(['specify-quik-autopilot', '../recipes/specify-quick-autopilot', '', 'x'.repeat(65), 'constructor'])(
    'knows no recipe %j',
    (name) => {
      expect(() => findRecipe(libraryWith(), name)).toThrow(expect.objectContaining({ code: 'UNKNOWN_RECIPE' }));
    },
  );

  it('says what was probably meant', () => {
    expect(() => findRecipe(libraryWith(), 'specify-quik-autopilot')).toThrow(
      'Did you mean "specify-quick-autopilot"?',
    );
  });

  it('loads a file wherever it lies, and says when there is none', () => {
    const library = libraryWith({ 'drafts/mine.yaml': mine('mine') });
    expect(loadRecipeFile(library, '/project/drafts/mine.yaml')).toMatchObject({
      file: 'drafts/mine.yaml',
      problems: [],
    });
    expect(() => loadRecipeFile(library, '/project/none.yaml')).toThrow(
      expect.objectContaining({ code: 'UNKNOWN_RECIPE' }),
    );
  });

  it('refuses a recipe with errors, each at its place', () => {
    const library = libraryWith({ '.dev/recipes/demo.yaml': mine('dem').replace('id: a', 'id: constructor') });
    expect(() => requireRecipe(library, 'demo')).toThrow(
      expect.objectContaining({
        code: 'RECIPE_INVALID',
        details: [
          expect.objectContaining({ at: '.dev/recipes/demo.yaml:1:7', pointer: '/name' }),
          expect.objectContaining({ at: '.dev/recipes/demo.yaml:4:16', pointer: '/blocks/0/id' }),
        ],
      }),
    );
  });

  it.each([
    ['prompts/a.md', '/project/.dev/recipes/prompts/a.md'],
    ['./a.md', '/project/.dev/recipes/a.md'],
    ['../prompts/a.md', '/project/.dev/prompts/a.md'],
    ['../../../a.md', null],
    ['../../../project2/a.md', null],
    ['/etc/passwd', null],
    ['a\\b.md', null],
  ])('finds %s beside a recipe at %s', (reference, expected) => {
    expect(resolveSibling(libraryWith(), '/project/.dev/recipes/demo.yaml', reference)).toBe(expected);
  });
});

describe('agent definitions', () => {
  const library = libraryWith({
    '.dev/agents/gap-analyzer.md': '---\ndescription: Ours.\n---\nYou find gaps.\n',
    '.claude/agents/code-explorer.md': '---\ntools: Read\n---\nYou cannot write.\n',
    '.gemini/agents/reader.md': '---\ntools:\n  - read_file\n---\nYou read.\n',
    '.gemini/agents/writer.md': '---\ntools:\n  - read_file\n  - write_file\n---\n# Writer\n\nYou write. Well.\n',
    '.claude/agents/shy.md': '---\ntools: Read, Write(.dev/**), Bash(git log, git diff)\n---\nYou write a little.\n',
    '.codex/agents/scout.toml':
      'description = "Scouts"\nsandbox_mode = "read-only"\ndeveloper_instructions = """\nYou scout.\n"""\n',
    '.claude/agents/plain.md': 'No front matter at all.\n',
  });

  it.each([
    ['gap-analyzer', '.dev/agents/gap-analyzer.md', true],
    ['code-explorer', 'dev-cli:agents/code-explorer.md', true],
    ['reader', '.gemini/agents/reader.md', false],
    ['writer', '.gemini/agents/writer.md', true],
    ['shy', '.claude/agents/shy.md', true],
    ['scout', '.codex/agents/scout.toml', false],
    ['plain', '.claude/agents/plain.md', true],
  ])('%s is defined in %s; may write: %s', (type, source, maySave) => {
    expect(findAgentDefinition(library, type)).toMatchObject({ captured: { type, source }, maySave });
  });

  it('give a role in a sentence', () => {
    expect(findAgentDefinition(library, 'writer')?.captured.role).toBe('You write.');
    expect(findAgentDefinition(library, 'scout')?.captured).toMatchObject({
      description: 'Scouts',
      role: 'You scout.',
    });
  });

  it('are known by name, and by no path', () => {
    expect(listAgentTypes(library)).toEqual(expect.arrayContaining(['scout', 'writer', 'plan-reviewer']));
    expect(findAgentDefinition(library, '../agents/scout')).toBeNull();
    expect(findAgentDefinition(library, 'nobody')).toBeNull();
  });
});
