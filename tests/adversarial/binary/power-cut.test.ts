import { describe, expect, it } from 'vitest';
import { project, useProject } from '../../support/each-project.js';
import { generatePlan } from '../../support/executing.js';
import { chosenSeed, seeded } from '../../support/seeded.js';
import type { Mood } from './disk/disk.js';
import { Forgetful, type Planted } from './disk/story.js';

// storage.md, Proofs: the power is cut after each answer of a whole run and in the middle of its commands, and the disk
// forgets any part of the unsynced data. DEV_CLI_POWER=all cuts after each file-system call, and more often after each
// answer; by default a sample is tried.

const isAll = process.env['DEV_CLI_POWER'] === 'all';
const MOODS: Mood[] = ['nothing', 'names only', 'all', ...Array<Mood>(12).fill('anything')];
const LONG = { timeout: isAll ? 24 * 3_600_000 : 600_000 };
const seed = chosenSeed();

useProject();

function forgetful(moods: Mood[], within: number | 'all', planted?: Planted): Forgetful {
  return new Forgetful(project, {
    random: seeded(seed),
    moods: isAll ? MOODS : moods,
    within,
    ...(planted && { planted }),
  });
}

function expectNothingLost({ told: { problems, cuts } }: Forgetful): void {
  console.log(`power cuts, seed ${seed}: ${cuts.answered} after an answer, ${cuts.within} within a command`);
  expect(problems, `seed ${seed}`).toEqual([]);
  expect(cuts.answered).toBeGreaterThan(5);
}

describe('a power cut', () => {
  it.each(['specify-quick-autopilot', 'specify-standard-interactive'])(
    'takes nothing that was answered of %s',
    LONG,
    (recipe) => {
      const disk = forgetful(['nothing', 'anything'], isAll ? 'all' : 1);
      const agent = disk.agent();
      expect(agent.drive(agent.start(`--recipe ${recipe}`))).toMatchObject({ outcome: 'completed' });
      expectNothingLost(disk);
      expect(disk.told.cuts.within).toBeGreaterThan(5);
    },
  );

  it('takes nothing that was answered of an execution with commits', LONG, () => {
    generatePlan(project);
    // No cuts inside commands, because jobs run during them, and this disk does not see the jobs' writes.
    const disk = forgetful(['nothing', 'anything'], 0);
    const agent = disk.agent();
    expect(agent.drive(agent.start('--recipe execute-standard'))).toMatchObject({ outcome: 'completed' });
    expectNothingLost(disk);
  });
});

describe('the proof', () => {
  it.each<Planted>(['the journal is not synced', 'the boot is not looked at'])('notices that %s', LONG, (planted) => {
    project.replay = false;
    const disk = forgetful(['nothing', 'anything'], 0, planted);
    const agent = disk.agent();
    try {
      agent.drive(agent.start('--recipe specify-quick-autopilot'));
    } catch {
      // With the defect, the story may not even reach its end.
    }
    expect(disk.told.problems.length).toBeGreaterThan(0);
  });
});
