import { Type } from '@sinclair/typebox';
import type { CommandSpec } from '../../../registry/spec.js';
import { choice, flag, optional, word } from '../../../registry/values.js';
import { LOOP_ERRORS } from '../spec-errors.js';
import { ADAPTERS, FORMATS } from './schemas.js';

const PROTOCOL = { actor: 'agent', output: 'text' } as const;

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
      role: optional(
        word('Only a goal with this role: implement, test, verify, or another that goals have.', { placeholder: 'R' }),
      ),
      contextFormat: optional(choice(FORMATS, 'The format of the context. Default: plain.')),
      includeContext: flag('Include what memory knows about the goal. This is the default.'),
      noIncludeContext: flag('Without it.'),
      write: flag('Also write it to .ai/protocols/outbox. This is the default.'),
      noWrite: flag('Only print it.'),
    }),
    exclusive: [
      ['includeContext', 'noIncludeContext'],
      ['contextFormat', 'noIncludeContext'],
      ['write', 'noWrite'],
    ],
    errors: [...LOOP_ERRORS, 'NEEDS_MISSING', 'DOCUMENT_UNREADABLE', 'CONTEXT_TOO_LARGE', 'GOAL_REFUSED'],
    examples: [
      { command: 'dev-cli protocol export --adapter other --goal login-form --json', note: 'What a worker is told.' },
    ],
  },
  {
    name: 'protocol ingest',
    summary: 'Hand in the result of a packet.',
    description:
      'A result with a patch or a ref becomes an attempt of its goal, which the batch at work or the next one judges and integrates like any other. A result without either is only recorded. A result that cannot be accepted is refused with every finding.',
    ...PROTOCOL,
    positionals: ['file'],
    input: Type.Object({ file: word('The result: a JSON file of at most 1 MB.', { format: 'file' }) }),
    errors: [...LOOP_ERRORS, 'NEEDS_MISSING', 'PACKET_REFUSED', 'CLAIM_REFUSED'],
    examples: [{ command: 'dev-cli protocol ingest result.json', note: 'Hand in what a worker made.' }],
  },
] as const satisfies readonly CommandSpec[];
