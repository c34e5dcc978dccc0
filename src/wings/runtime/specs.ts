import { type TProperties, Type } from '@sinclair/typebox';
import { CARRYING_ERRORS } from '../../registry/endings.js';
import type { CommandSpec } from '../../registry/spec.js';
import { choice, commaList, flag, integer, OPTIONAL_NAME, optional, word } from '../../registry/values.js';

/** Options of every command that asks a model. */
const ASKS = {
  model: optional(
    word('The model, as PROVIDER/MODEL. Default: DEV_CLI_MODEL, then the model of the configuration.', {
      placeholder: 'MODEL',
    }),
  ),
  mode: optional(
    choice(
      ['read-only', 'workspace-write', 'danger-full-access', 'prompt'],
      'What tools may do without a person. Default: workspace-write.',
    ),
  ),
  allow: optional(
    commaList('RULES', 'Calls that are allowed without asking, such as "bash(npm test:*),bash(npm run lint)".'),
  ),
  config: optional(word('A configuration file to use instead of your own.', { placeholder: 'FILE' })),
  maxCost: optional(word('End before more than this is spent.', { placeholder: 'USD' })),
  maxTokens: optional(integer('N', 'End before more than N tokens are used.')),
  maxMinutes: optional(integer('N', 'End after N minutes.')),
  iterations: optional(integer('N', 'The most requests in a turn. Default: 50.')),
  events: flag(
    'Print each entry of the sessions as it is recorded, one JSON document per line; the answer comes last.',
  ),
  dryRun: flag('Show model, key, price, mode, rules and the first request; send nothing.'),
} satisfies TProperties;

const ASKING = {
  actor: 'person',
  output: 'stream',
  textWithout: 'events',
  windsDown: true,
} as const;
const SESSION = word('The session: its id, a prefix of the id, or latest.', { placeholder: 'SESSION' });

/** Commands that drive runs and hold conversations without a harness (runtime.md, Commands). */
export const RUNTIME_SPECS = [
  {
    name: 'drive',
    summary: 'Carry a run to its end without a harness, at night or in CI.',
    description:
      'Each action of the run is done by a session with a model; dev-cli enforces order, evidence and limits as always. It ends when the run ends, a person has to answer, or a budget is used up; the same call continues.',
    ...ASKING,
    positionals: ['name'],
    input: Type.Object({ name: OPTIONAL_NAME, ...ASKS }),
    errors: [...CARRYING_ERRORS, 'PREFERENCES_INVALID', 'RUNTIME_INVALID'],
    exitOfNo: 3,
    examples: [
      { command: 'dev-cli drive add-auth --max-cost 5', note: 'Plan or execute, for at most 5 USD.' },
      { command: 'dev-cli drive add-auth --dry-run', note: 'Show what would be sent, with which key and price.' },
    ],
  },
  {
    name: 'prompt',
    summary: 'Have a model answer one message, with tools.',
    ...ASKING,
    positionals: ['message'],
    input: Type.Object({
      message: word('The message; @FILE or - reads it from a file or standard input.', {
        format: 'text',
        placeholder: 'TEXT|@FILE|-',
      }),
      session: optional(word('Continue a session: its id, a prefix of the id, or latest.', { placeholder: 'SESSION' })),
      tools: optional(commaList('TOOLS', 'The tools that the model may use. Default: all.')),
      ask: flag('Ask on this terminal about calls that need a person.'),
      ...ASKS,
    }),
    errors: ['NO_SUCH_SESSION', 'DATA_MISSING', 'PREFERENCES_INVALID', 'RUNTIME_INVALID'],
    exitOfNo: 3,
    examples: [
      {
        command: 'dev-cli prompt "Why does the login test fail?" --mode read-only',
        note: 'A question about the code.',
      },
      { command: 'dev-cli prompt "And how would you fix it?" --session latest', note: 'Continue the conversation.' },
    ],
  },
  {
    name: 'session list',
    summary: 'List sessions, what each has used, and the total.',
    actor: 'person',
    output: 'text',
    readOnly: true,
    errors: [],
    input: Type.Object({
      run: optional(
        word('Only sessions of runs with this name: what a plan and its execution cost.', {
          format: 'name',
          placeholder: 'NAME',
        }),
      ),
    }),
    examples: [{ command: 'dev-cli session list --run add-auth', note: 'What a run has cost.' }],
  },
  {
    name: 'session compact',
    summary: 'Shorten a session: a summary replaces all but its last messages.',
    actor: 'person',
    output: 'text',
    errors: ['NO_SUCH_SESSION'],
    positionals: ['session'],
    input: Type.Object({
      session: SESSION,
      keep: optional(integer('N', 'How many of the last messages to keep. Default: 4.')),
    }),
    examples: [{ command: 'dev-cli session compact latest', note: 'Before continuing it.' }],
  },
  {
    name: 'session export',
    summary: 'Print a session in the published form.',
    actor: 'person',
    output: 'document',
    readOnly: true,
    errors: ['NO_SUCH_SESSION'],
    positionals: ['session'],
    input: Type.Object({ session: SESSION }),
    examples: [{ command: 'dev-cli session export latest', note: 'Redirect it to a file to keep it.' }],
  },
  {
    name: 'session import',
    summary: 'Begin a session with the messages of an exported one.',
    actor: 'person',
    output: 'text',
    errors: ['DATA_MISSING', 'SCHEMA_INVALID'],
    positionals: ['file'],
    input: Type.Object({ file: word('The file.', { format: 'file', placeholder: 'FILE' }) }),
    examples: [{ command: 'dev-cli session import session.json', note: 'Continue it with `prompt --session`.' }],
  },
] as const satisfies readonly CommandSpec[];
