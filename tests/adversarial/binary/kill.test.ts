import { afterAll, describe, expect, it } from 'vitest';
import { createProject } from '../../support/project.mjs';
import { chosenSeed, numberFrom, type Random, seeded } from '../../support/seeded.js';
import { type Evidence, faultsOf } from './killed-history.js';
import { Killer, type Tally } from './killer.js';
import { hooked } from './victims.js';

const KILLS = numberFrom('DEV_CLI_TEST_KILLS', 80);
const LANES = 4;
const seed = chosenSeed();
const projects = Array.from({ length: LANES }, () => createProject());
afterAll(() => {
  for (const project of projects) project.remove();
});

it(`${KILLS} kills at random instants lose nothing and double nothing (DEV_CLI_TEST_KILLS, DEV_CLI_TEST_SEED=${seed})`, {
  timeout: 3_600_000,
}, async () => {
  const from = performance.now();
  const killers = projects.map((project, lane) => new Killer(project, seeded(seed + lane)));
  await Promise.all(
    killers.map(async (killer, lane) => {
      await killer.work(Math.ceil(KILLS / LANES));
      console.log(
        `lane ${lane}: ${killer.kills} kills, ${killer.tally.runs} runs, faults ${JSON.stringify(killer.faults)}`,
      );
    }),
  );
  console.log(
    summary(
      killers.map(({ tally }) => tally),
      (performance.now() - from) / 1000,
    ),
  );
  expect(
    killers.flatMap(({ faults }) => faults),
    `seed ${seed}`,
  ).toEqual([]);
});

function summary(tallies: Tally[], seconds: number): string {
  const sum = (of: (tally: Tally) => number): number => tallies.reduce((total, tally) => total + of(tally), 0);
  const [cli, runner, both] = [sum((tally) => tally.cli), sum((tally) => tally.runner), sum((tally) => tally.both)];
  const tenths = Array.from({ length: 11 }, (_, tenth) => sum((tally) => tally.tenths[tenth] ?? 0));
  return [
    `kill -9: ${cli + runner + both} kills (dev-cli ${cli}, runner ${runner}, both ${both}) in ${sum(({ runs }) => runs)} runs,`,
    `${seconds.toFixed(0)} s, seed ${seed}; dev-cli by tenth of its usual life: ${tenths.join(' ')},`,
    `${sum(({ answered }) => answered)} after it had answered`,
  ].join(' ');
}

describe('the kills find', () => {
  it('an answer printed before its commit: the planted defect', { timeout: 120_000 }, async () => {
    const project = createProject({ replay: false });
    // Always decides the same: every call is killed as it prints its answer.
    const always: Random = { unit: () => 0, below: () => 0, chance: () => true, pick: ([first]) => first };
    const killer = new Killer(project, always, hooked({ DEV_CLI_TEST_PLANT: 'answer-before-commit' }));
    await killer.work(50);
    project.remove();
    expect(killer.faults.join('\n')).toMatch(/JOURNAL_CORRUPT|lost/);
  });

  const whole: Evidence = {
    entries: [
      { seq: 1, type: 'acknowledged', data: { runId: 'r', actionId: 'a1' } },
      { seq: 2, type: 'command-started', data: { runId: 'r', actionId: 'a2', key: 'r:a2' } },
      { seq: 3, type: 'command-finished', data: { runId: 'r', key: 'r:a2', outcome: 'exit 0' } },
    ],
    acknowledged: ['a1'],
    appended: ['- one'],
    tried: ['- one', '- two'],
    draft: '## Findings\n\n- one\n',
    effects: ['a2'],
    replays: true,
    outcome: 'completed',
  };
  const [acknowledged, started, finished] = whole.entries as [
    Evidence['entries'][0],
    Evidence['entries'][0],
    Evidence['entries'][0],
  ];

  it.each<[string, Partial<Evidence>]>([
    ['the journal does not replay', { replays: false }],
    ['ended as halted', { outcome: 'halted' }],
    ['number', { entries: [acknowledged, started, { ...finished, seq: 4 }] }],
    ['lost: a9', { acknowledged: ['a1', 'a9'] }],
    [
      'doubled: a1',
      { entries: [acknowledged, { ...acknowledged, seq: 2 }, { ...started, seq: 3 }, { ...finished, seq: 4 }] },
    ],
    ['lost: the draft', { draft: '' }],
    ['doubled: the draft', { draft: '- one\n- two\n- two\n' }],
    ['doubled: r:a2 is started', { entries: [acknowledged, started, { ...started, seq: 3 }, { ...finished, seq: 4 }] }],
    ['doubled: r:a2 is finished', { entries: [acknowledged, started, finished, { ...finished, seq: 4 }] }],
    ['never finished', { entries: [acknowledged, started] }],
    ['not started', { effects: ['a2', 'a7'] }],
    ['doubled: the effect', { effects: ['a2', 'a2'] }],
    ['green without', { effects: [] }],
    ['without a runner', { effects: ['a2', 'orphan'] }],
  ])('%s in a history that was tampered with', (fault, change) => {
    expect(faultsOf(whole)).toEqual([]);
    expect(faultsOf({ ...whole, ...change }).join('\n')).toContain(fault);
  });
});
