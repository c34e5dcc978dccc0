import { type Static, type TObject, type TProperties, Type } from '@sinclair/typebox';
import { enumSchema, noOtherKeys } from '../../base/schema.js';
import { SECTION_IDS } from '../../documents/sections.js';
import type { BlockKind } from '../../machine/block-kinds.js';
import {
  commandSchema,
  externalLimits,
  filesSchema,
  flagSchema,
  identifier,
  textSchema,
  wordSchema,
} from './schema-parts.js';

/** Schema parts shared by several types of block (recipes.md §2). */

/** The reaction to a failure. */
export const OnErrorSource = Type.Union(
  [
    enumSchema('halt', 'continue', 'retry'),
    Type.Object(
      {
        retry: Type.Object(
          { max: Type.Integer({ minimum: 1, maximum: 100, description: 'Retries at most.' }) },
          { ...noOtherKeys, description: 'The block is tried again.' },
        ),
      },
      noOtherKeys,
    ),
  ],
  {
    description:
      'After a failure: halt the run, continue with the next block, or retry (twice unless `{retry: {max: N}}` says otherwise). Default: continue for subagent, halt for all others.',
    examples: ['continue'],
  },
);

export const ChoiceSource = Type.Union(
  [
    identifier('The id of the choice; it leads to the next block.'),
    Type.Object(
      {
        id: identifier('What `--choice` takes.', 'approve'),
        label: Type.Optional(
          textSchema('What the choice means, for the person choosing. Default: the id.', 'accept this plan'),
        ),
        goto: Type.Optional(
          textSchema(
            '`next` (default), `halt`, or the id of an earlier block, which is then done again (at most maxRounds times).',
            'halt',
            'describe',
          ),
        ),
        when: Type.Optional(
          textSchema('CEL condition; the choice is offered only where it is true.', 'size != "small"'),
        ),
        grows: Type.Optional(
          Type.Literal(true, {
            description:
              'With a `goto` to an earlier block: from there on the work is one size larger, as if the user had said so. Not offered at size large.',
          }),
        ),
        reason: Type.Optional(
          Type.Literal('required', { description: 'The choice is accepted only with a note that says why.' }),
        ),
      },
      noOtherKeys,
    ),
  ],
  { description: 'The id of a choice, or `{id, label, goto, when, grows, reason}`.' },
);
export const choices = Type.Array(ChoiceSource, {
  minItems: 1,
  description: 'What can be chosen; each has its own acknowledgement.',
  // Only words: an editor that inserts an example renders any other list item as "[object Object]".
  examples: [['yes', 'no']],
});

/** An agent that a block starts. */
export const AgentSource = Type.Object(
  {
    type: textSchema(
      'The role: the name of an agent definition. `Explore` is the role code-explorer.',
      'code-explorer',
      'plan-reviewer',
    ),
    id: Type.Optional(
      identifier('Default: the type in lower case, numbered when used more than once.', 'explore-tests'),
    ),
    promptHint: Type.Optional(textSchema('One sentence of emphasis for this agent.', 'Look at the tests first.')),
    prompt: Type.Optional(textSchema('The task, inline.', 'Find the cause of the bug.')),
    promptFile: Type.Optional(textSchema('The task, in a file beside the recipe.', 'prompts/explore.md')),
    output: Type.Optional(
      textSchema(
        "The file this agent writes, in the run's directory. Without it the agent reports through --result.",
        'findings/cause.md',
        'reviews/{round}.md',
      ),
    ),
    readsFrom: Type.Optional(
      filesSchema('Files this agent reads. It is told which of them are missing. Default: by its role.', [
        'DRAFT.md',
        'findings/cause.md',
      ]),
    ),
    promptVariant: Type.Optional(
      textSchema(
        'A variant of the role, such as `lite`: `TYPE.lite.md` beside the role, else the role as it is.',
        'lite',
      ),
    ),
    when: Type.Optional(
      textSchema('CEL condition; the agent is left out when it is false.', 'preferences.external_research'),
    ),
  },
  { ...noOtherKeys, description: 'One agent to start.' },
);

