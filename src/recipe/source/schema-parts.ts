import { type Static, Type } from '@sinclair/typebox';
import { enumSchema, noOtherKeys } from '../../base/schema.js';

/** The fields that all three recipe types share, and the parts from which their schemas are built (recipes.md §1). */

/**
 * Text that is not only white space. A pattern, because a minimum length would make the generated validator need code
 * from ajv.
 */
const NOT_BLANK = { pattern: '\\S' };
/** Adds examples for editors; validators ignore them. */
const shown = (examples: readonly unknown[]) => (examples.length === 0 ? {} : { examples: [...examples] });
/** Text that is not only white space. */
export const textSchema = (description: string, ...examples: string[]) =>
  Type.String({ ...NOT_BLANK, description, ...shown(examples) });
/** One of `values`. */
export const wordSchema = <T extends string>(description: string, ...values: T[]) => ({
  ...enumSchema(...values),
  description,
});
/** A list of paths or globs. */
export const filesSchema = (description: string, ...examples: string[][]) =>
  Type.Array(Type.String(NOT_BLANK), { description, ...shown(examples) });
/** True or false. */
export const flagSchema = (description: string) => Type.Boolean({ description });
/** An id that the machine accepts. */
export const identifier = (description: string, ...examples: string[]) =>
  Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_-]*$', description, ...shown(examples) });

/** A command: one line of text or a list of arguments. */
export const commandSchema = (description: string, ...examples: (string | string[])[]) =>
  Type.Union([Type.String(NOT_BLANK), Type.Array(Type.String(NOT_BLANK), { minItems: 1 })], {
    description,
    ...shown(examples),
  });

/** Any command, of dev-cli or external. */
export const CommandLineSchema = commandSchema(
  'A command: a string split at blanks with quotes and backslashes, or a list of arguments. `dev-cli …` runs in-process; anything else is an external command.',
  'npm test',
  'dev-cli plan summary {name}',
  ['git', 'commit', '--message', '{goal}'],
);
export type CommandSource = Static<typeof CommandLineSchema>;
/** The word that states the type of a recipe or block. */
export const typeSchema = <T extends string>(name: T, description: string) => Type.Literal(name, { description });

const PreferenceSource = Type.Object(
  {
    type: wordSchema('The type of its value.', 'bool', 'string', 'int'),
    default: Type.Optional(
      Type.Unsafe<boolean | string | number>({
        type: ['boolean', 'string', 'number'],
        description: 'Used when no value is set.',
        examples: [false, 'main', 3],
      }),
    ),
    description: textSchema('What it decides.', 'Let an agent look things up outside the repository.'),
  },
  noOtherKeys,
);

const named = '^[a-z][A-Za-z0-9_-]*$';
/** The fields of every recipe. */
export const headerFields = {
  name: Type.String({
    pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$',
    description: 'Equals the file name.',
    examples: ['release'],
  }),
  language: Type.Optional(Type.Literal(1, { description: 'Version of this language. Default 1.' })),
  description: Type.Optional(textSchema('What the recipe is for, in one line.', 'Plan, build and announce a release.')),
  skill: Type.Optional(
    identifier(
      "A word for what the recipe is for. `specify`, `execute` and `open` set defaults for `guard`, `goal`, `inherits` and `closing`; any other word sets none. Default: the name's first word.",
      'release',
    ),
  ),
  mode: Type.Optional(
    Type.Object(
      {
        depth: Type.Optional(wordSchema('How thorough.', 'standard', 'quick')),
        interaction: Type.Optional(wordSchema('Whether a user is at hand.', 'interactive', 'autopilot')),
      },
      { additionalProperties: Type.String(), description: 'Flags of init fill what is left open here.' },
    ),
  ),
  vars: Type.Optional(
    Type.Record(Type.String({ pattern: named }), Type.Unknown(), {
      ...noOtherKeys,
      description: 'Defaults for placeholders.',
    }),
  ),
  preferences: Type.Optional(
    Type.Record(Type.String({ pattern: named }), PreferenceSource, {
      ...noOtherKeys,
      description: 'User preferences that this recipe reads.',
    }),
  ),
  needs: Type.Optional(
    Type.Array(enumSchema('remote', 'gh'), {
      description:
        'What must exist before a run begins: a git remote, a signed-in `gh`. Without it a run is refused, and a phase of a workflow is skipped with a warning.',
    }),
  ),
  guard: Type.Optional(
    Type.Object(
      {
        writes: Type.Optional(
          filesSchema('Globs in the work tree that a tool may touch while the run is live. Default: none.', [
            'src/**',
            'tests/**',
          ]),
        ),
        sources: Type.Optional(
          wordSchema(
            '`kept`: nothing outside .dev/ may change while the run is live, and acknowledgements of `subagent`, `subagent-loop` and `llm+cli` blocks are refused with a list of what did. `free`: this is not checked. Default: kept for the skills specify and open, else free.',
            'kept',
            'free',
          ),
        ),
      },
      {
        ...noOtherKeys,
        description:
          'What may change while a run is live. A run is guarded if `writes` is stated, or if its skill is specify, execute or open.',
      },
    ),
  ),
  artifacts: Type.Optional(
    filesSchema(
      "Documents in the run's directory that the end of the run names if it wrote them, in the order in which a person would open them. Default: PLAN.md, report.md, summary.md, pr.json; in a workflow also what its phases state. Git sees those that you list once the run has ended, so that they can be committed.",
      ['notes.md', 'summary.md'],
    ),
  ),
  closing: Type.Optional(
    textSchema(
      'What the agent should do when the run is completed, before it stops. Placeholders are not filled in. Default: by type and skill, else to tell the user what was done.',
      'Show the user the summary. Nothing is to be implemented now.',
    ),
  ),
  begins: Type.Optional(
    wordSchema(
      'Makes this the default recipe of `dev-cli init` in the mode that it states: of `planning`, or of `execution` with --execute. A recipe of the project takes precedence over a shipped one.',
      'planning',
      'execution',
    ),
  ),
  cleanup: Type.Optional(
    filesSchema('Globs that `dev-cli cleanup` removes. Default: DRAFT.md.', ['DRAFT.md', 'findings/*']),
  ),
};

/** The time limit and the directory of an external command. */
export const externalLimits = {
  timeout: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 86_400,
      description: 'Seconds that an external command may run. Default 300.',
    }),
  ),
  cwd: Type.Optional(textSchema('Where an external command runs, relative to the work tree.', 'packages/api')),
};
