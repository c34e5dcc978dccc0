import { type Static, Type } from '@sinclair/typebox';
import { closed, discriminated, enumOf } from '../base/schema.js';
import { SECTION_IDS } from '../documents/sections.js';

/**
 * The recipe language as authors write it (recipes.md §1, §2). Every field has a description: it feeds editor completion
 * and the generated reference. What may be left out is optional here and filled in by resolve.ts.
 */

/** Holds more than blanks. A pattern and not a length: the validator then needs no code of ajv's at run time. */
const filled = { pattern: '\\S' };
const text = (description: string) => Type.String({ ...filled, description });
const word = <T extends string>(description: string, ...values: T[]) => ({ ...enumOf(...values), description });
const files = (description: string) => Type.Array(Type.String(filled), { description });
const flag = (description: string) => Type.Boolean({ description });
const identifier = (description: string) => Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_-]*$', description });

const CommandLine = Type.Union([Type.String(filled), Type.Array(Type.String(filled), { minItems: 1 })], {
  description:
    'A command: a string split at blanks with quotes and backslashes, or a list of arguments. `dev-cli …` runs in-process; anything else is an external command.',
});
const own = (description: string) =>
  Type.Union([Type.String(filled), Type.Array(Type.String(filled), { minItems: 1 })], {
    description: `${description} A \`dev-cli …\` command.`,
  });

const sections = Type.Array(enumOf(...SECTION_IDS), { description: 'Sections of DRAFT.md that this block writes.' });

const OnErrorSource = Type.Union(
  [
    enumOf('halt', 'continue', 'retry'),
    Type.Object(
      {
        retry: Type.Object(
          { max: Type.Integer({ minimum: 1, maximum: 100, description: 'Retries at most.' }) },
          closed,
        ),
      },
      closed,
    ),
  ],
  {
    description:
      'After a failure: halt the run, continue with the next block, or retry (twice unless `{retry: {max: N}}` says otherwise). Default: continue for subagent, halt for all others.',
  },
);

const ChoiceSource = Type.Union(
  [
    identifier('The id of the choice; it leads to the next block.'),
    Type.Object(
      {
        id: identifier('What `--choice` takes.'),
        label: Type.Optional(text('What the choice means, for whoever chooses. Default: the id.')),
        goto: Type.Optional(
          text(
            '`next` (default), `halt`, or the id of an earlier block, which is then done again (at most maxRounds times).',
          ),
        ),
        reason: Type.Optional(
          Type.Literal('required', { description: 'The choice is accepted only together with a note that says why.' }),
        ),
      },
      closed,
    ),
  ],
  { description: 'The id of a choice, or `{id, label, goto, reason}`.' },
);
const choices = Type.Array(ChoiceSource, {
  minItems: 1,
  description: 'What can be chosen; each has its own acknowledgement.',
});

const AgentSource = Type.Object(
  {
    type: text('The role: the name of an agent definition. `Explore` is the role code-explorer.'),
    id: Type.Optional(identifier('Default: the type in lower case, numbered when it is used more than once.')),
    promptHint: Type.Optional(text('One sentence of emphasis for this agent.')),
    prompt: Type.Optional(text('The task, inline.')),
    promptFile: Type.Optional(text('The task, in a file beside the recipe.')),
    output: Type.Optional(
      text("The file this agent writes, in the run's directory. Without it the agent reports through --result."),
    ),
    readsFrom: Type.Optional(files('Files this agent reads. One that is absent is named to it as missing.')),
    promptVariant: Type.Optional(text('A variant of the role, such as `lite`.')),
    when: Type.Optional(text('CEL condition; the agent is left out when it is false.')),
  },
  { ...closed, description: 'One agent to start.' },
);

const common = {
  id: identifier('Unique in the recipe.'),
  when: Type.Optional(text('CEL condition; the block is skipped when it is false or null.')),
  onError: Type.Optional(OnErrorSource),
  stale: Type.Optional(
    word(
      'When an input changed since it was recorded: warn (default), or block the acknowledgement until the block is redone.',
      'warn',
      'block',
    ),
  ),
};
const asking = {
  ...common,
  instruction: Type.Optional(
    text('What the agent shall do: goal, limits, what counts as done. At most 600 characters.'),
  ),
  instructionFile: Type.Optional(
    text(
      'A Markdown file beside the recipe: its first paragraph becomes the instruction, the whole is read by the agent.',
    ),
  ),
  read: Type.Optional(files('Files the agent reads before it acts.')),
  consult: Type.Optional(files('Files the agent reads only when needed.')),
};
const asks = Type.Optional(
  Type.Literal('user', {
    description: 'The step needs the user. Default for an llm-loop whose exitCheck is `dev-cli draft validate`.',
  }),
);
const bound = (description: string) => Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description }));
const external = {
  shell: Type.Optional(
    flag('Hand the command to a shell as one line; then no placeholder but {name} may stand in it.'),
  ),
  timeout: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 86_400, description: 'Seconds an external command may take. Default 300.' }),
  ),
  cwd: Type.Optional(text('Where an external command runs, relative to the work tree.')),
};
const loop = {
  maxRounds: bound('Rounds at most. Default 5; 20 where the user is asked, counting only rounds that filled nothing.'),
  exitWhen: Type.Optional(text('CEL condition that ends the loop.')),
  exitCheck: Type.Optional(own('Must succeed to end the loop.')),
  revise: Type.Optional(text('The earlier block to go back to before the next round.')),
};
const agents = Type.Array(AgentSource, { minItems: 1, description: 'The agents to start.' });
const parallel = Type.Optional(flag('Start the agents together. Default true.'));
const onComplete = Type.Optional(own('Runs when every agent has delivered or was given up.'));

