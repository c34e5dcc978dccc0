import { describe, expect, it } from 'vitest';
import type { CapturedRecipe } from '../../../src/recipe/captured.js';
import {
  DEFAULT_ARTIFACTS,
  getClosing,
  isGuarded,
  keepsSources,
  listArtifacts,
  listInherited,
} from '../../../src/recipe/declared.js';
import { listStartableRecipes } from '../../../src/recipe/load/beginners.js';
import { requireRecipe } from '../../../src/recipe/load/load.js';
import { libraryWith } from './library-fixture.js';

const step = 'blocks:\n  - { id: s, type: llm, instruction: x }\n';
const drafting = 'blocks:\n  - { id: s, type: llm, instruction: x, read: [DRAFT.md] }\n';

function captured(head: string, blocks = step): CapturedRecipe {
  const text = `name: demo\ntype: sequential\n${head}${blocks}`;
  return requireRecipe(libraryWith({ '.dev/recipes/demo.yaml': text }), 'demo');
}

function declared({ recipe, workflow }: CapturedRecipe) {
  return {
    guarded: isGuarded(recipe),
    kept: keepsSources(recipe),
    inherits: listInherited(recipe),
    closing: getClosing({ recipe, ...(workflow === undefined ? {} : { workflow }) })
      .split(' ')
      .slice(0, 4)
      .join(' '),
    goal: recipe.usesGoal,
  };
}

const PLAN = ['PLAN.md', 'plan-content.json'];

describe('what a recipe leaves open', () => {
  it.each([
    ['specify', { guarded: true, kept: true, inherits: [], closing: 'Show the user the', goal: true }],
    ['open', { guarded: true, kept: true, inherits: PLAN, closing: 'Tell the user what', goal: false }],
    ['execute', { guarded: true, kept: false, inherits: PLAN, closing: 'Tell the user what', goal: false }],
    ['release', { guarded: false, kept: false, inherits: PLAN, closing: 'Tell the user what', goal: false }],
    // Every object inherits a property named `constructor`; such a skill must be treated like any unknown one.
    ['constructor', { guarded: false, kept: false, inherits: PLAN, closing: 'Tell the user what', goal: false }],
  ])('follows from the skill %s', (skill, expected) => {
    expect(declared(captured(`skill: ${skill}\n`, drafting))).toEqual(expected);
  });

  it('stays out of what is captured, so that older captures mean the same', () => {
    const fields = Object.keys(captured('skill: specify\n').recipe);
    for (const field of ['guardSources', 'inherits', 'artifacts', 'closing', 'begins'])
      expect(fields).not.toContain(field);
    expect(captured('skill: specify\n').recipe.guardWrites).toBeNull();
  });
});

describe('what a recipe states', () => {
  it('counts, whatever its skill', () => {
    const stated = 'guard: { sources: free }\ninherits: [notes.md]\nclosing: Show the notes.\n';
    expect(declared(captured(`skill: specify\n${stated}`))).toEqual({
      guarded: true,
      kept: false,
      inherits: ['notes.md'],
      closing: 'Show the notes.',
      goal: false,
    });
    const other = captured('skill: release\nguard: { sources: kept }\ngoal: required\n');
    expect(declared(other)).toMatchObject({ guarded: true, kept: true, goal: true });
    expect(other.recipe.guardWrites).toEqual([]);
    expect(isGuarded(captured('guard: { writes: [docs/**] }\n').recipe)).toBe(true);
  });

  it('names its artifacts; a workflow those of its phases after the usual ones', () => {
    const notes = `name: notes\ntype: sequential\nartifacts: [notes.md, PLAN.md]\n${step}`;
    const flow = (head: string) => `name: demo\ntype: meta\n${head}phases:\n  - { name: a, recipe: notes }\n`;
    const workflow = (head: string) =>
      requireRecipe(libraryWith({ '.dev/workflows/demo.yaml': flow(head), '.dev/recipes/notes.yaml': notes }), 'demo');
    expect(listArtifacts(captured(''))).toEqual(DEFAULT_ARTIFACTS);
    expect(listArtifacts(captured('artifacts: [a.md]\n'))).toEqual(['a.md']);
    expect(listArtifacts(workflow(''))).toEqual([...DEFAULT_ARTIFACTS, 'notes.md']);
    expect(listArtifacts(workflow('artifacts: [notes.md]\n'))).toEqual(['notes.md']);
    expect(getClosing(workflow('closing: Done.\n'))).toBe('Done.');
  });
});

describe('the recipes that init begins by itself', () => {
  it('are one for each mode of planning and for each depth of an execution', () => {
    const modes = listStartableRecipes(libraryWith(), 'planning').map(
      ({ mode }) => `${mode['depth']} ${mode['interaction']}`,
    );
    expect(modes.sort()).toEqual([
      'quick autopilot',
      'quick interactive',
      'standard autopilot',
      'standard interactive',
    ]);
    const depths = listStartableRecipes(libraryWith(), 'execution').map(({ mode }) => mode);
    expect(depths).toEqual(expect.arrayContaining([{ depth: 'quick' }, { depth: 'standard' }]));
    expect(depths).toHaveLength(2);
  });

  it('are first those of the project; a file that replaces one that is begun need not say so', () => {
    const own = `name: own\ntype: sequential\nbegins: planning\nmode: { depth: quick }\n${step}`;
    const silent = `name: execute-quick\ntype: engine\n`;
    const library = libraryWith({
      '.dev/recipes/own.yaml': own,
      '.dev/recipes/execute-quick.yaml': silent,
      '.dev/recipes/broken.yaml': 'begins: [planning\n',
    });
    expect(listStartableRecipes(library, 'planning')[0]).toEqual({
      name: 'own',
      skill: 'own',
      mode: { depth: 'quick' },
    });
    expect(listStartableRecipes(library, 'execution').map(({ name }) => name)).toContain('execute-quick');
  });
});
