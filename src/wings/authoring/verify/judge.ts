import { isLoop } from '../../../machine/defects.js';
import { needsPerson } from '../../../recipe/declared.js';
import { quoteWord } from '../../../recipe/source/yaml.js';
import type { StepChecker } from './check-step.js';
import type { Finding } from './finding.js';
import type { Edge, Graph } from './graph.js';
import { findCommand, needsRemote } from './remote.js';
import type { Subject } from './subject.js';
import type { Ways } from './ways.js';

/** Everything that is wrong with a recipe, by what was explored of it. @param checker has seen each step of the work */
export function judge(subject: Subject, graph: Graph, checker: StepChecker, { cycle }: Ways): Finding[] {
  const found = [
    ...checker.list(),
    ...findAutopilotGates(subject, checker),
    ...findEndlessLoops(subject, graph, checker),
    ...findUnreachable(subject, checker),
    ...findNeedOfRemote(subject, graph),
  ];
  if (cycle !== null) found.push(buildCycle(subject, graph, cycle));
  // What cannot be passed has been told, with its reason.
  const isTold = found.some(({ kind }) => kind === 'unbounded-loop' || kind === 'section-unwritten');
  return isTold ? found : [...found, ...findDeadEnds(subject, graph)];
}

/** A gate that only a person passes, where nobody is to be asked. */
function findAutopilotGates({ recipe }: Subject, { entered }: StepChecker): Finding[] {
  if (recipe.mode['interaction'] !== 'autopilot') return [];
  return recipe.blocks.flatMap((block, at): Finding[] => {
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

/** Loops that never pass, whatever anybody hands in. */
function findEndlessLoops(
  { program, recipe, exactRounds }: Subject,
  { nodes, edges, work }: Graph,
  { entered }: StepChecker,
): Finding[] {
  const passed = new Set<number>();
  for (const [number, { from, move }] of edges.entries()) {
    const { block = -1, state } = nodes[from]?.standing.place ?? {};
    // Whoever redoes a block again and again makes any number of rounds of it.
    const isOfWork = number < work.edges || exactRounds.size === 0;
    if (isOfWork && state === 'active' && move.event.type === 'DONE') passed.add(block);
  }
  return program.blocks.flatMap((block, at): Finding[] => {
    const seen = entered.get(at);
    const written = recipe.blocks[at];
    const ends = written !== undefined && 'exitWhen' in written && written.exitWhen !== undefined;
    if (!isLoop(block) || !ends || seen === undefined || passed.has(at)) return [];
    const then = block.asksUser
      ? 'rounds that fill something do not count'
      : block.maxRounds === 1
        ? 'its only round fails'
        : `all ${block.maxRounds} rounds fail`;
    return [
      {
        kind: 'unbounded-loop',
        message: `No value ends the loop ${quoteWord(block.id)}: its \`exitWhen\` never holds, and ${then}.`,
        fix: 'Correct `exitWhen` so that something its round hands in makes it true.',
        place: ['blocks', at, 'exitWhen'],
        ...seen,
      },
    ];
  });
}

/** Blocks that are skipped on every way. */
function findUnreachable({ recipe }: Subject, { entered, skipped }: StepChecker): Finding[] {
  return recipe.blocks.flatMap((block, at): Finding[] => {
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

/** Whether a run can end without a remote; a recipe that says so with `needs` is not begun without one. */
function findNeedOfRemote({ recipe }: Subject, graph: Graph): Finding[] {
  if (recipe.needs?.includes('remote') === true) return [];
  const { nodes, edges } = graph;
  const without = edges.filter(({ move }) => move.kind !== 'own' && move.remote !== true);
  if (!edges.some(({ move }) => move.remote === true) || reachBack(graph, without).has(0)) return [];
  // Whatever ends it is behind a command that fails.
  const reached = reachOn(without);
  const first = edges.findIndex(({ from, move }) => move.remote === true && reached.has(from));
  const node = edges[first]?.from ?? 0;
  const at = nodes[node]?.standing.place.block ?? 0;
  const block = recipe.blocks[at];
  const command = block === undefined ? null : findCommand(block);
  if (block === undefined || command === null || !needsRemote(command)) return [];
  const failing = without.filter(({ from }) => from === node);
  const edge = failing.find(({ to }) => nodes[to]?.standing.place.state === 'halted') ?? failing[0];
  return [
    {
      kind: 'needs-remote',
      message: `Without a remote no run can be completed: ${quoteWord(block.id)} then fails.`,
      fix: 'State `needs: [remote]`, or let the run go on without it: a `when`, or `onError: continue`.',
      place: ['blocks', at, 'command' in block ? 'command' : 'exitCheck'],
      node: edge?.to ?? node,
      ...(edge === undefined ? {} : { edge: edges.indexOf(edge) }),
    },
  ];
}

/** The states from which a completed run is reached by these edges. */
function reachBack({ nodes }: Graph, edges: readonly Edge[]): Set<number> {
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

function reachOn(edges: readonly Edge[]): Set<number> {
  const after = new Map<number, number[]>();
  for (const { from, to } of edges) after.set(from, [...(after.get(from) ?? []), to]);
  const reached = new Set([0]);
  for (const at of reached) for (const to of after.get(at) ?? []) reached.add(to);
  return reached;
}

/**
 * States that the work comes to, that have not ended, and from which no run is completed any more; one for each block. Of what
 * somebody redoes at will it is not known well enough what a run still knows there.
 */
function findDeadEnds({ recipe }: Subject, graph: Graph): Finding[] {
  const { nodes, edges } = graph;
  const work = edges.filter(({ move }) => move.kind !== 'own');
  const completing = reachBack(graph, work);
  // Where no run is completed at all, a stop is no way out.
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
  return (roots.length > 0 ? roots : dead).flatMap((node): Finding[] => {
    const at = nodes[node]?.standing.place.block ?? 0;
    const block = recipe.blocks[at];
    if (blocks.has(at) || block === undefined) return [];
    blocks.add(at);
    const key =
      'exitWhen' in block && block.exitWhen !== undefined ? 'exitWhen' : 'choices' in block ? 'choices' : 'id';
    return [
      {
        kind: 'dead-end',
        message: `A run that reaches ${quoteWord(block.id)} this way can only halt: nothing that can happen there completes it.`,
        fix: 'Add a way on: another choice, `onError: continue`, or a condition that can come true here.',
        place: ['blocks', at, key],
        node,
      },
    ];
  });
}

/**
 * States in which all is used up that a choice may lead back, and a choice to stop is left. A run that is halted so ends as
 * whoever wrote the bound wanted.
 */
function findLastStops({ blocks, program }: Subject['recipe'], nodes: Graph['nodes']): number[] {
  return nodes.flatMap(({ standing: { place, counts } }, at) => {
    const block = blocks[place.block];
    const bound = program.blocks[place.block]?.maxRounds;
    if (place.state !== 'active' || block === undefined || !('choices' in block) || bound === undefined) return [];
    const canStop = block.choices.some(({ goto, when }) => goto === 'halt' && when === undefined);
    const ledBack = block.choices.some(({ goto }) => goto !== 'halt' && goto !== 'next');
    return canStop && ledBack && (counts.get(place.block)?.jumps ?? 0) >= bound ? [at] : [];
  });
}

function isSameBlock({ nodes }: Graph, from: number, to: number): boolean {
  return nodes[from]?.standing.place.block === nodes[to]?.standing.place.block;
}

function buildCycle({ recipe }: Subject, { nodes, edges }: Graph, edge: number): Finding {
  const node = edges[edge]?.from ?? 0;
  const at = nodes[node]?.standing.place.block ?? 0;
  return {
    kind: 'unbounded-loop',
    message: `A run can go round at ${quoteWord(recipe.blocks[at]?.id ?? '')} forever: nothing counts its rounds.`,
    place: ['blocks', at],
    node: edges[edge]?.to ?? node,
    edge,
  };
}
