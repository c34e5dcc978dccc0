import { type Static, type TOptional, Type } from '@sinclair/typebox';
import { noOtherKeys } from '../../base/schema.js';
import { HARNESS_IDS, type HarnessId } from '../../generated/harnesses.js';
import { textSchema, wordSchema } from '../source/schema-parts.js';
import { RuntimeSettingsSchema } from './runtime-schema.js';

/** Keys of .dev/preferences.yaml that are not run preferences (harness.md, Roles and agents; protocol.md §5). */

const effort = wordSchema('The reasoning effort of the model.', 'low', 'medium', 'high');

const HarnessAgentSchema = Type.Object(
  {
    model: Type.Optional({ ...textSchema('The name of a model, as this harness spells it.'), maxLength: 200 }),
    effort: Type.Optional(Type.Unsafe<'low' | 'medium' | 'high'>(effort)),
  },
  { ...noOtherKeys, description: 'Settings for this harness only.' },
);

const BY_HARNESS = Object.fromEntries(HARNESS_IDS.map((id) => [id, Type.Optional(HarnessAgentSchema)])) as Record<
  HarnessId,
  TOptional<typeof HarnessAgentSchema>
>;

const AgentSchema = Type.Object(
  {
    effort: Type.Optional(Type.Unsafe<'low' | 'medium' | 'high'>(effort)),
    /**
     * Not valid, but the first thing that users try. The schema lets it pass, and a later check refuses it with a hint
     * on what to write instead.
     */
    model: Type.Optional(Type.Unknown()),
    ...BY_HARNESS,
    drive: Type.Optional({
      ...HarnessAgentSchema,
      description: 'Settings for `dev-cli drive`; the model is PROVIDER/MODEL.',
    }),
  },
  {
    ...noOtherKeys,
    description: 'An effort for all harnesses; a model for each harness by its id, since model names differ.',
  },
);

export const ProjectSettingsSchema = Type.Object(
  {
    agents: Type.Optional(
      Type.Record(Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$' }), AgentSchema, {
        ...noOtherKeys,
        description: 'Models and efforts of the agents that `install` writes, by role; `default` is for all others.',
      }),
    ),
    notify: Type.Optional(
      Type.Array(Type.String({ maxLength: 4096 }), {
        minItems: 1,
        maxItems: 64,
        description: 'A command, as a list of its arguments, that `status --watch` starts when a gate opens.',
      }),
    ),
    plain: Type.Optional(Type.Boolean({ description: 'Plain lines of text instead of screens and symbols.' })),
    notes: Type.Optional(
      Type.Array(Type.String({ pattern: '\\S', maxLength: 300 }), {
        maxItems: 20,
        description:
          'Rules for all work in this project, one sentence each; planners, workers and reviewers are given them.',
      }),
    ),
    recipes: Type.Optional(
      Type.Array(Type.String({ pattern: '\\S', maxLength: 1000 }), {
        maxItems: 100,
        description:
          'Sources of shared recipes: npm packages by name, and directories relative to the root, absolute or below ~. Each contains recipes/, workflows/ or agents/.',
      }),
    ),
    runtime: Type.Optional(RuntimeSettingsSchema),
  },
  {
    ...noOtherKeys,
    $id: 'project-settings',
    description: 'The settings in .dev/preferences.yaml other than preferences of runs.',
  },
);

/** The content of .dev/preferences.yaml other than run preferences. */
export type ProjectSettings = Static<typeof ProjectSettingsSchema>;
