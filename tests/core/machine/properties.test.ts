import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MachineEvent } from '../../../src/machine/events.js';
import { findCurrentBlock, findOutcome, type Position } from '../../../src/machine/position.js';
import type { Program } from '../../../src/machine/program.js';
import { startProgram, transition } from '../../../src/machine/transition.js';
import { programs } from './arbitrary.js';
import { type Moment, recordedRun } from './ledger.js';
import { allowedEvents, alphabet, longestRun, progress, reachedNow } from './oracle.js';
import {
  always,
  block,
  choose,
  countersOf,
  DONE,
  EMPTY_ROUND,
  FAIL,
  goto,
  invalidate,
  lastOf,
  next,
  program,
} from './programs.js';

/** Programs with random answers to conditions and random picks among the allowed events. */
const situations = fc.record({
  subject: programs(5),
  answers: fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }),
  picks: fc.array(fc.nat(), { maxLength: 25 }),
});
type Situation = { subject: Program; answers: boolean[]; picks: number[] };

function run({ subject, answers, picks }: Situation): Moment[] {
  return recordedRun(
    subject,
    answers,
    ({ step }, tx) => picked(allowedEvents(subject, step.position), picks[tx]),
    picks.length,
  );
}

function picked(events: MachineEvent[], pick: number | undefined): MachineEvent | null {
  return pick === undefined || events.length === 0 ? null : (events[pick % events.length] as MachineEvent);
}

function law(check: (moments: Moment[], situation: Situation) => void, runs = 150): void {
  fc.assert(
    fc.property(situations, (situation) => check(run(situation), situation)),
    { numRuns: runs },
  );
}

