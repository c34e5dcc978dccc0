import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MachineEvent } from '../../../src/machine/events.js';
import { findRestingState, type Position } from '../../../src/machine/position.js';
import type { Program } from '../../../src/machine/program.js';
import { startProgram, transition } from '../../../src/machine/transition.js';
import type { Library } from '../../../src/recipe/load/library.js';
import { checkRecipe } from '../../../src/recipe/load/load.js';
import { NO_FIXTURES } from '../../../src/wings/authoring/fixtures.js';
import { listOutcomes } from '../../../src/wings/authoring/outcomes.js';
import { playScript } from '../../../src/wings/authoring/play.js';
import { createRandom } from '../../../src/wings/authoring/simulate.js';
import { StepChecker } from '../../../src/wings/authoring/verify/check-step.js';
import { exploreSequentialRecipe } from '../../../src/wings/authoring/verify/explore.js';
import type { StateGraph } from '../../../src/wings/authoring/verify/graph.js';
import { runInterruptible } from '../../../src/wings/authoring/verify/interruptible.js';
import {
  changeCounts,
  type LearnedTransition,
  Machine,
  type RemainingBounds,
} from '../../../src/wings/authoring/verify/learned.js';
import {
  type Counts,
  hasBoundedCounter,
  keyCountedPlace,
  readCountedPlace,
} from '../../../src/wings/authoring/verify/place.js';
import { findSubject } from '../../../src/wings/authoring/verify/subject.js';
import { libraryWith } from '../../core/recipe/library-fixture.js';
import { projectWith } from './replay.js';

/** A recipe that combines edges back, bounds, retries, conditions and values of blocks. */
const WALK = `name: walk
type: sequential
skill: walk
mode: { depth: quick, interaction: interactive }
blocks:
  - { id: kind, type: llm, instruction: Choose., choices: [red, blue] }
  - { id: look, type: subagent, onError: retry, agents: [{ type: code-explorer, id: one, prompt: Look., output: findings/one.md }] }
  - { id: only, type: llm, instruction: Do., when: 'blocks["kind"].choice == "red"' }
  - { id: note, type: llm+cli, instruction: Write., write: note.json }
  - id: review
    type: subagent-loop
    maxRounds: 3
    onError: continue
    agents: [{ type: plan-reviewer, id: judge, prompt: Judge., output: "reviews/{round}.md" }]
    exitWhen: 'agents["judge"].verdict == "OKAY"'
    revise: note
  - { id: check, type: cli, command: [make, check], revise: note, maxRounds: 2, onError: { retry: { max: 1 } } }
  - id: gate
    type: wait-for-user
    maxRounds: 2
    message: Go on?
    choices: [{ id: on }, { id: again, goto: only, reason: required }, { id: stop, goto: halt }]
  - { id: last, type: llm, instruction: End. }
`;

/** Empty, because no condition in these recipes reads a number of rounds. */
const NO_ROUNDS = new Map<number, number>();

async function exploreRecipe(
  library: Library,
  name: string,
): Promise<{ program: Program; graph: StateGraph; known: Set<string> }> {
  const { compiled } = checkRecipe(library, name);
  const { draft } = compiled;
  if (draft?.type !== 'sequential') throw new Error(`${name} is not sequential`);
  const subject = findSubject(draft.recipe, draft.source);
  const graph = await runInterruptible(
    exploreSequentialRecipe(subject, new StepChecker(subject)),
    new AbortController().signal,
  );
  expect(graph.whole).toBe(true);
  return {
    program: subject.program,
    graph,
    known: new Set(graph.nodes.map(({ standing }) => keyCountedPlace(standing))),
  };
}

/** Plays random outcomes on the real protocol in memory, and returns every position that the run passed through. */
async function wander(library: Library, name: string, seed: number): Promise<Position[]> {
  const chance = createRandom(seed);
  const positions: Position[] = [];
  let acts = 0;
  await playScript(
    name,
    {},
    {
      library,
      signal: new AbortController().signal,
      fixtures: NO_FIXTURES,
      improvise: async (action, on) => {
        const state = await on.read();
        positions.push(state.machine as Position);
        acts += 1;
        if (acts > 60) return null;
        const blocks = Object.keys(state.steps ?? {});
        if (chance.below(12) === 0) return { invalidate: blocks[chance.below(blocks.length)] as string };
        const possible = await listOutcomes(action, on);
        const index = chance.below(2) === 0 ? chance.below(possible.length) : 0;
        return possible[index]?.step ?? {};
      },
    },
  );
  return positions;
}

