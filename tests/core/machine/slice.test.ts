import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { initialTransition, transition as pureTransition } from 'xstate';
import { compileProgram } from '../../../src/machine/config.js';
import type { MachineEvent } from '../../../src/machine/events.js';
import { createProgramMachine } from '../../../src/machine/machine.js';
import type { MachineConfig } from '../../../src/machine/machine-config.js';
import { createCounters, findRestingState, type Position } from '../../../src/machine/position.js';
import type { Program } from '../../../src/machine/program.js';
import { sliceMachine } from '../../../src/machine/slice.js';
import { programs } from './arbitrary.js';
import { recordedRun } from './ledger.js';
import { allowedEvents } from './oracle.js';
import { block, program } from './programs.js';

/** Returns XState's transition for an event, with the whole config or a slice of it. */
function stepped(config: MachineConfig, subject: Program, before: Position | null, event: MachineEvent | null) {
  const machine = createProgramMachine(
    config,
    subject.blocks.map(({ id }) => id),
  );
  const conditions = (source: string) => source === 'x';
  const [snapshot, actions] =
    before === null || event === null
      ? pureTransition(machine, initialTransition(machine, { counters: createCounters(subject), conditions })[0], {
          type: 'START',
        })
      : pureTransition(
          machine,
          machine.resolveState({ value: before.value, context: { counters: before.counters, conditions } }),
          event,
        );
  const done = (actions as { type: string; params: unknown }[]).map(({ type, params }) => ({ type, params }));
  return { value: snapshot.value, counters: snapshot.context.counters, done };
}

function sliced(subject: Program, before: Position | null, event: MachineEvent | null): MachineConfig {
  const resting = before === null ? null : findRestingState(before);
  return sliceMachine(compileProgram(subject), resting, event ?? { type: 'START' });
}

function size({ states }: Pick<MachineConfig, 'states'>): number {
  return Object.values(states).reduce((sum, state) => sum + 1 + Object.keys(state.states ?? {}).length, 0);
}

describe('a slice of a machine', () => {
  it('does with its event what the whole does', () => {
    const situations = fc.record({
      subject: programs(5),
      answers: fc.array(fc.boolean(), { minLength: 1, maxLength: 6 }),
      picks: fc.array(fc.nat(), { maxLength: 10 }),
    });
    fc.assert(
      fc.property(situations, ({ subject, answers, picks }) => {
        const choose = (events: MachineEvent[], pick = 0) => events[pick % Math.max(1, events.length)] ?? null;
        const moments = recordedRun(
          subject,
          answers,
          ({ step }, tx) => choose(allowedEvents(subject, step.position), picks[tx]),
          picks.length,
        );
        for (const { before, event } of moments) {
          const whole = stepped(compileProgram(subject), subject, before, event);
          expect(stepped(sliced(subject, before, event), subject, before, event)).toEqual(whole);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('does not grow with the program', () => {
    const sizes = [10, 100].map((count) => {
      const subject = program(...Array.from({ length: count }, (_, index) => block(`b${index}`)));
      const before = { value: { 'block-b3': 'active' }, counters: createCounters(subject) };
      return size(sliced(subject, before, { type: 'DONE' }));
    });
    expect(sizes[1]).toBe(sizes[0]);
    // The whole config does grow with the program, so the comparison is meaningful.
    expect(size(compileProgram(program(block('a'), block('b'))))).toBeGreaterThan(
      size(compileProgram(program(block('a')))),
    );
  });
});