describe('in every run', () => {
  it('each step ends in exactly one issue, execute or end', () => {
    law((moments) => {
      for (const { step } of moments) {
        const ends = step.effects.filter(({ type }) => type === 'issue' || type === 'execute' || type === 'end');
        expect(ends).toEqual([lastOf(step)]);
      }
    });
  });

  it('at most one block is pending, the one that the position names', () => {
    law((moments) => {
      for (const { step, ledger } of moments) {
        const current = findCurrentBlock(step.position);
        const running = Object.keys(ledger).filter((id) => ledger[id] === 'running');
        if (findOutcome(step.position) !== 'aborted') expect(running).toEqual(current === null ? [] : [current]);
      }
    });
  });

  it('CLI blocks are executed and all others issued', () => {
    law((moments, { subject }) => {
      for (const { step } of moments) {
        const last = lastOf(step);
        if (last.type !== 'issue' && last.type !== 'execute') continue;
        const kind = subject.blocks.find(({ id }) => id === last.block)?.kind;
        expect(last.type === 'execute').toBe(kind === 'cli');
      }
    });
  });

  it('settled blocks are exactly those passed', () => {
    law((moments, { subject }) => {
      for (const { step, ledger } of moments) {
        const outcome = findOutcome(step.position);
        if (outcome === 'aborted') continue;
        const ids = subject.blocks.map(({ id }) => id);
        const here = ids.findIndex((id) => Object.hasOwn(Object(step.position.value), `block-${id}`));
        const passed = outcome === 'completed' ? ids : ids.slice(0, outcome === 'halted' ? here + 1 : here);
        const settled = ids.filter((id) => ['done', 'skipped', 'failed'].includes(ledger[id] as string));
        expect(settled).toEqual(passed);
      }
    });
  });

  it('a block that the walk comes to is skipped exactly when its condition is false', () => {
    law((moments, { subject }) => {
      for (const { step, asked } of moments) {
        const met = step.effects.flatMap((effect): [string, boolean][] => {
          const skipped = effect.type === 'settle' && effect.status === 'skipped';
          const entered = (effect.type === 'issue' || effect.type === 'execute') && effect.cause === 'enter';
          if (!skipped && !entered) return [];
          const when = subject.blocks.find(({ id }) => id === effect.block)?.when;
          if (when === undefined) expect(skipped).toBe(false);
          return when === undefined ? [] : [[when, !skipped]];
        });
        expect(met).toEqual(asked);
      }
    });
  });

  it('rounds only grow, and by one; what is forgiven never shrinks', () => {
    law((moments, { subject }) => {
      for (const { before, step } of moments) {
        if (before === null) continue;
        for (const { id } of subject.blocks) {
          const [old, now] = [countersOf(before, id), countersOf(step.position, id)];
          expect([old.round, old.round + 1]).toContain(now.round);
          expect(now.roundBase).toBeGreaterThanOrEqual(old.roundBase);
        }
      }
    });
  });

  it('counters keep within their bounds', () => {
    law((moments, { subject }) => {
      for (const { step } of moments) {
        for (const { id, maxRounds, onError } of subject.blocks) {
          const { round, roundBase, retries, jumps } = countersOf(step.position, id);
          expect(roundBase).toBeLessThanOrEqual(round);
          expect(retries).toBeLessThanOrEqual(onError.kind === 'retry' ? onError.max : 0);
          expect(jumps).toBeLessThanOrEqual(maxRounds ?? 0);
        }
      }
    });
  });

  it('retries and jumps shrink only where a bound was granted anew or the block was entered', () => {
    law((moments, { subject }) => {
      for (const { before, step } of moments) {
        for (const { id } of subject.blocks) {
          const [old, now] = [countersOf(before ?? step.position, id), countersOf(step.position, id)];
          // A second renewal in a row leaves the counters as they are, because `roundBase` already equals `round`.
          const granted = now.roundBase > old.roundBase || old.roundBase === old.round;
          expect(granted || now.jumps >= old.jumps).toBe(true);
          expect(granted || now.round > old.round || now.retries >= old.retries).toBe(true);
        }
      }
    });
  });

  it('a new round is counted for the block that is handed out, and for no other', () => {
    law((moments) => {
      for (const { before, step } of moments) {
        if (before === null) continue;
        const last = lastOf(step);
        const handedOut = last.type === 'issue' || last.type === 'execute';
        const afresh = handedOut && last.cause !== 'retry' && last.cause !== 'bound' ? [last.block] : [];
        const grown = Object.keys(before.counters).filter(
          (id) => countersOf(step.position, id).round > countersOf(before, id).round,
        );
        expect(grown).toEqual(afresh);
      }
    });
  });

  it('exactly the allowed events are taken; any other throws', () => {
    law((moments, { subject }) => {
      const position = moments.at(-1)?.step.position as Position;
      const allowed = allowedEvents(subject, position).map((event) => JSON.stringify(event));
      for (const event of alphabet(subject)) {
        const take = () => transition(subject, position, event, always);
        if (allowed.includes(JSON.stringify(event))) expect(take).not.toThrow();
        else expect(take).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
      }
    }, 120);
  });
});

describe('a position', () => {
  it('is plain JSON, and going on from its text gives the same as going on', () => {
    law((moments, { subject }) => {
      for (const { before, event, step, asked } of moments) {
        if (before === null || event === null) continue;
        const answers = asked.map(([, answer]) => answer);
        const again: Position = JSON.parse(JSON.stringify(before));
        expect(again).toStrictEqual(before);
        const fresh: Program = JSON.parse(JSON.stringify(subject));
        expect(transition(fresh, again, event, () => answers.shift() ?? true)).toStrictEqual(step);
      }
    }, 60);
  });

  it('does not depend on the order of its keys', () => {
    law((moments, { subject }) => {
      const { before, event, step, asked } = moments.at(-1) as Moment;
      if (before === null || event === null) return;
      const answers = asked.map(([, answer]) => answer);
      const counters = Object.fromEntries(Object.entries(before.counters).reverse());
      expect(transition(subject, { ...before, counters }, event, () => answers.shift() ?? true)).toEqual(step);
    });
  });

  it('is the same whenever the same happened', () => {
    law((moments, situation) => {
      expect(run(situation)).toEqual(moments);
    }, 60);
  });
});

