import { Type } from '@sinclair/typebox';
import { closed, enumOf } from '../base/schema.js';

/** What the three types of recipe have in common, and the small words that their schemas are made of (recipes.md §1). */

/** Holds more than blanks. A pattern and not a length: the validator then needs no code of ajv's at run time. */
export const filled = { pattern: '\\S' };
export const text = (description: string) => Type.String({ ...filled, description });
export const word = <T extends string>(description: string, ...values: T[]) => ({ ...enumOf(...values), description });
export const files = (description: string) => Type.Array(Type.String(filled), { description });
export const flag = (description: string) => Type.Boolean({ description });
export const identifier = (description: string) => Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_-]*$', description });

/** A command of any kind. */
export const CommandLine = Type.Union([Type.String(filled), Type.Array(Type.String(filled), { minItems: 1 })], {
  description:
    'A command: a string split at blanks with quotes and backslashes, or a list of arguments. `dev-cli …` runs in-process; anything else is an external command.',
});
export const kind = <T extends string>(name: T, description: string) => Type.Literal(name, { description });

const PreferenceSource = Type.Object(
  {
    type: word('The type of its value.', 'bool', 'string', 'int'),
    default: Type.Optional(
      Type.Unsafe<boolean | string | number>({
        type: ['boolean', 'string', 'number'],
        description: 'Used when nobody set it.',
      }),
    ),
    description: text('What it decides.'),
  },
  closed,
);

const named = '^[a-z][A-Za-z0-9_-]*$';
/** Fields of every recipe. */
export const header = {
  name: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$', description: 'Equals the file name.' }),
  language: Type.Optional(Type.Literal(1, { description: 'Version of this language. Default 1.' })),
  description: Type.Optional(text('What the recipe is for, in one line.')),
  skill: Type.Optional(
    identifier("`specify`, `execute`, `open`, or a new word; guards look at it. Default: the name's first word."),
  ),
  mode: Type.Optional(
    Type.Object(
      {
        depth: Type.Optional(word('How thorough.', 'standard', 'quick')),
        interaction: Type.Optional(word('Whether a user is at hand.', 'interactive', 'autopilot')),
      },
      { additionalProperties: Type.String(), description: "What is left open here is filled by init's flags." },
    ),
  ),
  vars: Type.Optional(
    Type.Record(Type.String({ pattern: named }), Type.Unknown(), {
      ...closed,
      description: 'Defaults for placeholders.',
    }),
  ),
  preferences: Type.Optional(
    Type.Record(Type.String({ pattern: named }), PreferenceSource, {
      ...closed,
      description: 'Preferences of the user that this recipe reads.',
    }),
  ),
  needs: Type.Optional(
    Type.Array(enumOf('remote', 'gh'), {
      description:
        'What has to be there before a run begins: a git remote, `gh` signed in. Without it a run is refused, and a phase of a workflow is passed over with a warning.',
    }),
  ),
  guard: Type.Optional(
    Type.Object({ writes: files('Globs in the work tree that a tool may touch while the run is live.') }, closed),
  ),
  cleanup: Type.Optional(files('Globs that `dev-cli cleanup` removes. Default: DRAFT.md.')),
};

/** How long an external command may take, and where it runs. */
export const externalLimits = {
  timeout: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 86_400, description: 'Seconds an external command may take. Default 300.' }),
  ),
  cwd: Type.Optional(text('Where an external command runs, relative to the work tree.')),
};
