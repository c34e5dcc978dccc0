import type { CommandSpec } from '../spec.js';

/** For those who write recipes (recipes.md §6). */
export const AUTHOR_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'recipe list',
    summary: 'Every recipe, with the file that won.',
    actor: 'author',
    output: 'text',
    positionals: [],
    options: [],
    exits: [0, 1, 2, 130],
    examples: [{ command: 'dev-cli recipe list', note: 'Shipped ones and those of the project.' }],
  },
  {
    name: 'recipe show',
    summary: 'One recipe as resolved, with all defaults filled in.',
    actor: 'author',
    output: 'text',
    positionals: [{ key: 'recipe', form: 'recipe', required: true, description: 'The recipe.' }],
    options: [],
    exits: [0, 1, 2, 3, 130],
    examples: [{ command: 'dev-cli recipe show release', note: 'What will really happen.' }],
  },
  {
    name: 'recipe lint',
    summary: 'Find the errors of recipes, with file, line and column.',
    actor: 'author',
    output: 'text',
    positionals: [
      {
        key: 'files',
        form: 'file',
        variadic: true,
        description: "Recipe files. Left out: all of the project's.",
      },
    ],
    options: [],
    exits: [0, 1, 2, 3, 130],
    examples: [
      { command: 'dev-cli recipe lint', note: 'All recipes of the project.' },
      { command: 'dev-cli recipe lint .dev/recipes/release-notes.yaml --json', note: 'One, for a program.' },
    ],
  },
  {
    name: 'recipe schema',
    summary: 'Print the JSON Schema of recipes.',
    actor: 'author',
    output: 'document',
    positionals: [],
    options: [],
    exits: [0, 1, 2, 130],
    examples: [{ command: 'dev-cli recipe schema', note: 'For an editor.' }],
  },
  {
    name: 'schema',
    summary: 'Print the JSON Schema of a document.',
    actor: 'author',
    output: 'document',
    positionals: [
      {
        key: 'schema',
        form: 'string',
        choices: ['recipe', 'plan-content', 'state', 'action', 'results', 'execution'],
        required: true,
        description: 'The document.',
      },
    ],
    options: [],
    exits: [0, 1, 2, 130],
    examples: [{ command: 'dev-cli schema plan-content', note: 'What a plan must hold.' }],
  },
];
