import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { codeOf, type Stage, stage } from '../../core/protocol/stage.js';
import { devCli, init, runDir } from '../../support/cli.js';
import { createProject, type Project } from '../../support/project.mjs';
import { chosenSeed, numberFrom, seeded } from '../../support/seeded.js';
import { tiny } from '../../support/tiny.js';
import { changesOf, type Observed, type Operation, type Recorded, unexplained } from './race-history.js';
import { NAME, RACE_BLOCKS, Racer, recordedBy } from './racers.js';
import { hooked, pausedAt } from './victims.js';

const RACERS = 16;
const ROUNDS = numberFrom('DEV_CLI_TEST_RACES', 3);
const CALLS = 6;
const seed = chosenSeed();

let project: Project;
afterEach(() => project.remove());

/** Runs a race of sixteen processes from the first action on; at the end a few of them abort the run simultaneously. */
async function race(round: number, calls: number, env: NodeJS.ProcessEnv = {}): Promise<Observed[]> {
  project = createProject();
  init(project, NAME, '--recipe', tiny(project, 'race', RACE_BLOCKS), '--goal', 'Live');
  const racers = Array.from({ length: RACERS }, (_, client) => {
    return new Racer(project, client, seeded(seed + round * RACERS + client), env);
  });
  await Promise.all(racers.map((racer, client) => racer.race(calls, client < 3 ? { kind: 'abort' } : null)));
  return racers.flatMap(({ observed }) => observed).sort((a, b) => a.to - b.to);
}

/** Repeats the journal's changes one by one on the sequential machine, in memory; returns the differences. */
async function sequential(recorded: Recorded): Promise<string[]> {
  const machine = stage({ recipes: { race: readFileSync(join(project.root, '.dev/recipes/race.yaml'), 'utf8') } });
  await machine.init('race', { goal: 'Live' });
  const faults: string[] = [];
  for (const { change, next } of changesOf(recorded)) {
    const code = codeOf(await make(machine, change));
    const then = JSON.stringify(next);
    if (code !== 'ok' || idIn(await machine.next()) !== idIn(then)) {
      faults.push(`${JSON.stringify(change)}: ${code}, then ${await machine.next()} instead of ${then}`);
    }
  }
  return faults;
}

function make(machine: Stage, change: Operation): ReturnType<Stage['complete']> {
  switch (change.kind) {
    case 'acknowledge':
      return machine.complete({
        action: change.actionId,
        ...(change.choice === undefined ? {} : { choice: change.choice }),
      });
    case 'invalidate':
      return machine.invalidate(change.block);
    case 'append':
      return machine.document('draft update', {
        section: 'findings',
        append: true,
        data: { source: 'inline', text: JSON.stringify([change.line.slice(2)]) },
      });
    default:
      return machine.abort('enough');
  }
}

/** Describes the pending action in two words. */
function idIn(text: string): string {
  const { actionId, block, outcome } = JSON.parse(text) as { actionId?: string; block?: string; outcome?: string };
  return `${actionId ?? outcome} ${block}`;
}

describe(`${RACERS} processes at one run (DEV_CLI_TEST_RACES, DEV_CLI_TEST_SEED=${seed})`, () => {
  it.each(Array.from({ length: ROUNDS }, (_, round) => round))(
    'race %i: the journal explains every answer',
    {
      timeout: 600_000,
    },
    async (round) => {
      const from = performance.now();
      const observed = await race(round, CALLS);
      const recorded = recordedBy(project);
      const changes = changesOf(recorded);
      const seconds = ((performance.now() - from) / 1000).toFixed(0);
      console.log(`race ${round}: ${observed.length} answers, ${changes.length} changes, ${seconds} s, seed ${seed}`);
      expect(unexplained(observed, recorded)).toEqual([]);
      expect(await sequential(recorded)).toEqual([]);
      const draft = readFileSync(join(runDir(project, NAME), 'DRAFT.md'), 'utf8').split('\n');
      for (const { operation, code } of observed) {
        if (operation.kind !== 'append') continue;
        expect([operation.line, draft.filter((line) => line === operation.line).length]).toEqual([
          operation.line,
          code === 0 ? 1 : 0,
        ]);
      }
      expect(devCli(project, ['replay', NAME, '--check', '--json']).json).toMatchObject({ ok: true, differences: [] });
      expect(devCli(project, ['list', '--json']).json['active']).toBeNull();
    },
  );
});

it('a run that is aborted while it is made the active one is not left active', { timeout: 60_000 }, async () => {
  project = createProject();
  init(project, NAME, '--recipe', tiny(project, 'race', RACE_BLOCKS), '--goal', 'Live');
  const slow = await pausedAt(project, 'before-root-lock', ['use', NAME]);
  expect(devCli(project, ['abort', NAME, '--reason', 'enough']).code).toBe(0);
  process.kill(slow.pid, 'SIGCONT');
  expect(await slow.ended).toMatchObject({ code: 4, json: { error: { code: 'RUN_ENDED' } } });
  expect(devCli(project, ['list', '--json']).json['active']).toBeNull();
});

describe('the race finds', () => {
  it.each(['no-lock', 'pid-lock'])('a store with %s', { timeout: 300_000 }, async (plant) => {
    // A single race may happen to go well despite the defect; ten in a row do not.
    let found: string[] = [];
    for (let round = 100; round < 110 && found.length === 0; round += 1) {
      if (round > 100) project.remove();
      found = faultsIn(await race(round, 3, hooked({ DEV_CLI_TEST_PLANT: plant, DEV_CLI_TEST_SLOW: '30' })));
      project.replay = false;
    }
    expect(found).not.toEqual([]);
  });

  it('nothing in a slow store with its lock', { timeout: 300_000 }, async () => {
    const observed = await race(100, 3, hooked({ DEV_CLI_TEST_SLOW: '30' }));
    expect(faultsIn(observed)).toEqual([]);
  });
});

/** Returns the faults of a race. A journal that two processes wrote at once may even be unreadable. */
function faultsIn(observed: Observed[]): string[] {
  try {
    return unexplained(observed, recordedBy(project));
  } catch (error) {
    return [String(error)];
  }
}
