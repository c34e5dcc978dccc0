import { Type } from '@sinclair/typebox';
import type { CommandSpec } from '../spec.js';
import { choice, flag, freeText, integer, optional, pairs, word, words } from '../values.js';

/** For those who write recipes (recipes.md §6). */
export const AUTHOR_COMMANDS = [
  {
    name: 'recipe list',
    summary: 'Every recipe, with the file it is read from.',
    actor: 'author',
    output: 'text',
    readOnly: true,
    input: Type.Object({}),
    exits: [0, 1, 2, 130],
    examples: [{ command: 'dev-cli recipe list', note: 'Shipped ones and those of the project.' }],
  },
  {
    name: 'recipe show',
    summary: 'One recipe as resolved, with all defaults filled in.',
    actor: 'author',
    output: 'text',
    readOnly: true,
    positionals: ['recipe'],
    input: Type.Object({ recipe: word('The recipe.', { format: 'recipe' }) }),
    exits: [0, 1, 2, 3, 130],
    examples: [{ command: 'dev-cli recipe show release', note: 'What will really happen.' }],
  },
  {
    name: 'recipe new',
    summary: 'Write a recipe with its test, to be changed into your own.',
    description:
      'Recipe and test pass `recipe lint`, `recipe verify` and `recipe test` at once. Nothing is ever written over.',
    actor: 'author',
    output: 'text',
    positionals: ['recipe'],
    input: Type.Object({
      recipe: word('The name of the recipe.'),
      type: optional(
        choice(['sequential', 'engine', 'meta'], 'What it is made of. Default: sequential, blocks in order.'),
      ),
      from: optional(
        word('Begin with this recipe, its test, and the files that it names.', {
          format: 'recipe',
          placeholder: 'RECIPE',
        }),
      ),
      skill: flag('Write a skill of its own, too, for each harness that is found.'),
    }),
    exclusive: [['type', 'from']],
    exits: [0, 1, 2, 3, 4, 130],
    examples: [
      { command: 'dev-cli recipe new release', note: 'Four blocks with a comment each.' },
      { command: 'dev-cli recipe new hotfix --from release --skill', note: 'A copy that stands alone, as /hotfix.' },
      { command: 'dev-cli recipe new nightly --type meta', note: 'Phases, each a recipe.' },
    ],
  },
  {
    name: 'recipe lint',
    summary: 'Find the errors of recipes, with file, line and column.',
    actor: 'author',
    output: 'text',
    readOnly: true,
    positionals: ['files'],
    input: Type.Object({ files: optional(words("Recipe files. Left out: all of the project's.", { format: 'file' })) }),
    exits: [0, 1, 2, 3, 130],
    examples: [
      { command: 'dev-cli recipe lint', note: 'All recipes of the project.' },
      { command: 'dev-cli recipe lint .dev/recipes/release-notes.yaml --json', note: 'One, for a program.' },
    ],
  },
  {
    name: 'recipe simulate',
    summary: 'Try a recipe in memory: its actions as an agent gets them, with canned, scripted or random results.',
    description:
      'Nothing is written, no command is run. Without a script or a seed all goes well. It counts calls, bytes and tokens (characters divided by four).',
    actor: 'author',
    output: 'text',
    readOnly: true,
    positionals: ['recipe'],
    input: Type.Object({
      recipe: word('The recipe.', { format: 'recipe' }),
      script: optional(word('What agents and people do: YAML.', { format: 'file', placeholder: 'FILE' })),
      seed: optional(integer('N', 'Random outcomes; the same number gives the same run.')),
      step: flag('Ask at each action what is done; in a terminal.'),
      goal: optional(freeText('What the user asked for.')),
      set: optional(pairs('KEY=VALUE', 'A var or preference of the recipe, repeatable.')),
    }),
    exclusive: [['script', 'seed', 'step']],
    exits: [0, 1, 2, 3, 130],
    examples: [
      { command: 'dev-cli recipe simulate release', note: 'All goes well.' },
      { command: 'dev-cli recipe simulate release --seed 7', note: 'What chance makes of it.' },
      { command: 'dev-cli recipe simulate release --script stop.yaml --json', note: 'As the script says, whole.' },
    ],
  },
  {
    name: 'recipe test',
    summary: 'Run the tests of recipes, and count which transitions they cover.',
    description:
      'Tests are the files *.test.yaml below .dev/recipes and .dev/workflows. Each case is a run in memory, as `recipe simulate` makes it.',
    actor: 'author',
    output: 'text',
    positionals: ['files'],
    input: Type.Object({
      files: optional(words('Test files. Left out: all of the project.', { format: 'file' })),
      update: flag('Keep the snapshots that the cases now give.'),
      junit: optional(word('Write a report in the form of JUnit, too.', { format: 'file', placeholder: 'FILE' })),
      coverage: optional(
        integer('PERCENT', 'Transitions that each file must cover; a file may say its own. Default: no demand.'),
      ),
      watch: flag('Run them again whenever a file changes.'),
    }),
    exclusive: [
      ['watch', 'update'],
      ['watch', 'junit'],
    ],
    exits: [0, 1, 2, 3, 130],
    examples: [
      { command: 'dev-cli recipe test', note: 'All tests of the project.' },
      { command: 'dev-cli recipe test --coverage 100 --junit recipes.xml', note: 'In CI.' },
      { command: 'dev-cli recipe test .dev/recipes/release.test.yaml --watch', note: 'While writing one.' },
    ],
  },
  {
    name: 'recipe verify',
    summary: 'Prove that a recipe always comes to an end, or show how it does not.',
    actor: 'author',
    output: 'text',
    readOnly: true,
    positionals: ['recipes'],
    input: Type.Object({ recipes: words('The recipes.', { format: 'recipe' }) }),
    exits: [0, 1, 2, 3, 130],
    examples: [
      { command: 'dev-cli recipe verify release', note: 'Every way through it, whatever agents and people do.' },
      { command: 'dev-cli recipe verify release hotfix --json', note: 'For a program; each finding with a script.' },
    ],
  },
  {
    name: 'recipe graph',
    summary: 'Draw a recipe: its blocks, choices, ways back and bounds; and where a run of it stands.',
    actor: 'author',
    output: 'text',
    positionals: ['recipe'],
    input: Type.Object({
      recipe: word('The recipe.', { format: 'recipe' }),
      format: optional(
        choice(
          ['ascii', 'svg', 'mermaid', 'xstate'],
          'The form. Left out: by the name of --out (.txt, .svg, .mmd, .json), else ascii.',
        ),
      ),
      run: optional(word('A run of it, to mark where it stands and went.', { format: 'name', placeholder: 'NAME' })),
      out: optional(word('Write it to a file.', { format: 'file', placeholder: 'FILE' })),
    }),
    exits: [0, 1, 2, 3, 130],
    examples: [
      { command: 'dev-cli recipe graph release', note: 'In a terminal.' },
      { command: 'dev-cli recipe graph release --out release.svg', note: 'As a picture, light and dark.' },
      { command: 'dev-cli recipe graph release --run release-2 --format mermaid', note: 'How far a run is.' },
    ],
  },
  {
    name: 'recipe schema',
    summary: 'Print the JSON Schema of recipes.',
    actor: 'author',
    output: 'document',
    readOnly: true,
    input: Type.Object({}),
    exits: [0, 1, 2, 130],
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
        ['recipe', 'recipe-script', 'recipe-test', 'plan-content', 'size', 'state', 'action', 'results', 'execution'],
        'The document.',
      ),
    }),
    exits: [0, 1, 2, 130],
    examples: [{ command: 'dev-cli schema plan-content', note: 'What a plan must hold.' }],
  },
] as const satisfies readonly CommandSpec[];
