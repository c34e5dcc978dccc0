import { renderCount } from '../../../base/words.js';
import type { EnginePolicies, EngineProgram } from '../../../machine/engine-program.js';
import type { ResolvedEngine, ResolvedHandler, ResolvedRecipe } from '../../../recipe/resolved.js';
import { listBlockWays } from '../edges.js';
import { listRunStageEnds, listStageEdges, nameStage } from '../stage-edges.js';
import {
  buildEdge,
  buildNode,
  COMPLETED,
  type GraphEdge,
  type GraphNode,
  type NodeKind,
  type RecipeGraph,
  START,
} from './graph.js';

/** The group of the stages that every todo passes. */
const TODO = 'todo';
const FAILED = 'halt:todo';
const HALTED = 'halt:run';
/** Prefix of the node id of a stage. */
export const STAGE_ID_PREFIX = 'stage:';

/**
 * Builds the picture of an engine recipe: the stages of the run, with those of a todo in the middle (graph.md, Engine
 * recipes).
 */
export function buildStageGraph(recipe: ResolvedRecipe, engine: ResolvedEngine): RecipeGraph {
  const { program, handlers } = engine;
  const { policies } = program;
  const before = listBefore(engine);
  const ofTodo = program.stages.map(({ id, when }) =>
    buildNode({
      ...describeStage(id, handlers[id]),
      group: TODO,
      optional: when !== undefined,
      repeats: id === program.stages[0]?.id && policies.maxRetries > 0,
      facts: [
        ...(when === undefined ? [] : [`if ${when}`]),
        ...listHandlerFacts(handlers[id]),
        ...(id === program.stages[0]?.id ? listTodoFacts(program) : []),
      ],
    }),
  );
  const failed = buildNode({ id: FAILED, kind: 'halted', name: 'todo failed', note: '', group: TODO });
  const after = program.finalize.map((stage) => describeFinal(stage, handlers[stage]));
  const halted = buildNode({ id: HALTED, kind: 'halted', name: 'halted', note: '' });
  const nodes = [START, ...before, ...ofTodo, failed, ...after, halted, COMPLETED];
  return {
    name: recipe.name,
    type: 'engine',
    description: recipe.description,
    nodes,
    edges: listEdges(recipe, engine, nodes),
    groups: [
      {
        id: TODO,
        label: `each todo, ${policies.parallelLimit === 1 ? 'one' : `up to ${policies.parallelLimit}`} at a time`,
      },
    ],
  };
}

/** Lists the questions before the todos, and the stage that announces the start on the pull request. */
function listBefore({ handlers }: ResolvedEngine): GraphNode[] {
  const begin = handlers['stateBegin'];
  return [
    QUESTION_ABOUT_PLAN,
    QUESTION_ABOUT_COMMANDS,
    ...(begin === undefined ? [] : [describeFinal('stateBegin', begin)]),
  ];
}

/** Lists the names of an engine recipe's stages; the stages of a todo appear only once. */
export function listStageNames(engine: ResolvedEngine): string[] {
  const { stages, finalize } = engine.program;
  return [...listBefore(engine).map(({ name }) => name), ...stages.map(({ id }) => nameStage(engine, id)), ...finalize];
}

function listTodoFacts({ policies, finalize }: EngineProgram): string[] {
  const { maxRetries, maxDynamicTodos, maxFixRounds } = policies;
  const isJudged = finalize.includes('codeReview') || finalize.includes('finalVerify');
  return [
    maxRetries === 0 ? 'a todo is tried once' : `a todo is tried again, ${maxRetries}× at most`,
    ...(isJudged && maxFixRounds > 0 ? [`${renderCount(maxFixRounds, 'round')} of fixes at most`] : []),
    ...(maxDynamicTodos === 0 ? [] : [`${renderCount(maxDynamicTodos, 'todo')} may be added at most`]),
  ];
}

const QUESTION_ABOUT_PLAN = buildNode({
  id: `${STAGE_ID_PREFIX}approvePlan`,
  kind: 'person',
  name: 'approvePlan',
  note: 'a person decides',
  optional: true,
  facts: ['if a gate asks and is not approved'],
});
const QUESTION_ABOUT_COMMANDS = buildNode({
  id: `${STAGE_ID_PREFIX}approveCommands`,
  kind: 'person',
  name: 'approveCommands',
  note: 'a person decides',
  optional: true,
  facts: ['unless its commands are approved'],
});

const KINDS: Readonly<Record<ResolvedHandler['actor'], NodeKind>> = { cli: 'cli', subagent: 'agents', human: 'person' };
const NOTES: Readonly<Record<ResolvedHandler['actor'], string>> = {
  cli: 'dev-cli',
  subagent: 'agent',
  human: 'a person decides',
};

