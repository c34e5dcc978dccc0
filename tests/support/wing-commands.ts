import { Type } from '@sinclair/typebox';
import { DevCliError } from '../../src/base/errors.js';
import type { HandlersOf } from '../../src/protocol/ports.js';
import type { CommandSpec, SpecGroup } from '../../src/registry/spec.js';
import { freeText, integer, OPTIONAL_NAME, optional, texts } from '../../src/registry/values.js';

/** What another room would bring: a command of its own, with what carries it out. */
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
    }),
    exits: [0, 2],
    examples: [{ command: 'dev-cli memo add --memo "Ask Ann"', note: 'For ever.' }],
  },
] as const satisfies readonly CommandSpec[];

export const HANDLERS: HandlersOf<typeof SPECS> = {
  'memo add': async ({ root }, { memo, because = [], days = 0 }) => {
    if (memo === 'nothing') throw new DevCliError('DATA_MISSING', 'Nothing to keep.');
    return { json: { ok: true, root, kept: memo.toUpperCase(), because, until: days + 1 }, exit: 0 };
  },
};

export const MEMO: SpecGroup = {
  specs: SPECS,
  words: { memo: 'What is to be remembered.' },
};
