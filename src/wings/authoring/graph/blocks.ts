import { renderCount } from '../../../base/words.js';
import { BLOCK_KINDS } from '../../../machine/block-kinds.js';
import type { ProgramBlock } from '../../../machine/program.js';
import { needsPerson } from '../../../recipe/declared.js';
import type { ResolvedBlock, ResolvedRecipe } from '../../../recipe/resolved.js';
import { type BlockWay, listBlockWays } from '../edges.js';
import {
  buildEdge,
  buildNode,
  COMPLETED,
  type EdgeKind,
  type GraphEdge,
  type GraphNode,
  type RecipeGraph,
  START,
} from './graph.js';

/** Maximum choices that an edge names; more are only counted. */
const NAMED_CHOICES = 3;

/** Builds the picture of a sequential recipe (graph.md, Sequential recipes). */
export function buildBlockGraph(recipe: ResolvedRecipe): RecipeGraph {
  const { program, name, description } = recipe;
  const ways = listBlockWays(recipe);
  const edges = program.blocks.flatMap((block, index) =>
    listEdgesOf(
      block,
      program.blocks[index + 1]?.id ?? null,
      ways.filter((way) => way.block === block.id),
    ),
  );
  const nodes = program.blocks.flatMap((block, index) => {
    const own = recipe.blocks[index];
    const halts = edges.some(({ from, kind, implied }) => from === nodeOf(block.id) && kind === 'halt' && !implied);
    return [...(own === undefined ? [] : [describeBlock(block, own)]), ...(halts ? [describeHalt(block.id)] : [])];
  });
  const first = program.blocks[0];
  const begin = first === undefined ? COMPLETED.id : nodeOf(first.id);
  return {
    name,
    type: 'sequential',
    description,
    nodes: [START, ...nodes, COMPLETED],
    edges: [buildEdge({ from: START.id, to: begin, kind: 'next' }), ...edges],
    groups: [],
  };
}

const nodeOf = (block: string) => `block:${block}`;
const haltOf = (block: string) => `halt:${block}`;

const describeHalt = (block: string): GraphNode =>
  buildNode({ id: haltOf(block), kind: 'halted', name: 'halted', note: '' });

function listEdgesOf(block: ProgramBlock, next: string | null, ways: readonly BlockWay[]): GraphEdge[] {
  const from = nodeOf(block.id);
  const onward = next === null ? COMPLETED.id : nodeOf(next);
  if (block.standsForInit === true) return [buildEdge({ from, to: onward, kind: 'next' })];
  const placed = ways
    // `begun` is the transition into the block; all others are edges that leave it.
    .filter(({ what }) => what !== 'begun')
    .map((way) => ({ way, ...placeWay(block.id, way) }));
  const ends = new Map(placed.map((one) => [`${one.kind} ${one.to}`, one]));
  return [...ends.values()].map(({ to, kind }) => {
    const taken = placed.filter((one) => one.to === to && one.kind === kind).map(({ way }) => way);
    const chosen = listChosen(taken);
    return buildEdge({
      from,
      to,
      kind,
      ways: taken.map(({ name }) => name),
      label: labelEdge(block, kind, taken),
      ...(kind === 'next' && chosen.length > NAMED_CHOICES ? { counted: chosen.join(', ') } : {}),
      implied: kind === 'halt' && chosen.length === 0,
    });
  });
}

/** Parses targets such as `#program.block-plan.active`. */
function placeWay(block: string, { target }: BlockWay): { to: string; kind: EdgeKind } {
  const [, state = '', inside] = target.split('.');
  if (inside === 'halted') return { to: haltOf(block), kind: 'halt' };
  if (!state.startsWith('block-')) return { to: state, kind: 'next' };
  const id = state.slice('block-'.length);
  if (id === block) return { to: nodeOf(id), kind: 'again' };
  return { to: nodeOf(id), kind: inside === undefined ? 'next' : 'back' };
}

const listChosen = (ways: readonly BlockWay[]): string[] =>
  ways.flatMap(({ what }) => (what.startsWith('chose ') ? [what.slice('chose '.length)] : []));