const kind = <T extends string>(name: T, description: string) => Type.Literal(name, { description });

const CliSource = Type.Object(
  { ...common, type: kind('cli', 'dev-cli runs a command itself.'), command: CommandLine, ...external },
  closed,
);
const LlmSource = Type.Object(
  {
    ...asking,
    type: kind('llm', 'The agent decides or does something, once.'),
    asks,
    choices: Type.Optional(choices),
    save: Type.Optional(own('Stores what the agent hands in.')),
    sections: Type.Optional(sections),
    maxRounds: bound('How often a choice may lead back. Default 5.'),
  },
  closed,
);
const LlmLoopSource = Type.Object(
  {
    ...asking,
    type: kind('llm-loop', 'The agent works in rounds until the exit check passes.'),
    asks,
    save: Type.Optional(own('Stores what the agent hands in.')),
    sections: Type.Optional(sections),
    ...loop,
  },
  closed,
);
const LlmCliSource = Type.Object(
  {
    ...asking,
    type: kind('llm+cli', 'The agent writes a file, then dev-cli runs a command on it.'),
    write: Type.Optional(text("The file to write, in the run's directory. Default: the command's --data file.")),
    schema: Type.Optional(text('Name of a shipped schema, or a path, that the file must satisfy.')),
    command: Type.Optional(CommandLine),
    then: Type.Optional(own('The same as `command`.')),
    ...external,
  },
  closed,
);
const SubagentSource = Type.Object(
  {
    ...asking,
    type: kind('subagent', 'Other agents work once, each on its own file.'),
    agents,
    parallel,
    onComplete,
    maxRounds: bound('Always one round here; use subagent-loop for more.'),
  },
  closed,
);
const SubagentLoopSource = Type.Object(
  {
    ...asking,
    type: kind('subagent-loop', 'Other agents work in rounds until exitWhen holds.'),
    agents,
    parallel,
    onComplete,
    ...loop,
  },
  closed,
);
const GateSource = Type.Object(
  {
    ...asking,
    type: kind('wait-for-user', 'The run waits for a choice.'),
    message: Type.Optional(text('The question put to the user.')),
    choices: Type.Optional(choices),
    human: Type.Optional(Type.Literal('required', { description: 'The choice counts only after a person was heard.' })),
    artifact: Type.Optional(
      text('The file that is judged. Its digest is recorded; a later change makes the choice stale.'),
    ),
    maxRounds: bound('How often a choice may lead back. Default 5.'),
  },
  closed,
);

const BlockSourceSchema = discriminated(
  'type',
  [CliSource, LlmSource, LlmLoopSource, LlmCliSource, SubagentSource, SubagentLoopSource, GateSource],
  { description: 'One step of the recipe.' },
);

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
const header = {
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
  guard: Type.Optional(
    Type.Object({ writes: files('Globs in the work tree that a tool may touch while the run is live.') }, closed),
  ),
  cleanup: Type.Optional(files('Globs that `dev-cli cleanup` removes. Default: DRAFT.md.')),
};

const SequentialSource = Type.Object(
  {
    ...header,
    type: kind('sequential', 'Blocks, one after the other.'),
    draft: Type.Optional(
      Type.Object(
        {
          required: Type.Array(enumOf(...SECTION_IDS), {
            description: 'Sections that `dev-cli draft validate` demands.',
          }),
        },
        closed,
      ),
    ),
    blocks: Type.Array(BlockSourceSchema, { minItems: 1, description: 'The steps, in order.' }),
  },
  closed,
);

const anything = (description: string) => Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description }));
const EngineSource = Type.Object(
  {
    ...header,
    type: kind('engine', 'The todos of a plan as a graph of small machines.'),
    block: Type.Optional(text('`execution-engine`.')),
    config: anything('Depth, handlers and policies of the engine.'),
    handlers: anything("The recipe's own handlers."),
  },
  closed,
);
const MetaSource = Type.Object(
  {
    ...header,
    type: kind('meta', 'Other recipes, one after the other, as phases of one run.'),
    phases: Type.Array(
      Type.Object(
        {
          name: identifier('Unique in the recipe.'),
          recipe: text('The recipe of this phase.'),
          when: Type.Optional(text('CEL condition; the phase is skipped when it is false.')),
        },
        closed,
      ),
      { minItems: 1, description: 'The phases, in order.' },
    ),
    errorPolicy: anything('What happens when a phase fails.'),
  },
  closed,
);

/** A recipe file. Engine and meta recipes are known by their fields; this version does not run them. */
export const RecipeSchema = discriminated('type', [SequentialSource, EngineSource, MetaSource], {
  $id: 'recipe',
  description: 'A dev-cli recipe (docs/recipe-language.md).',
});

export type SequentialSource = Static<typeof SequentialSource>;
export type BlockSource = Static<typeof BlockSourceSchema>;
export type CommandSource = Static<typeof CommandLine>;
export type ChoiceSource = Static<typeof ChoiceSource>;
export type OnErrorSource = Static<typeof OnErrorSource>;
/** The source of a block of one type. */
export type BlockSourceOf<K extends BlockSource['type']> = Extract<BlockSource, { type: K }>;
