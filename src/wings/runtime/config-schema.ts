import { type Static, Type } from '@sinclair/typebox';
import { enumSchema, noOtherKeys, secretSchema } from '../../base/schema.js';
import { RUNTIME_SETTINGS } from '../../recipe/settings/runtime-schema.js';

/** The user's own configuration of the runtime (runtime.md, Configuration). */

const Name = '^[a-z][a-z0-9_-]{0,63}$';
const Text = (description: string) => Type.String({ pattern: '\\S', maxLength: 4096, description });
const Texts = Type.Record(Type.String(), Type.String({ maxLength: 4096 }));
const price = (description: string) => Type.Number({ minimum: 0, maximum: 100_000, description });

const KeySchema = secretSchema(
  'Where to read the key from: one of env, file and command. This file never contains the key.',
);

const ProviderSchema = Type.Object(
  {
    api: enumSchema('anthropic', 'openai', 'google', 'chat'),
    baseURL: Type.Optional(Text('Its base address, with or without the version.')),
    key: Type.Optional(KeySchema),
  },
  noOtherKeys,
);

const ModelSchema = Type.Object(
  {
    window: Type.Optional(
      Type.Integer({ minimum: 1024, maximum: 100_000_000, description: 'Tokens in its context window.' }),
    ),
    input: Type.Optional(price('USD per million input tokens.')),
    output: Type.Optional(price('USD per million output tokens.')),
    cacheWrite: Type.Optional(price('USD per million tokens written to the cache. Default: as input.')),
    cacheRead: Type.Optional(price('USD per million tokens read from the cache. Default: as input.')),
  },
  noOtherKeys,
);

const needs = Type.Optional(enumSchema('read-only', 'workspace-write', 'danger-full-access'));
const McpServerSchema = Type.Union([
  Type.Object(
    {
      command: Text('The program.'),
      args: Type.Optional(Type.Array(Type.String({ maxLength: 4096 }), { maxItems: 200 })),
      env: Type.Optional(Texts),
      needs,
    },
    noOtherKeys,
  ),
  Type.Object({ url: Text('Its address.'), headers: Type.Optional(Texts), needs }, noOtherKeys),
]);

export const RuntimeConfigSchema = Type.Object(
  {
    model: Type.Optional(Text('The model, as PROVIDER/MODEL.')),
    effort: Type.Optional(enumSchema('low', 'medium', 'high')),
    mode: Type.Optional(enumSchema('read-only', 'workspace-write', 'danger-full-access', 'prompt')),
    sandbox: Type.Optional(enumSchema('auto', 'require', 'off')),
    network: Type.Optional(Type.Boolean({ description: 'Whether commands in the sandbox can reach the network.' })),
    providers: Type.Optional(Type.Record(Type.String({ pattern: Name }), ProviderSchema, noOtherKeys)),
    models: Type.Optional(Type.Record(Type.String({ maxLength: 200 }), ModelSchema)),
    mcpServers: Type.Optional(Type.Record(Type.String({ pattern: Name }), McpServerSchema, noOtherKeys)),
    timeouts: Type.Optional(
      Type.Object(
        {
          byte: Type.Optional(
            Type.Integer({ minimum: 1, maximum: 3600, description: 'Seconds to wait for a byte. Default: 90.' }),
          ),
          part: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: 3600,
              description: 'Seconds to wait for a part of the answer. Default: 300.',
            }),
          ),
        },
        noOtherKeys,
      ),
    ),
    ...RUNTIME_SETTINGS,
  },
  { ...noOtherKeys, $id: 'runtime', description: 'Settings of `dev-cli drive` and `dev-cli prompt` for you.' },
);

/** The configuration file as parsed. */
export type RuntimeConfigFile = Static<typeof RuntimeConfigSchema>;
export type ProviderSetting = Static<typeof ProviderSchema>;
