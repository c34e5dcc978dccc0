import { describe, expect, it } from 'vitest';
import { chosenSeed, seeded } from '../support/seeded.js';
import { type Draft, type Mutant, TASKS } from './draft.js';
import { MUTANTS } from './mutants.js';
import { isKilled, listSurvivors, OWN, PUBLISHED, REQUIREMENTS } from './stage.js';

// neutral.md, Conformance: a suite is only as good as what it detects. `npm run prove:mutants` tries all mutants;
// otherwise a random sample is tried.

const SAMPLE = 25;
const isWhole = process.env['DEV_CLI_MUTANTS'] === 'all';

function choose(): readonly Mutant[] {
  const random = seeded(chosenSeed());
  const left = [...MUTANTS];
  return Array.from({ length: SAMPLE }, () => left.splice(random.below(left.length), 1)).flat();
}

describe('mutants', () => {
  it('have ids of their own, and there is one of each requirement', () => {
    const ids = MUTANTS.map(({ id, requirement }) => `${requirement} ${id}`);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
    const broken = new Set(MUTANTS.map(({ requirement }) => requirement));
    expect([...broken].sort()).toEqual(REQUIREMENTS.map(({ id }) => id).sort());
  });

  it('are noticed by a case that names what they break', async () => {
    expect(await listSurvivors(isWhole ? MUTANTS : choose(), OWN)).toEqual([]);
  });

  it('survive where an assertion is missing', async () => {
    const mutant = MUTANTS.filter(({ id }) => id === 'plan_start: tasks removed');
    const planted = structuredClone(OWN.filter(({ requires }) => requires.includes('plan_start.5')));
    expect(await listSurvivors(mutant, planted)).toEqual([]);
    for (const { steps } of planted) for (const { expects } of steps) delete expects.files[TASKS];
    expect(await listSurvivors(mutant, planted)).toEqual(['plan_start: tasks removed']);
  });

  it('are missed where nothing is changed', async () => {
    const idle: Mutant = { id: 'idle', requirement: 'plan_start.1', calls: ['plan_start'], mutate: (_: Draft) => {} };
    expect(await listSurvivors([idle], OWN)).toEqual(['idle']);
  });

  it.runIf(isWhole)('are noticed by the published suite in less than half of the cases', async () => {
    let noticed = 0;
    for (const mutant of MUTANTS) if (await isKilled(mutant, PUBLISHED)) noticed += 1;
    process.stdout.write(`Of ${MUTANTS.length} mutants the published suite notices ${noticed}, both together all.\n`);
    expect(noticed / MUTANTS.length).toBeLessThan(0.5);
    expect(noticed).toBeGreaterThan(0);
  });
});
