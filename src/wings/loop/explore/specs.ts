import { Type } from '@sinclair/typebox';
import type { CommandSpec } from '../../../registry/spec.js';
import { integer, optional, word } from '../../../registry/values.js';

/** The command that explores code before the work (loop-operations.md, Explore). */
export const EXPLORE_SPECS = [
  {
    name: 'explore',
    summary: 'Find the code that a question is about: lines, the files that import it, tests.',
    description:
      'Searches the files that git lists for the words of the question. Shows the lines with the rarest words, which TypeScript, JavaScript and Python files import the files of these lines, and which of them are tests. Writes nothing.',
    ...{ actor: 'person', output: 'text', readOnly: true, errors: ['NEEDS_MISSING'], positionals: ['question'] },
    input: Type.Object({
      question: word('Words of any language, or names from the code.', { placeholder: 'QUESTION' }),
      maxMatches: optional(integer('N', 'The most lines to show, 1 to 200. Default: 40.')),
    }),
    examples: [{ command: 'dev-cli explore "where do sessions expire?"', note: 'What a change would touch.' }],
  },
] as const satisfies readonly CommandSpec[];
