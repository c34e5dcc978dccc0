import { Type } from '@sinclair/typebox';
import type { CommandSpec } from '../spec.js';
import { choice, optional, word, words } from '../values.js';

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
      schema: choice(['recipe', 'plan-content', 'size', 'state', 'action', 'results', 'execution'], 'The document.'),
    }),
    exits: [0, 1, 2, 130],
    examples: [{ command: 'dev-cli schema plan-content', note: 'What a plan must hold.' }],
  },
] as const satisfies readonly CommandSpec[];
