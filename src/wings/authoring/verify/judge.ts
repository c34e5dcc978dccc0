import { isLoop } from '../../../machine/defects.js';
import { needsPerson } from '../../../recipe/declared.js';
import { quoteWord } from '../../../recipe/source/yaml.js';
import type { StepChecker } from './check-step.js';
import type { VerifyFinding } from './finding.js';
import type { ExploredTransition, StateGraph } from './graph.js';
import { findBlockCommand, needsRemote } from './remote.js';
import type { ExplorationSubject } from './subject.js';
import type { Ways } from './ways.js';

/** Lists all faults of a recipe that exploration showed. @param checker the observer of every step of the work */
export function listRecipeFindings(
  subject: ExplorationSubject,
  graph: StateGraph,
  checker: StepChecker,
  { cycle }: Ways,
): VerifyFinding[] {
  const found = [
    ...checker.list(),
    ...findAutopilotGates(subject, checker),
    ...findEndlessLoops(subject, graph, checker),
    ...findUnreachable(subject, checker),
    ...findNeedOfRemote(subject, graph),
  ];
  if (cycle !== null) found.push(buildCycle(subject, graph, cycle));
  // The cause of these dead ends has been reported already.
  const isTold = found.some(({ kind }) => kind === 'unbounded-loop' || kind === 'section-unwritten');
  return isTold ? found : [...found, ...findDeadEnds(subject, graph)];
}

/** Finds gates that only a person can pass, although the recipe is for autopilot and must not ask anybody. */
function findAutopilotGates({ recipe }: ExplorationSubject, { entered }: StepChecker): VerifyFinding[] {
  if (recipe.mode['interaction'] !== 'autopilot') return [];
  return recipe.blocks.flatMap((block, at): VerifyFinding[] => {
    const seen = entered.get(at);
    if (!needsPerson(block) || seen === undefined) return [];
    return [
      {
        kind: 'human-in-autopilot',
        message: `${quoteWord(block.id)} needs a person, but the recipe is for autopilot: every run waits there.`,
        fix: 'Leave `human: required` out, or make the recipe interactive.',
        place: ['blocks', at, 'human'],
        ...seen,
      },
    ];
  });
}

/** Finds loops that never pass, regardless of what is handed in. */
function findEndlessLoops(
  { program, recipe, exactRounds }: ExplorationSubject,
  { nodes, edges, work }: StateGraph,
  { entered }: StepChecker,
): VerifyFinding[] {
  const passed = new Set<number>();
  for (const [number, { from, move }] of edges.entries()) {
    const { block = -1, state } = nodes[from]?.standing.place ?? {};
    // After a redo, a block may have any number of rounds; a loop that passes only there does not pass by itself.
    const isOfWork = number < work.edges || exactRounds.size === 0;
    if (isOfWork && state === 'active' && move.event.type === 'DONE') passed.add(block);
  }
  return program.blocks.flatMap((block, at): VerifyFinding[] => {
    const seen = entered.get(at);
    const written = recipe.blocks[at];
    const ends = written !== undefined && 'exitWhen' in written && written.exitWhen !== undefined;
    if (!isLoop(block) || !ends || seen === undefined || passed.has(at)) return [];
    const then = block.asksUser
      ? 'rounds that fill in something do not count'
      : block.maxRounds === 1
        ? 'its only round fails'
        : `all ${block.maxRounds} rounds fail`;
    return [
      {
        kind: 'unbounded-loop',
        message: `No value ends the loop ${quoteWord(block.id)}: its \`exitWhen\` is always false, and ${then}.`,
        fix: 'Correct `exitWhen` so that something its round hands in makes it true.',
        place: ['blocks', at, 'exitWhen'],
        ...seen,
      },
    ];
  });
}

/** Finds blocks that are skipped on every path. */
function findUnreachable({ recipe }: ExplorationSubject, { entered, skipped }: StepChecker): VerifyFinding[] {
  return recipe.blocks.flatMap((block, at): VerifyFinding[] => {
    const seen = skipped.get(at);
    if (entered.has(at) || seen === undefined) return [];
    return [
      {
        kind: 'unreachable-block',
        message: `${quoteWord(block.id)} is never reached: its \`when\` is always false.`,
        fix: 'Correct the `when`, or leave the block out.',
        place: ['blocks', at, 'when'],
        ...seen,
      },
    ];
  });
}

/**
 * Reports a recipe of which no run can complete without a remote. This is no fault if the recipe declares the remote in
 * `needs`, because then a run without one is refused at its start.
 */
