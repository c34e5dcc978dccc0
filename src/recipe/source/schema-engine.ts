import { type Static, Type } from '@sinclair/typebox';
import { enumSchema, noOtherKeys, taggedUnion } from '../../base/schema.js';
import { ENGINE_BLOCK, HANDLER_KEY, HANDLERS } from '../../registry/handlers.js';
import {
  CommandLineSchema,
  externalLimits,
  flagSchema,
  headerFields,
  textSchema,
  typeSchema,
  wordSchema,
} from './schema-parts.js';

/** The schema of engine recipes, as authors write them (engine.md, Shape). */

const limit = (minimum: number, maximum: number, description: string) =>
  Type.Optional(Type.Integer({ minimum, maximum, description }));

const PoliciesSource = Type.Object(
  {
    max_retries: limit(0, 20, 'Attempts of a todo after the first. Default 3.'),
    adapt_depth_limit: limit(0, 5, 'How many levels deep todos may be added; 0: none are added. Default 1.'),
    max_dynamic_todos: limit(0, 100, 'Todos that may be added in a run. Default 3.'),
    parallel_limit: limit(1, 32, 'Todos worked on at the same time. Default 4.'),
    triage_precedence: Type.Optional(
      Type.Array(enumSchema('halt', 'adapt', 'retry'), {
        description: 'The order of precedence of halt, adapt and retry when several apply; name all three.',
      }),
    ),
    must_not: Type.Optional(
      wordSchema(
        'What follows when a judge finds a must-not violated. `retry`: the attempt fails and is repeated with the reason while retries are left. `halt`: the todo fails at once. Default retry.',
        'retry',
        'halt',
      ),
    ),
    assertions_at: Type.Optional(
      wordSchema(
        'Who judges assertions and must-nots without paths: a verifier after each `todo`, or the code `review` at the end. Default todo; for a plan of size middle review.',
        'todo',
        'review',
      ),
    ),
    max_fix_rounds: limit(0, 10, 'Rounds of fixes after the code review or the final verification. Default 2.'),
    verify_enabled: Type.Optional(flagSchema('Verify each todo. Default true.')),
    commit_enabled: Type.Optional(
      flagSchema(
        'Commit the work of each todo. Default true; false where `handlers` is stated and does not name `commit`.',
      ),
    ),
    code_review_enabled: Type.Optional(flagSchema('Review the whole diff at the end. Default true.')),
    final_verify_enabled: Type.Optional(flagSchema('Run all command acceptances once more at the end. Default true.')),
  },
  { ...noOtherKeys, description: 'Limits and switches.' },
);

const ConfigSource = Type.Object(
  {
    depth: Type.Optional(wordSchema('How thorough; the same as `mode.depth`.', 'standard', 'quick')),
    handlers: Type.Optional(
      Type.Object(
        Object.fromEntries(
          HANDLERS.map(({ key, id, summary }) => [
            key,
            Type.Optional(Type.Literal(id, { description: `${summary} Fixed: it cannot be another one.` })),
          ]),
        ),
        {
          ...noOtherKeys,
          description:
            "dev-cli's own handlers, for documentation. Without `commit` nothing is committed; any other handler left out runs anyway.",
        },
      ),
    ),
    policies: Type.Optional(PoliciesSource),
  },
  { ...noOtherKeys, description: 'Depth, handlers and policies of the engine.' },
);

const stands = {
  after: Type.Optional(
    textSchema(
      '`worker`, `verify`, or another own handler. Default: verify. Several after one run in the order of the file.',
      'worker',
      'security_scan',
    ),
  ),
  when: Type.Optional(
    textSchema(
      'CEL condition; the handler is skipped for a todo when it is false or null. It also sees `todo {id, type, risk}`.',
      'todo.risk == "high"',
    ),
  ),
};
const OwnSubagent = Type.Object(
  {
    actor: Type.Literal('subagent', { description: 'An agent judges the todo, with the same result as a verifier.' }),
    agent: textSchema('The role: the name of an agent definition.', 'security-reviewer'),
    promptFile: Type.Optional(
      textSchema('What it should judge, in a file beside the recipe.', 'prompts/security-scan.md'),
    ),
    ...stands,
  },
  noOtherKeys,
);
const OwnCli = Type.Object(
  {
    actor: Type.Literal('cli', { description: 'dev-cli runs a command; a non-zero exit is a failed criterion.' }),
    command: CommandLineSchema,
    ...externalLimits,
    ...stands,
  },
  noOtherKeys,
);
const OwnHuman = Type.Object(
  {
    actor: Type.Literal('human', { description: 'A person approves the todo, or rejects it with a reason.' }),
    message: textSchema('The question put to the person.', 'May this todo be committed as it stands?'),
    ...stands,
  },
  noOtherKeys,
);

const OwnHandlerSourceSchema = taggedUnion('actor', [OwnCli, OwnSubagent, OwnHuman], {
  description: 'A stage of every todo, between the worker and the wrap-up.',
});

export const EngineSourceSchema = Type.Object(
  {
    ...headerFields,
    type: typeSchema('engine', 'The todos of a plan as a graph of small machines.'),
    block: Type.Optional(
      Type.Literal(ENGINE_BLOCK, { description: 'The one block of an engine recipe. May be left out.' }),
    ),
    config: Type.Optional(ConfigSource),
    handlers: Type.Optional(
      Type.Record(Type.String({ pattern: HANDLER_KEY }), OwnHandlerSourceSchema, {
        ...noOtherKeys,
        description: "The recipe's own handlers, by name.",
      }),
    ),
  },
  noOtherKeys,
);

/** An engine recipe as written in its file. */
export type EngineSource = Static<typeof EngineSourceSchema>;
/** A recipe's own handler as written in its file. */
export type OwnHandlerSource = Static<typeof OwnHandlerSourceSchema>;