function describeStage(id: string, handler: ResolvedHandler | undefined): GraphNode {
  const actor = handler?.actor ?? 'cli';
  const name = handler === undefined ? id : nameStage({ handlers: { [id]: handler } }, id);
  return buildNode({ id: `${STAGE_ID_PREFIX}${id}`, kind: KINDS[actor], name, note: NOTES[actor] });
}

function describeFinal(id: string, handler: ResolvedHandler | undefined): GraphNode {
  const forRequest = id === 'stateBegin' || id === 'stateComplete';
  return {
    ...describeStage(id, handler),
    optional: forRequest,
    facts: forRequest ? ['if there is a pull request'] : listHandlerFacts(handler),
  };
}

function listHandlerFacts(handler: ResolvedHandler | undefined): string[] {
  if (handler === undefined) return [];
  const { agent, command, message } = handler;
  return [
    ...(agent === undefined ? [] : [`agent: ${agent}`]),
    ...(command === undefined ? [] : [command.source]),
    ...(message === undefined ? [] : [`“${message}”`]),
  ];
}

function listEdges(recipe: ResolvedRecipe, engine: ResolvedEngine, nodes: readonly GraphNode[]): GraphEdge[] {
  const { stages, policies } = engine.program;
  const counted = listStageEdges(recipe);
  const waysOf = (...names: string[]) => counted.filter((one) => names.includes(one));
  const ends = listBlockWays(recipe);
  const spine = nodes.filter(({ kind }) => kind !== 'halted');
  const worker = `${STAGE_ID_PREFIX}${stages[0]?.id ?? ''}`;
  const last = `${STAGE_ID_PREFIX}${stages.at(-1)?.id ?? ''}`;
  return spine.flatMap((node, index) => {
    const { id: from, name, group, kind } = node;
    const next = spine[index + 1];
    const fixes = waysOf(`${name}: fixes`);
    if (next === undefined) return [];
    const isEnd = next.id === COMPLETED.id;
    const passed = [
      ...waysOf(`${name}: pass`, `${name}: skipped`),
      ...ends.flatMap((end) => (isEnd && end.what === 'done' ? [end.name] : [])),
    ];
    const halts = ends.flatMap((end) => (isEnd && end.what === 'failed' ? [end.name] : []));
    const givenUp = group === undefined ? waysOf(`${name}: fail`) : [];
    const isStopped = group === undefined && listRunStageEnds(from.slice(STAGE_ID_PREFIX.length)).includes('halt');
    return [
      buildEdge({ from, to: next.id, kind: 'next', ways: passed, label: from === last ? 'all todos are done' : '' }),
      ...(givenUp.length === 0
        ? []
        : [buildEdge({ from, to: HALTED, kind: 'halt', ways: givenUp, label: 'gives up' })]),
      ...(isStopped ? [buildEdge({ from, to: HALTED, kind: 'halt', label: 'stop' })] : []),
      ...(halts.length === 0
        ? []
        : [buildEdge({ from, to: HALTED, kind: 'halt', ways: halts, label: 'a todo failed' })]),
      ...(group === undefined
        ? []
        : listFailures(
            { from, worker, failures: waysOf(`${name}: fail`), waysOf, isPersons: kind === 'person' },
            policies,
          )),
      ...listFixes(from, worker, fixes, policies),
    ];
  });
}

/** Fixes that a review demands become work while fix rounds are left; after that, the review halts the run. */
function listFixes(from: string, worker: string, ways: string[], { maxFixRounds }: EnginePolicies): GraphEdge[] {
  if (ways.length === 0) return [];
  return maxFixRounds > 0
    ? [buildEdge({ from, to: worker, kind: 'back', ways, label: 'fixes' })]
    : [buildEdge({ from, to: HALTED, kind: 'halt', ways, label: 'needs fixes' })];
}

interface Failing {
  from: string;
  worker: string;
  failures: string[];
  waysOf: (...names: string[]) => string[];
  /** Whether a person judges at this stage. */
  isPersons: boolean;
}

/** If a todo's stage fails, the todo is retried up to its limit, then given up. */
function listFailures(
  { from, worker, failures, waysOf, isPersons }: Failing,
  { maxRetries }: EnginePolicies,
): GraphEdge[] {
  if (failures.length === 0) return [];
  const isWorker = from === worker;
  const given = [...(maxRetries > 0 ? [] : failures), ...waysOf(...(isWorker ? ['worker: halt'] : []), 'todo: failed')];
  return [
    ...(maxRetries === 0
      ? []
      : [
          buildEdge({
            from,
            to: worker,
            kind: isWorker ? 'again' : 'back',
            ways: [...failures, ...waysOf('todo: retried')],
            label: isPersons ? 'reject' : 'fails',
          }),
        ]),
    buildEdge({
      from,
      to: FAILED,
      kind: 'halt',
      ways: given,
      label: maxRetries === 0 ? (isPersons ? 'reject' : 'fails') : isWorker ? 'BLOCKED' : '',
      implied: maxRetries > 0 && !isWorker,
    }),
  ];
}
