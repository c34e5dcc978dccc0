import { describe, expect, it } from 'vitest';
import type { Frozen } from '../../../src/base/json.js';
import type { Library } from '../../../src/recipe/load/library.js';
import { checkRecipe } from '../../../src/recipe/load/load.js';
import type { PendingAction } from '../../../src/run/action.js';
import type { EngineState } from '../../../src/run/engine-rows.js';
import type { RunState } from '../../../src/run/state.js';
import { getWorkflowPosition } from '../../../src/run/workflow.js';
import { buildPlan } from '../../../src/wings/authoring/canned/plan.js';
import { NO_FIXTURES } from '../../../src/wings/authoring/fixtures.js';
import { listOutcomes } from '../../../src/wings/authoring/outcomes.js';
import { playScript } from '../../../src/wings/authoring/play.js';
import type { Rehearsal } from '../../../src/wings/authoring/rehearsal.js';
import type { ScriptSetup, ScriptStep } from '../../../src/wings/authoring/script-schema.js';
import { createRandom } from '../../../src/wings/authoring/simulate.js';
import { exploreEngine, keyEngineState } from '../../../src/wings/authoring/verify/engine.js';
import { MOST_STATES } from '../../../src/wings/authoring/verify/explore.js';
import { runInterruptible } from '../../../src/wings/authoring/verify/interruptible.js';
import { proveWorkflow } from '../../../src/wings/authoring/verify/verify.js';
import { keyPosition } from '../../../src/wings/authoring/verify/workflow.js';
import { libraryWith } from '../../core/recipe/library-fixture.js';
import { projectWith } from './replay.js';

/** Compares verify's exploration of executions and workflows with random real runs (authoring.md, Verify). */

const { signal } = new AbortController();
/** A run is abandoned after this many actions. */
const MOST_ACTIONS = 60;

interface Wandering {
  library: Library;
  name: string;
  given?: ScriptSetup;
  /** Steps to choose from in addition to those that a random simulation offers. */
  more?: (action: PendingAction) => ScriptStep[];
}

/** Plays random outcomes, and returns every state in which an action was pending, and the last state. */
async function wander({ library, name, given = {}, more = () => [] }: Wandering, seed: number): Promise<RunState[]> {
  const chance = createRandom(seed);
  const states: RunState[] = [];
  const improvise = async (action: PendingAction, on: Rehearsal): Promise<ScriptStep | null> => {
    states.push(await on.read());
    if (states.length > MOST_ACTIONS) return null;
    const rare = more(action);
    if (rare.length > 0 && chance.below(2) === 0) return rare[chance.below(rare.length)] ?? {};
    const possible = await listOutcomes(action, on);
    return possible[chance.below(2) === 0 ? chance.below(possible.length) : 0]?.step ?? {};
  };
  const { on, findings } = await playScript(name, { given }, { library, signal, fixtures: NO_FIXTURES, improvise });
  expect(findings).toEqual([]);
  return [...states, await on.read()];
}

/** Plays one run per seed. Returns the keys of all states reached, each with the first seed that reached it. */
async function wanderOften(
  wandering: Wandering,
  seeds: number,
  keyOf: (state: RunState) => string,
): Promise<Map<string, number>> {
  const reached = new Map<string, number>();
  for (let seed = 1; seed <= seeds; seed += 1) {
    for (const state of await wander(wandering, seed)) {
      const key = keyOf(state);
      if (!reached.has(key)) reached.set(key, seed);
    }
  }
  return reached;
}

/** Lists the states that a run reached but the exploration did not. */
const listUnknown = (reached: ReadonlyMap<string, number>, known: ReadonlySet<string>) =>
  [...reached].filter(([key]) => !known.has(key)).map(([key, seed]) => `seed ${seed}: ${key}`);

/** Verify explores this recipe without lowering any bound, because no bound exceeds one and reviews are off. */
const CARRY = `name: carry
type: engine
skill: execute
config:
  depth: standard
  policies:
    max_retries: 1
    adapt_depth_limit: 1
    max_dynamic_todos: 1
    code_review_enabled: false
    final_verify_enabled: false
`;

/** The file that a worker asks for in symbolic plans. */
const OTHER = 'other/x.ts';
const ADDED = {
  title: 'Add it',
  files: ['added/**'],
  steps: ['Add it'],
  acceptance: [{ kind: 'assertion', text: 'It is there' }],
};
const PROPOSED = { reason: 'It is missing', todo: ADDED };

/** A judge's findings other than that a criterion holds or fails. */
const JUDGED = [
  { suggestedAdaptation: { ...PROPOSED, category: 'fix' } },
  { suggestedAdaptation: { ...PROPOSED, category: 'schema' } },
  { status: 'FAILED', suggestedAdaptation: { ...PROPOSED, category: 'fix' } },
  { sideEffects: [{ description: 'gone', severity: 'critical' }] },
  { environmentError: 'no such program' },
];
/** Results of a worker that cannot continue without more files or an answer. */
const BLOCKED = [{ files: [OTHER] }, { question: 'Which one?' }].map((needs) => ({
  status: 'BLOCKED',
  reason: 'It cannot go on',
  needs,
}));

const atStage =
  (stage: string, results: readonly object[]) =>
  (action: PendingAction): ScriptStep[] =>
    action.action === 'engine-dispatch' && action.tasks.some(({ substep }) => substep === stage)
      ? results.map((result) => ({ outputs: { [stage]: result } }))
      : [];

async function exploreExecution(library: Library, name: string) {
  const { captured } = checkRecipe(library, name);
  const program = captured?.recipe.engine?.program;
  if (program === undefined) throw new Error(`${name} is no engine recipe`);
  const explored = await runInterruptible(exploreEngine(program, MOST_STATES), signal);
  expect(explored.whole).toBe(true);
  return new Set(explored.reached.map(keyExecution));
}

