import { Type } from '@sinclair/typebox';
import type { CommandSpec } from '../../registry/spec.js';
import { flag, integer, optional, word } from '../../registry/values.js';

const EXITS = [0, 1, 2, 3, 4, 130] as const;
const goal = word('The goal, by id.', { placeholder: 'GOAL' });

/** Goals of many repositories worked off by many machines (fleet.md, Commands). */
export const FLEET_SPECS = [
  {
    name: 'fleet init',
    summary: 'Make or upgrade what the fleet keeps in its database.',
    description:
      'The schemas dev_cli and dbos, and the roles dev_cli_desk, dev_cli_worker and dev_cli_reader. Nothing else makes or changes them. To be repeated after an update of dev-cli, before its workers.',
    actor: 'person',
    output: 'text',
    exits: EXITS,
    input: Type.Object({}),
    examples: [{ command: 'dev-cli fleet init', note: 'Once, and after each update.' }],
  },
  {
    name: 'fleet worker',
    summary: 'Carry on what desks have begun, until a signal.',
    description:
      'For the projects of this machine’s fleet.yaml, each in a clone of its own; it runs what that file trusts. A signal ends its sessions, gives back what it has, and exits with 130.',
    actor: 'person',
    output: 'text',
    windsDown: true,
    exits: EXITS,
    input: Type.Object({
      slots: optional(integer('N', 'Attempts at once, 1 to 32. Default: `slots` of fleet.yaml, or 2.')),
      once: flag('End when nothing is ready: for a job of CI.'),
    }),
    examples: [
      { command: 'dev-cli fleet worker', note: 'As a service: samples/fleet/.' },
      { command: 'dev-cli fleet worker --once --slots 4', note: 'In a job of CI.' },
    ],
  },
  {
    name: 'fleet list',
    summary: 'Show the workers, what they do, and what none of them may.',
    actor: 'person',
    output: 'text',
    readOnly: true,
    exits: EXITS,
    input: Type.Object({}),
    examples: [{ command: 'dev-cli fleet list', note: 'Who is there, and why does a goal wait?' }],
  },
  {
    name: 'fleet take',
    summary: 'Bring an attempt that waits for a person here, tree and run.',
    description:
      'A parked attempt comes with its run, under a lease, so that `approve` can show what its gate is about; `fleet give` gives it back. Of one that was settled, what it kept comes here as a reference.',
    actor: 'person',
    output: 'text',
    positionals: ['goal'],
    exits: EXITS,
    input: Type.Object({ goal }),
    examples: [{ command: 'dev-cli fleet take delete-todos', note: 'Then dev-cli approve, then dev-cli fleet give.' }],
  },
  {
    name: 'fleet give',
    summary: 'Give an attempt back that was taken; answered, it goes on.',
    actor: 'person',
    output: 'text',
    positionals: ['goal'],
    exits: EXITS,
    input: Type.Object({ goal }),
    examples: [{ command: 'dev-cli fleet give delete-todos', note: 'A worker goes on with it.' }],
  },
  {
    name: 'fleet export',
    summary: 'Write the project’s stream out as a directory.',
    description: 'With journal, state, documents and contents, as every reader of a stream takes it.',
    actor: 'person',
    output: 'text',
    positionals: ['directory'],
    exits: EXITS,
    input: Type.Object({
      directory: word('The directory, which must not be there yet.', { placeholder: 'DIRECTORY' }),
    }),
    examples: [{ command: 'dev-cli fleet export backup', note: 'What the database knows, as files.' }],
  },
] as const satisfies readonly CommandSpec[];
