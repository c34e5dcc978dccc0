import { Type } from '@sinclair/typebox';
import type { ErrorCode } from '../../base/errors.js';
import type { CommandSpec } from '../../registry/spec.js';
import { flag, integer, optional, word } from '../../registry/values.js';

const goal = word('The goal, by id.', { placeholder: 'GOAL' });

/** What `take` and `give` may end with: both look at a goal, at its recipe and at what a session needs here. */
const SESSION_ERRORS = [
  'FLEET_UNAVAILABLE',
  'UNKNOWN_RECIPE',
  'SCHEMA_INVALID',
  'RECIPE_INVALID',
  'RECIPE_UNTRUSTED',
  'PREFERENCES_INVALID',
  'NEEDS_MISSING',
  'TERMINAL_REQUIRED',
  'NO_PROJECT',
  'FLEET_VERSION',
  'CLAIM_REFUSED',
] as const satisfies readonly ErrorCode[];

/** The commands of the fleet: many machines work on the goals of many repositories (fleet.md, Commands). */
export const FLEET_SPECS = [
  {
    name: 'fleet init',
    summary: 'Create or upgrade the fleet’s database schemas.',
    description:
      'The schemas are dev_cli and dbos, with the roles dev_cli_desk, dev_cli_worker and dev_cli_reader. No other command creates or changes them. Repeat it after an update of dev-cli, before you start workers.',
    actor: 'person',
    output: 'text',
    errors: ['FLEET_UNAVAILABLE', 'SCHEMA_INVALID', 'FLEET_VERSION'],
    input: Type.Object({}),
    examples: [{ command: 'dev-cli fleet init', note: 'Once, and after each update.' }],
  },
  {
    name: 'fleet worker',
    summary: 'Carry on what desks have begun, until a signal.',
    description:
      'Serves the projects of this machine’s fleet.yaml, each in a clone of its own, and runs only what that file trusts. A signal ends its sessions, gives its attempts back, and exits with 130.',
    actor: 'person',
    output: 'text',
    windsDown: true,
    errors: ['FLEET_UNAVAILABLE', 'SCHEMA_INVALID', 'FLEET_VERSION'],
    input: Type.Object({
      slots: optional(integer('N', 'Attempts at once, 1 to 32. Default: `slots` of fleet.yaml, or 2.')),
      once: flag('End when nothing is ready: for a CI job.'),
    }),
    examples: [
      { command: 'dev-cli fleet worker', note: 'As a service: samples/fleet/.' },
      { command: 'dev-cli fleet worker --once --slots 4', note: 'In a CI job.' },
    ],
  },
  {
    name: 'fleet list',
    summary: 'Show the workers, their goals, and what they pass by.',
    actor: 'person',
    output: 'text',
    readOnly: true,
    errors: ['FLEET_UNAVAILABLE', 'SCHEMA_INVALID', 'FLEET_VERSION'],
    input: Type.Object({}),
    examples: [{ command: 'dev-cli fleet list', note: 'Which workers run, and why does a goal wait?' }],
  },
  {
    name: 'fleet take',
    summary: 'Bring a waiting attempt here, with its tree and run.',
    description:
      'Leases a parked attempt and brings its run, so that `approve` can show what its gate is about; `fleet give` gives it back. Of a settled attempt, it brings the kept commit as a reference.',
    actor: 'person',
    output: 'text',
    positionals: ['goal'],
    errors: [...SESSION_ERRORS, 'FLEET_UNTRUSTED', 'RUN_EXISTS'],
    input: Type.Object({ goal }),
    examples: [{ command: 'dev-cli fleet take delete-todos', note: 'Then dev-cli approve, then dev-cli fleet give.' }],
  },
  {
    name: 'fleet give',
    summary: 'Give back a taken attempt; if answered, it continues.',
    actor: 'person',
    output: 'text',
    positionals: ['goal'],
    errors: [...SESSION_ERRORS, 'GOAL_REFUSED'],
    input: Type.Object({ goal }),
    examples: [{ command: 'dev-cli fleet give delete-todos', note: 'A worker continues it.' }],
  },
  {
    name: 'fleet export',
    summary: 'Write the project’s stream to a directory.',
    description: 'With journal, state, documents and contents, in the form that every reader of a stream accepts.',
    actor: 'person',
    output: 'text',
    positionals: ['directory'],
    errors: ['FLEET_UNAVAILABLE', 'SCHEMA_INVALID', 'NO_PROJECT', 'FLEET_VERSION'],
    input: Type.Object({
      directory: word('The directory, which must not exist yet.', { placeholder: 'DIRECTORY' }),
    }),
    examples: [{ command: 'dev-cli fleet export backup', note: 'The stream of the database, as files.' }],
  },
] as const satisfies readonly CommandSpec[];
