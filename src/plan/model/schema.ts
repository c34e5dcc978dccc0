import { type Static, type TSchema, type TUnsafe, Type } from '@sinclair/typebox';
import type { Frozen } from '../../base/json.js';
import { LIMITS } from '../../base/limits.js';
import { enumSchema, noOtherKeys, taggedUnion } from '../../base/schema.js';
import { PLAN_ID, VALUE_NAME } from '../../documents/schema-findings.js';

/** The schema of plan-content.json (documents.md, plan-content.json). */

const text = (description: string, maxLength: number = LIMITS.statement) =>
  Type.String({ pattern: '\\S', maxLength, description });
const texts = (description: string, maxLength: number = LIMITS.statement) =>
  Type.Array(Type.String({ pattern: '\\S', maxLength }), { description });
const prose = (description: string): TUnsafe<string | string[]> =>
  Type.Unsafe<string | string[]>({ type: ['string', 'array'], items: { type: 'string' }, description });
const list = <T extends TSchema>(item: T, description: string) => Type.Array(item, { description });

/** One exit status, or a list of accepted exit statuses. */
const exitCodes: TUnsafe<number | number[]> = Type.Unsafe<number | number[]>({
  type: ['integer', 'array'],
  minimum: 0,
  maximum: 255,
  minItems: 1,
  items: { type: 'integer', minimum: 0, maximum: 255 },
  description: 'The exit status, or a list of accepted ones. Default: 0.',
});

/** A must-not: a text that an agent judges, or a text with paths by which dev-cli judges it. */
const rule: TUnsafe<string | { text: string; paths: string[] }> = Type.Unsafe({
  type: ['string', 'object'],
  pattern: '\\S',
  maxLength: LIMITS.statement,
  required: ['text', 'paths'],
  properties: {
    text: text('What must not be done.'),
    paths: Type.Array(text('A glob, relative to the project.', LIMITS.path), {
      minItems: 1,
      description: 'No file that matches one of these may change: dev-cli judges it.',
    }),
  },
  additionalProperties: false,
});
const proves = Type.Optional(
  Type.Array(Type.String(), { description: 'Ids of the requirements that are met if it passes.' }),
);

const AcceptanceSchema = taggedUnion(
  'kind',
  [
    Type.Object(
      {
        id: Type.String({ pattern: PLAN_ID, description: 'Unique in its todo.' }),
        kind: Type.Literal('command', { description: 'dev-cli runs it and judges by its exit status.' }),
        run: Type.Array(Type.String({ maxLength: LIMITS.argument }), {
          minItems: 1,
          description: 'Argument vector, no shell: ["npm", "test"]. Put "sh", "-c" first where a shell is needed.',
        }),
        cwd: Type.Optional(text('Where it runs, relative to the project. Default: the project.', LIMITS.path)),
        timeout: Type.Optional(Type.Integer({ minimum: 1, maximum: 86_400, description: 'Seconds. Default: 300.' })),
        expect: Type.Optional(
          Type.Object(
            {
              exitCode: Type.Optional(exitCodes),
              stdoutContains: Type.Optional(text('Must occur in what it prints.')),
              stdoutLacks: Type.Optional(text('Must not occur in what it prints.')),
            },
            { ...noOtherKeys, description: 'What counts as passed. Default: exit code 0.' },
          ),
        ),
        proves,
      },
      noOtherKeys,
    ),
    Type.Object(
      {
        id: Type.String({ pattern: PLAN_ID, description: 'Unique in its todo.' }),
        kind: Type.Literal('assertion', { description: 'A read-only agent judges it.' }),
        text: text('A statement about the result that is true or false.'),
        proves,
      },
      noOtherKeys,
    ),
    Type.Object(
      {
        id: Type.String({ pattern: PLAN_ID, description: 'Unique in its todo.' }),
        kind: Type.Literal('human', { description: 'A person judges it; the run waits.' }),
        text: text('What the person should look at, and what is correct.'),
        proves,
      },
      noOtherKeys,
    ),
  ],
  { description: 'How to tell that the todo is done.' },
);

