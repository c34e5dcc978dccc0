import { Type } from '@sinclair/typebox';
import type { CommandSpec } from '../spec.js';
import { flag, integer, NOTE, OPTIONAL_NAME, optional, REQUIRED_NAME, word } from '../values.js';

/** For the person beside the agent (protocol.md §5). */
export const PEOPLE_COMMANDS = [
  {
    name: 'status',
    summary: 'Who waits for whom, since when, and what you can do.',
    description:
      'Then the blocks, the phases of a workflow, or the todos of an execution as a tree: what the running ones have been through, why one failed and what it blocks. --json has everything; `dev-cli schema execution` describes the todos.',
    actor: 'person',
    output: 'text',
    readOnly: true,
    hot: true,
    positionals: ['name'],
    input: Type.Object({
      name: OPTIONAL_NAME,
      full: flag('Every todo of a long plan, with its evidence.'),
      watch: flag(
        'Go on until the run has ended: redrawn on a terminal, elsewhere printed again at every change; with --json one document a line, the last with `type: end`.',
      ),
    }),
    exits: [0, 1, 2, 130],
    examples: [
      { command: 'dev-cli status add-auth', note: 'One run, block by block or todo by todo.' },
      { command: 'dev-cli status add-auth --watch', note: 'The same as it goes on.' },
    ],
  },
  {
    name: 'list',
    summary: 'All runs of this project.',
    actor: 'person',
    output: 'text',
    readOnly: true,
    hot: true,
    input: Type.Object({}),
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
    positionals: ['name'],
    input: Type.Object({ name: REQUIRED_NAME }),
    exits: [0, 1, 2, 4, 130],
    examples: [{ command: 'dev-cli use add-auth', note: 'Commands without a name now mean this run.' }],
  },
  {
    name: 'history',
    summary: 'Who did what when, how long it took, and on what evidence.',
    description:
      'Of the newest run of the name, from its journal. With --step it answers for one block: who said that it was done, and what was shown for it.',
    actor: 'person',
    output: 'text',
    readOnly: true,
    positionals: ['name'],
    input: Type.Object({
      name: OPTIONAL_NAME,
      step: optional(
        word('Only what concerns this block; digests and notes in full.', { format: 'block', placeholder: 'BLOCK' }),
      ),
      run: optional(word('An earlier run of the name, by its id or the beginning of it.', { placeholder: 'RUNID' })),
      all: flag('All runs of the name.'),
      last: optional(integer('N', 'Only the newest N items of a run; text shows 100 by default.')),
    }),
    exclusive: [['run', 'all']],
    exits: [0, 1, 2, 130],
    examples: [
      { command: 'dev-cli history add-auth', note: 'The whole run.' },
      {
        command: 'dev-cli history add-auth --step review',
        note: 'Who said the review was done, and on what evidence?',
      },
      { command: 'dev-cli history add-auth --all --json', note: 'Every run of the name, for a program.' },
    ],
  },
  {
    name: 'journal',
    summary: 'The entries of a run, one a line, as they were recorded.',
    description: 'The last line has the type `end`; its seq is that of the last entry, from which --since continues.',
    actor: 'person',
    output: 'stream',
    readOnly: true,
    positionals: ['name'],
    input: Type.Object({
      name: OPTIONAL_NAME,
      follow: flag('Wait for further entries until the run has ended.'),
      since: optional(integer('SEQ', 'Only entries after this one.')),
    }),
    exits: [0, 1, 2, 130],
    examples: [
      { command: 'dev-cli journal add-auth --text', note: 'What happened, a line each.' },
      { command: 'dev-cli journal add-auth --follow --since 40', note: 'From entry 41 on, as it happens.' },
    ],
  },
  {
    name: 'replay',
    summary: 'Rebuild a run from its journal alone: to prove it, or to see how it was.',
    description:
      'It changes nothing. --check compares state.json byte for byte, and every document and stored content by its digest, and reports what differs; a document that a person or an agent edited since is a note.',
    actor: 'person',
    output: 'document',
    readOnly: true,
    positionals: ['name'],
    input: Type.Object({
      name: OPTIONAL_NAME,
      check: flag('Compare with what is on the disk.'),
      at: optional(integer('SEQ', 'Print the state as it was after this entry of the journal.')),
    }),
    oneOf: ['check', 'at'],
    exits: [0, 1, 2, 3, 130],
    examples: [
      { command: 'dev-cli replay add-auth --check', note: 'Is everything as the journal says?' },
      { command: 'dev-cli replay add-auth --at 12', note: 'What did the run look like then?' },
    ],
  },
  {
    name: 'fork',
    summary: 'Go on from a moment of a run, under a new name. The run itself is not touched.',
    description:
      'The documents are as they were then; the pending action is issued anew under the new name. The fork does not become the active run, starts no command, and guards nothing until somebody goes on with it. The work tree is left as it is.',
    actor: 'person',
    output: 'document',
    positionals: ['name'],
    input: Type.Object({
      name: REQUIRED_NAME,
      at: integer('SEQ', 'The entry of the journal to go on from; `history` and `journal` show them.'),
      as: word('The name of the new run, one without runs.', { placeholder: 'NEW' }),
    }),
    exits: [0, 1, 2, 3, 4, 130],
    examples: [
      { command: 'dev-cli fork add-auth --at 12 --as add-auth-2', note: 'What if the interview had gone otherwise?' },
    ],
  },
  {
    name: 'approve',
    summary: 'Answer what waits for a person. Only on a terminal of your own.',
    description:
      'What is typed after the question, at a terminal where no harness runs the commands, is a person’s word; nothing else is. The question shows every command that the answer lets dev-cli run. With --choice it asks for yes. It also asks about sources that changed in a step that may not touch them, and about a HEAD without the run’s last commit, which keeps commits waiting.',
    actor: 'person',
    output: 'document',
    positionals: ['name'],
    input: Type.Object({
      name: optional(word('The run. Left out: the one in which something waits for a person.', { format: 'name' })),
      choice: optional(word('The choice taken, one of those the gate offers.', { placeholder: 'ID' })),
      note: optional(NOTE),
    }),
    exits: [0, 1, 2, 3, 4, 130],
    examples: [
      { command: 'dev-cli approve', note: 'Shows what waits, and asks.' },
      { command: 'dev-cli approve add-auth --choice approve', note: 'The plan is good; type yes.' },
      {
        command: 'dev-cli approve add-auth --choice revise --note "Keep the old login route"',
        note: 'It is not, and why.',
      },
    ],
  },
  {
    name: 'trust',
    summary:
      "Allow a project's recipe, or a run from elsewhere, to start its commands. Only on a terminal of your own.",
    description:
      'Shows every command and asks: once per version of a recipe, and once per place of a run that was copied or cloned. Trust is kept outside the project. Only what is typed after the question is an answer. The word `preferences` stands for .dev/preferences.yaml: its permission to run commands without asking then counts, although nobody has committed it.',
    actor: 'person',
    output: 'document',
    positionals: ['recipe'],
    input: Type.Object({
      recipe: word('A run that came from elsewhere; else a recipe in .dev/recipes or .dev/workflows.', {
        format: 'recipe',
      }),
    }),
    exits: [0, 1, 2, 3, 130],
    examples: [{ command: 'dev-cli trust release-notes', note: 'Shows its commands and asks.' }],
  },
] as const satisfies readonly CommandSpec[];