/** Builds the schema of a block type as authors write it. */
export const blockSchema = <F extends TProperties>(fields: F) => Type.Object(fields, noOtherKeys);

/** A `dev-cli …` command. */
export const ownCommandSchema = (description: string, example: string) =>
  commandSchema(`${description} A \`dev-cli …\` command.`, example);

/** The sections of DRAFT.md that a block writes. */
export const sectionsField = Type.Optional(
  Type.Array(enumSchema(...SECTION_IDS), { description: 'Sections of DRAFT.md that this block writes.' }),
);

/** The fields of every block. */
export const commonFields = {
  id: identifier('Unique in the recipe.', 'explore', 'agree'),
  title: Type.Optional(
    textSchema(
      'What happens here, in one line of at most 60 characters for people: in pictures, status and reports. Default: the command, or how the instruction begins.',
      'Run all tests',
    ),
  ),
  when: Type.Optional(
    textSchema(
      'CEL condition; the block is skipped when it is false or null.',
      'size == "large"',
      'blocks["tests"].exit != 0',
    ),
  ),
  onError: Type.Optional(OnErrorSource),
  stale: Type.Optional(
    wordSchema(
      'When an input changed since it was recorded: warn (default), or block the acknowledgement until the block is redone.',
      'warn',
      'block',
    ),
  ),
};
/** The fields of every block that asks an agent or a person. */
export const askingFields = {
  ...commonFields,
  instruction: Type.Optional(
    textSchema(
      'What the agent should do: goal, limits, what counts as done. At most 600 characters.',
      'Find out which version comes next, and say why.',
    ),
  ),
  instructionFile: Type.Optional(
    textSchema(
      'A Markdown file beside the recipe: its first paragraph becomes the instruction, the whole is read by the agent.',
      'prompts/interview.md',
    ),
  ),
  read: Type.Optional(
    filesSchema('Files the agent reads before it acts. Default, without `consult`: by its step.', ['DRAFT.md']),
  ),
  consult: Type.Optional(
    filesSchema('Files the agent reads only when needed. Default, without `read`: by its step.', ['analysis/gap.md']),
  ),
};
/** Marks a step that cannot be done without the user. */
export const asksField = Type.Optional(
  Type.Literal('user', {
    description: 'The step needs the user. Default for an llm-loop whose exitCheck is `dev-cli draft validate`.',
  }),
);
/** A limit on rounds. */
export const boundSchema = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description }));
/** The fields that go with an external command. */
export const externalFields = {
  shell: Type.Optional(
    flagSchema('Pass the command to a shell as one line; it may then contain no placeholder except {name}.'),
  ),
  ...externalLimits,
};
/** The fields that end a loop. */
export const loopFields = {
  maxRounds: boundSchema(
    'Rounds at most. Default 5; 20 where the user is asked, counting only rounds that filled nothing.',
  ),
  exitWhen: Type.Optional(textSchema('CEL condition that ends the loop.', 'agents["plan-reviewer"].verdict == "OKAY"')),
  exitCheck: Type.Optional(ownCommandSchema('Must succeed to end the loop.', 'dev-cli draft validate {name}')),
  revise: Type.Optional(textSchema('The earlier block to go back to before the next round.', 'describe')),
};
/** The schema that data must fit. */
export const schemaField = Type.Optional(
  textSchema(
    'What the data must fit: the name of a shipped schema, or the path of a JSON Schema beside the recipe.',
    'plan-content',
    'schemas/notes.json',
  ),
);

export type ChoiceSource = Static<typeof ChoiceSource>;
/** The reaction to a failure, as written in the recipe. */
export type OnErrorSource = Static<typeof OnErrorSource>;
export type AgentSource = Static<typeof AgentSource>;
/** The fields of every block, as written in the recipe. */
export type CommonSource = Static<TObject<typeof commonFields>> & { type: BlockKind };
/** The fields of a block that asks an agent or a person, as written in the recipe. */
export type AskingSource = Static<TObject<typeof askingFields>> & { type: BlockKind };