/**
 * Returns a key by which explored states are compared with those of real runs. Of the todos' files, it contains only
 * the one that a worker asks for, because the others differ between symbolic and real plans.
 */
function keyExecution(engine: Frozen<EngineState>): string {
  const todos = Object.entries(engine.todos).map(([id, row]) => [
    id,
    { ...row, files: row.files.filter((path) => path === OTHER) },
  ]);
  return keyEngineState({ ...engine, todos: Object.fromEntries(todos) });
}

const keyOfRun = (state: RunState) => {
  const { engine } = state;
  if (engine === null) throw new Error('no execution');
  return keyExecution(engine);
};

describe('the exploration of an execution', () => {
  it.each([
    ['execute-standard', 'what chance does', libraryWith(), () => [], ['"fix-r1-1"', '"finalVerify"']],
    ['carry', 'all that a judge finds', projectWith({ carry: CARRY }), atStage('verify', JUDGED), ['"todo-1-d1"']],
    [
      'carry',
      'all that a worker asks for',
      projectWith({ carry: CARRY }),
      atStage('worker', BLOCKED),
      ['"question"', OTHER],
    ],
  ])('%s, by %s: no run of one todo reaches a state that was not known', async (name, _what, library, more, signs) => {
    const known = await exploreExecution(library, name);
    const reached = await wanderOften({ library, name, given: { plan: 'middle' }, more }, 12, keyOfRun);
    expect(listUnknown(reached, known)).toEqual([]);
    const all = [...reached.keys()].join();
    expect(signs.filter((sign) => !all.includes(sign))).toEqual([]);
    expect(reached.size).toBeGreaterThan(12);
  });

  it('carry: no run of two todos, of which one waits for the other, reaches a state that was not known', async () => {
    const library = projectWith({ carry: CARRY });
    const plan = buildPlan('Two in a row', 'large');
    const given = { plan: { ...plan, todos: plan.todos.slice(0, 2) } };
    const known = await exploreExecution(library, 'carry');
    const reached = await wanderOften({ library, name: 'carry', given }, 12, keyOfRun);
    expect(listUnknown(reached, known)).toEqual([]);
    expect([...reached.keys()].filter((key) => key.includes('["todo-1","done",0],["todo-2","worker"'))).not.toEqual([]);
    expect(reached.size).toBeGreaterThan(12);
  });

  it('would notice states that it lacks', async () => {
    const known = await exploreExecution(
      projectWith({ carry: CARRY.replace('max_retries: 1', 'max_retries: 0') }),
      'carry',
    );
    const library = projectWith({ carry: CARRY });
    const reached = await wanderOften({ library, name: 'carry', given: { plan: 'middle' } }, 4, keyOfRun);
    expect(listUnknown(reached, known)).not.toEqual([]);
  });
});

/** A phase that can be completed, fail, or be stopped by a person. */
const WORK = `name: work
type: sequential
mode: { depth: quick, interaction: interactive }
blocks:
  - { id: do, type: llm, instruction: Do it. }
  - { id: gate, type: wait-for-user, message: Go on?, choices: [{ id: on }, { id: stop, goto: halt }] }
`;
const PUSH = `name: push
type: sequential
needs: [remote]
mode: { depth: quick, interaction: interactive }
blocks:
  - { id: push, type: cli, command: [git, push] }
`;
const flow = (policy: string) => `name: flow
type: meta
vars: { kind: small }
errorPolicy: { onFail: ${policy} }
phases:
  - { name: first, recipe: work }
  - { name: maybe, recipe: work, when: 'vars.kind == "big"' }
  - { name: push, recipe: push }
  - { name: last, recipe: work }
`;
const projectOf = (policy: string) => projectWith({ flow: flow(policy), work: WORK, push: PUSH });

async function exploreFlow(library: Library, name: string): Promise<ReadonlySet<string>> {
  const { draft, report } = checkRecipe(library, name).compiled;
  if (draft?.type !== 'meta') throw new Error(`${name} is no workflow`);
  const { known, explored } = await proveWorkflow(draft, report, name, { most: MOST_STATES, signal });
  expect(explored.whole).toBe(true);
  return known;
}

const keyOfFlow = ({ workflow }: RunState) => {
  if (workflow === null) throw new Error('no workflow');
  return keyPosition(getWorkflowPosition(workflow));
};

async function wanderFlow(library: Library, seeds: number): Promise<Map<string, number>> {
  const given: ScriptSetup[] = [{}, { set: { kind: 'big' } }, { lacks: ['remote'] }];
  const reached = await Promise.all(
    given.map((one) => wanderOften({ library, name: 'flow', given: one }, seeds, keyOfFlow)),
  );
  return new Map(reached.flatMap((one) => [...one]));
}

describe('the exploration of a workflow', () => {
  it.each(['halt', 'skip_phase', '{ retry_phase: { max: 2 } }'])(
    'onFail: %s: no run comes to a position that was not known',
    async (policy) => {
      const library = projectOf(policy);
      const known = await exploreFlow(library, 'flow');
      const reached = await wanderFlow(library, 8);
      expect(listUnknown(reached, known)).toEqual([]);
      expect(reached.size).toBeGreaterThan(5);
    },
  );

  it('would notice positions that it lacks', async () => {
    const known = await exploreFlow(projectOf('{ retry_phase: { max: 1 } }'), 'flow');
    const reached = await wanderFlow(projectOf('{ retry_phase: { max: 2 } }'), 6);
    expect(listUnknown(reached, known)).not.toEqual([]);
  });
});
