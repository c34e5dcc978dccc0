import { type Static, Type } from '@sinclair/typebox';
import { noOtherKeys } from '../../base/schema.js';
import { textSchema } from '../source/schema-parts.js';

/** Settings of the agent runtime that both projects and users have (runtime.md, Permissions, Hooks, Configuration). */

const rules = (description: string, ...examples: string[]) =>
  Type.Array(
    { ...textSchema('A tool, or a tool with what its calls are compared with.'), maxLength: 1000 },
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
      match: Type.Optional(textSchema('Names of tools, parted by |, with * for any letters.', 'bash|edit_*')),
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
    deny: Type.Optional(rules('Calls that are never made.', 'bash(git push:*)')),
    ask: Type.Optional(rules('Calls that a person is asked about.', 'bash(npm publish:*)')),
    allow: Type.Optional(rules('Calls that nobody is asked about.', 'bash(npm test:*)', 'edit_file(src/**)')),
  },
  {
    ...noOtherKeys,
    description: 'Rules for calls of tools: deny goes before ask, ask before allow, allow before the mode.',
  },
);

const HooksSchema = Type.Object(
  { PreToolUse: hooks('Run before a call.'), PostToolUse: hooks('Run after a call.') },
  { ...noOtherKeys, description: 'Commands that see each call of a tool, and may deny it.' },
);

/** The runtime settings that a project may also set. */
export const RUNTIME_SETTINGS = {
  permissions: Type.Optional(PermissionsSchema),
  hooks: Type.Optional(HooksSchema),
  iterations: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: 'Requests that a turn may take.' })),
};

export const RuntimeSettingsSchema = Type.Object(RUNTIME_SETTINGS, {
  ...noOtherKeys,
  description: 'Rules, hooks and bounds of `dev-cli drive` and `prompt` in this project.',
});

/** Permission rules as written. */
export type PermissionRules = Static<typeof PermissionsSchema>;
/** Hooks as written. */
export type HookSettings = Static<typeof HooksSchema>;