const TodoSchema = Type.Object(
  {
    id: Type.String({ pattern: PLAN_ID, description: 'Unique, such as todo-1.' }),
    title: text('One line.', LIMITS.title),
    type: enumSchema('work', 'verification'),
    risk: enumSchema('low', 'medium', 'high'),
    dependsOn: Type.Array(Type.String(), { description: 'Ids of todos that must be done before.' }),
    inputs: list(
      Type.Object(
        {
          name: Type.String({ pattern: VALUE_NAME }),
          from: text('${todo-1.outputs.config_path}, which implies the dependency, or a literal.', LIMITS.argument),
        },
        noOtherKeys,
      ),
      'Values the worker is given.',
    ),
    outputs: list(
      Type.Object(
        { name: Type.String({ pattern: VALUE_NAME }), description: text('What the value means.') },
        noOtherKeys,
      ),
      'Values the worker reports for later todos.',
    ),
    files: texts('Globs of what it may touch, relative to the project.', LIMITS.path),
    steps: texts('What to do, in order.', LIMITS.step),
    mustNotDo: Type.Array(rule, { description: 'What it must leave alone.' }),
    serves: Type.Optional(Type.Array(Type.String(), { description: 'Ids of the requirements that the todo serves.' })),
    references: texts('Where to look: files, lines, documents.'),
    acceptance: list(AcceptanceSchema, 'A work todo has at least one command or assertion.'),
  },
  { ...noOtherKeys, description: 'A piece of work that one worker does in one go.' },
);

const RequirementSchema = Type.Object(
  {
    id: Type.String({ pattern: PLAN_ID, description: 'Unique, such as r-1.' }),
    quote: text('The words that it comes from, exactly as they were said.', LIMITS.freeText),
    from: enumSchema('request', 'user'),
    text: text('The requirement as a statement that can be tested.'),
  },
  { ...noOtherKeys, description: 'What was asked for, from the words to a statement that can be tested.' },
);

const DecisionSchema = Type.Object(
  {
    text: text('What was decided.'),
    reason: Type.Optional(text('Why, and which alternatives were rejected.')),
    by: enumSchema('user', 'agent', 'assumed'),
    serves: Type.Optional(
      Type.Array(Type.String(), { description: 'Ids of the requirements that it concerns. Left out: every todo.' }),
    ),
  },
  { ...noOtherKeys, description: 'A decision, and whose it is.' },
);

/** The schema of plan-content.json. */
export const PlanContentSchema = Type.Object(
  {
    size: Type.Optional(enumSchema('small', 'middle', 'large')),
    context: Type.Object(
      {
        originalRequest: Type.Optional(
          text('What was asked, word for word. Left out: the goal of the run.', LIMITS.freeText),
        ),
        interviewSummary: Type.Optional(prose('What the user decided. Left out: what DRAFT.md says that they said.')),
        researchFindings: Type.Optional(
          prose('What the plan builds on, with files. Left out: the findings of DRAFT.md.'),
        ),
        assumptions: Type.Optional(prose('Assumptions that nobody confirmed.')),
      },
      noOtherKeys,
    ),
    requirements: Type.Optional(
      Type.Array(RequirementSchema, { description: 'What was asked for; each is served by a todo and proved.' }),
    ),
    decisions: Type.Optional(
      Type.Array(DecisionSchema, { description: "What was decided, by the user or in the user's place." }),
    ),
    objectives: Type.Object(
      {
        core: text('The objective in one sentence.'),
        deliverables: texts('What will exist afterwards.'),
        definitionOfDone: texts('How anyone can tell that it is done.'),
        mustNotDo: Type.Array(rule, { description: 'What must not change.' }),
      },
      noOtherKeys,
    ),
    todos: Type.Array(TodoSchema, { minItems: 1 }),
    commits: Type.Optional(
      list(
        Type.Object({ afterTodo: Type.String(), message: text('Commit message.', LIMITS.step) }, noOtherKeys),
        'If left out, the message is made from the title.',
      ),
    ),
    risks: Type.Optional(
      list(
        Type.Object({ text: text('What may go wrong.'), severity: enumSchema('low', 'medium', 'high') }, noOtherKeys),
        'Risks.',
      ),
    ),
    externalDependencies: Type.Optional(
      list(
        Type.Object(
          { when: enumSchema('pre', 'during', 'post'), text: text('What is needed from outside.') },
          noOtherKeys,
        ),
        'What somebody else has to do before, during or after the work.',
      ),
    ),
  },
  { ...noOtherKeys, $id: 'plan-content', description: 'plan-content.json: the plan that PLAN.md is rendered from.' },
);

export type PlanContent = Frozen<Static<typeof PlanContentSchema>>;
export type PlanTodo = Frozen<Static<typeof TodoSchema>>;
export type PlanRequirement = Frozen<Static<typeof RequirementSchema>>;
/** A must-not of a todo or of the plan. */
export type PlanRule = PlanTodo['mustNotDo'][number];
/** A command, an assertion or a human check by which a todo is judged. */
export type PlanAcceptance = PlanTodo['acceptance'][number];
