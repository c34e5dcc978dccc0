import type { CommandSpec } from '../spec.js';
import { NOTE, OPTIONAL_NAME, REQUIRED_NAME } from './values.js';

/** For the person beside the agent (protocol.md §5). */
export const PEOPLE_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'status',
    summary: 'Who waits for whom, since when, and what you can do.',
    actor: 'person',
    output: 'text',
    positionals: [OPTIONAL_NAME],
    options: [],
    exits: [0, 1, 2, 130],
    examples: [{ command: 'dev-cli status add-auth', note: 'One run, block by block.' }],
  },
  {
    name: 'list',
    summary: 'All runs of this project.',
    actor: 'person',
    output: 'text',
    positionals: [],
    options: [],
    exits: [0, 1, 2, 130],
    examples: [
      { command: 'dev-cli list', note: 'A table.' },
      { command: 'dev-cli list --json', note: 'The same for a program.' },
    ],
  },
  {
    name: 'use',
    summary: 'Make a run the active one.',
    actor: 'person',
    output: 'document',
    positionals: [REQUIRED_NAME],
    options: [],
    exits: [0, 1, 2, 4, 130],
    examples: [{ command: 'dev-cli use add-auth', note: 'Commands without a name now mean this run.' }],
  },
  {
    name: 'replay',
    summary: 'Rebuild a run from its journal alone, to prove that nothing was lost or changed.',
    description:
      'Compares state.json byte for byte, and every document and stored content by its digest. It reports and changes nothing. A document that a person or an agent edited since is a note.',
    actor: 'person',
    output: 'document',
    positionals: [OPTIONAL_NAME],
    options: [
      { key: 'check', flag: 'check', form: 'flag', required: true, description: 'Compare with what is on the disk.' },
    ],
    exits: [0, 1, 2, 3, 130],
    examples: [{ command: 'dev-cli replay add-auth --check', note: 'Is everything as the journal says?' }],
  },
  {
    name: 'approve',
    summary: 'Answer a gate that needs a person. Only on a terminal.',
    description:
      'For harnesses without hooks: sitting at a terminal is what proves the person. Without --choice the gate is shown with its choices and asks; only what is typed after the question is an answer.',
    actor: 'person',
    output: 'document',
    positionals: [REQUIRED_NAME],
    options: [
      {
        key: 'choice',
        flag: 'choice',
        form: 'string',
        placeholder: 'ID',
        description: 'The choice taken, one of those the gate offers.',
      },
      NOTE,
    ],
    exits: [0, 1, 2, 3, 4, 130],
    examples: [
      { command: 'dev-cli approve add-auth --choice approve', note: 'The plan is good.' },
      {
        command: 'dev-cli approve add-auth --choice revise --note "Keep the old login route"',
        note: 'It is not, and why.',
      },
    ],
  },
  {
    name: 'trust',
    summary: "Allow a project's recipe to run its external commands. Only on a terminal.",
    description:
      'Asked once per version of the recipe: trust is kept by digest, outside the project. Only what is typed after the question is an answer.',
    actor: 'person',
    output: 'document',
    positionals: [
      { key: 'recipe', form: 'recipe', required: true, description: 'A recipe in .dev/recipes or .dev/workflows.' },
    ],
    options: [],
    exits: [0, 1, 2, 3, 130],
    examples: [{ command: 'dev-cli trust release-notes', note: 'Shows its commands and asks.' }],
  },
];
