import { describe, expect, it } from 'vitest';
import { listCommandsToTrust } from '../../../src/recipe/external-commands.js';
import { findAgentDefinition } from '../../../src/recipe/load/agent-definitions.js';
import { listRecipes, loadRecipe, requireRecipe } from '../../../src/recipe/load/load.js';
import { findRecipe, listRecipeFiles, resolveSibling } from '../../../src/recipe/load/recipe-files.js';
import { parseCaptured } from '../../../src/run/captured-recipe.js';
import { libraryWith } from './library-fixture.js';

const recipe = (name: string, block = '{ id: a, type: llm, instruction: x }') =>
  `name: ${name}\ntype: sequential\nblocks: [${block}]\n`;
const PREFERENCES = '.dev/preferences.yaml';
const TEAM = 'node_modules/@team/recipes';
const INSTALLED = { [`${TEAM}/package.json`]: '{}', [PREFERENCES]: "recipes: ['@team/recipes']\n" };

/** Returns the file in which the recipe `x` is found. */
const fileOf = (files: Record<string, string>) => findRecipe(libraryWith(files), 'x').file;

describe('recipes are found', () => {
  it.each([
    ['at any depth', { '.dev/recipes/a/b/x.yaml': recipe('x') }, '.dev/recipes/a/b/x.yaml'],
    ['by either ending', { '.dev/workflows/x.yml': recipe('x') }, '.dev/workflows/x.yml'],
    [
      "in the user's directory",
      { '/home/me/.config/dev-cli/recipes/x.yaml': '' },
      '/home/me/.config/dev-cli/recipes/x.yaml',
    ],
    ['in a package', { ...INSTALLED, [`${TEAM}/workflows/x.yaml`]: '' }, `${TEAM}/workflows/x.yaml`],
    [
      'in a package above the project',
      {
        '/node_modules/up/package.json': '{}',
        '/node_modules/up/recipes/x.yaml': '',
        [PREFERENCES]: 'recipes: [up]\n',
      },
      '/node_modules/up/recipes/x.yaml',
    ],
    [
      'in a directory of the project',
      { 'tools/recipes/x.yaml': '', [PREFERENCES]: 'recipes: [./tools]\n' },
      'tools/recipes/x.yaml',
    ],
    [
      'beside the project',
      { '/team/recipes/x.yaml': '', [PREFERENCES]: 'recipes: [../team/]\n' },
      '/team/recipes/x.yaml',
    ],
    [
      'below the home',
      { '/home/me/t/recipes/x.yaml': '', [PREFERENCES]: 'recipes: [~/t]\n' },
      '/home/me/t/recipes/x.yaml',
    ],
  ])('%s', (_where, files, expected) => {
    expect(fileOf(files as Record<string, string>)).toBe(expected);
  });

  it("the project's first, then the user's, then those it names in their order, then the shipped ones", () => {
    const name = 'execute-quick';
    const places = {
      [`.dev/recipes/${name}.yaml`]: recipe(name),
      [`/home/me/.config/dev-cli/recipes/${name}.yaml`]: recipe(name),
      [`/team/recipes/${name}.yaml`]: recipe(name),
      [`${TEAM}/recipes/${name}.yaml`]: recipe(name),
    };
    const base = { ...INSTALLED, [PREFERENCES]: "recipes: [../team, '@team/recipes']\n" };
    const order = [...Object.keys(places), `dev-cli:recipes/${name}.yaml`];
    const files = listRecipeFiles(libraryWith({ ...base, ...places }));
    expect(files.filter((file) => file.name === name).map(({ file }) => file)).toEqual(order);
    const [row] = listRecipes(libraryWith({ ...base, ...places })).filter((one) => one.name === name);
    expect(row).toMatchObject({ file: order[0], shadows: order.slice(1) });
  });

  it('one of two in one place, and the other is told', () => {
    const library = libraryWith({ '.dev/recipes/x.yaml': recipe('x'), '.dev/workflows/x.yml': recipe('x') });
    const rows = listRecipes(library).filter(({ name }) => name === 'x');
    expect(rows.map(({ file, problem }) => [file, problem])).toEqual([
      ['.dev/recipes/x.yaml', undefined],
      [
        '.dev/workflows/x.yml',
        'This file is never used: `x` is the name of `.dev/recipes/x.yaml`, which takes precedence.',
      ],
    ]);
  });

  it.each([
    ['nope', 'The package `nope` is not installed. `npm install --save-dev nope` installs it.', 1],
    ['./nope', 'There is no directory `./nope`.', 1],
    ['tools', 'The package `tools` is not installed. For the directory, write ./tools.', 1],
    ['./empty', '`./empty` has none of the directories recipes, workflows, agents.', 1],
    ['7', 'must be text', 1],
  ])('unless %s leads nowhere', (entry, problem) => {
    const library = libraryWith({ [PREFERENCES]: `recipes:\n  - ${entry}\n`, 'tools/a': '', 'empty/a': '' });
    const refusal = expect.objectContaining({
      code: 'PREFERENCES_INVALID',
      details: [{ at: `${PREFERENCES}:2:5`, pointer: '/recipes/0', problem: expect.stringContaining(problem) }],
    });
    expect(() => listRecipeFiles(library)).toThrow(refusal);
    expect(() => findRecipe(library, 'execute-quick')).toThrow(refusal);
  });

  it('and no path leads out of a shared home', () => {
    const library = libraryWith({
      ...INSTALLED,
      [`${TEAM}/recipes/x.yaml`]: '',
      [`${TEAM}/p.md`]: 'x',
      'secret.md': 'x',
    });
    const from = (relative: string) => resolveSibling(library, `/project/${TEAM}/recipes/x.yaml`, relative);
    expect(from('../p.md')).toBe(`/project/${TEAM}/p.md`);
    expect(from('../../../../secret.md')).toBeNull();
  });
});

