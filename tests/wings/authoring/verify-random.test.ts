import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findRestingState } from '../../../src/machine/position.js';
import type { Library } from '../../../src/recipe/load/library.js';
import type { PendingAction } from '../../../src/run/action.js';
import type { RunState } from '../../../src/run/state.js';
import { NO_FIXTURES } from '../../../src/wings/authoring/fixtures.js';
import { listOutcomes } from '../../../src/wings/authoring/outcomes.js';
import {
  type PlayOptions,
  type PlayResult,
  playScript,
  type ScriptContent,
} from '../../../src/wings/authoring/play.js';
import { createRandom } from '../../../src/wings/authoring/simulate.js';
import type { StateGraph } from '../../../src/wings/authoring/verify/graph.js';
import { runInterruptible } from '../../../src/wings/authoring/verify/interruptible.js';
import { keyCountedPlace, readCountedPlace } from '../../../src/wings/authoring/verify/place.js';
import type { VerifyReport } from '../../../src/wings/authoring/verify/report.js';
import { verifySequence } from '../../../src/wings/authoring/verify/sequence.js';
import type { ExplorationSubject } from '../../../src/wings/authoring/verify/subject.js';
import { verifyRecipe } from '../../../src/wings/authoring/verify/verify.js';
import { ALL_FACTS, FACTS, randomRecipe } from './random-recipes.js';
import { projectWith, replay } from './replay.js';

/** Compares what verify says about random recipes with random runs of them on the real protocol. */

const { signal } = new AbortController();
const MOST_ACTIONS = 40;
/** How many random recipes to try; `DEV_CLI_TEST_RECIPES` sets another number. */
const RECIPES = Number(process.env['DEV_CLI_TEST_RECIPES'] ?? 12);
/** Reports a failing recipe unshrunk, because shrinking takes many minutes; `DEV_CLI_TEST_SHRINK=1` shrinks it. */
const endOnFailure = process.env['DEV_CLI_TEST_SHRINK'] !== '1';

interface Wandered {
  states: RunState[];
  played: PlayResult;
  /** Files that an action said to read although they did not exist. */
  unread: string[];
}

/** Plays a script (`scene`), with random outcomes for the actions that the script does not answer. */
async function wander(library: Library, seed: number, scene: ScriptContent = {}): Promise<Wandered> {
  const chance = createRandom(seed);
  const states: RunState[] = [];
  const unread: string[] = [];
  const improvise: PlayOptions['improvise'] = async (action, on) => {
    states.push(await on.read());
    const reads = 'read' in action ? (action.read ?? []) : [];
    unread.push(...reads.filter((path) => on.text(path.replace('.dev/specs/rehearsal/', '')) === null));
    if (states.length > MOST_ACTIONS) return null;
    const possible = await listOutcomes(action, on);
    const step = possible[chance.below(2) === 0 ? chance.below(possible.length) : 0]?.step ?? {};
    const says = takesFacts(action) && Object.keys(step).length === 0;
    return says ? { data: ALL_FACTS[chance.below(ALL_FACTS.length)] } : step;
  };
  const played = await playScript('chance', scene, { library, signal, fixtures: NO_FIXTURES, improvise });
  return { states: [...states, await played.on.read()], played, unread };
}

function takesFacts(action: PendingAction): boolean {
  return action.action === 'llm' && action.data !== undefined;
}

/** Counts the actions handed to an agent or a person, not those in which dev-cli runs a command. */
function countHanded({ played }: PlayResult): number {
  return played.filter(({ refused, action }) => refused === null && action.action !== 'running').length;
}

function listKnown({ nodes }: StateGraph): Set<string> {
  return new Set(nodes.map(({ standing }) => keyCountedPlace(standing)));
}

function keyOf({ program, exactRounds }: ExplorationSubject, state: RunState): string {
  const { machine } = state;
  return keyCountedPlace(readCountedPlace(program, machine, findRestingState(machine), exactRounds));
}

/** Lists the blocks that findings of one kind name. */
function listBlocks({ findings }: VerifyReport, kind: string): string[] {
  return findings.flatMap((one) => (one.kind === kind ? (/`?"?(b\d+)/.exec(one.message)?.[1] ?? []) : []));
}

async function expectRight(text: string, seed: number): Promise<void> {
  const library = projectWith({ chance: text }, { '.dev/recipes/facts.json': FACTS });
  const { report, checked } = await verifyRecipe(library, 'chance');
  const { draft } = checked.compiled;
  if (report.explored?.whole !== true || draft?.type !== 'sequential') return;
  await replay(library, 'chance');
  const { subject, graph } = await runInterruptible(verifySequence(draft.recipe, draft.source), signal);
  const known = listKnown(graph);
  const never = listBlocks(report, 'unreachable-block');
  const isRead = report.findings.some(({ kind }) => kind === 'file-unwritten');
  for (let run = seed; run < seed + 5; run += 1) {
    const { states, played, unread } = await wander(library, run);
    expect(played.findings).toEqual([]);
    for (const state of states) {
      expect(known, `seed ${run}`).toContain(keyOf(subject, state));
      expect(never, `seed ${run}`).not.toContain(findRestingState(state.machine)?.block);
    }
    if (!isRead) expect(unread, `seed ${run}`).toEqual([]);
    if (report.ok) expect(countHanded(played), `seed ${run}`).toBeLessThanOrEqual(report.explored.actions ?? 0);
  }
  for (const { kind, script } of report.findings) {
    if (kind !== 'dead-end') continue;
    for (let run = seed; run < seed + 3; run += 1) {
      const { played } = await wander(library, run, {
        steps: [...script.steps, { until: 'end' }] as ScriptContent['steps'],
      });
      expect((await played.on.read()).status, `from a dead end, seed ${run}`).not.toBe('completed');
    }
  }
}

/** Found by a random test: when the run reaches `b1` again, `b1` is skipped, but its agent's earlier verdict counts. */
const SKIPPED_LOOP = `name: chance
type: sequential
skill: chance
mode: { depth: quick, interaction: interactive }
blocks:
  - { id: b0, type: llm+cli, instruction: Write., write: b0.md, onError: continue }
  - id: b1
    when: '!(blocks["b0"].rounds > 1)'
    type: subagent-loop
    maxRounds: 2
    agents: [{ id: b1a, type: plan-reviewer, prompt: Judge., output: 'b1/{round}.md' }]
    exitWhen: agents["b1a"].verdict == "OKAY"
    revise: b0
    onError: halt
  - { id: b2, type: llm, instruction: Say., schema: facts.json, onError: halt }
  - id: b4
    when: '!(agents["b1a"].verdict == "OKAY") || blocks["b1"].status == "done"'
    type: llm
    instruction: Do.
    onError: halt
  - { id: b3, type: llm, instruction: Do., read: [b0.md], onError: halt }
`;

describe('recipes by chance', () => {
  it('verify knows what an agent has said whose block is skipped when it comes again', async () => {
    await expectRight(SKIPPED_LOOP, 0);
  });

  it('verify knows every state of their runs, what it finds is there, and its scripts replay', async () => {
    await fc.assert(fc.asyncProperty(randomRecipe, fc.nat(10_000), expectRight), { numRuns: RECIPES, endOnFailure });
  }, 600_000);
});
