import { describe, expect, it } from 'vitest';
import { listExternalCommands } from '../../../src/recipe/external-commands.js';
import { listRecipes, requireRecipe } from '../../../src/recipe/load/load.js';
import type { ResolvedBlock, ResolvedRecipe, SubagentBlock } from '../../../src/recipe/resolved.js';
import { showRecipe } from '../../../src/recipe/show.js';
import { SPECIFY_BLOCKS, SPECIFY_RECIPES } from '../../support/recipes.mjs';
import { libraryWith, loadDemo } from './library-fixture.js';

const library = libraryWith();
const recipes: Record<string, ResolvedRecipe> = Object.fromEntries(
  listRecipes(library).map(({ name }) => [name, requireRecipe(library, name).recipe]),
);
/** The types of recipes that are not sequential, by the first word of their name. */
const TYPES: Record<string, string> = { execute: 'engine', ultrawork: 'meta' };

/** The type of the blocks of a kind. The two kinds of blocks with subagents share one type. */
type BlockOf<K> = K extends SubagentBlock['kind'] ? SubagentBlock : Extract<ResolvedBlock, { kind: K }>;

function block<K extends ResolvedBlock['kind']>(recipe: string, id: string, kind: K): BlockOf<K> {
  const found = recipes[recipe]?.blocks.find((candidate) => candidate.id === id);
  if (found?.kind !== kind) throw new Error(`${recipe} has no ${kind} ${id}`);
  return found as BlockOf<K>;
}

