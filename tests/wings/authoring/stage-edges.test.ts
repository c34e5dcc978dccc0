import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { CapturedRecipe } from '../../../src/recipe/captured.js';
import { requireRecipe } from '../../../src/recipe/load/load.js';
import { listEdges, listTaken } from '../../../src/wings/authoring/edges.js';
import { NO_FIXTURES } from '../../../src/wings/authoring/fixtures.js';
import { buildRecipeGraph } from '../../../src/wings/authoring/graph/command.js';
import { listOutcomes } from '../../../src/wings/authoring/outcomes.js';
import { playScript } from '../../../src/wings/authoring/play.js';
import { createRandom } from '../../../src/wings/authoring/simulate.js';
import { listRunStageEnds, listTodoStageEnds } from '../../../src/wings/authoring/stage-edges.js';
import { chosenSeed } from '../../support/seeded.js';
import { projectWith } from './replay.js';

/** Coverage, pictures, simulation and verification agree on how a stage can end (authoring.md, Coverage). */

const { signal } = new AbortController();
const MOST_ACTIONS = 60;

const handler = fc.record({
  actor: fc.constantFrom('cli', 'subagent', 'human'),
  after: fc.constantFrom('worker', 'verify'),
  isConditional: fc.boolean(),
});
type Handler = typeof handler extends fc.Arbitrary<infer T> ? T : never;

/** Random engine recipes, as YAML. */
const engines = fc
  .record({
    handlers: fc.array(handler, { maxLength: 3 }),
    max_retries: fc.nat(2),
    verify_enabled: fc.boolean(),
    code_review_enabled: fc.boolean(),
    final_verify_enabled: fc.boolean(),
    seed: fc.nat(),
  })
  .map(({ handlers, seed, verify_enabled, ...policies }) => ({
    seed,
    text: stringify({
      name: 'chance',
      type: 'engine',
      skill: 'execute',
      config: { depth: 'standard', policies: { ...policies, verify_enabled } },
      handlers: Object.fromEntries(
        handlers.map((one, index) => [`own_${'abc'[index]}`, renderHandler(one, verify_enabled)]),
      ),
    }),
  }));

function renderHandler({ actor, after, isConditional }: Handler, isVerified: boolean): Record<string, string> {
  const common = {
    actor,
    after: isVerified ? after : 'worker',
    ...(isConditional ? { when: 'todo.risk == "high"' } : {}),
  };
  switch (actor) {
    case 'cli':
      return { ...common, command: 'make check' };
    case 'subagent':
      return { ...common, agent: 'verifier' };
    case 'human':
      return { ...common, message: 'Is it right?' };
  }
}

/** Plays random outcomes. Returns the transitions taken, and how each stage ended according to the engine. */
async function wander(
  text: string,
  seed: number,
): Promise<{ captured: CapturedRecipe; taken: string[]; ends: string[] }> {
  const library = projectWith({ chance: text });
  const captured = requireRecipe(library, 'chance');
  const chance = createRandom(seed);
  let actions = 0;
  const { on, findings } = await playScript(
    'chance',
    { given: { plan: seed % 2 === 0 ? 'middle' : { risk: 'high' } } },
    {
      library,
      signal,
      fixtures: NO_FIXTURES,
      improvise: async (action, rehearsal) => {
        actions += 1;
        if (actions > MOST_ACTIONS) return null;
        const possible = await listOutcomes(action, rehearsal);
        return possible[chance.below(2) === 0 ? chance.below(possible.length) : 0]?.step ?? {};
      },
    },
  );
  expect(findings).toEqual([]);
  const ends = on.decided.flatMap((one) =>
    one.kind === 'stage' ? [`${one.todo === null ? 'run' : 'todo'} ${one.stage} ${one.outcome}`] : [],
  );
  return { captured, taken: listTaken(captured, on.decided), ends };
}

/** Transitions that coverage does not count (authoring.md, Coverage). */
const UNCOUNTED =
  /: (?:deferred|adapt|widen|ask|again|begun)$|^(?!worker).*: halt$|^(?:approvePlan|approveCommands|stateBegin|stateComplete): |^residualCommit: fail$/;

describe('the ends of stages', () => {
  it('that random runs of random executions come to are listed, counted and drawn', { timeout: 240_000 }, async () => {
    const seen = new Set<string>();
    const wanted = ['own: pass', 'own: fail', 'worker: halt'];
    // Repeats the random runs with other seeds until each of `wanted` was reached; without these, little would be
    // tested.
    for (let round = 0; round < 5 && !wanted.every((edge) => seen.has(edge)); round += 1)
      await fc.assert(
        fc.asyncProperty(engines, async ({ text, seed }) => {
          const { captured, taken, ends } = await wander(text, seed);
          const counted = new Set(listEdges(captured));
          const drawn = new Set(buildRecipeGraph(captured).edges.flatMap(({ ways }) => ways));
          const own = taken.filter((edge) => !UNCOUNTED.test(edge));
          expect(own.filter((edge) => !counted.has(edge))).toEqual([]);
          expect(own.filter((edge) => !drawn.has(edge))).toEqual([]);
          const program = captured.recipe.engine?.program;
          if (program === undefined) throw new Error('no execution');
          const possible = new Set([
            ...program.stages.flatMap((stage) =>
              [...listTodoStageEnds(stage, program.policies), 'skipped'].map((end) => `todo ${stage.id} ${end}`),
            ),
            ...['approvePlan', 'approveCommands', 'stateBegin', ...program.finalize].flatMap((stage) =>
              [...listRunStageEnds(stage), 'skipped'].map((end) => `run ${stage} ${end}`),
            ),
          ]);
          expect(ends.filter((end) => !possible.has(end))).toEqual([]);
          for (const edge of own) seen.add(edge.replace(/own_[abc]/, 'own'));
        }),
        { numRuns: 25, seed: chosenSeed() + round },
      );
    expect([...seen]).toEqual(expect.arrayContaining(wanted));
  });

  it('of an own command include its failure', () => {
    const text = stringify({
      name: 'chance',
      type: 'engine',
      handlers: { licence_check: { actor: 'cli', command: 'npm run licences' } },
    });
    const captured = requireRecipe(projectWith({ chance: text }), 'chance');
    expect(listEdges(captured)).toEqual(expect.arrayContaining(['licence_check: pass', 'licence_check: fail']));
    const { nodes, edges } = buildRecipeGraph(captured);
    expect(nodes.map(({ name }) => name)).toContain('licence_check');
    expect(edges).toContainEqual(
      expect.objectContaining({
        from: 'stage:licenceCheck',
        to: 'stage:worker',
        kind: 'back',
        label: 'fails',
        ways: ['licence_check: fail', 'todo: retried'],
      }),
    );
    expect(edges).toContainEqual(
      expect.objectContaining({ from: 'stage:approveCommands', kind: 'halt', label: 'stop', implied: false }),
    );
  });
});

describe('ways back', () => {
  it.each(['execute-standard', 'specify-standard-interactive', 'ultrawork', 'bugfix'])(
    'of %s say what leads there',
    (name) => {
      const { edges } = buildRecipeGraph(requireRecipe(projectWith({}), name));
      const back = edges.filter(({ kind }) => kind === 'back' || kind === 'again');
      expect(back.filter(({ label }) => /^[^a-z]*$/.test(label))).toEqual([]);
    },
  );
});
