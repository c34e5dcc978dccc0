import { type Static, Type } from '@sinclair/typebox';
import { enumSchema, noOtherKeys, taggedUnion } from '../../base/schema.js';
import { SECTION_IDS } from '../../documents/sections.js';
import { EngineSourceSchema } from './schema-engine.js';
import {
  CommandLine,
  commandSchema,
  externalLimits,
  filesSchema,
  flagSchema,
  headerFields,
  identifier,
  textSchema,
  typeSchema,
  wordSchema,
} from './schema-parts.js';
import { AgentSource, choices, OnErrorSource } from './schema-rows.js';

/**
 * The recipe language as authors write it (recipes.md §1; recipes.md §2). Editor completion and the generated reference
 * use the descriptions. What may be left out is optional here; the resolve files fill it in.
 */

const own = (description: string, example: string) => commandSchema(`${description} A \`dev-cli …\` command.`, example);

const sections = Type.Array(enumSchema(...SECTION_IDS), {
  description: 'Sections of DRAFT.md that this block writes.',
});

const common = {
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
const asking = {
  ...common,
  instruction: Type.Optional(
    textSchema(
      'What the agent shall do: goal, limits, what counts as done. At most 600 characters.',
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
const asks = Type.Optional(
  Type.Literal('user', {
    description: 'The step needs the user. Default for an llm-loop whose exitCheck is `dev-cli draft validate`.',
  }),
);
const bound = (description: string) => Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description }));
const external = {
  shell: Type.Optional(
    flagSchema('Hand the command to a shell as one line; then no placeholder but {name} may stand in it.'),
  ),
  ...externalLimits,
};
const loop = {
  maxRounds: bound('Rounds at most. Default 5; 20 where the user is asked, counting only rounds that filled nothing.'),
  exitWhen: Type.Optional(textSchema('CEL condition that ends the loop.', 'agents["plan-reviewer"].verdict == "OKAY"')),
  exitCheck: Type.Optional(own('Must succeed to end the loop.', 'dev-cli draft validate {name}')),
  revise: Type.Optional(textSchema('The earlier block to go back to before the next round.', 'describe')),
};
const agents = Type.Array(AgentSource, { minItems: 1, description: 'The agents to start.' });
const parallel = Type.Optional(flagSchema('Start the agents together. Default true.'));
const onComplete = Type.Optional(
  own('Runs when every agent has delivered or was given up.', 'dev-cli draft import {name}'),
);

const dataSchema = Type.Optional(
  textSchema(
    'What the data must fit: the name of a shipped schema, or the path of a JSON Schema beside the recipe.',
    'plan-content',
    'schemas/notes.json',
  ),
);

const CliSource = Type.Object(
  {
    ...common,
    type: typeSchema('cli', 'dev-cli runs a command itself.'),
    command: CommandLine,
    revise: Type.Optional(
      textSchema('The earlier block to go back to when the command fails; its `read` then names the log.', 'mend'),
    ),
    maxRounds: bound('With `revise`: how often the command may run before onError decides. Default 5.'),
    ...external,
  },
  noOtherKeys,
);
const LlmSource = Type.Object(
  {
    ...asking,
    type: typeSchema('llm', 'The agent decides or does something, once.'),
    asks,
    choices: Type.Optional(choices),
    save: Type.Optional(own('Stores what the agent hands in.', 'dev-cli draft update {name} --section intent')),
    schema: dataSchema,
    sections: Type.Optional(sections),
    maxRounds: bound('How often a choice may lead back. Default 5.'),
  },
  noOtherKeys,
);
const LlmLoopSource = Type.Object(
  {
    ...asking,
    type: typeSchema('llm-loop', 'The agent works in rounds until the exit check passes.'),
    asks,
    save: Type.Optional(own('Stores what the agent hands in.', 'dev-cli draft update {name} --section intent')),
    schema: dataSchema,
    sections: Type.Optional(sections),
    ...loop,
    exitCheck: Type.Optional(
      commandSchema(
        'Must succeed to end the loop. A `dev-cli …` command, or an external one, which ends the round when it ends.',
        'npm test',
      ),
    ),
    ...external,
  },
  noOtherKeys,
);
const LlmCliSource = Type.Object(
  {
    ...asking,
    type: typeSchema('llm+cli', 'The agent writes a file, JSON or Markdown; then dev-cli may run a command on it.'),
    write: Type.Optional(
      textSchema(
        "The file to write, in the run's directory: Markdown where the name ends in `.md`, else JSON. Default: the command's --data file.",
        'plan-content.json',
        'UPGRADE.md',
      ),
    ),
    schema: dataSchema,
    headings: Type.Optional(
      filesSchema('Headings that a Markdown file must have, of any level, each with text below it.', [
        'What changes',
        'Steps',
      ]),
    ),
    command: Type.Optional(CommandLine),
    then: Type.Optional(own('The same as `command`.', 'dev-cli plan generate {name} --data plan-content.json')),
    ...external,
  },
  noOtherKeys,
);
const SubagentSource = Type.Object(
  {
    ...asking,
    type: typeSchema('subagent', 'Other agents work once, each on its own file.'),
    agents,
    parallel,
    onComplete,
    maxRounds: bound('Always one round here; use subagent-loop for more.'),
  },
  noOtherKeys,
);
const SubagentLoopSource = Type.Object(
  {
    ...asking,
    type: typeSchema('subagent-loop', 'Other agents work in rounds until exitWhen holds.'),
    agents,
    parallel,
    onComplete,
    ...loop,
  },
  noOtherKeys,
);
const GateSource = Type.Object(
  {
    ...asking,
    type: typeSchema('wait-for-user', 'The run waits for a choice.'),
    message: Type.Optional(textSchema('The question put to the user.', 'Shall this plan be carried out as it stands?')),
    choices: Type.Optional(choices),
    human: Type.Optional(Type.Literal('required', { description: 'The choice counts only after a person was heard.' })),
    approves: Type.Optional(
      Type.Literal('plan', {
        description:
          'An execution of the plan begins with this question unless its answer stands: a choice that goes on, by a person, about exactly this plan. Where a person is required and the artifact is PLAN.md it goes without saying.',
      }),
    ),
    artifact: Type.Optional(
      textSchema('The file that is judged. Its digest is recorded; a later change makes the choice stale.', 'PLAN.md'),
    ),
    maxRounds: bound('How often a choice may lead back. Default 5.'),
  },
  noOtherKeys,
);

const BlockSourceSchema = taggedUnion(
  'type',
  [CliSource, LlmSource, LlmLoopSource, LlmCliSource, SubagentSource, SubagentLoopSource, GateSource],
  { description: 'One step of the recipe.' },
);

const SequentialSource = Type.Object(
  {
    ...headerFields,
    type: typeSchema('sequential', 'Blocks, one after the other.'),
    goal: Type.Optional(
      Type.Literal('required', {
        description:
          'A run needs a goal; its first action asks for one that `init` was not given. Goes without saying where a text, a condition or a command of the recipe uses it, and for the skill specify where DRAFT.md is used.',
      }),
    ),
    inherits: Type.Optional(
      filesSchema(
        'Documents that a run may find from an earlier one of its name, so that a block may read them although none before it writes them. Default: PLAN.md and plan-content.json; none for the skill specify.',
        ['notes.md'],
      ),
    ),
    draft: Type.Optional(
      Type.Object(
        {
          required: Type.Array(enumSchema(...SECTION_IDS), {
            description: 'Sections that `dev-cli draft validate` demands.',
          }),
        },
        { ...noOtherKeys, description: 'What DRAFT.md must hold. Default: by depth and interaction.' },
      ),
    ),
    blocks: Type.Array(BlockSourceSchema, { minItems: 1, description: 'The steps, in order.' }),
  },
  noOtherKeys,
);

const PhaseSource = Type.Object(
  {
    name: identifier('Unique in the workflow.', 'plan'),
    recipe: textSchema('The recipe of this phase, sequential or engine.', 'release'),
    when: Type.Optional(
      textSchema(
        'CEL condition over mode, vars, goal and preferences; the phase is skipped when it is false or null.',
        'preferences.pull_request',
      ),
    ),
  },
  { ...noOtherKeys, description: 'One phase.' },
);

const OnFailSource = Type.Union(
  [
    enumSchema('halt', 'skip_phase'),
    Type.Object(
      {
        retry_phase: Type.Object(
          { max: Type.Integer({ minimum: 1, maximum: 20, description: 'How often a phase begins anew at most.' }) },
          { ...noOtherKeys, description: 'The phase begins anew.' },
        ),
      },
      noOtherKeys,
    ),
  ],
  {
    description:
      'When a phase halts: halt the run (default), go on with the next phase, or begin the phase anew (`{retry_phase: {max: 1}}`). A stop that a person chose always halts.',
    examples: ['skip_phase'],
  },
);

const MetaSource = Type.Object(
  {
    ...headerFields,
    type: typeSchema('meta', 'Other recipes, one after the other, as phases of one run.'),
    phases: Type.Array(PhaseSource, { minItems: 1, description: 'The phases, in order.' }),
    errorPolicy: Type.Optional(
      Type.Object(
        { onFail: Type.Optional(OnFailSource) },
        { ...noOtherKeys, description: 'What happens when a phase fails.' },
      ),
    ),
  },
  noOtherKeys,
);

/** The schema of recipe files of all types. */
export const RecipeSchema = taggedUnion('type', [SequentialSource, EngineSourceSchema, MetaSource], {
  $id: 'recipe',
  description: 'A dev-cli recipe (docs/recipe-language.md).',
});

/** A sequential recipe as written. */
export type SequentialSource = Static<typeof SequentialSource>;
/** A workflow as written. */
export type MetaSource = Static<typeof MetaSource>;
/** A block as written. */
export type BlockSource = Static<typeof BlockSourceSchema>;
/** A command as written. */
export type CommandSource = Static<typeof CommandLine>;
/** A block of type `K` as written. */
export type BlockSourceOf<K extends BlockSource['type']> = Extract<BlockSource, { type: K }>;