describe('the shipped recipes', () => {
  it('are listed with the file that won, and lint clean', () => {
    const listed = listRecipes(library);
    expect(listed.map(({ name }) => name)).toEqual(expect.arrayContaining(SPECIFY_RECIPES));
    for (const { name, problem, shipped, file, type } of listed) {
      expect({ name, problem, shipped, file, type }).toEqual({
        name,
        problem: undefined,
        shipped: true,
        file: `dev-cli:${name.startsWith('ultrawork') ? 'workflows' : 'recipes'}/${name}.yaml`,
        type: TYPES[name.split('-')[0] ?? ''] ?? 'sequential',
      });
    }
  });

  it.each(SPECIFY_RECIPES)('%s has the blocks of the table', (name) => {
    expect(recipes[name]?.blocks.map(({ id }) => id)).toEqual(SPECIFY_BLOCKS[name]);
    const [, depth, interaction] = name.split('-');
    expect(recipes[name]).toMatchObject({
      skill: 'specify',
      mode: { depth, interaction },
      usesDraft: true,
      usesGoal: true,
    });
    expect(recipes[name]?.blocks[0]).toMatchObject({ kind: 'cli', standsForInit: true });
  });

  it('explore and analyse with the agents of the table, all of which may fail', () => {
    const full = block('specify-standard-interactive', 'explore-full', 'subagent');
    expect(full.agents.map(({ type }) => type)).toEqual([
      'code-explorer',
      'code-explorer',
      'docs-researcher',
      'ux-reviewer',
    ]);
    expect(full).toMatchObject({
      onError: { kind: 'continue' },
      onComplete: { command: 'draft import' },
      maxRounds: 1,
    });
    const lite = block('specify-quick-autopilot', 'explore-lite', 'subagent');
    expect(lite.agents.map(({ id }) => id)).toEqual(['code-explorer-1', 'code-explorer-2']);
    const analysis = block('specify-standard-autopilot', 'analyze-full', 'subagent');
    expect(analysis.agents.map(({ id, when }) => [id, when])).toEqual([
      ['gap-analyzer', undefined],
      ['tradeoff-analyzer', undefined],
      ['verification-planner', undefined],
      ['external-researcher', 'preferences.external_research'],
    ]);
    expect(block('specify-quick-interactive', 'analyze-lite', 'subagent').agents).toMatchObject([
      { id: 'tradeoff-analyzer', promptVariant: 'lite' },
    ]);
  });

  it('interview until the draft is valid, asking the user', () => {
    expect(block('specify-standard-interactive', 'interview', 'llm-loop')).toMatchObject({
      asks: 'user',
      maxRounds: 20,
      sections: ['purpose', 'boundaries', 'criteria', 'decisions'],
      exitCheck: { command: 'draft validate', input: { name: '{name}' } },
    });
  });

  it('review in three rounds in standard, rewriting the plan in between, and once in quick', () => {
    for (const name of ['specify-standard-interactive', 'specify-standard-autopilot']) {
      expect(block(name, 'review', 'subagent-loop')).toMatchObject({ maxRounds: 3, revise: 'generate-plan' });
    }
    expect(block('specify-quick-autopilot', 'review', 'subagent').agents[0]?.output).toBe('reviews/{round}.md');
  });

  it('are approved by a person', () => {
    expect(block('specify-quick-interactive', 'approve-plan', 'wait-for-user')).toMatchObject({
      human: true,
      artifact: 'PLAN.md',
      choices: [
        { id: 'approve', goto: 'next' },
        { id: 'revise', goto: 'generate-plan', reasonRequired: true, when: 'size != "small"' },
        { id: 'change', goto: 'plan-small', reasonRequired: true, when: 'size == "small"' },
        { id: 'bigger', goto: 'classify-intent', grows: true, when: 'size != "large"' },
        { id: 'stop', goto: 'halt' },
      ],
    });
  });

  it.each(['ultrawork', 'ultrawork-autopilot'])(
    '%s plans, opens a pull request where one is wanted, carries out',
    (name) => {
      const { workflow } = requireRecipe(library, name);
      const interaction = name.endsWith('-autopilot') ? 'autopilot' : 'interactive';
      expect(workflow).toMatchObject({ mode: { depth: 'standard', interaction }, errorPolicy: { kind: 'halt' } });
      expect(workflow?.phases.map((phase) => [phase.name, phase.recipe.name, phase.when])).toEqual([
        ['plan', `specify-standard-${interaction}`, undefined],
        ['pr', 'open-pr', 'preferences.pull_request'],
        ['implement', 'execute-standard', undefined],
      ]);
    },
  );

  it('open-pr runs nothing from outside but dev-cli itself', () => {
    expect(listExternalCommands(requireRecipe(library, 'open-pr').recipe)).toEqual([
      ['dev-cli', 'pull-request', 'branch', '{name}'],
      ['dev-cli', 'pull-request', 'open', '{name}'],
    ]);
    expect(recipes['open-pr']).toMatchObject({ skill: 'open', mode: {}, usesGoal: false, usesDraft: false });
    expect(block('open-pr', 'describe', 'llm+cli')).toMatchObject({
      write: 'pr.json',
      schema: 'schemas/pull-request.json',
    });
  });

  it('are plain JSON', () => {
    for (const name of Object.keys(recipes)) {
      const captured = requireRecipe(library, name);
      expect(JSON.parse(JSON.stringify(captured))).toEqual(captured);
      expect(JSON.stringify(requireRecipe(libraryWith(), name))).toBe(JSON.stringify(captured));
    }
  });

  it('give instructions that fit into an action', () => {
    const blocks = Object.values(recipes).flatMap((recipe) => recipe.blocks.filter((b) => 'instruction' in b));
    expect(blocks.length).toBeGreaterThan(20);
    for (const { instruction } of blocks) {
      expect(instruction.length).toBeGreaterThan(20);
      expect(instruction.length).toBeLessThanOrEqual(600);
    }
  });

  it.each([
    ['open-pr', requireRecipe(library, 'open-pr').recipe],
    [
      'a short one',
      loadDemo(
        'name: demo\ntype: sequential\nblocks:\n  - { id: a, type: wait-for-user }\n  - { id: b, type: subagent, agents: [{ type: code-explorer }] }\n  - { id: c, type: llm-loop, instruction: x, exitCheck: make }\n',
      ).captured?.recipe,
    ],
  ])('are shown without what cannot be written: %s', (_name, recipe) => {
    const shown = recipe === undefined ? '' : showRecipe(recipe).replace(/^name: .*/, 'name: demo');
    const files = {
      '.dev/recipes/prompts/describe-pull-request.md': 'x',
      '.dev/recipes/schemas/pull-request.json': '{}',
    };
    expect(loadDemo(shown, files).problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it('are shown in words of the language: what is shown loads again', () => {
    for (const name of SPECIFY_RECIPES) {
      const recipe = recipes[name];
      if (recipe === undefined) throw new Error(name);
      const shown = showRecipe(recipe).replace(/^name: .*/, 'name: demo');
      const prompts = Object.fromEntries(
        [...shown.matchAll(/prompts\/[\w-]+\.md/g)].map(([file]) => [`.dev/recipes/${file}`, 'Look around.\n']),
      );
      expect(loadDemo(shown, prompts).problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    }
  });
});
