import { DevCliError } from '../base/errors.js';
import { isLoop, listProgramDefects } from './defects.js';
import type { MachineConfig, StateConfig } from './machine-config.js';
import { getStateKey } from './position.js';
import type { Program, ProgramBlock } from './program.js';
import {
  type BlockNode,
  buildBoundChoice,
  buildChoice,
  buildDone,
  buildEntry,
  buildFailedRound,
  buildFailure,
  buildHalt,
  buildInvalidate,
  getFinalTarget,
  getNextTarget,
  MACHINE_ID,
} from './transitions.js';

/**
 * Compiles a recipe to a plain-JSON XState configuration (house.md, XState; recipes.md §2). Each block is a compound
 * state: `entering` evaluates its condition, `active` waits for an event, `bound` is the gate at which a loop waits
 * after its last round, and `halted` can be left only by reopening or aborting the run. `ready` precedes the first
 * block; `completed` and `aborted` are final. Guards and actions are names with params, which machine.ts implements.
 * @throws DevCliError `INTERNAL`, with every defect in `details`, for a program that lint should have refused
 */
export function compileProgram(program: Program): MachineConfig {
  const { blocks } = program;
  const defects = listProgramDefects(program);
  if (defects.length > 0) {
    throw new DevCliError('INTERNAL', 'The compiled recipe has defects.', {
      details: defects.map((problem) => ({ problem })),
    });
  }
  const byId = new Map(blocks.map((block) => [block.id, block]));
  const find = (id: string) => byId.get(id) as ProgramBlock;
  return {
    id: MACHINE_ID,
    initial: 'ready',
    states: {
      // In every pure transition, XState also computes the initial state, although the actor is never started, so this
      // state must be cheap to enter.
      ready: { on: { START: [{ target: getNextTarget(blocks[0] ?? null), actions: [] }] } },
      ...Object.fromEntries(
        blocks.map((block, index) => [
          getStateKey(block.id),
          buildBlockState({ block, next: blocks[index + 1] ?? null, find }),
        ]),
      ),
      completed: { type: 'final', entry: [{ type: 'end', params: { outcome: 'completed' } }] },
      aborted: { type: 'final', entry: [{ type: 'end', params: { outcome: 'aborted' } }] },
    },
    on: {
      INVALIDATE: blocks.filter((block) => !block.standsForInit).map(buildInvalidate),
      ABORT: [{ target: getFinalTarget('aborted'), actions: [] }],
    },
    // One event takes a step for each skipped block, plus a few at the beginning and the end.
    options: { maxIterations: blocks.length + 10 },
  };
}

function buildBlockState(place: BlockNode): StateConfig {
  const { block } = place;
  if (block.standsForInit) return { initial: 'entering', states: { entering: { always: [buildDone(place)] } } };
  const stopping = { FAIL: buildFailure(place), HALT: [buildHalt(place)] };
  return {
    initial: 'entering',
    states: {
      entering: { always: buildEntry(place) },
      active: {
        on: {
          ...(block.choices.length === 0
            ? { DONE: [buildDone(place)] }
            : { CHOOSE: block.choices.map((choice) => buildChoice(place, choice)) }),
          ...(isLoop(block) ? { ROUND: buildFailedRound(place) } : {}),
          ...stopping,
        },
      },
      ...(isLoop(block) && block.asksUser ? { bound: { on: { CHOOSE: buildBoundChoice(place), ...stopping } } } : {}),
      halted: { entry: [{ type: 'end', params: { outcome: 'halted' } }] },
    },
  };
}
