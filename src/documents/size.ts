import { Type } from '@sinclair/typebox';
import { LIMITS } from '../base/limits.js';
import { enumSchema, noOtherKeys } from '../base/schema.js';

const texts = (description: string, maxLength: number) =>
  Type.Array(Type.String({ pattern: '\\S', maxLength }), { description });

/** The schema of the size claim of an agent that classifies a request (recipes.md, Data). */
export const SizeSchema = Type.Object(
  {
    size: Type.Unsafe<'small' | 'middle' | 'large'>({
      ...enumSchema('small', 'middle', 'large'),
      description: 'How much planning the work deserves.',
    }),
    because: Type.Optional(
      Type.Object(
        {
          files: texts('The files that will change, as far as is known.', LIMITS.path),
          interfaces: Type.Boolean({ description: 'Whether an interface changes that other code or users call.' }),
          data: Type.Boolean({ description: 'Whether stored data, or its format, changes.' }),
          unknowns: texts('Questions to answer before the work can be planned.', LIMITS.statement),
        },
        { ...noOtherKeys, description: 'The facts behind the size.' },
      ),
    ),
  },
  { ...noOtherKeys, $id: 'size', description: 'The size of a piece of work.' },
);
