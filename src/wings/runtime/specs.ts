import { type TProperties, Type } from '@sinclair/typebox';
import type { CommandSpec } from '../../registry/spec.js';
import { choice, flag, integer, list, OPTIONAL_NAME, optional, word } from '../../registry/values.js';

/** Options of every command that asks a model. */
const ASKS = {
  model: optional(
    word('The model, as PROVIDER/MODEL. Default: DEV_CLI_MODEL, else that of the configuration.', {
      placeholder: 'MODEL',
    }),
  ),
  mode: optional(
    choice(
      ['read-only', 'workspace-write', 'danger-full-access', 'prompt'],
      'What tools may do without a person. Default: workspace-write.',
    ),
  ),
  allow: optional(list('RULES', 'Calls that nobody is asked about, such as "bash(npm test:*),bash(npm run lint)".')),
  config: optional(word('A configuration in place of your own.', { placeholder: 'FILE' })),
  maxCost: optional(word('End before this is spent.', { placeholder: 'USD' })),
  maxTokens: optional(integer('N', 'End before so many tokens are used.')),
  maxMinutes: optional(integer('N', 'End after so many minutes.')),
  iterations: optional(integer('N', 'Requests that a turn may take. Default: 50.')),
  events: flag('Print each entry of the sessions as it is recorded, one JSON document a line; the answer comes last.'),
  dryRun: flag('Show model, key, price, mode, rules and the first request; send nothing.'),
} satisfies TProperties;

const ASKING = {
  actor: 'person',
  output: 'stream',
  textWithout: 'events',
  windsDown: true,
  exits: [0, 1, 2, 3, 4, 130],
} as const;
const SESSION = word('The session: its id, the beginning of it, or latest.', { placeholder: 'SESSION' });

/** Commands that drive runs and hold conversations without a harness (runtime.md, Commands). */
export const RUNTIME_SPECS = [
  {
    name: 'drive',
    summary: 'Carry a run to its end without a harness, at night or in CI.',
    description:
      'Each action of the run is done by a session with a model; dev-cli keeps order, evidence and limits as ever. It ends where the run ends, where a person has to answer, or where a budget is used up; the same call goes on.',
    ...ASKING,
    positionals: ['name'],
    input: Type.Object({ name: OPTIONAL_NAME, ...ASKS }),
    examples: [
      { command: 'dev-cli drive add-auth --max-cost 5', note: 'Plan or execute, for at most 5 USD.' },
      { command: 'dev-cli drive add-auth --dry-run', note: 'What would be sent, with which key and price?' },
    ],
  },
  {
    name: 'prompt',
    summary: 'Have a model answer one message, with tools.',
    ...ASKING,
    positionals: ['message'],
    input: Type.Object({
      message: word('The message.', { format: 'text', placeholder: 'TEXT|@FILE|-' }),
      session: optional(
        word('Go on with a session: its id, the beginning of it, or latest.', { placeholder: 'SESSION' }),
      ),
      tools: optional(list('TOOLS', 'The tools that it may use. Default: all.')),
      ask: flag('Ask on this terminal about calls that need a person.'),
      ...ASKS,
    }),
    examples: [
      {
        command: 'dev-cli prompt "Why does the login test fail?" --mode read-only',
        note: 'A question about the code.',
      },
      { command: 'dev-cli prompt "And how would you mend it?" --session latest', note: 'Go on.' },
    ],
  },
  {
    name: 'session list',
    summary: 'List sessions, with what each has used, and the sum.',
    actor: 'person',
    output: 'text',
    readOnly: true,
    exits: [0, 1, 2, 130],
    input: Type.Object({
      run: optional(
        word('Only those of runs of this name, a plan and its execution: their bill.', {
          format: 'name',
          placeholder: 'RUN',
        }),
      ),
    }),
    examples: [{ command: 'dev-cli session list --run add-auth', note: 'What has it cost?' }],
  },
  {
    name: 'session compact',
    summary: 'Shorten a session: all but its last messages become a summary.',
    actor: 'person',
    output: 'text',
    exits: [0, 1, 2, 4, 130],
    positionals: ['session'],
    input: Type.Object({
      session: SESSION,
      keep: optional(integer('N', 'Messages that stay as they are. Default: 4.')),
    }),
    examples: [{ command: 'dev-cli session compact latest', note: 'Before it goes on.' }],
  },
  {
    name: 'session export',
    summary: 'Print a session in the published form.',
    actor: 'person',
    output: 'document',
    readOnly: true,
    exits: [0, 1, 2, 130],
    positionals: ['session'],
    input: Type.Object({ session: SESSION }),
    examples: [{ command: 'dev-cli session export latest', note: 'Write it into a file, to keep it.' }],
  },
  {
    name: 'session import',
    summary: 'Begin a session with the messages of an exported one.',
    actor: 'person',
    output: 'text',
    exits: [0, 1, 2, 3, 130],
    positionals: ['file'],
    input: Type.Object({ file: word('The file.', { format: 'file', placeholder: 'FILE' }) }),
    examples: [{ command: 'dev-cli session import session.json', note: 'Go on with it by `prompt --session`.' }],
  },
] as const satisfies readonly CommandSpec[];
