import { describe, expect, it } from 'vitest';
import type { CapturedRecipe } from '../../../src/recipe/captured.js';
import { listCommandsToTrust } from '../../../src/recipe/external-commands.js';
import { recompile } from '../../../src/recipe/load/capture.js';
import { listRecipes, loadRecipe, requireRecipe } from '../../../src/recipe/load/load.js';
import { showRecipe, showWorkflow } from '../../../src/recipe/show.js';
import { libraryWith, loadDemo, told } from './library-fixture.js';

const HEAD = 'name: demo\ntype: meta\n';
const PHASE = '  - { name: a, recipe: execute-quick }\n';
const phases = (...items: string[]) => `${HEAD}phases:\n${items.map((item) => `  - { ${item} }\n`).join('')}`;
const sequential = (name: string, head: string, block = '{ id: s, type: llm, instruction: x }') =>
  `name: ${name}\ntype: sequential\n${head}blocks:\n  - ${block}\n`;

/** Other recipes of the project, to be used as phases. */
const FILES = {
  '.dev/recipes/broken.yaml': sequential('broken', '', '{ id: s, type: llm, instruction: "{nam}", when: "round +" }'),
  '.dev/recipes/typed.yaml': sequential('typed', 'preferences: { level: { type: int, description: How far. } }\n'),
  '.dev/recipes/other.yaml': sequential('other', 'preferences: { level: { type: string, description: Which. } }\n'),
  '.dev/workflows/nested.yaml': `name: nested\ntype: meta\nphases:\n${PHASE}`,
};

/** A workflow with one fault; `«` marks where it must be reported. */
interface Planted {
  rule: string;
  text: string;
  says: string;
  severity?: 'warning';
}

const PLANTED: Planted[] = [
  { rule: 'no phases', text: `${HEAD}phases: «[]\n`, says: 'empty list' },
  { rule: 'unknown recipe', text: phases('name: a, recipe: «execute-quik'), says: 'Did you mean "execute-quick"?' },
  { rule: 'a workflow in a workflow', text: phases('name: a, recipe: «nested'), says: '`nested` is a workflow itself' },
  { rule: 'itself', text: phases('name: a, recipe: «demo'), says: '`demo` is a workflow itself' },
  {
    rule: 'a recipe with errors',
    text: phases('name: a, recipe: «broken'),
    says: '`broken` has errors: .dev/recipes/broken.yaml:4:39: Unknown placeholder {nam}; did you mean {name}? (and 1 more)',
  },
  {
    rule: 'one name twice',
    text: phases('name: a, recipe: open-pr', 'name: «a, recipe: execute-quick'),
    says: 'is already taken by phase 1',
  },
  { rule: 'a name that is none', text: phases('name: «1a, recipe: open-pr'), says: '`name` cannot be `1a`' },
  { rule: 'no recipe', text: `${HEAD}phases:\n  - «{ name: a }\n`, says: '`recipe` is missing' },
  {
    rule: 'unknown preference',
    text: phases('name: a, recipe: open-pr, when: «preferences.pull_requests'),
    says: 'did you mean pull_request?',
  },
  {
    rule: 'a draft before there is one',
    text: phases('name: a, recipe: open-pr, when: «draft.intent.filled'),
    says: 'uses draft, which is not declared; it may use mode, vars, goal, preferences',
  },
  { rule: 'no truth value', text: phases('name: a, recipe: open-pr, when: «goal'), says: 'of type string' },
  {
    rule: 'two types of one preference',
    text: phases('name: a, recipe: typed', 'name: b, recipe: «other'),
    says: 'of type string in `other` and of type int elsewhere',
  },
  { rule: 'unknown policy', text: `${HEAD}phases:\n${PHASE}errorPolicy: { onFail: «skip }\n`, says: 'skip_phase' },
  {
    rule: 'a retry without end',
    text: `${HEAD}phases:\n${PHASE}errorPolicy: { onFail: { retry_phase: { max: «1000 } } }\n`,
    says: 'at most 20',
  },
  { rule: 'another name', text: `name: «other\ntype: meta\nphases:\n${PHASE}`, says: 'rename the file' },
  {
    rule: 'contradictory modes',
    text: `${HEAD}mode: { depth: «standard }\nphases:\n${PHASE}`,
    says: 'The phase `a` stays quick',
    severity: 'warning',
  },
  {
    rule: 'a var that nothing reads',
    text: `${HEAD}vars: { «level: 1 }\nphases:\n${PHASE}`,
    says: 'No phase has a var `level`',
    severity: 'warning',
  },
  {
    rule: 'skill',
    text: `${HEAD}«skill: execute\nphases:\n${PHASE}`,
    says: '`skill` has no effect here',
    severity: 'warning',
  },
];

