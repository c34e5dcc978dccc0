import { type Static, Type } from '@sinclair/typebox';
import { enumSchema, noOtherKeys } from '../../base/schema.js';
import { filesSchema, identifier, textSchema } from './schema-parts.js';

/** What blocks of several types have inside (recipes.md §2). */

/** What happens after a failure. */
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

/** A choice of a block. */
export const ChoiceSource = Type.Union(
  [
    identifier('The id of the choice; it leads to the next block.'),
    Type.Object(
      {
        id: identifier('What `--choice` takes.', 'approve'),
        label: Type.Optional(
          textSchema('What the choice means, for whoever chooses. Default: the id.', 'accept this plan'),
        ),
        goto: Type.Optional(
          textSchema(
            '`next` (default), `halt`, or the id of an earlier block, which is then done again (at most maxRounds times).',
            'halt',
            'describe',
          ),
        ),
        when: Type.Optional(textSchema('CEL condition; the choice is offered only where it holds.', 'size != "small"')),
        grows: Type.Optional(
          Type.Literal(true, {
            description:
              'With a `goto` to an earlier block: the work is one size larger from there on, as the word of the user. Not offered at the size large.',
          }),
        ),
        reason: Type.Optional(
          Type.Literal('required', { description: 'The choice is accepted only together with a note that says why.' }),
        ),
      },
      noOtherKeys,
    ),
  ],
  { description: 'The id of a choice, or `{id, label, goto, when, grows, reason}`.' },
);
/** The choices of a block. */
export const choices = Type.Array(ChoiceSource, {
  minItems: 1,
  description: 'What can be chosen; each has its own acknowledgement.',
  // Words alone: an editor that takes an example up writes what else is in a list as "[object Object]".
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
      identifier('Default: the type in lower case, numbered when it is used more than once.', 'explore-tests'),
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
      filesSchema('Files this agent reads. One that is absent is named to it as missing. Default: by its role.', [
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

/** A choice as written. */
export type ChoiceSource = Static<typeof ChoiceSource>;
/** The reaction to a failure as written. */
export type OnErrorSource = Static<typeof OnErrorSource>;