function labelEdge(block: ProgramBlock, kind: EdgeKind, ways: readonly BlockWay[]): string {
  const chosen = listChosen(ways);
  switch (kind) {
    case 'next':
      if (chosen.length === block.choices.length && chosen.length < 2) return '';
      return chosen.length > NAMED_CHOICES ? `${chosen.length} choices` : chosen.join(', ');
    case 'halt':
      return chosen.join(', ');
    case 'again':
      return listBackWords(ways).join(', ');
    case 'back': {
      const isLoop = ways.some(({ what }) => what === 'not passed');
      // A loop of n rounds leads back n - 1 times, since its last round does not. For a choice that leads back,
      // `maxRounds` is itself the number of times.
      const most = (block.maxRounds ?? 1) - (isLoop ? 1 : 0);
      return `${listBackWords(ways).join(', ')} (≤ ${most}×)`;
    }
  }
}

/** Lists the events that lead back, in the words of coverage: choices, rounds, failures. */
function listBackWords(ways: readonly BlockWay[]): string[] {
  return [...new Set(ways.map(({ what }) => what.replace(/^(?:at its bound, )?chose /, '')))];
}

function describeBlock(program: ProgramBlock, block: ResolvedBlock): GraphNode {
  const { by, loops } = BLOCK_KINDS[block.kind];
  const asksUser = 'asks' in block && block.asks === 'user' && by !== 'person';
  return buildNode({
    id: nodeOf(block.id),
    kind: asksUser ? 'person' : by,
    name: block.id,
    note: needsPerson(block) ? 'a person decides' : `${block.kind}${asksUser ? ', asks the user' : ''}`,
    optional: block.when !== undefined,
    repeats: loops && program.revise === undefined,
    facts: [
      ...(block.when === undefined ? [] : [`if ${block.when}`]),
      ...listWorkFacts(program, block),
      ...listLoopFacts(program, block),
      ...listFailureFacts(program),
    ],
  });
}

function listWorkFacts({ standsForInit }: ProgramBlock, block: ResolvedBlock): string[] {
  const { title } = block;
  const named = (otherwise: string) => [title ?? otherwise];
  const told = title === undefined ? [] : [title];
  if (standsForInit === true) return ['done when the run begins'];
  if ('message' in block) return block.message === '' || title !== undefined ? told : [`“${block.message}”`];
  if ('agents' in block) {
    const ids = block.agents.map(({ id }) => id);
    return [...told, `${ids.length === 1 ? 'agent' : `${ids.length} agents`}: ${ids.join(', ')}`];
  }
  if ('instruction' in block)
    return [...named(block.instruction), ...('write' in block ? [`writes ${block.write}`] : [])];
  return 'command' in block ? named(block.command.command.source) : told;
}

function listLoopFacts({ kind, maxRounds = 0, asksUser }: ProgramBlock, block: ResolvedBlock): string[] {
  if (!BLOCK_KINDS[kind].loops) return [];
  const until = [
    'exitWhen' in block ? block.exitWhen : undefined,
    'exitCheck' in block ? block.exitCheck?.source : undefined,
    'exitCommand' in block ? block.exitCommand?.source : undefined,
  ].filter((one) => one !== undefined);
  const bound = `${renderCount(maxRounds, 'round')}${asksUser ? ' without an answer, then asks' : ' at most'}`;
  return [...until.map((one) => `until ${one}`), bound];
}

/** Describes the effect of a failure, unless it simply halts the run. */
function listFailureFacts({ onError, kind, revise, maxRounds }: ProgramBlock): string[] {
  const { by, loops } = BLOCK_KINDS[kind];
  if (by === 'person' || onError.kind === 'halt') return [];
  // With `revise`, each failure but the last leads back to an earlier block; only the last has the effect of `onError`.
  const often = revise === undefined ? '' : ` ${maxRounds}×`;
  const when = loops ? 'if none passes' : `if it fails${often}`;
  return [`${when}: ${onError.kind === 'continue' ? 'goes on' : `tried again, ${onError.max}× at most`}`];
}
