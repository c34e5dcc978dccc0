import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CallBlock, Message, MessageBlock, ResultBlock } from '../../../src/wings/runtime/core/messages.js';
import { listOpenCalls } from '../../../src/wings/runtime/core/pairs.js';
import {
  IDLE,
  joinsHistory,
  resumeTurn,
  stepTurn,
  type TurnEvent,
  type TurnState,
} from '../../../src/wings/runtime/core/turn.js';
import type { StopReason } from '../../../src/wings/runtime/provider.js';
import { call, result, results, said, text, user } from './histories.js';

/** A turn, row by row of the design's table (runtime.md, A turn). */

const answered = (blocks: MessageBlock[], stop: StopReason = 'end'): TurnEvent => ({ type: 'answered', blocks, stop });
const called = (...all: ResultBlock[]): TurnEvent => ({ type: 'called', results: all });
const CONTEXT: TurnEvent = { type: 'faulted', kind: 'context', message: 'too long' };

/** Steps a turn through a user's message and the events. @returns the last state and effect, and each effect's name */
function play(events: TurnEvent[], iterations = 50) {
  let state: TurnState = IDLE;
  const asked: string[] = [];
  let effect: ReturnType<typeof stepTurn>['effect'] | null = null;
  for (const event of [{ type: 'user' } as TurnEvent, ...events]) {
    ({ state, effect } = stepTurn(state, event, iterations));
    expect(JSON.parse(JSON.stringify(state))).toEqual(state);
    asked.push(effect.type === 'end' ? effect.status : effect.type);
  }
  return { state, effect, asked };
}