describe('after an invalidate', () => {
  it('everything from the block on is redone before the run completes', () => {
    fc.assert(
      fc.property(situations, fc.nat(), (situation, pick) => {
        const { subject } = situation;
        const { step } = run(situation).at(-1) as Moment;
        const reached = reachedNow(subject, step.position);
        const target = reached[pick % Math.max(1, reached.length)];
        if (target === undefined) return;
        const redone = new Set<string>();
        let now = transition(subject, step.position, invalidate(target), always);
        for (;;) {
          for (const effect of now.effects) if (effect.type === 'settle') redone.add(effect.block);
          if (findOutcome(now.position) !== null) break;
          now = transition(subject, now.position, forward(subject, now.position), always);
        }
        expect(findOutcome(now.position)).toBe('completed');
        const ids = subject.blocks.map(({ id }) => id);
        expect([...redone]).toEqual(ids.slice(ids.indexOf(target)));
      }),
      { numRuns: 150 },
    );
  });

  /** Returns an event by which the run gets past the current block. */
  function forward(subject: Program, position: Position): MachineEvent {
    const [first] = progress(subject, position);
    if (first === undefined) throw new Error('no way on');
    return first;
  }
});

describe('an adversary', () => {
  // These events have no limit: people may invalidate, choose `more` and fill failed rounds as often as they like.
  const unbounded = (event: MachineEvent) =>
    event.type === 'INVALIDATE' ||
    event.type === 'ABORT' ||
    (event.type === 'ROUND' && event.filled) ||
    (event.type === 'CHOOSE' && event.choice === 'more');

  function length(subject: Program, answers: boolean[], prefer: (events: MachineEvent[], tx: number) => MachineEvent) {
    const most = longestRun(subject) + 1;
    const moments = recordedRun(
      subject,
      answers,
      ({ step }, tx) => {
        const events = allowedEvents(subject, step.position).filter((event) => !unbounded(event));
        return events.length === 0 ? null : prefer(events, tx);
      },
      most,
    );
    return { taken: moments.length - 1, most };
  }

  it('who picks at random cannot exceed the computed length', () => {
    fc.assert(
      fc.property(situations, ({ subject, answers, picks }) => {
        const { taken, most } = length(
          subject,
          answers,
          (events, tx) => picked(events, picks[tx] ?? tx) as MachineEvent,
        );
        expect(taken).toBeLessThan(most);
      }),
      { numRuns: 120 },
    );
  });

  it('who always goes back, fails or lets rounds fail cannot either', () => {
    const stubborn = (events: MachineEvent[]): MachineEvent =>
      events.find((event) => event.type === 'CHOOSE' && event.choice.startsWith('to-')) ??
      events.find(({ type }) => type === 'ROUND') ??
      events.find(({ type }) => type === 'FAIL') ??
      (events[0] as MachineEvent);
    fc.assert(
      fc.property(programs(4), (subject) => {
        const { taken, most } = length(subject, [true], stubborn);
        expect(taken).toBeLessThan(most);
      }),
      { numRuns: 150 },
    );
  });

  it('comes close to the computed length where a program allows it', () => {
    const subject = program(
      block('a'),
      block('b', { kind: 'llm-loop', maxRounds: 3, revise: 'a', onError: { kind: 'continue' } }),
      block('g', { maxRounds: 2, choices: [goto('to-a', 'a'), next('go')] }),
    );
    const { taken, most } = length(
      subject,
      [true],
      (events) => events.find(({ type }) => type === 'ROUND') ?? (events[0] as MachineEvent),
    );
    expect(taken).toBe(3 * 6 + 3);
    expect(taken).toBeLessThan(most);
  });

  it('would exceed it if only one unbounded way were open', () => {
    const subject = program(block('talk', { kind: 'llm-loop', asksUser: true, maxRounds: 1 }));
    let { position } = startProgram(subject, always);
    let taken = 0;
    for (const event of Array.from({ length: 10 }, () => [EMPTY_ROUND, choose('more')]).flat()) {
      position = transition(subject, position, event, always).position;
      taken++;
    }
    expect(taken).toBeGreaterThan(longestRun(subject));
    expect(findOutcome(transition(subject, position, FAIL, always).position)).toBe('halted');
    expect(findOutcome(transition(subject, position, DONE, always).position)).toBe('completed');
  });
});
