import type { ErrorPolicy } from '../../../machine/workflow-program.js';
import type { ResolvedPhase, ResolvedWorkflow } from '../../../recipe/captured.js';
import { needsPerson } from '../../../recipe/declared.js';
import { listPhaseEdges } from '../phase-edges.js';
import { buildEdge, buildNode, COMPLETED, type GraphEdge, type GraphNode, type RecipeGraph, START } from './graph.js';
import { listStageNames } from './stages.js';

/** Builds the picture of a workflow: its phases, each listing the steps of its recipe (graph.md, Workflows). */
export function buildPhaseGraph(workflow: ResolvedWorkflow): RecipeGraph {
  const { phases, name, description, errorPolicy } = workflow;
  const nodeOf = (phase: number) => (phases[phase] === undefined ? COMPLETED.id : `phase:${phases[phase].name}`);
  const ways = [...new Set(listPhaseEdges(workflow))];
  const edges = phases.flatMap((phase, index) => {
    const own = ways.filter((way) => way.startsWith(`${phase.name}: `) && !way.endsWith(': begun'));
    const [again, halted] = ['again', 'halted'].map((end) => own.filter((way) => way.endsWith(` → ${end}`)));
    const on = own.filter((way) => again?.includes(way) !== true && halted?.includes(way) !== true);
    const from = nodeOf(index);
    return [
      buildEdge({ from, to: nodeOf(index + 1), kind: 'next', ways: on }),
      ...(again?.length === 0
        ? []
        : [buildEdge({ from, to: from, kind: 'again', ways: again ?? [], label: 'halted' })]),
      ...(halted?.length === 0
        ? []
        : [buildEdge({ from, to: `halt:${phase.name}`, kind: 'halt', ways: halted ?? [], implied: true })]),
    ] satisfies GraphEdge[];
  });
  return {
    name,
    type: 'meta',
    description,
    nodes: [START, ...phases.map((phase) => describePhase(phase, errorPolicy)), COMPLETED],
    edges: [buildEdge({ from: START.id, to: nodeOf(0), kind: 'next' }), ...edges],
    groups: [],
  };
}

function describePhase({ name, recipe, when }: ResolvedPhase, policy: ErrorPolicy): GraphNode {
  const steps = listSteps(recipe);
  return buildNode({
    id: `phase:${name}`,
    kind: 'recipe',
    name,
    note: recipe.type,
    optional: when !== undefined || (recipe.needs ?? []).length > 0,
    repeats: policy.kind === 'retry',
    facts: [
      recipe.name,
      ...(when === undefined ? [] : [`if ${when}`]),
      ...(recipe.needs === undefined || recipe.needs.length === 0 ? [] : [`if available: ${recipe.needs.join(', ')}`]),
      ...wrapSteps(steps),
      ...describePersons(recipe),
      ...describePolicy(policy),
    ],
  });
}

function listSteps({ blocks, engine }: ResolvedPhase['recipe']): string[] {
  if (engine === undefined) return blocks.map(({ id }) => id);
  return listStageNames(engine);
}

/** Names the steps at which only a person may decide. */
function describePersons({ blocks, engine }: ResolvedPhase['recipe']): string[] {
  const handlers = Object.entries(engine?.handlers ?? {});
  const places = [
    ...blocks.flatMap((block) => (needsPerson(block) ? [block.id] : [])),
    ...handlers.flatMap(([id, { actor }]) => (actor === 'human' ? [id] : [])),
  ];
  return places.length === 0 ? [] : [`a person decides: ${places.join(', ')}`];
}

/** Maximum characters of a line of steps. */
const LINE = 42;

function wrapSteps(steps: readonly string[]): string[] {
  const lines: string[] = [];
  for (const step of steps) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + step.length + 3 <= LINE) lines[lines.length - 1] = `${line} › ${step}`;
    else lines.push(line === undefined ? step : `› ${step}`);
  }
  return lines;
}

function describePolicy(policy: ErrorPolicy): string[] {
  switch (policy.kind) {
    case 'halt':
      return [];
    case 'skip':
      return ['if it halts: continues with the next'];
    case 'retry':
      return [`if it halts: tried again, at most ${policy.max}×`];
  }
}