describe('a turn', () => {
  it('ends where the model calls nothing', () => {
    expect(play([answered([text('Done.')])]).asked).toEqual(['request', 'completed']);
  });

  it('asks once more after an empty answer', () => {
    const empty = answered([{ type: 'thinking', thinking: 'Hm.' }, text(' \n')]);
    expect(play([empty, empty]).asked).toEqual(['request', 'request', 'empty']);
    expect(play([empty, answered([text('Yes.')])]).asked.at(-1)).toBe('completed');
    const a = call('a');
    expect(play([empty, answered([a]), called(result(a)), empty]).asked.at(-1)).toBe('request');
  });

  it('has calls carried out, in order, whatever the answer says of its end', () => {
    const [a, b] = [call('a'), call('b', 'bash', '{broken')];
    for (const stop of ['calls', 'end', 'paused'] as const) {
      const { effect, asked } = play([answered([text('So.'), a, b], stop), called(result(a), result(b))]);
      expect(asked).toEqual(['request', 'call', 'request']);
      expect(effect).toEqual({ type: 'request' });
    }
    expect(play([answered([a, b])]).effect).toEqual({ type: 'call', calls: [a, b], results: [] });
  });

  it('does not run the call that was cut off, once', () => {
    const [a, b] = [call('a'), call('b', 'write_file', '{"path": "x", "cont')];
    const first = play([answered([a, b], 'length')]);
    expect(first.effect).toMatchObject({ type: 'call', calls: [a], results: [{ tool_use_id: 'b', is_error: true }] });
    const told = first.effect?.type === 'call' ? first.effect.results : [];
    expect(told[0]?.output).toMatch(/^not run: the answer was cut off/);
    const again = play([answered([a, b], 'length'), called(result(a), ...told), answered([a, b], 'length')]);
    expect(again.asked).toEqual(['request', 'call', 'request', 'truncated']);
    expect(again.effect).toMatchObject({ results: [{ tool_use_id: 'a' }, { tool_use_id: 'b' }] });
  });

  it('is truncated where a text was cut off, and closes the calls before it', () => {
    expect(play([answered([text('On and')], 'length')]).asked.at(-1)).toBe('truncated');
    const { effect } = play([answered([call('a'), text('On and')], 'length')]);
    expect(effect).toMatchObject({ status: 'truncated', results: [{ tool_use_id: 'a', is_error: true }] });
  });

  it('asks with the same history after a pause, and ends where the model refuses', () => {
    expect(play([answered([text('…')], 'paused'), answered([text('Done.')])]).asked).toEqual([
      ...['request', 'request', 'completed'],
    ]);
    expect(play([answered([text('No.')], 'refused')]).asked.at(-1)).toBe('refused');
    expect(joinsHistory({ blocks: [text('…')], stop: 'paused' })).toBe(false);
    expect(joinsHistory({ blocks: [call('a')], stop: 'refused' })).toBe(false);
    expect(joinsHistory({ blocks: [text(' ')], stop: 'end' })).toBe(false);
    expect(joinsHistory({ blocks: [call('a')], stop: 'length' })).toBe(true);
    expect(joinsHistory({ blocks: [text('Done.')], stop: 'end' })).toBe(true);
  });

  it('compacts once for a request that does not fit', () => {
    const compacted: TurnEvent = { type: 'compacted', shorter: true };
    const a = call('a');
    const { asked, state } = play([CONTEXT, compacted, answered([a]), called(result(a)), CONTEXT, compacted, CONTEXT]);
    expect(asked).toEqual(['request', 'compact', 'request', 'call', 'request', 'compact', 'request', 'context']);
    expect(state.requests).toBe(2);
    expect(play([CONTEXT, { type: 'compacted', shorter: false }]).asked.at(-1)).toBe('context');
  });

  it('stops where it is for a fault, a budget and an interruption, and goes on from there', () => {
    const kinds = ['auth', 'rate', 'overloaded', 'transport', 'timeout', 'protocol', 'invalid'] as const;
    const faults = kinds.map((kind) => [{ type: 'faulted', kind, message: 'no' }, 'provider'] as const);
    for (const [event, status] of [
      ...faults,
      [{ type: 'withheld' }, 'budget'],
      [{ type: 'interrupted' }, 'interrupted'],
    ] as const) {
      const { state, effect } = play([event]);
      expect(effect).toMatchObject({
        type: 'end',
        status,
        ...('kind' in event && { fault: { kind: event.kind, message: 'no' } }),
      });
      expect(resumeTurn(state, [user('Do it.')])).toEqual({ type: 'request' });
      expect(stepTurn(state, answered([text('Done.')]), 50).effect).toMatchObject({ status: 'completed' });
    }
  });

  it('has as many requests as it may', () => {
    const events = [1, 2, 3].flatMap((n) => [
      answered([call(`${n}`, 'bash', { command: `${n}` })]),
      called(result(call(`${n}`, 'bash'))),
    ]);
    expect(play(events.slice(0, 4), 2).asked.at(-1)).toBe('max_iterations');
    expect(play(events.slice(0, 4), 3).asked.at(-1)).toBe('request');
    expect(play([], 0).asked).toEqual(['max_iterations']);
  });

  it('is stuck at the third equal call with an equal result', () => {
    const round = (input: string, output: string) => [
      answered([call('a', 'bash', input)]),
      called(result(call('a', 'bash'), output)),
    ];
    const [one, two] = ['{"command": "x", "timeout": 1}', '{"timeout":1,"command":"x"}'];
    expect(play([one, two, one].flatMap((input) => round(input, 'no'))).asked.at(-1)).toBe('stuck');
    expect(play(['no', 'no', 'yes'].flatMap((output) => round(one, output))).asked.at(-1)).toBe('request');
    const circle = ['x', 'y', 'x', 'y', 'x', 'y'].flatMap((input) => round(input, 'no'));
    expect(play(circle).asked.at(-1)).toBe('stuck');
    // Repeating a check after each change does not count as stuck.
    const work = ['test', 'edit 1', 'test', 'edit 2', 'test', 'edit 3', 'test'].flatMap((input) => round(input, 'no'));
    expect(play(work).asked.at(-1)).toBe('request');
  });

  it('ends where nothing more is wanted', () => {
    const a = call('a', 'finish');
    const over: TurnEvent = { type: 'called', results: [result(a)], isOver: true };
    expect(play([answered([a]), over]).asked.at(-1)).toBe('completed');
  });

  it('refuses events that nobody waits for, and results of other calls', () => {
    expect(() => stepTurn(IDLE, answered([]), 50)).toThrow('idle');
    const [a, b] = [call('a'), call('b')];
    const { state } = play([answered([a, b])]);
    expect(() => stepTurn(state, called(result(b), result(a)), 50)).toThrow('order');
    expect(() => stepTurn(state, called(result(a)), 50)).toThrow('order');
    expect(() => stepTurn(state, { type: 'user' }, 50)).not.toThrow();
  });

  it('goes on with the calls that have no result, for whoever takes it up', () => {
    const [a, b, c] = [call('a'), call('b'), call('c', 'write_file', '{"pa')];
    const { state } = play([answered([a, b, c], 'length')]);
    const history = [user('Do it.'), said(a, b, c)];
    expect(resumeTurn(state, history)).toMatchObject({ calls: [a, b], results: [{ tool_use_id: 'c' }] });
    expect(resumeTurn(state, [...history, results(result(a))])).toMatchObject({ calls: [b] });
    const whole = [...history, results(result(a), result(b), result(c))];
    expect(resumeTurn(state, whole)).toEqual({ type: 'call', calls: [], results: [] });
    expect(resumeTurn(play([CONTEXT]).state, history)).toEqual({ type: 'compact' });
    expect(resumeTurn(IDLE, history)).toBeNull();
  });
});

