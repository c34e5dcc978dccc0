import type { ProgramBlock } from '../../../machine/program.js';
import type { MachinePlace } from './place.js';
import type { ExplorationSubject } from './subject.js';
import { OUTCOME, type World } from './world.js';

/**
 * Determines which parts of a world are still read later; the others are forgotten, so that states with equal futures
 * coincide.
 */
export interface Liveness {
  forget(world: World, place: MachinePlace): World;
}

/** Determines for each block what is still read when the run rests there. */
export function findLiveness(subject: ExplorationSubject): Liveness {
  const { program, values, watched } = subject;
  const targets = findTargets(program.blocks);
  const owners = [
    ...values.map((_, at) => Math.min(...(subject.producers[at] ?? []), program.blocks.length)),
    ...watched.keys(),
  ];
  const known = new Map<number, boolean[]>();
  const findLive = (block: number): boolean[] =>
    owners.map((owner, slot) => {
      const fixed = slot < values.length && (subject.producers[slot]?.size ?? 0) === 0;
      const from = fixed || outlivesRedoing(subject, slot) ? -1 : owner;
      const back = targets[block] ?? [];
      return [...(subject.readers[slot] ?? [])].some(
        (reader) => reader >= block || back.some((target) => target > from && target <= reader),
      );
    });
  return {
    forget(world, { block, state }) {
      const isOver = state === 'completed' || state === 'aborted';
      const lives = known.get(block) ?? findLive(block);
      known.set(block, lives);
      return world.map((value, slot) => {
        if (slot === owners.length) return subject.size < 0 || isOver ? 0 : value;
        if (!isOver && lives[slot] === true) return value;
        return slot < values.length ? -1 : OUTCOME.forgotten;
      });
    },
  };
}

/** Returns whether a value can survive when its block is redone (`retract`). */
function outlivesRedoing({ values, producers, recipe }: ExplorationSubject, slot: number): boolean {
  const [root, id, member] = values[slot]?.path ?? [];
  if (root !== 'agents') return root === 'draft';
  const own = [...(producers[slot] ?? [])].map((at) => recipe.blocks[at]);
  const agents = own.flatMap((block) => (block !== undefined && 'agents' in block ? block.agents : []));
  return member === 'status' || agents.some((agent) => agent.id === id && agent.when !== undefined);
}

/** Lists for each block the blocks to which a run can go back from this block or from a later one. */
function findTargets(blocks: readonly ProgramBlock[]): number[][] {
  const index = new Map(blocks.map(({ id }, at) => [id, at]));
  const own = blocks.map((block) =>
    [block.revise, ...block.choices.map(({ target }) => (target.kind === 'goto' ? target.block : undefined))].flatMap(
      (id) => (id === undefined ? [] : [index.get(id) as number]),
    ),
  );
  const jumping = own.flatMap((targets, at) => (targets.length === 0 ? [] : [{ at, targets }]));
  return blocks.map((_, at) => {
    let from = at;
    let found: number[] = [];
    for (let before = -1; before !== from; ) {
      before = from;
      found = jumping.filter((one) => one.at >= from).flatMap(({ targets }) => targets);
      from = Math.min(from, ...found);
    }
    return [...new Set(found)];
  });
}
