import { setTimeout } from 'node:timers/promises';
import { Type } from '@sinclair/typebox';
import { DevCliError } from '../../src/base/errors.js';
import type { HandlersOf } from '../../src/protocol/ports.js';
import type { CommandSpec, SpecGroup } from '../../src/registry/spec.js';
import { choice, freeText, integer, OPTIONAL_NAME, optional, texts } from '../../src/registry/values.js';

/** Commands that an example wing adds, with their handlers. */
export const SPECS = [
  {
    name: 'memo add',
    summary: 'Keep a memo.',
    actor: 'agent',
    output: 'document',
    positionals: ['name'],
    input: Type.Object({
      name: OPTIONAL_NAME,
      memo: freeText('What is to be kept.'),
      because: optional(texts('Why, a reason each.')),
      days: optional(integer('N', 'For so many days.')),
      kind: optional(choice(['aim', 'dead-end'], 'What it is.', { needs: ['because'] })),
    }),
    errors: ['DATA_MISSING'],
    examples: [{ command: 'dev-cli memo add --memo "Ask Ann"', note: 'For ever.' }],
  },
  {
    name: 'memo show',
    summary: 'Show the memos.',
    actor: 'agent',
    output: 'text',
    readOnly: true,
    input: Type.Object({}),
    errors: [],
    examples: [{ command: 'dev-cli memo show', note: 'All of them.' }],
  },
] as const satisfies readonly CommandSpec[];

export const HANDLERS: HandlersOf<typeof SPECS> = {
  'memo add': async ({ root, caller }, { memo, because = [], days = 0 }, { given }) => {
    if (memo === 'nothing') throw new DevCliError('DATA_MISSING', 'Nothing to keep.');
    if (memo === 'defect') throw new Error('broken');
    if (memo === 'slow') await setTimeout(400);
    const ok = memo !== 'red';
    return { json: { ok, root, kept: memo.toUpperCase(), because, until: days + 1, caller, given }, exit: ok ? 0 : 1 };
  },
  'memo show': async () => ({
    json: { ok: true, memos: ['one'] },
    text: () => '# Memos\n\none',
    stderr: 'One is old.',
    exit: 0,
  }),
};

export const MEMO: SpecGroup = {
  specs: SPECS,
  words: { memo: 'What is to be remembered.' },
  tools: [
    {
      group: 'memos',
      name: 'memo_keep',
      command: 'memo add',
      keys: ['memo', 'because', 'days', 'kind'],
      idempotent: true,
    },
    { group: 'memos', name: 'memo_week', command: 'memo add', keys: ['memo'], fixed: { days: 7 } },
    { group: 'shown', name: 'memo_show', command: 'memo show', description: 'Show it.' },
  ],
};
