import { Type } from '@sinclair/typebox';
import type { CommandSpec } from '../../registry/spec.js';
import { choice, data, OPTIONAL_NAME, optional, word } from '../../registry/values.js';
import { type CallName, NEUTRAL_CALLS } from './specs.js';

const CALL_NAMES = NEUTRAL_CALLS.map(({ name }) => name as CallName);

/** The neutral contract on the command line (neutral.md, Doors). */
export const NEUTRAL_SPECS = [
  {
    name: 'nexus call',
    summary: 'Call a tool of the neutral contract, or tell it an event of a session.',
    description:
      'The same tools as `dev-cli mcp --tools neutral`, and the events of a session, for scripts and for the hooks of a harness. What is answered is on the disk.',
    actor: 'agent',
    output: 'document',
    positionals: ['tool'],
    input: Type.Object({
      tool: choice(CALL_NAMES, 'The tool or event.', { placeholder: 'TOOL' }),
      data: optional(
        data({ placeholder: '@FILE|-|JSON' }, 'Its parameters as one JSON object: a file, standard input, or text.'),
      ),
    }),
    errors: ['DATA_MISSING', 'TOOL_REFUSED'],
    examples: [
      { command: 'dev-cli nexus call task_list', note: 'Which tasks are there, and which can begin?' },
      {
        command: `dev-cli nexus call task_add --data '{"title": "Cache pages", "context": "GET /pages is slow."}'`,
        note: 'Add one.',
      },
    ],
  },
  {
    name: 'nexus owner',
    summary: 'Say whether the agent that owns a task goes on with it, or a fresh one begins.',
    actor: 'agent',
    output: 'document',
    readOnly: true,
    positionals: ['task'],
    input: Type.Object({
      task: word('The id of the task: 3.', { placeholder: 'TASK' }),
    }),
    errors: ['TOOL_REFUSED'],
    examples: [{ command: 'dev-cli nexus owner 3', note: 'Resume it, or start afresh?' }],
  },
  {
    name: 'nexus merge',
    summary: 'Merge two histories of cycles, as a merge driver of git.',
    description:
      'All cycles of both sides, none twice, in the order in which they were closed. Set it up with `git config merge.nexus.driver "dev-cli nexus merge %O %A %B"` and the line `.nexus/history.json merge=nexus` in .gitattributes.',
    actor: 'harness',
    output: 'document',
    positionals: ['base', 'ours', 'theirs'],
    input: Type.Object({
      base: word('The history before both (%O).', { format: 'file', placeholder: 'BASE' }),
      ours: word('Ours, which gets the result (%A).', { format: 'file', placeholder: 'OURS' }),
      theirs: word('Theirs (%B).', { format: 'file', placeholder: 'THEIRS' }),
    }),
    errors: ['DOCUMENT_UNREADABLE'],
    examples: [{ command: 'dev-cli nexus merge %O %A %B', note: 'As git calls it.' }],
  },
  {
    name: 'nexus report',
    summary: 'Report to .nexus/state/tasks.json how far a run has carried them out.',
    description:
      'For a plan that was imported with `plan import NAME .nexus`. The run wins; a task that is no todo of it stays. It also happens when an agent stops whose session is bound to the run.',
    actor: 'agent',
    output: 'document',
    positionals: ['name'],
    input: Type.Object({ name: OPTIONAL_NAME }),
    errors: ['TOOL_REFUSED'],
    examples: [{ command: 'dev-cli nexus report cache', note: 'What has become of its tasks?' }],
  },
] as const satisfies readonly CommandSpec[];
