import { type Static, Type } from '@sinclair/typebox';
import type { Frozen } from '../../base/json.js';
import { enumSchema, noOtherKeys } from '../../base/schema.js';
import { ACTIONS } from '../../run/action.js';

/**
 * Schemas of the files with which authors try out recipes: scripts and test files (authoring.md, Scripts). Shipped as
 * JSON Schema for editors.
 */

const text = (description: string, ...examples: string[]) =>
  Type.String({ pattern: '\\S', description, ...(examples.length === 0 ? {} : { examples }) });
const count = (description: string, most: number) => Type.Integer({ minimum: 0, maximum: most, description });
const texts = (description: string, ...example: string[]) =>
  Type.Array(Type.String({ pattern: '\\S' }), { description, examples: [example] });
const byName = (description: string) => Type.Record(Type.String(), Type.String({ pattern: '\\S' }), { description });
const anything = (description: string, ...examples: unknown[]) => Type.Unsafe<unknown>({ description, examples });

const ExpectSchema = Type.Object(
  {
    block: Type.Optional(text('The block of the expected action.', 'classify')),
    action: Type.Optional(
      Type.Unsafe<string>({
        ...enumSchema(...ACTIONS),
        description: 'The kind of the action.',
      }),
    ),
    phase: Type.Optional(text('The phase of the workflow.', 'plan')),
    round: Type.Optional(count('The round of a loop, from 1.', 100_000)),
    agents: Type.Optional(
      texts(
        'The agents, or the tasks as TODO/STAGE, that the action starts; in any order.',
        'plan-reviewer',
        'todo-1/worker',
      ),
    ),
    choices: Type.Optional(texts('The choices offered, in this order.', 'approve', 'stop')),
    reads: Type.Optional(texts('Files that the action lists under `read`; it may list others, too.', 'DRAFT.md')),
    snapshot: Type.Optional(
      Type.Boolean({ description: 'Compare the whole action with the snapshot that --update saved.' }),
    ),
  },
  { ...noOtherKeys, description: 'What to expect of the action; what is left out is not checked.' },
);

const CommandSchema = Type.Object(
  {
    exit: Type.Integer({ minimum: 0, maximum: 255, description: 'The exit code.' }),
    prints: Type.Optional(Type.String({ description: 'The output.', examples: ['2 tests failed'] })),
  },
  { ...noOtherKeys, description: 'How the running command ends; it is never run. A commit is refused unless 0.' },
);

/** Builds the schema of an expected refusal. @param what the description, which names the call that must be refused */
const refusal = (what: string, code: string) =>
  Type.Unsafe<boolean | string>({ type: ['boolean', 'string'], description: what, examples: [true, code] });

const StepSchema = Type.Object(
  {
    expect: Type.Optional(ExpectSchema),
    until: Type.Optional(
      text(
        'Continues with canned results until the action of this block: BLOCK or PHASE/BLOCK; `end`: to the end.',
        'review',
        'plan/review',
        'end',
      ),
    ),
    times: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 200, description: 'How often to take the step. Default: once.' }),
    ),
    choose: Type.Optional(text('The choice to take.', 'approve')),
    note: Type.Optional(text('The note that comes with the choice.', 'Split the second todo.')),
    person: Type.Optional(
      Type.Unsafe<boolean | string>({
        type: ['boolean', 'string'],
        description: 'true: a person makes the choice. A word: a person makes this choice.',
        examples: [true, 'approve'],
      }),
    ),
    data: Type.Optional(
      anything(
        'What is handed in: JSON, sections of the draft by id (`{purpose: Less noise}`), or a file beside the script.',
        'fixtures/plan.json',
      ),
    ),
    outputs: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'What agents deliver, by agent, task or path: a file beside the script, text of several lines, keys that replace those of the canned result, or the verdict as one word in capitals. Other paths of the run are written unchanged.',
      }),
    ),
    without: Type.Optional(byName('Agents that do not deliver, each with the reason.')),
    fail: Type.Optional(text('Fail the step, for this reason.', 'it crashed')),
    result: Type.Optional(text('What agents without an output report.', 'OKAY')),
    command: Type.Optional(CommandSchema),
    invalidate: Type.Optional(text('A block or todo to invalidate, instead of an acknowledgement.', 'review')),
    refuse: Type.Optional(
      refusal(
        'The acknowledgement must be refused; a word: with this error code. With nothing else in the step, nothing is handed in.',
        'EVIDENCE_INVALID',
      ),
    ),
  },
  { ...noOtherKeys, description: 'One step. What it leaves out is canned.' },
);

