import { Type } from '@sinclair/typebox';
import type { CommandSpec } from '../../../registry/spec.js';
import { choice, flag, optional, word } from '../../../registry/values.js';
import { ADAPTERS, FORMATS } from './schemas.js';

const PROTOCOL = { actor: 'agent', output: 'text', exits: [0, 1, 2, 3, 4, 130] } as const;

/** Commands that exchange goals and results with orchestrators as files (loop-operations.md, Packets). */
export const PACKET_SPECS = [
  {
    name: 'protocol export',
    summary: 'Give a goal out as a packet: prompt, context, and the commit to work on.',
    description:
      'Gives the named goal, or the one that `queue claim` would give. The packet says how its result is handed in. No command of the configuration is started.',
    ...PROTOCOL,
    input: Type.Object({
      adapter: choice(ADAPTERS, 'Who works on it.'),
      goal: optional(word('The goal, by id.', { placeholder: 'GOAL' })),
      role: optional(word('Only a goal of this role.', { placeholder: 'R' })),
      contextFormat: optional(choice(FORMATS, 'How the context is written. Default: plain.')),
      includeContext: flag('With what memory tells of the goal: the default.'),
      noIncludeContext: flag('Without it.'),
      write: flag('Also into .ai/protocols/outbox: the default.'),
      noWrite: flag('Only print it.'),
    }),
    exclusive: [
      ['includeContext', 'noIncludeContext'],
      ['contextFormat', 'noIncludeContext'],
      ['write', 'noWrite'],
    ],
    examples: [
      { command: 'dev-cli protocol export --adapter other --goal login-form --json', note: 'What a worker is told.' },
    ],
  },
  {
    name: 'protocol ingest',
    summary: 'Hand in the result of a packet.',
    description:
      'A result with a patch or a ref becomes an attempt of its goal, judged and integrated by the batch at work or the next as any other. One without is noted, and finishes nothing. What cannot be taken is refused with every finding.',
    ...PROTOCOL,
    positionals: ['file'],
    input: Type.Object({ file: word('The result: a JSON file of at most 1 MB.', { format: 'file' }) }),
    examples: [{ command: 'dev-cli protocol ingest result.json', note: 'Judge what was made.' }],
  },
] as const satisfies readonly CommandSpec[];