const blocks = fc.array(
  fc.oneof(
    fc.constantFrom<MessageBlock>(text('So.'), text(''), { type: 'thinking', thinking: '' }),
    fc.tuple(fc.constantFrom('read_file', 'bash'), fc.constantFrom('{}', '', '{bro')).map(([name, input]) => {
      return call('?', name, input) as MessageBlock;
    }),
  ),
  { maxLength: 4 },
);
const stops = fc.constantFrom<StopReason>('end', 'calls', 'length', 'refused', 'paused');
const answers = fc.record({ blocks, stop: stops, output: fc.constantFrom('one', 'two'), isOver: fc.nat(9) });

type Chance = typeof answers extends fc.Arbitrary<infer T> ? T : never;

/** Plays a turn with a driver that may be killed at any step, and records the history. */
function drive(chance: () => number, given: readonly Chance[], iterations: number) {
  let state = stepTurn(IDLE, { type: 'user' }, iterations).state;
  let effect = stepTurn(IDLE, { type: 'user' }, iterations).effect;
  const messages: Message[] = [user('Do it.')];
  const ran: string[] = [];
  let sent = 0;
  for (let turn = 0; effect.type !== 'end'; turn += 1) {
    if (turn > 10 * iterations + 20) throw new Error('it goes on for ever');
    const { blocks: made, stop, output, isOver } = given[turn % given.length] as Chance;
    // After a kill, the snapshot and the history alone must determine what comes next.
    const kept = JSON.parse(JSON.stringify(state)) as TurnState;
    expect(resumeTurn(kept, messages)).toEqual(effect);
    let event: TurnEvent;
    if (effect.type === 'request') {
      sent += 1;
      const mine = made.map((block, at) => (block.type === 'tool_use' ? { ...block, id: `${turn}.${at}` } : block));
      const isFault = chance() < 0.2;
      event = isFault ? CONTEXT : { type: 'answered', blocks: mine, stop };
      if (event.type === 'answered' && joinsHistory(event)) messages.push(said(...mine));
    } else if (effect.type === 'compact') {
      event = { type: 'compacted', shorter: isOver > 0 };
    } else {
      const done = new Map(effect.results.map((one) => [one.tool_use_id, one]));
      for (const one of effect.calls) {
        ran.push(one.id);
        done.set(one.id, result(one, output));
      }
      const asked = (messages.at(-1)?.blocks ?? []).filter((block): block is CallBlock => block.type === 'tool_use');
      const all = asked.flatMap(({ id }) => done.get(id) ?? []);
      messages.push(results(...all));
      event = { type: 'called', results: all, isOver: isOver === 9 };
    }
    ({ state, effect } = stepTurn(kept, event, iterations));
  }
  return { messages, ran, sent, state, effect };
}

describe('any turn', () => {
  it('ends within its requests, and runs no call twice', () => {
    fc.assert(
      fc.property(
        fc.array(answers, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 12 }),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 7 }),
        (given, iterations, chances) => {
          let at = 0;
          const { messages, ran, state, sent, effect } = drive(
            () => chances[at++ % chances.length] ?? 0,
            given,
            iterations,
          );
          expect(new Set(ran).size).toBe(ran.length);
          expect(state.requests).toBeLessThanOrEqual(iterations);
          expect(sent).toBeLessThanOrEqual(2 * iterations);
          expect(state.at).toBe('idle');
          const open = listOpenCalls(messages).map(({ id }) => id);
          expect(effect.type === 'end' && effect.results.map((one) => one.tool_use_id)).toEqual(open);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('keeps a state that stays small', () => {
    let { state } = stepTurn(IDLE, { type: 'user' }, 500);
    for (let n = 0; n < 400; n += 1) {
      const one = call(`call_${n}`, 'bash', { command: 'x'.repeat(5_000) + n });
      state = stepTurn(state, answered([one]), 500).state;
      state = stepTurn(state, called(result(one, 'y'.repeat(5_000))), 500).state;
    }
    expect(JSON.stringify(state).length).toBeLessThan(2_048);
  });
});
