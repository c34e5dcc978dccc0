import { type Static, Type } from '@sinclair/typebox';
import { noOtherKeys } from '../../base/schema.js';
import { textSchema } from '../source/schema-parts.js';

/** Settings of the agent runtime for projects and for users (runtime.md, Permissions, Hooks, Configuration). */

const rules = (description: string, ...examples: string[]) =>
  Type.Array(
    { ...textSchema('A tool, or a tool with a pattern for its calls.'), maxLength: 1000 },
    {
      maxItems: 200,
      description,
      examples: [examples],
    },
  );

const HookSchema = Type.Union([
  textSchema('A line for sh.'),
  Type.Object(
    {
      match: Type.Optional(textSchema('Names of tools, separated by |; * stands for any letters.', 'bash|edit_*')),
      command: textSchema('A line for sh.'),
      timeout: Type.Optional(Type.Integer({ minimum: 1, maximum: 3600, description: 'Seconds; 60 without.' })),
      failClosed: Type.Optional(Type.Boolean({ description: 'A hook that fails denies the call.' })),
    },
    noOtherKeys,
  ),
]);
const hooks = (description: string) => Type.Optional(Type.Array(HookSchema, { maxItems: 50, description }));

const PermissionsSchema = Type.Object(
  {
    deny: Type.Optional(rules('Calls that are always denied.', 'bash(git push:*)')),
    ask: Type.Optional(rules('Calls that a person must allow.', 'bash(npm publish:*)')),
    allow: Type.Optional(rules('Calls that are allowed without a question.', 'bash(npm test:*)', 'edit_file(src/**)')),
  },
  {
    ...noOtherKeys,
    description: 'Rules for tool calls: deny takes precedence over ask, ask over allow, allow over the mode.',
  },
);

const HooksSchema = Type.Object(
  { PreToolUse: hooks('Run before a call.'), PostToolUse: hooks('Run after a call.') },
  { ...noOtherKeys, description: 'Commands that are shown each tool call and may deny it.' },
);

/** The runtime settings that a project may also set. */
export const RUNTIME_SETTINGS = {
  permissions: Type.Optional(PermissionsSchema),
  hooks: Type.Optional(HooksSchema),
  iterations: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, description: 'How many requests a turn may make.' }),
  ),
};

export const RuntimeSettingsSchema = Type.Object(RUNTIME_SETTINGS, {
  ...noOtherKeys,
  description: 'Rules, hooks and limits of `dev-cli drive` and `prompt` in this project.',
});

/** Permission rules as written in the settings. */
export type PermissionRules = Static<typeof PermissionsSchema>;
/** Hooks as written in the settings. */
export type HookSettings = Static<typeof HooksSchema>;