const GivenSchema = Type.Object(
  {
    goal: Type.Optional(text('What the user asked for.', 'Let clients remove to-dos')),
    set: Type.Optional(byName('Vars and preferences, as `init --set` takes them.')),
    size: Type.Optional({ ...enumSchema('small', 'middle', 'large'), description: 'The size that the user stated.' }),
    depth: Type.Optional({ ...enumSchema('quick', 'standard'), description: 'As `init --quick` and `--standard`.' }),
    interaction: Type.Optional({
      ...enumSchema('interactive', 'autopilot'),
      description: 'As `init --interactive` and `--autopilot`.',
    }),
    lacks: Type.Optional(
      Type.Array(enumSchema('remote', 'gh'), {
        description: 'Needs that are not available. Default: everything is available.',
      }),
    ),
    files: Type.Optional(
      byName('Documents that exist before the run: text of several lines, or a file beside the script.'),
    ),
    plan: Type.Optional(
      anything(
        'For an engine recipe: a canned plan, by its size or as `{size: middle, risk: high}`; or a file with a plan; or the plan itself.',
        'large',
      ),
    ),
    refuse: Type.Optional(
      refusal('`init` must be refused; a word: with this error code. No step is taken then.', 'NEEDS_MISSING'),
    ),
  },
  { ...noOtherKeys, description: 'What is given when the run begins.' },
);

const EndSchema = Type.Object(
  {
    outcome: Type.Optional({
      ...enumSchema('completed', 'halted', 'aborted'),
      description: 'How the run ends.',
    }),
    files: Type.Optional(texts('Documents that the run must have.', 'PLAN.md')),
    missing: Type.Optional(texts('Documents that the run must not have.', 'DRAFT.md')),
    says: Type.Optional(text('Text that the summary must contain.', 'was stopped')),
  },
  { ...noOtherKeys, description: 'How the run must end.' },
);

const steps = Type.Optional(
  Type.Array(StepSchema, { maxItems: 2000, description: 'In order. Default: everything is canned, to the end.' }),
);

/** A script of `recipe simulate`. */
const ScriptSchema = Type.Object(
  {
    recipe: Type.Optional(text('The recipe, for readers.', 'release')),
    given: Type.Optional(GivenSchema),
    steps,
    end: Type.Optional(EndSchema),
  },
  { ...noOtherKeys, $id: 'recipe-script', description: 'What agents and people do in a simulated run of a recipe.' },
);

/** A `*.test.yaml` file. */
const TestFileSchema = Type.Object(
  {
    recipe: text('The recipe to test.', 'release'),
    coverage: Type.Optional(count('The percentage of transitions that must be covered.', 100)),
    given: Type.Optional(GivenSchema),
    cases: Type.Array(
      Type.Object(
        {
          name: text('What the case tests.', 'a person stops the release'),
          given: Type.Optional(GivenSchema),
          steps,
          end: Type.Optional(EndSchema),
        },
        noOtherKeys,
      ),
      { minItems: 1, maxItems: 500, description: 'Each case is a separate run.' },
    ),
  },
  { ...noOtherKeys, $id: 'recipe-test', description: 'Tests of a recipe, as `dev-cli recipe test` runs them.' },
);

/** The schemas by the names under which they ship. */
export const AUTHORING_SCHEMAS = { 'recipe-script': ScriptSchema, 'recipe-test': TestFileSchema };

/** The inputs with which a run begins. */
export type ScriptSetup = Frozen<Static<typeof GivenSchema>>;
/** The properties that a step expects of an action. */
export type ExpectedAction = Frozen<Static<typeof ExpectSchema>>;
/** One step of a script. */
export type ScriptStep = Frozen<Static<typeof StepSchema>>;
/** The part of a step that acts, without the part that expects. */
export type Deed = Omit<ScriptStep, 'expect' | 'until' | 'times'>;
/** How the run must end. */
export type ExpectedEnd = Frozen<Static<typeof EndSchema>>;
/** A script. */
export type Script = Frozen<Static<typeof ScriptSchema>>;
/** A test file. */
export type TestFile = Frozen<Static<typeof TestFileSchema>>;