describe('lint of workflows', () => {
  it.each(PLANTED)('$rule', ({ text, says, severity = 'error' }) => {
    const before = text.slice(0, text.indexOf('«')).split('\n');
    const { captured, problems } = loadDemo(text.replace('«', ''), FILES);
    expect(problems.map(({ message, fix }) => `${message} ${fix ?? ''}`).join('\n')).toContain(says);
    expect(problems.map(({ severity, line, column }) => ({ severity, line, column }))).toEqual([
      { severity, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 },
    ]);
    expect(captured === null).toBe(severity === 'error');
  });

  it('tells everything at once', () => {
    const text = phases('name: a, recipe: nope, when: now', 'recipe: open-pr', 'name: a, recipe: broken');
    expect(told(loadDemo(text, FILES)).map((line) => line.split(' ')[0])).toEqual([
      '4:24',
      '4:36',
      '5:5',
      '6:13',
      '6:24',
    ]);
  });

  it('is `list`ed with the first thing wrong', () => {
    const library = libraryWith({ '.dev/workflows/demo.yaml': phases('name: a, recipe: nope'), ...FILES });
    const rows = listRecipes(library).filter(({ shipped }) => !shipped);
    expect(rows.map(({ name, type, problem }) => [name, type, problem?.split(': ')[0]])).toEqual([
      ['broken', 'sequential', '.dev/recipes/broken.yaml:4:39'],
      ['demo', 'meta', '.dev/workflows/demo.yaml:4:24'],
      ['nested', 'meta', undefined],
      ['other', 'sequential', undefined],
      ['typed', 'sequential', undefined],
    ]);
  });
});

/** Loads a workflow of the project and returns its capture. */
function captured(text: string, files: Record<string, string> = {}): CapturedRecipe {
  const { captured: found, problems } = loadRecipe(libraryWith({ '.dev/workflows/demo.yaml': text, ...files }), 'demo');
  if (found === null) throw new Error(problems.map(({ message }) => message).join('\n'));
  return found;
}

describe('a captured workflow', () => {
  const text = phases('name: a, recipe: specify-quick-autopilot', 'name: b, recipe: execute-quick');

  it('holds the recipes, sources and agents of all phases', () => {
    const found = captured(text);
    expect(found.recipe.name).toBe('specify-quick-autopilot');
    expect(found.workflow?.phases.map(({ recipe }) => recipe.type)).toEqual(['sequential', 'engine']);
    const paths = found.sources.map(({ path }) => path);
    expect(paths).toEqual([...new Set(paths)]);
    expect(paths[0]).toBe('.dev/workflows/demo.yaml');
    expect(paths).toEqual(expect.arrayContaining(['dev-cli:recipes/execute-quick.yaml', 'dev-cli:agents/worker.md']));
    expect(Object.keys(found.agents)).toEqual(expect.arrayContaining(['code-explorer', 'worker']));
  });

  it('has another digest when the recipe of a phase is another', () => {
    const files = { '.dev/recipes/execute-quick.yaml': 'name: execute-quick\ntype: engine\n' };
    expect(captured(text, files).digest).not.toBe(captured(text).digest);
  });

  it('is compiled again from what was captured, with what init has settled', () => {
    const found = captured(text);
    expect(recompile({ ...found, compiler: 0 })).toEqual(found);
    const { workflow } = found;
    if (workflow === undefined) throw new Error('no workflow');
    const [first, ...rest] = workflow.phases.map((phase) => ({
      ...phase,
      recipe: { ...phase.recipe, mode: { depth: 'quick', interaction: 'autopilot' }, vars: { x: 'set' } },
    }));
    if (first === undefined) throw new Error('no phase');
    const settled = { ...found, recipe: first.recipe, workflow: { ...workflow, phases: [first, ...rest] } };
    expect(recompile({ ...settled, compiler: 0 })).toEqual(settled);
  });

  it('is to be trusted for what the project itself runs in any phase, and for nothing shipped', () => {
    const shell = sequential('open-pr', 'skill: open\n', '{ id: s, type: cli, command: make all }');
    expect(listCommandsToTrust(captured(phases('name: pr, recipe: open-pr')))).toEqual([]);
    const replaced = { '.dev/recipes/open-pr.yaml': shell };
    expect(listCommandsToTrust(captured(phases('name: pr, recipe: open-pr'), replaced))).toEqual([['make', 'all']]);
    expect(listCommandsToTrust(requireRecipe(libraryWith(replaced), 'ultrawork'))).toEqual([['make', 'all']]);
  });

  it('is shown with all defaults, in words that load again', () => {
    const found = captured(
      `${phases('name: a, recipe: open-pr, when: preferences.pull_request')}description: Opens one.\n`,
    );
    if (found.workflow === undefined) throw new Error('no workflow');
    const shown = showWorkflow(found.workflow);
    expect(shown).toMatch(/errorPolicy:\n {2}onFail: halt/);
    // `toMatchObject`, because `showWorkflow` adds the defaults for the end of a run.
    expect(captured(shown).workflow).toMatchObject(found.workflow);
    expect(showRecipe(found.recipe)).not.toBe(shown);
  });
});
