import { Type } from '@sinclair/typebox';
import { DECISION_ERRORS } from '../endings.js';
import type { CommandSpec } from '../spec.js';
import { flag, integer, NOTE, OPTIONAL_NAME, optional, REQUIRED_NAME, word } from '../values.js';

/** Commands for the person who works beside the agent (protocol.md §5). */
export const PEOPLE_COMMANDS = [
  {
    name: 'status',
    summary: 'Show who is waiting for whom, since when, and what you can do.',
    description:
      'Below that it shows the blocks, the phases of a workflow, or the todos of an execution as a tree: how far each has come, why one failed, and what that blocks. --json has everything; `dev-cli schema execution` describes the todos.',
    actor: 'person',
    output: 'text',
    readOnly: true,
    hot: true,
    positionals: ['name'],
    input: Type.Object({
      name: OPTIONAL_NAME,
      full: flag('Show every todo of a long plan, with its evidence.'),
      watch: flag(
        'Keep watching until the run ends: on your own terminal a screen with keys, elsewhere printed again at each change; with --json one document per line, the last with `type: end`.',
      ),
    }),
    errors: ['DOCUMENT_UNREADABLE'],
    examples: [
      { command: 'dev-cli status add-auth', note: 'One run, block by block or todo by todo.' },
      { command: 'dev-cli status add-auth --watch', note: 'Follow it live.' },
    ],
  },
  {
    name: 'list',
    summary: 'List all runs of this project.',
    actor: 'person',
    output: 'text',
    readOnly: true,
    hot: true,
    input: Type.Object({}),
    errors: [],
    examples: [
      { command: 'dev-cli list', note: 'As a table.' },
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
    errors: ['RUN_ENDED'],
    examples: [{ command: 'dev-cli use add-auth', note: 'Commands without a name now mean this run.' }],
  },
  {
    name: 'history',
    summary: 'Show who did what and when, how long it took, and on what evidence.',
    description:
      'Reads the journal of the newest run of that name. With --step it answers for one block: who said that it was done, and on what evidence.',
    actor: 'person',
    output: 'text',
    readOnly: true,
    positionals: ['name'],
    input: Type.Object({
      name: OPTIONAL_NAME,
      step: optional(
        word('Only this block, with digests and notes in full.', { format: 'block', placeholder: 'BLOCK' }),
      ),
      run: optional(word('An earlier run of the name, by its id or a prefix of it.', { placeholder: 'RUNID' })),
      all: flag('Show all runs of the name.'),
      last: optional(integer('N', 'Only the newest N items of a run; the text shows 100 by default.')),
    }),
    exclusive: [['run', 'all']],
    errors: ['UNKNOWN_BLOCK'],
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
    summary: 'Print the entries of a run as recorded, one per line.',
    description: 'The last line has type `end`; its seq is that of the last entry, for --since to continue from.',
    actor: 'person',
    output: 'stream',
    readOnly: true,
    positionals: ['name'],
    input: Type.Object({
      name: OPTIONAL_NAME,
      follow: flag('Wait for more entries until the run ends.'),
      since: optional(integer('SEQ', 'Only entries after this one.', { format: 'entry' })),
    }),
    errors: [],
    examples: [
      { command: 'dev-cli journal add-auth --text', note: 'What happened, one line per entry.' },
      { command: 'dev-cli journal add-auth --follow --since 40', note: 'Follow it live from entry 41.' },
    ],
  },
  {
    name: 'replay',
    summary: 'Rebuild a run from its journal alone, to check it or to see an earlier state.',
    description:
      'Changes nothing. --check compares state.json byte for byte, and every document and stored content by digest, and reports differences; a document that somebody has edited since is only noted.',
    actor: 'person',
    output: 'document',
    readOnly: true,
    positionals: ['name'],
    input: Type.Object({
      name: OPTIONAL_NAME,
      check: flag('Compare with what is on disk.'),
      at: optional(integer('SEQ', 'Print the state as it was after this entry of the journal.', { format: 'entry' })),
    }),
    oneOf: ['check', 'at'],
    errors: ['UNKNOWN_ENTRY'],
    exitOfNo: 3,
    examples: [
      { command: 'dev-cli replay add-auth --check', note: 'Does everything match the journal?' },
      { command: 'dev-cli replay add-auth --at 12', note: 'What did the run look like then?' },
    ],
  },
  {
    name: 'fork',
    summary: 'Continue from an earlier moment of a run under a new name. The original run is not touched.',
    description:
      'Documents are as they were at that moment, and the pending action is issued again under the new name. Until somebody continues it, the fork is not the active run, starts no command and guards nothing. The work tree is left as it is.',
    actor: 'person',
    output: 'document',
    positionals: ['name'],
    input: Type.Object({
      name: REQUIRED_NAME,
      at: integer('SEQ', 'The journal entry to continue from; `history` and `journal` show the numbers.', {
        format: 'entry',
      }),
      as: word('The name of the new run; it must have no runs yet.', { placeholder: 'NEW' }),
    }),
    errors: [
      'UNKNOWN_ENTRY',
      'RECIPE_INVALID',
      'RECIPE_UNTRUSTED',
      'PREFERENCES_INVALID',
      'DOCUMENT_UNREADABLE',
      'RUN_EXISTS',
      'FILES_OVERLAP',
      'RUN_HELD',
      'RUN_ENDED',
    ],
    examples: [
      { command: 'dev-cli fork add-auth --at 12 --as add-auth-2', note: 'What if the interview had gone differently?' },
    ],
  },
  {
    name: 'approve',
    summary: 'Answer what waits for a person. Only on a terminal of your own.',
    description:
      'Only what is typed after the question counts as a person’s word, and only at a terminal that no harness runs. The question shows every command that your answer allows dev-cli to run. With --choice you confirm by typing yes. It also asks when sources changed in a step that may not touch them, and when HEAD lacks the run’s last commit, so that commits have to wait.',
    actor: 'person',
    output: 'document',
    positionals: ['name'],
    input: Type.Object({
      name: optional(word('The run. Default: the one that is waiting for a person.', { format: 'name' })),
      choice: optional(word('One of the choices that the gate offers.', { format: 'choice', placeholder: 'ID' })),
      note: optional(NOTE),
    }),
    errors: [...DECISION_ERRORS, 'DATA_UNEXPECTED'],
    examples: [
      { command: 'dev-cli approve', note: 'Show what is waiting, and ask.' },
      { command: 'dev-cli approve add-auth --choice approve', note: 'Accept the plan; type yes to confirm.' },
      {
        command: 'dev-cli approve add-auth --choice revise --note "Keep the old login route"',
        note: 'Send it back, with the reason.',
      },
    ],
  },
  {
    name: 'trust',
    summary:
      "Allow a project's recipe, or a run from elsewhere, to start its commands. Only on a terminal of your own.",
    description:
      'Shows every command and asks, once for each version of a recipe, and once for each place a run was copied or cloned to. Trust is stored outside the project, and only what is typed after the question counts as an answer. The word `preferences` stands for .dev/preferences.yaml, whose `approve_commands: auto` and `notify` count once trusted; `config` for the commands of .ai/config.yaml and .ai/goals.yaml; `autopilot` for this clone: agents may then begin runs in autopilot whose commands nobody is asked about.',
    actor: 'person',
    output: 'document',
    positionals: ['recipe'],
    input: Type.Object({
      recipe: word(
        '`preferences`, `config`, `autopilot`, a run from elsewhere, or else a recipe in .dev/recipes or .dev/workflows.',
        {
          format: 'recipe',
        },
      ),
    }),
    errors: [
      'UNKNOWN_RECIPE',
      'UNKNOWN_CHOICE',
      'DATA_MISSING',
      'SCHEMA_INVALID',
      'RECIPE_INVALID',
      'RECIPE_UNTRUSTED',
      'RUN_UNTRUSTED',
      'PREFERENCES_INVALID',
      'TERMINAL_REQUIRED',
      'NO_PROJECT',
      'CONFIG_UNTRUSTED',
    ],
    examples: [
      { command: 'dev-cli trust release-notes', note: 'Show its commands, then ask.' },
      { command: 'dev-cli trust autopilot', note: 'Let agents work in autopilot in this clone.' },
    ],
  },
] as const satisfies readonly CommandSpec[];
