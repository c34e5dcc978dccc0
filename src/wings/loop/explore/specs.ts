import { Type } from '@sinclair/typebox';
import type { CommandSpec } from '../../../registry/spec.js';
import { integer, optional, word } from '../../../registry/values.js';

/** The command that explores code before the work (loop-operations.md, Explore). */
export const EXPLORE_SPECS = [
  {
    name: 'explore',
    summary: 'Find the code that a question is about: lines, who imports them, tests.',
    description:
      'Searches the files that git lists for the words of the question, and shows the lines with the rarest, which TypeScript, JavaScript and Python files import theirs, and which of these are tests. Nothing is written.',
    ...{ actor: 'person', output: 'text', readOnly: true, exits: [0, 1, 2, 3, 130], positionals: ['question'] },
    input: Type.Object({
      question: word('Words of any language, or names from the code.', { placeholder: 'QUESTION' }),
      maxMatches: optional(integer('N', 'Lines at most, 1 to 200. Default: 40.')),
    }),
    examples: [{ command: 'dev-cli explore "where do sessions expire?"', note: 'What would a change touch?' }],
  },
] as const satisfies readonly CommandSpec[];
