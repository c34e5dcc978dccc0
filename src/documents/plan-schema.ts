import { type Static, type TSchema, type TUnsafe, Type } from '@sinclair/typebox';
import type { Frozen } from '../base/frozen.js';
import { LIMITS } from '../base/limits.js';
import { enumSchema, noOtherKeys, taggedUnion } from '../base/schema.js';
import { PLAN_ID, VALUE_NAME } from './plan-id.js';

/** plan-content.json (documents.md, plan-content.json). */

const text = (description: string, maxLength: number = LIMITS.statement) =>
  Type.String({ pattern: '\\S', maxLength, description });
const texts = (description: string, maxLength: number = LIMITS.statement) =>
  Type.Array(Type.String({ pattern: '\\S', maxLength }), { description });
const prose = (description: string): TUnsafe<string | string[]> =>
  Type.Unsafe<string | string[]>({ type: ['string', 'array'], items: { type: 'string' }, description });
const list = <T extends TSchema>(item: T, description: string) => Type.Array(item, { description });

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
              exitCode: Type.Integer({ minimum: 0, maximum: 255, description: 'Default: 0.' }),
              stdoutContains: Type.Optional(text('Must occur in what it prints.')),
            },
            { ...noOtherKeys, description: 'What counts as passed. Default: exit code 0.' },
          ),
        ),
      },
      noOtherKeys,
    ),
    Type.Object(
      {
        id: Type.String({ pattern: PLAN_ID, description: 'Unique in its todo.' }),
        kind: Type.Literal('assertion', { description: 'A read-only agent judges it.' }),
        text: text('A statement about the result that is true or false.'),
      },
      noOtherKeys,
    ),
    Type.Object(
      {
        id: Type.String({ pattern: PLAN_ID, description: 'Unique in its todo.' }),
        kind: Type.Literal('human', { description: 'A person judges it; the run waits.' }),
        text: text('What the person is to look at, and what is right.'),
      },
      noOtherKeys,
    ),
  ],
  { description: 'How it is known that the todo is done.' },
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
      Type.Object({ name: Type.String({ pattern: VALUE_NAME }), description: text('What it holds.') }, noOtherKeys),
      'Values the worker reports for later todos.',
    ),
    files: texts('Globs of what it may touch, relative to the project.', LIMITS.path),
    steps: texts('What to do, in order.', LIMITS.step),
    mustNotDo: texts('What it must leave alone.'),
    references: texts('Where to look: files, lines, documents.'),
    acceptance: list(AcceptanceSchema, 'A work todo has at least one command or assertion.'),
  },
  { ...noOtherKeys, description: 'A piece of work that one worker does in one go.' },
);

/** The schema of plan-content.json. */
export const PlanContentSchema = Type.Object(
  {
    context: Type.Object(
      {
        originalRequest: text('What was asked, word for word.', LIMITS.freeText),
        interviewSummary: prose('What the user decided.'),
        researchFindings: prose('What the plan builds on, with files.'),
        assumptions: Type.Optional(prose('What nobody confirmed.')),
      },
      noOtherKeys,
    ),
    objectives: Type.Object(
      {
        core: text('The objective in one sentence.'),
        deliverables: texts('What will be there.'),
        definitionOfDone: texts('How anyone can tell that it is.'),
        mustNotDo: texts('What must not change.'),
      },
      noOtherKeys,
    ),
    todos: Type.Array(TodoSchema, { minItems: 1 }),
    commits: Type.Optional(
      list(
        Type.Object({ afterTodo: Type.String(), message: text('Commit message.', LIMITS.step) }, noOtherKeys),
        'Where left out, the message is made from the title.',
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
        'What somebody else has to do before, during or after.',
      ),
    ),
  },
  { ...noOtherKeys, $id: 'plan-content', description: 'plan-content.json: the plan that PLAN.md is rendered from.' },
);

/** A plan. */
export type PlanContent = Frozen<Static<typeof PlanContentSchema>>;
/** A todo of a plan. */
export type PlanTodo = Frozen<Static<typeof TodoSchema>>;
/** A command, an assertion or a human check by which a todo is judged. */
export type PlanAcceptance = PlanTodo['acceptance'][number];
