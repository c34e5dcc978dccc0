import { Type } from '@sinclair/typebox';
import type { CommandSpec } from '../../registry/spec.js';
import { choice, flag, freeText, integer, optional, pairs, word, words } from '../../registry/values.js';

/** Commands for authors of recipes (recipes.md §6). */
export const AUTHORING_SPECS = [
  {
    name: 'recipe list',
    summary: 'List every recipe and the file that it is read from.',
    actor: 'author',
    output: 'text',
    readOnly: true,
    input: Type.Object({}),
    errors: ['PREFERENCES_INVALID'],
    examples: [{ command: 'dev-cli recipe list', note: 'Shipped recipes and the project’s own.' }],
  },
  {
    name: 'recipe show',
    summary: 'Show a recipe as resolved, with all defaults filled in.',
    actor: 'author',
    output: 'text',
    readOnly: true,
    positionals: ['recipe'],
    input: Type.Object({ recipe: word('The recipe.', { format: 'recipe' }) }),
    errors: ['UNKNOWN_RECIPE', 'RECIPE_INVALID', 'PREFERENCES_INVALID'],
    examples: [{ command: 'dev-cli recipe show release', note: 'The recipe as it is carried out.' }],
  },
  {
    name: 'recipe new',
    summary: 'Write a new recipe and its test as a starting point for your own.',
    description:
      'Both pass `recipe lint`, `recipe verify` and `recipe test` as written. No existing file is overwritten.',
    actor: 'author',
    output: 'text',
    positionals: ['recipe'],
    input: Type.Object({
      recipe: word('The name of the recipe.'),
      type: optional(
        choice(['sequential', 'engine', 'meta'], 'The kind of recipe. Default: sequential, blocks in order.'),
      ),
      from: optional(
        word('Copy this recipe, its test and the files that it names.', {
          format: 'recipe',
          placeholder: 'RECIPE',
        }),
      ),
      skill: flag('Also write a skill for it, for each harness found.'),
    }),
    exclusive: [['type', 'from']],
    errors: ['UNKNOWN_RECIPE', 'RECIPE_INVALID', 'PREFERENCES_INVALID', 'RECIPE_EXISTS'],
    examples: [
      { command: 'dev-cli recipe new release', note: 'Four commented blocks.' },
      { command: 'dev-cli recipe new hotfix --from release --skill', note: 'An independent copy, started as /hotfix.' },
      { command: 'dev-cli recipe new nightly --type meta', note: 'A workflow whose phases are recipes.' },
    ],
  },
  {
    name: 'recipe lint',
    summary: 'Find errors in recipes, with file, line and column.',
    actor: 'author',
    output: 'text',
    readOnly: true,
    positionals: ['files'],
    input: Type.Object({
      files: optional(words("Recipe files. Default: all of the project's recipes.", { format: 'file' })),
    }),
    errors: ['UNKNOWN_RECIPE', 'PREFERENCES_INVALID'],
    exitOfNo: 3,
    examples: [
      { command: 'dev-cli recipe lint', note: 'All recipes of the project.' },
      { command: 'dev-cli recipe lint .dev/recipes/release-notes.yaml --json', note: 'One recipe, for a program.' },
    ],
  },
  {
    name: 'recipe simulate',
    summary:
      'Run a recipe in memory, with canned, scripted or random results, and show the actions that an agent gets.',
    description:
      'Writes nothing and runs no command. Without --script or --seed every step succeeds. Counts calls, bytes and tokens (characters divided by four).',
    actor: 'author',
    output: 'text',
    readOnly: true,
    positionals: ['recipe'],
    input: Type.Object({
      recipe: word('The recipe.', { format: 'recipe' }),
      script: optional(word('A YAML script of what agents and people do.', { format: 'file', placeholder: 'FILE' })),
      seed: optional(integer('N', 'Random outcomes; the same seed gives the same run.')),
      step: flag('Ask for the outcome of each action; needs a terminal.'),
      goal: optional(freeText('What the user asked for.')),
      set: optional(pairs('KEY=VALUE', 'Set a var or preference of the recipe for this run; repeatable.')),
    }),
    exclusive: [['script', 'seed', 'step']],
    errors: ['UNKNOWN_RECIPE', 'DATA_MISSING', 'RECIPE_INVALID', 'PREFERENCES_INVALID', 'TERMINAL_REQUIRED'],
    exitOfNo: 3,
    examples: [
      { command: 'dev-cli recipe simulate release', note: 'Every step succeeds.' },
      { command: 'dev-cli recipe simulate release --seed 7', note: 'Random outcomes.' },
      {
        command: 'dev-cli recipe simulate release --script stop.yaml --json',
        note: 'By a script, with every action in full.',
      },
    ],
  },
  {
    name: 'recipe test',
    summary: 'Run recipe tests and report which transitions they cover.',
    description:
      'Tests are the *.test.yaml files below .dev/recipes and .dev/workflows. Each case runs in memory, as in `recipe simulate`.',
    actor: 'author',
    output: 'text',
    positionals: ['files'],
    input: Type.Object({
      files: optional(words('Test files, or names of recipes. Default: all tests of the project.', { format: 'file' })),
      update: flag('Save the current actions as the new snapshots.'),
      junit: optional(word('Also write a JUnit report.', { format: 'file', placeholder: 'FILE' })),
      coverage: optional(
        integer(
          'PERCENT',
          'The percentage of transitions that each file must cover, unless the file states its own. Default: none.',
        ),
      ),
      watch: flag('Repeat whenever a file changes.'),
    }),
    exclusive: [
      ['watch', 'update'],
      ['watch', 'junit'],
    ],
    errors: [],
    exitOfNo: 3,
    examples: [
      { command: 'dev-cli recipe test', note: 'All tests of the project.' },
      { command: 'dev-cli recipe test --coverage 100 --junit recipes.xml', note: 'In CI.' },
      { command: 'dev-cli recipe test .dev/recipes/release.test.yaml --watch', note: 'While writing a test.' },
    ],
  },
  {
    name: 'recipe verify',
    summary: 'Prove that a recipe cannot get stuck, or show the shortest way in which it does.',
    actor: 'author',
    output: 'text',
    readOnly: true,
    positionals: ['recipes'],
    input: Type.Object({ recipes: words('The recipes.', { format: 'recipe' }) }),
    errors: ['UNKNOWN_RECIPE', 'PREFERENCES_INVALID'],
    exitOfNo: 3,
    examples: [
      { command: 'dev-cli recipe verify release', note: 'Explore every path, whatever agents and people do.' },
      {
        command: 'dev-cli recipe verify release hotfix --json',
        note: 'For a program: each finding has a script that reproduces it.',
      },
    ],
  },
  {
    name: 'recipe graph',
    summary: 'Draw a recipe: its blocks, choices, loops and bounds, and the position of a run.',
    actor: 'author',
    output: 'text',
    positionals: ['recipe'],
    input: Type.Object({
      recipe: word('The recipe.', { format: 'recipe' }),
      format: optional(
        choice(
          ['ascii', 'svg', 'mermaid', 'xstate'],
          'The format. Default: by the extension of --out (.txt, .svg, .mmd, .json), else ascii.',
        ),
      ),
      run: optional(
        word('Mark where this run of the recipe is and has been.', { format: 'name', placeholder: 'NAME' }),
      ),
      out: optional(word('Write the picture to this file.', { format: 'file', placeholder: 'FILE' })),
    }),
    errors: ['UNKNOWN_RECIPE', 'RECIPE_INVALID', 'PREFERENCES_INVALID'],
    examples: [
      { command: 'dev-cli recipe graph release', note: 'In a terminal.' },
      { command: 'dev-cli recipe graph release --out release.svg', note: 'A picture for light and dark backgrounds.' },
      { command: 'dev-cli recipe graph release --run release-2 --format mermaid', note: 'How far a run has got.' },
    ],
  },
  {
    name: 'recipe schema',
    summary: 'Print the JSON Schema of recipes.',
    actor: 'author',
    output: 'document',
    readOnly: true,
    input: Type.Object({}),
    errors: [],
    examples: [{ command: 'dev-cli recipe schema', note: 'For an editor.' }],
  },
  {
    name: 'schema',
    summary: 'Print the JSON Schema of a document.',
    actor: 'author',
    output: 'document',
    readOnly: true,
    positionals: ['schema'],
    input: Type.Object({
      schema: choice(
        [
          'recipe',
          'recipe-script',
          'recipe-test',
          'plan-content',
          'size',
          'state',
          'action',
          'results',
          'execution',
          'memory-book',
          'loop-config',
          'loop-goals',
          'loop-state',
          'loop-event',
          'loop-decision',
          'protocol-task',
          'protocol-result',
        ],
        'The document.',
      ),
    }),
    errors: [],
    examples: [{ command: 'dev-cli schema plan-content', note: 'What a plan must contain.' }],
  },
] as const satisfies readonly CommandSpec[];
