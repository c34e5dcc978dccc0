import { type Static, Type } from '@sinclair/typebox';
import { enumSchema, noOtherKeys, taggedUnion } from '../../base/schema.js';
import { SECTION_IDS } from '../../documents/sections.js';
import { cliSource } from '../blocks/cli.js';
import { gateSource } from '../blocks/gate.js';
import { llmLoopSource, llmSource } from '../blocks/llm.js';
import { llmCliSource } from '../blocks/llm-cli.js';
import { subagentLoopSource, subagentSource } from '../blocks/subagent.js';
import { EngineSourceSchema } from './schema-engine.js';
import { filesSchema, headerFields, identifier, textSchema, typeSchema } from './schema-parts.js';

/**
 * The recipe language as authors write it (recipes.md §1; recipes.md §2). Editor completion and the generated reference
 * use the descriptions. Fields with a default are optional here; the code in resolve/ fills them in.
 */

const BlockSourceSchema = taggedUnion(
  'type',
  [cliSource(), llmSource(), llmLoopSource(), llmCliSource(), subagentSource(), subagentLoopSource(), gateSource()],
  { description: 'One step of the recipe.' },
);

const SequentialSource = Type.Object(
  {
    ...headerFields,
    type: typeSchema('sequential', 'Blocks, one after the other.'),
    goal: Type.Optional(
      Type.Literal('required', {
        description:
          'A run needs a goal; if `init` was not given one, the first action asks for it. Implied where a text, a condition or a command of the recipe uses it, and for the skill specify where DRAFT.md is used.',
      }),
    ),
    inherits: Type.Optional(
      filesSchema(
        'Documents that an earlier run of the same name may have left: a block may read them although no earlier block writes them. Default: PLAN.md and plan-content.json; none for the skill specify.',
        ['notes.md'],
      ),
    ),
    draft: Type.Optional(
      Type.Object(
        {
          required: Type.Array(enumSchema(...SECTION_IDS), {
            description: 'Sections that `dev-cli draft validate` requires.',
          }),
        },
        { ...noOtherKeys, description: 'What DRAFT.md must contain. Default: by depth and interaction.' },
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
          { max: Type.Integer({ minimum: 1, maximum: 20, description: 'How often a phase is restarted at most.' }) },
          { ...noOtherKeys, description: 'The phase is restarted.' },
        ),
      },
      noOtherKeys,
    ),
  ],
  {
    description:
      'When a phase halts: halt the run (default), continue with the next phase, or restart the phase (`{retry_phase: {max: 1}}`). A stop that a person chose always halts.',
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

/** The schema of recipe files of every type. */
export const RecipeSchema = taggedUnion('type', [SequentialSource, EngineSourceSchema, MetaSource], {
  $id: 'recipe',
  description: 'A dev-cli recipe (docs/recipe-language.md).',
});

/** A sequential recipe as written in its file. */
export type SequentialSource = Static<typeof SequentialSource>;
/** A workflow as written in its file. */
export type MetaSource = Static<typeof MetaSource>;
export type BlockSource = Static<typeof BlockSourceSchema>;
/** A block of type `K` as written in the recipe. */
export type BlockSourceOf<K extends BlockSource['type']> = Extract<BlockSource, { type: K }>;