describe('a shared recipe', () => {
  const files = {
    ...INSTALLED,
    [`${TEAM}/recipes/x.yaml`]: recipe(
      'x',
      '{ id: a, type: llm, instructionFile: prompts/a.md }, { id: b, type: cli, command: [make, it] }, { id: c, type: subagent, agents: [{ type: scout }] }',
    ),
    [`${TEAM}/recipes/prompts/a.md`]: 'Do it.\n',
    [`${TEAM}/agents/scout.md`]: 'You scout.\n',
    '/home/me/.config/dev-cli/agents/rider.md': 'You ride.\n',
    '.dev/workflows/both.yaml':
      'name: both\ntype: meta\nphases: [{ name: a, recipe: x }, { name: b, recipe: execute-quick }]\n',
  };

  it('is captured with its prompts and agents, and compiled again from that', () => {
    for (const name of ['x', 'both']) {
      const captured = requireRecipe(libraryWith(files), name);
      expect(captured.homes).toEqual([TEAM]);
      expect(captured.sources.map(({ path }) => path)).toEqual(
        expect.arrayContaining([`${TEAM}/recipes/x.yaml`, `${TEAM}/agents/scout.md`, `${TEAM}/recipes/prompts/a.md`]),
      );
      expect(parseCaptured(JSON.stringify({ ...captured, compiler: 0 }))).toEqual(captured);
    }
  });

  it("is compiled again where it is the user's", () => {
    const home = '/home/me/.config/dev-cli';
    const captured = requireRecipe(
      libraryWith({
        [`${home}/recipes/y.yaml`]: recipe('y', '{ id: c, type: subagent, agents: [{ type: rider }] }'),
        [`${home}/agents/rider.md`]: 'You ride.\n',
      }),
      'y',
    );
    expect(captured.sources.map(({ path }) => path)).toEqual([`${home}/recipes/y.yaml`, `${home}/agents/rider.md`]);
    expect(parseCaptured(JSON.stringify({ ...captured, compiler: 0 }))).toEqual(captured);
  });

  it('has to be trusted with its commands', () => {
    for (const name of ['x', 'both'])
      expect(listCommandsToTrust(requireRecipe(libraryWith(files), name))).toEqual([['make', 'it']]);
  });

  it('may take its agents from any home, but nothing of the project is left out', () => {
    expect(findAgentDefinition(libraryWith(files), 'rider')?.captured.source).toBe(
      '/home/me/.config/dev-cli/agents/rider.md',
    );
    const own = libraryWith({ ...files, '.dev/agents/scout.md': 'You stay.\n' });
    expect(findAgentDefinition(own, 'scout')?.captured.source).toBe('.dev/agents/scout.md');
    expect(loadRecipe(own, 'x').problems).toEqual([]);
  });

  it('leaves a recipe without shared parts as it was', () => {
    expect(requireRecipe(libraryWith(files), 'execute-quick')).toEqual(requireRecipe(libraryWith(), 'execute-quick'));
    expect(requireRecipe(libraryWith(), 'execute-quick')).not.toHaveProperty('homes');
  });
});