function findNeedOfRemote({ recipe }: ExplorationSubject, graph: StateGraph): VerifyFinding[] {
  if (recipe.needs?.includes('remote') === true) return [];
  const { nodes, edges } = graph;
  const without = edges.filter(({ move }) => move.kind !== 'own' && move.remote !== true);
  if (!edges.some(({ move }) => move.remote === true) || reachBack(graph, without).has(0)) return [];
  // Without a remote no run completes: on each way to completion, some command fails.
  const reached = reachOn(without);
  const first = edges.findIndex(({ from, move }) => move.remote === true && reached.has(from));
  const node = edges[first]?.from ?? 0;
  const at = nodes[node]?.standing.place.block ?? 0;
  const block = recipe.blocks[at];
  const command = block === undefined ? null : findBlockCommand(block);
  if (block === undefined || command === null || !needsRemote(command)) return [];
  const failing = without.filter(({ from }) => from === node);
  const edge = failing.find(({ to }) => nodes[to]?.standing.place.state === 'halted') ?? failing[0];
  return [
    {
      kind: 'needs-remote',
      message: `Without a remote no run can be completed: ${quoteWord(block.id)} then fails.`,
      fix: 'State `needs: [remote]`, or let the run continue without it: a `when`, or `onError: continue`.',
      place: ['blocks', at, 'command' in block ? 'command' : 'exitCheck'],
      node: edge?.to ?? node,
      ...(edge === undefined ? {} : { edge: edges.indexOf(edge) }),
    },
  ];
}

/** Returns the states from which these edges lead to a completed run. */
function reachBack({ nodes }: StateGraph, edges: readonly ExploredTransition[]): Set<number> {
  const before = new Map<number, number[]>();
  for (const { from, to } of edges) {
    const known = before.get(to);
    if (known === undefined) before.set(to, [from]);
    else known.push(from);
  }
  const reached = new Set(nodes.flatMap((node, at) => (node.standing.place.state === 'completed' ? [at] : [])));
  for (const at of reached) for (const from of before.get(at) ?? []) reached.add(from);
  return reached;
}

function reachOn(edges: readonly ExploredTransition[]): Set<number> {
  const after = new Map<number, number[]>();
  for (const { from, to } of edges) after.set(from, [...(after.get(from) ?? []), to]);
  const reached = new Set([0]);
  for (const at of reached) for (const to of after.get(at) ?? []) reached.add(to);
  return reached;
}

/**
 * Finds unfinished states from which no run can complete, one per block. Only states that `work` moves reach are
 * considered: after a redo, too little is known.
 */
function findDeadEnds({ recipe }: ExplorationSubject, graph: StateGraph): VerifyFinding[] {
  const { nodes, edges } = graph;
  const work = edges.filter(({ move }) => move.kind !== 'own');
  const completing = reachBack(graph, work);
  // A stop that the author intended is not a dead end, unless no run of the recipe can complete at all.
  const alive = completing.has(0) ? new Set([...completing, ...findLastStops(recipe, nodes)]) : completing;
  const isDead = (at: number) => {
    const state = nodes[at]?.standing.place.state;
    return at < graph.work.nodes && !alive.has(at) && (state === 'active' || state === 'bound');
  };
  const onward = new Set(
    work.filter(({ from, to }) => isDead(from) && isDead(to) && !isSameBlock(graph, from, to)).map(({ from }) => from),
  );
  const dead = nodes.flatMap((_, at) => (isDead(at) ? [at] : []));
  const roots = dead.filter((at) => !onward.has(at));
  const blocks = new Set<number>();
  return (roots.length > 0 ? roots : dead).flatMap((node): VerifyFinding[] => {
    const at = nodes[node]?.standing.place.block ?? 0;
    const block = recipe.blocks[at];
    if (blocks.has(at) || block === undefined) return [];
    blocks.add(at);
    const key =
      'exitWhen' in block && block.exitWhen !== undefined ? 'exitWhen' : 'choices' in block ? 'choices' : 'id';
    return [
      {
        kind: 'dead-end',
        message: `A run that reaches ${quoteWord(block.id)} this way can only halt: no outcome there leads to completion.`,
        fix: 'Add a way on: another choice, `onError: continue`, or a condition that can be true here.',
        place: ['blocks', at, key],
        node,
      },
    ];
  });
}

/**
 * Finds states where a choice has led back as often as it may, but a choice to stop remains. A run that halts there
 * ends as the author of the bound intended.
 */
function findLastStops({ blocks, program }: ExplorationSubject['recipe'], nodes: StateGraph['nodes']): number[] {
  return nodes.flatMap(({ standing: { place, counts } }, at) => {
    const block = blocks[place.block];
    const bound = program.blocks[place.block]?.maxRounds;
    if (place.state !== 'active' || block === undefined || !('choices' in block) || bound === undefined) return [];
    const canStop = block.choices.some(({ goto, when }) => goto === 'halt' && when === undefined);
    const ledBack = block.choices.some(({ goto }) => goto !== 'halt' && goto !== 'next');
    return canStop && ledBack && (counts.get(place.block)?.jumps ?? 0) >= bound ? [at] : [];
  });
}

function isSameBlock({ nodes }: StateGraph, from: number, to: number): boolean {
  return nodes[from]?.standing.place.block === nodes[to]?.standing.place.block;
}

function buildCycle({ recipe }: ExplorationSubject, { nodes, edges }: StateGraph, edge: number): VerifyFinding {
  const node = edges[edge]?.from ?? 0;
  const at = nodes[node]?.standing.place.block ?? 0;
  return {
    kind: 'unbounded-loop',
    message: `A run can loop at ${quoteWord(recipe.blocks[at]?.id ?? '')} forever: nothing limits its rounds.`,
    place: ['blocks', at],
    node: edges[edge]?.to ?? node,
    edge,
  };
}
