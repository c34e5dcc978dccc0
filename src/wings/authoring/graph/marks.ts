import { renderCount } from '../../../base/words.js';
import type { RecipeState } from '../../../run/recipe-state.js';
import type { RunState } from '../../../run/state.js';
import type { GraphNode, Mark, RecipeGraph } from './graph.js';
import { STAGE_ID_PREFIX } from './stages.js';

/** Marks where a run is and has been in the picture of its recipe (graph.md, Runs). */

/**
 * Marks the nodes that a run has reached.
 * @param graph the picture of the recipe or workflow that the run began with
 */
export function markGraph(graph: RecipeGraph, state: RunState): RecipeGraph {
  const markOf = chooseMarker(graph, state);
  const nodes = graph.nodes.map((node) => {
    const marked = node.kind === 'start' ? null : markOf(node);
    return marked === null ? node : { ...node, ...marked };
  });
  return { ...graph, nodes, run: { name: state.name, status: state.status } };
}

type Marked = Partial<Pick<GraphNode, 'mark' | 'facts'>> | null;

function chooseMarker({ type }: RecipeGraph, state: RunState): (node: GraphNode) => Marked {
  const ended = (node: GraphNode): Marked =>
    node.kind === 'completed' && state.status === 'completed' ? { mark: 'done' } : null;
  switch (type) {
    case 'sequential': {
      const { steps } = state;
      return (node) => ended(node) ?? markBlock(node, steps, state);
    }
    case 'engine': {
      const { engine } = state;
      return (node) => ended(node) ?? (engine === null ? null : markStage(node, engine, state));
    }
    case 'meta':
      return (node) => ended(node) ?? markPhase(node, state);
  }
}

type Steps = RecipeState['steps'];

function markBlock({ kind, name }: GraphNode, steps: Steps, { status, currentBlock }: RunState): Marked {
  if (kind === 'halted') return null;
  const step = Object.hasOwn(steps, name) ? steps[name] : undefined;
  if (step === undefined) return null;
  // A gate whose answer halted the run has status `done`, but the picture has to show that the run stopped there.
  if (status === 'halted' && currentBlock === name) return { mark: 'failed' };
  return withMark(step.status);
}

type Status = Steps[string]['status'] | 'deferred';

function withMark(status: Status): Marked {
  const marks: Readonly<Record<Status, Mark | null>> = {
    pending: null,
    running: 'current',
    done: 'done',
    skipped: 'skipped',
    failed: 'failed',
    stale: 'stale',
    deferred: 'done',
  };
  const mark = marks[status];
  return mark === null ? null : { mark };
}

type Engine = NonNullable<RecipeState['engine']>;

/** Marks a stage of the run; for a todo's stage, also says how many todos are past it. */
function markStage(node: GraphNode, engine: Engine, { status: outcome }: RunState): Marked {
  const { id, group, kind, facts } = node;
  const name = id.startsWith(STAGE_ID_PREFIX) ? id.slice(STAGE_ID_PREFIX.length) : id;
  if (group === undefined && kind === 'halted') return outcome === 'halted' ? { mark: 'failed' } : null;
  if (group === undefined) return markRunStage(name, engine);
  const rows = Object.values(engine.todos);
  const isFailed = rows.some(({ status }) => status === 'failed');
  if (kind === 'halted') return isFailed ? { mark: 'failed' } : null;
  const at = (status: string) => rows.filter(({ substeps }) => substeps[name]?.status === status).length;
  const past = at('done') + at('skipped') + at('deferred');
  const counted =
    past === 0
      ? facts
      : [...facts, `${past} of ${renderCount(rows.length, 'todo')} ${past === 1 ? 'is' : 'are'} past it`];
  if (rows.some(({ status }) => status === name)) return { mark: 'current', facts: counted };
  if (isFailed && at('failed') > 0) return { mark: 'failed', facts: counted };
  if (past > 0 && past === rows.length) return { mark: at('skipped') === past ? 'skipped' : 'done', facts: counted };
  return past > 0 ? { facts: counted } : null;
}

/**
 * Marks a stage of the whole run. The state has no row for the stages before the todos, so approvals show whether their
 * questions were asked.
 */
function markRunStage(name: string, { stage, finalize, planApproved, commandsApproved }: Engine): Marked {
  if (stage === name) return { mark: 'current' };
  const final = finalize[name];
  if (final !== undefined) return withMark(final.status);
  const reached = BEFORE.includes(stage) ? BEFORE.indexOf(stage) : BEFORE.length;
  if (!BEFORE.includes(name) || BEFORE.indexOf(name) >= reached) return null;
  if (name === 'approvePlan') return { mark: planApproved == null ? 'skipped' : 'done' };
  return name === 'approveCommands' && commandsApproved === null ? { mark: 'skipped' } : { mark: 'done' };
}

/** The stages before the todos, in order. */
const BEFORE: readonly string[] = ['approvePlan', 'approveCommands', 'stateBegin'];

function markPhase({ name, facts }: GraphNode, state: RunState): Marked {
  const phase = state.workflow?.phases.find((one) => one.name === name);
  if (phase === undefined) return null;
  const marked = withMark(phase.status);
  const isHere = state.workflow?.currentPhase === name && state.currentBlock !== null && state.status === 'live';
  return isHere ? { ...marked, facts: [...facts, `at ${state.currentBlock}`] } : marked;
}
