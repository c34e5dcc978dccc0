import { type Static, Type } from '@sinclair/typebox';
import type { Frozen } from '../base/json.js';
import { LIMITS } from '../base/limits.js';
import { enumSchema, noOtherKeys, nullableSchema } from '../base/schema.js';

/** The results that the agents of an execution hand in, as JSON in the task's `output` (engine.md, Results). */

const texts = (description: string, maxLength: number) => Type.Array(Type.String({ maxLength }), { description });
const notes = (description: string) =>
  Type.Array(Type.String({ maxLength: LIMITS.note }), { maxItems: LIMITS.notes, description });
/** A text that somebody has to act on. It is never cut when it is shown, so its length is limited here. */
const told = (maxLength: number, more: { description?: string } = {}) =>
  Type.String({ pattern: '\\S', maxLength, ...more });

/** The result of a worker. */
export const WorkerResultSchema = Type.Object(
  {
    status: enumSchema('DONE', 'BLOCKED'),
    outputs: Type.Record(Type.String(), Type.Unknown(), { description: 'The values that the plan promises, by name.' }),
    filesChanged: texts(
      'Paths changed, created or deleted, relative to the work tree: what the commit of the todo contains.',
      LIMITS.path,
    ),
    notMine: Type.Optional(
      texts('Paths among its files that changed in the meantime but are not its work.', LIMITS.path),
    ),
    learnings: notes('What later workers should know, one line each.'),
    issues: notes('What remains open or was noticed, one line each.'),
    summary: told(LIMITS.statement, { description: 'One or two sentences.' }),
    reason: Type.Optional(Type.String({ maxLength: LIMITS.step, description: 'Why the todo is BLOCKED.' })),
    needs: Type.Optional(
      Type.Union([
        Type.Object({ files: Type.Array(told(LIMITS.path), { minItems: 1 }) }, noOtherKeys),
        Type.Object({ question: told(LIMITS.step) }, noOtherKeys),
      ]),
    ),
  },
  { ...noOtherKeys, $id: 'result-worker', description: 'What a worker hands in.' },
);

/** The part of a todo that a verifier may propose; dev-cli fills in the rest. */
const ProposedTodoSchema = Type.Object(
  {
    title: told(LIMITS.title),
    files: texts('Globs of the files that it may change.', LIMITS.path),
    steps: texts('What to do, in order.', LIMITS.step),
    mustNotDo: Type.Optional(texts('What it must not change.', LIMITS.statement)),
    references: Type.Optional(texts('Where to look.', LIMITS.statement)),
    acceptance: Type.Array(
      Type.Object({ kind: Type.Literal('assertion'), text: told(LIMITS.statement) }, noOtherKeys),
      {
        minItems: 1,
        description: 'Assertions only, because new commands would need an approval.',
      },
    ),
  },
  noOtherKeys,
);

/** A judge's observation, which the worker of the next attempt gets to read. */
const Evidence = Type.String({ maxLength: LIMITS.step });

/** The result of a verifier, or of a handler that a recipe defines. */
export const VerifyResultSchema = Type.Object(
  {
    status: enumSchema('VERIFIED', 'FAILED'),
    criteria: Type.Array(Type.Object({ id: Type.String(), pass: Type.Boolean(), evidence: Evidence }, noOtherKeys)),
    mustNotDoViolations: Type.Array(
      Type.Object(
        { rule: Type.String({ maxLength: LIMITS.argument }), violated: Type.Boolean(), evidence: Evidence },
        noOtherKeys,
      ),
    ),
    sideEffects: Type.Array(
      Type.Object({ description: Evidence, severity: enumSchema('none', 'minor', 'major', 'critical') }, noOtherKeys),
    ),
    environmentError: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: LIMITS.step })),
    suggestedAdaptation: nullableSchema(
      Type.Object({ reason: told(LIMITS.step), category: Type.String(), todo: ProposedTodoSchema }, noOtherKeys),
    ),
    summary: told(LIMITS.statement),
  },
  { ...noOtherKeys, $id: 'result-verify', description: 'What a verifier, or a recipe’s own handler, hands in.' },
);

/** The result of a code reviewer. */
export const ReviewResultSchema = Type.Object(
  {
    verdict: enumSchema('SHIP', 'NEEDS_FIXES'),
    issues: Type.Array(
      Type.Object(
        {
          file: Type.String({ maxLength: LIMITS.path }),
          line: Type.Optional(Type.Unsafe<number | null>({ type: ['integer', 'null'] })),
          severity: enumSchema('minor', 'major', 'critical'),
          description: told(LIMITS.step),
          title: Type.Optional(
            told(LIMITS.title, {
              description: 'The title of the fix: of its todo, and of its commit.',
            }),
          ),
        },
        noOtherKeys,
      ),
    ),
    criteria: Type.Optional(
      Type.Array(Type.Object({ id: Type.String(), pass: Type.Boolean(), evidence: Evidence }, noOtherKeys), {
        description: 'The criteria listed in the prompt, each by its id there, such as todo-1/as-1.',
      }),
    ),
    requirements: Type.Optional(
      Type.Array(Type.Object({ id: Type.String(), met: Type.Boolean(), why: Evidence }, noOtherKeys), {
        description: 'The requirements listed in the prompt.',
      }),
    ),
    summary: told(LIMITS.statement),
  },
  { ...noOtherKeys, $id: 'result-code-review', description: 'What a code reviewer hands in.' },
);

/** All results in one schema, for people and editors. */
export const ResultsSchema = Type.Union([WorkerResultSchema, VerifyResultSchema, ReviewResultSchema], {
  $id: 'results',
  description: 'What the agents of an execution hand in, as JSON.',
});

/** The result of a worker. */
export type WorkerResult = Frozen<Static<typeof WorkerResultSchema>>;
/** The result of a verifier, or of a handler that a recipe defines. */
export type VerifyResult = Frozen<Static<typeof VerifyResultSchema>>;
/** The result of a code reviewer. */
export type ReviewResult = Frozen<Static<typeof ReviewResultSchema>>;
