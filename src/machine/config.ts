import { DevCliError } from '../base/errors.js';
import { isLoop, programDefects } from './defects.js';
import type { MachineConfig, StateConfig } from './machine-config.js';
import { stateKey } from './position.js';
import type { Program, ProgramBlock } from './program.js';
import {
  chosen,
  chosenAtBound,
  done,
  entering,
  failure,
  final,
  halt,
  invalidate,
  onward,
  type Place,
  ROOT,
  roundNotPassed,
} from './ways.js';

/**
 * Compiles a recipe to a plain-JSON XState configuration: one compound state per block (`entering` asks its condition,
 * `active` waits for what happens to it, `bound` is the gate at its bound, in `halted` the run can only be reopened or
 * aborted), `ready` before the first, and the final states `completed` and `aborted`. Guards and actions are names with
 * params; machine.ts gives them bodies (house.md, XState; recipes.md §2).
 * @throws DevCliError `INTERNAL` for a program that lint should have refused; every defect in `details`
 */
export function compileProgram(program: Program): MachineConfig {
  const { blocks } = program;
  const defects = programDefects(program);
  if (defects.length > 0) {
    throw new DevCliError('INTERNAL', 'The compiled recipe has defects.', {
      details: defects.map((problem) => ({ problem })),
    });
  }
  const byId = new Map(blocks.map((block) => [block.id, block]));
  const find = (id: string) => byId.get(id) as ProgramBlock;
  return {
    id: ROOT,
    initial: 'ready',
    states: {
      // XState walks from the initial state anew in every pure transition, for an actor it never starts: keep that short.
      ready: { on: { START: [{ target: onward(blocks[0] ?? null), actions: [] }] } },
      ...Object.fromEntries(
        blocks.map((block, index) => [
          stateKey(block.id),
          blockState({ block, next: blocks[index + 1] ?? null, find }),
        ]),
      ),
      completed: { type: 'final', entry: [{ type: 'end', params: { outcome: 'completed' } }] },
      aborted: { type: 'final', entry: [{ type: 'end', params: { outcome: 'aborted' } }] },
    },
    on: {
      INVALIDATE: blocks.filter((block) => !block.standsForInit).map(invalidate),
      ABORT: [{ target: final('aborted'), actions: [] }],
    },
    // A walk takes one step for each skipped block, and a few at its ends.
    options: { maxIterations: blocks.length + 10 },
  };
}

function blockState(place: Place): StateConfig {
  const { block } = place;
  if (block.standsForInit) return { initial: 'entering', states: { entering: { always: [done(place)] } } };
  const stopping = { FAIL: failure(place), HALT: [halt(place)] };
  return {
    initial: 'entering',
    states: {
      entering: { always: entering(place) },
      active: {
        on: {
          ...(block.choices.length === 0
            ? { DONE: [done(place)] }
            : { CHOOSE: block.choices.map((choice) => chosen(place, choice)) }),
          ...(isLoop(block) ? { ROUND: roundNotPassed(place) } : {}),
          ...stopping,
        },
      },
      ...(isLoop(block) && block.asksUser ? { bound: { on: { CHOOSE: chosenAtBound(place), ...stopping } } } : {}),
      halted: { entry: [{ type: 'end', params: { outcome: 'halted' } }] },
    },
  };
}