describe('the exploration against random runs of the real protocol', () => {
  it.each([
    ['walk', projectWith({ walk: WALK })],
    ['specify-quick-interactive', libraryWith()],
    ['specify-standard-autopilot', libraryWith()],
  ])('%s: no run reaches a state that was not known', async (name, library) => {
    const { program, known } = await exploreRecipe(library, name);
    const seen = new Set<string>();
    for (let seed = 1; seed <= 12; seed += 1) {
      for (const position of await wander(library, name, seed)) {
        const key = keyCountedPlace(readCountedPlace(program, position, findRestingState(position), NO_ROUNDS));
        expect(known, `seed ${seed}`).toContain(key);
        seen.add(key);
      }
    }
    expect(seen.size).toBeGreaterThan(8);
  });

  it('would notice a state that the exploration lacks', async () => {
    const library = projectWith({ walk: WALK });
    const { program, known } = await exploreRecipe(library, 'walk');
    const fewer = new Set([...known].filter((key) => !key.startsWith('3 ')));
    const positions = await wander(library, 'walk', 1);
    const keys = positions.map((position) =>
      keyCountedPlace(readCountedPlace(program, position, findRestingState(position), NO_ROUNDS)),
    );
    expect(keys.some((key) => !fewer.has(key))).toBe(true);
  });
});

function countsOf({ counters }: Position, id: string): Counts {
  const { round, roundBase, retries, jumps } = counters[id] as Position['counters'][string];
  return { spent: round - roundBase, retries, jumps, rounds: round };
}

function leftAt(program: Program, { counters }: Position, id: string): RemainingBounds {
  const { maxRounds = 0, onError } = program.blocks.find((block) => block.id === id) as Program['blocks'][number];
  const { round, roundBase, retries, jumps } = counters[id] as Position['counters'][string];
  const most = onError.kind === 'retry' ? onError.max : 0;
  return { rounds: round - roundBase < maxRounds, retries: retries < most, jumps: jumps < maxRounds };
}

function tryTransition(program: Program, position: Position, event: MachineEvent, answer: boolean): Position | null {
  try {
    return transition(program, position, event, () => answer).position;
  } catch {
    // The machine does not accept this event here.
    return null;
  }
}

function expectCounts(
  program: Program,
  { change }: LearnedTransition,
  { position, after }: Record<'position' | 'after', Position>,
) {
  // The exploration does not track counters that have no bound.
  for (const [at, block] of program.blocks.entries()) {
    if (!hasBoundedCounter(block)) continue;
    const before = countsOf(position, block.id);
    const how = change.get(at);
    expect(how === undefined ? before : changeCounts(before, how), block.id).toEqual(countsOf(after, block.id));
  }
}

describe('what is learned of the transition function', () => {
  it('is what the function itself does, whatever the counters are', async () => {
    const { program } = await exploreRecipe(projectWith({ walk: WALK }), 'walk');
    const events = program.blocks.flatMap(({ id, choices }) => [
      { type: 'INVALIDATE' as const, block: id },
      ...choices.map((choice) => ({ type: 'CHOOSE' as const, choice: choice.id })),
    ]);
    const plain = [{ type: 'DONE' }, { type: 'FAIL' }, { type: 'HALT' }, { type: 'ROUND', filled: false }] as const;
    const law = fc.property(fc.array(fc.tuple(fc.nat(1000), fc.boolean()), { maxLength: 40 }), (moves) => {
      const machine = new Machine(program);
      let position = startProgram(program, () => true).position;
      for (const [pick, answer] of moves) {
        const resting = findRestingState(position);
        if (resting === null) return;
        const all = [...plain, ...plain, ...plain, ...events];
        const event = all[pick % all.length] as (typeof all)[number];
        const after = tryTransition(program, position, event, answer);
        if (after === null) continue;
        const { place } = readCountedPlace(program, position, resting, NO_ROUNDS);
        const left = leftAt(program, position, resting.block);
        const learned = machine.take(place, event, left, () => answer);
        expect(learned.to.value).toEqual(after.value);
        expectCounts(program, learned, { position, after });
        position = after;
      }
    });
    fc.assert(law, { numRuns: 40 });
  });
});
