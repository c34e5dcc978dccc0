import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../src/base/json.js';
import type { MachineEvent } from '../../../src/machine/events.js';
import { findOutcome, type Position } from '../../../src/machine/position.js';
import type { Program, ProgramBlock } from '../../../src/machine/program.js';
import { startProgram, transition } from '../../../src/machine/transition.js';
import { allowedEvents, progress } from './oracle.js';
import { always, block, choose, goto, HALT, init, never, next, program, stop } from './programs.js';

interface Explored {
  /**
   * Positions by key. The number of rounds has no limit, so the key has only those that count towards the bound; this
   * keeps the number of keys finite.
   */
  positions: Map<string, Position>;
  edges: { from: string; to: string; event: MachineEvent }[];
}

/** A limit far above the number of positions that any program here has. */
const MOST = 2000;

function keyOf({ value, counters }: Position): string {
  const spent = Object.entries(counters).map(([id, { round, roundBase, retries, jumps }]) => [
    id,
    round - roundBase,
    retries,
    jumps,
  ]);
  return canonicalJson([value, spent]);
}

/** Finds every position that can be reached by any events and any answers to conditions. */
function explore(subject: Program): Explored {
  const found: Explored = { positions: new Map(), edges: [] };
  const answers = subject.blocks.some(({ when }) => when !== undefined) ? [always, never] : [always];
  const open: Position[] = [];
  const meet = (position: Position): string => {
    const key = keyOf(position);
    if (!found.positions.has(key)) {
      if (found.positions.size === MOST) throw new Error(`more than ${MOST} positions: some counter has no bound`);
      found.positions.set(key, position);
      open.push(position);
    }
    return key;
  };
  for (const conditions of answers) meet(startProgram(subject, conditions).position);
  for (let position = open.pop(); position !== undefined; position = open.pop()) {
    for (const event of allowedEvents(subject, position)) {
      for (const conditions of answers) {
        const to = meet(transition(subject, position, event, conditions).position);
        found.edges.push({ from: keyOf(position), to, event });
      }
    }
  }
  return found;
}

/** Lists positions that have not ended although no event can do the current block's work. */
function deadEnds(subject: Program, { positions }: Explored): unknown[] {
  return [...positions.values()]
    .filter((position) => findOutcome(position) === null && progress(subject, position).length === 0)
    .map(({ value }) => value);
}

/** Lists positions from which work and failures alone cannot lead to an end. */
function endless({ positions, edges }: Explored): unknown[] {
  const leaving = edges.filter(
    ({ event }) => event.type !== 'ABORT' && event.type !== 'HALT' && event.type !== 'INVALIDATE',
  );
  const good = new Set([...positions].filter(([, position]) => findOutcome(position) !== null).map(([key]) => key));
  for (let size = -1; size !== good.size; ) {
    size = good.size;
    for (const { from, to } of leaving) if (good.has(to)) good.add(from);
  }
  return [...positions].filter(([key]) => !good.has(key)).map(([, { value }]) => value);
}

const templates: [string, (id: string) => ProgramBlock][] = [
  ['llm', (id) => block(id, { when: 'x' })],
  ['cli with retry', (id) => block(id, { kind: 'cli', onError: { kind: 'retry', max: 1 } })],
  ['subagent that may fail', (id) => block(id, { kind: 'subagent', onError: { kind: 'continue' } })],
  [
    'gate back',
    (id) =>
      block(id, { kind: 'wait-for-user', maxRounds: 1, choices: [next('go'), goto('back', 'first'), stop('stop')] }),
  ],
  ['loop', (id) => block(id, { kind: 'subagent-loop', maxRounds: 2 })],
  [
    'loop with revise',
    (id) => block(id, { kind: 'subagent-loop', maxRounds: 2, revise: 'first', onError: { kind: 'continue' } }),
  ],
  [
    'cli with revise',
    (id) => block(id, { kind: 'cli', maxRounds: 2, revise: 'first', onError: { kind: 'retry', max: 1 } }),
  ],
  ['loop with the user', (id) => block(id, { kind: 'llm-loop', asksUser: true, maxRounds: 1, when: 'x' })],
  [
    'loop with the user and revise',
    (id) => block(id, { kind: 'llm-loop', asksUser: true, maxRounds: 1, revise: 'first' }),
  ],
];

const pairs = templates.flatMap(([one, first]) =>
  templates.map(([two, second]) => ({
    name: `${one}, ${two}`,
    subject: program(init, block('first'), first('second'), second('third')),
  })),
);

describe('every pair of blocks, explored to the end', () => {
  it.each(pairs)('$name: no dead end, and an end from everywhere', ({ subject }) => {
    const found = explore(subject);
    expect(deadEnds(subject, found)).toEqual([]);
    expect(endless(found)).toEqual([]);
    const outcomes = new Set([...found.positions.values()].map(findOutcome));
    expect(outcomes).toEqual(new Set([null, 'completed', 'halted', 'aborted']));
  });
});

describe('the explorer itself', () => {
  it('finds the dead end of a gate whose only choice leads back', () => {
    const subject = program(block('first'), block('gate', { maxRounds: 1, choices: [goto('back', 'first')] }));
    expect(deadEnds(subject, explore(subject))).toEqual([{ 'block-gate': 'active' }]);
  });

  it('finds a place without a way to an end', () => {
    const subject = program(block('first'), block('second'));
    const { positions, edges } = explore(subject);
    const cut = edges.filter(({ from, event }) => !(from.includes('block-second') && event.type !== 'INVALIDATE'));
    expect(endless({ positions, edges: cut })).toContainEqual({ 'block-second': 'active' });
  });

  it('reaches the gate at the bound and halted places', () => {
    const subject = program(block('talk', { kind: 'llm-loop', asksUser: true, maxRounds: 1 }));
    const { positions, edges } = explore(subject);
    const values = [...positions.values()].map(({ value }) => value);
    expect(values).toContainEqual({ 'block-talk': 'bound' });
    expect(values).toContainEqual({ 'block-talk': 'halted' });
    const events = edges.map(({ event }) => event);
    for (const event of [choose('more'), HALT]) expect(events).toContainEqual(event);
  });
});
