import { type Static, Type } from '@sinclair/typebox';
import { closed, enumOf, NullableString, nullable } from '../base/schema.js';

/** What the agents of an execution hand in, as JSON at the task's `output` (engine.md, Results). */

const texts = (description: string) => Type.Array(Type.String(), { description });

export const WorkerResultSchema = Type.Object(
  {
    status: enumOf('DONE', 'BLOCKED'),
    outputs: Type.Record(Type.String(), Type.Unknown(), { description: 'The values that the plan promises, by name.' }),
    filesChanged: texts('Paths changed, relative to the work tree.'),
    learnings: texts('What later workers should know, one line each.'),
    issues: texts('What is left open or was noticed, one line each.'),
    summary: Type.String({ pattern: '\\S', description: 'One or two sentences.' }),
    reason: Type.Optional(Type.String({ description: 'Why it is BLOCKED.' })),
    needs: Type.Optional(
      Type.Union([
        Type.Object({ files: Type.Array(Type.String({ pattern: '\\S' }), { minItems: 1 }) }, closed),
        Type.Object({ question: Type.String({ pattern: '\\S' }) }, closed),
      ]),
    ),
  },
  { ...closed, $id: 'result-worker', description: 'What a worker hands in.' },
);

/** The part of a todo that a verifier may propose; the rest is filled in by dev-cli. */
const ProposedTodoSchema = Type.Object(
  {
    title: Type.String({ pattern: '\\S' }),
    files: texts('Globs it may touch.'),
    steps: texts('What to do, in order.'),
    mustNotDo: Type.Optional(texts('What it must leave alone.')),
    references: Type.Optional(texts('Where to look.')),
    acceptance: Type.Array(
      Type.Object({ kind: Type.Literal('assertion'), text: Type.String({ pattern: '\\S' }) }, closed),
      { minItems: 1, description: 'Assertions only: new commands would need an approval.' },
    ),
  },
  closed,
);

export const VerifyResultSchema = Type.Object(
  {
    status: enumOf('VERIFIED', 'FAILED'),
    criteria: Type.Array(Type.Object({ id: Type.String(), pass: Type.Boolean(), evidence: Type.String() }, closed)),
    mustNotDoViolations: Type.Array(
      Type.Object({ rule: Type.String(), violated: Type.Boolean(), evidence: Type.String() }, closed),
    ),
    sideEffects: Type.Array(
      Type.Object({ description: Type.String(), severity: enumOf('none', 'minor', 'major', 'critical') }, closed),
    ),
    environmentError: Type.Optional(NullableString),
    suggestedAdaptation: nullable(
      Type.Object(
        { reason: Type.String({ pattern: '\\S' }), category: Type.String(), todo: ProposedTodoSchema },
        closed,
      ),
    ),
    summary: Type.String({ pattern: '\\S' }),
  },
  { ...closed, $id: 'result-verify', description: 'What a verifier, or an own handler of a recipe, hands in.' },
);

export const ReviewResultSchema = Type.Object(
  {
    verdict: enumOf('SHIP', 'NEEDS_FIXES'),
    issues: Type.Array(
      Type.Object(
        {
          file: Type.String(),
          line: Type.Optional(Type.Unsafe<number | null>({ type: ['integer', 'null'] })),
          severity: enumOf('minor', 'major', 'critical'),
          description: Type.String({ pattern: '\\S' }),
        },
        closed,
      ),
    ),
    summary: Type.String({ pattern: '\\S' }),
  },
  { ...closed, $id: 'result-code-review', description: 'What a code reviewer hands in.' },
);

/** All of them, for people and editors. */
export const ResultsSchema = Type.Union([WorkerResultSchema, VerifyResultSchema, ReviewResultSchema], {
  $id: 'results',
  description: 'What the agents of an execution hand in, as JSON.',
});

export type WorkerResult = Static<typeof WorkerResultSchema>;
export type VerifyResult = Static<typeof VerifyResultSchema>;
export type ReviewResult = Static<typeof ReviewResultSchema>;
