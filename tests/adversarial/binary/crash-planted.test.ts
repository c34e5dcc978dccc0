import { describe, expect, it } from 'vitest';
import type { Defect } from './crash/calls.js';
import { normalText } from './crash/normal.js';
import { SPECIFY } from './crash/specify.story.js';
import type { Story } from './crash/story.js';
import { sweep } from './crash/sweep.js';

// Shows that the harness of crash-specify.test.ts can fail: it must report problems on binaries with planted defects
// (crash/defects.ts), and on a story that has nothing to cut.

const SHORT = ['init', 'draft update'];
const STORY: Story = { ...SPECIFY, steps: SPECIFY.steps.filter(({ title }) => SHORT.includes(title)) };

/**
 * Plants a defect in a short story. In `ordered`, returns the problems that show in the mere order of its calls; in
 * `cut`, those that show when `draft update`, one small commit, is killed.
 */
async function tried(defect: Defect, { cuts = true } = {}): Promise<{ ordered: string[]; cut: string[] }> {
  const only = (title: string): boolean => cuts && title === 'draft update';
  const { problems } = await sweep({ story: STORY, extent: 'states', defect, only });
  const ordered = problems.filter((problem) => problem.includes('power cut'));
  return { ordered, cut: problems.filter((problem) => !ordered.includes(problem)) };
}

describe('the crash harness', { timeout: 300_000 }, () => {
  it('finds a journal that is written after the snapshot', async () => {
    const { ordered, cut } = await tried('journal-last');
    expect(ordered).toContainEqual(expect.stringMatching(/state\.json changes before the commit/));
    expect(cut).toContainEqual(expect.stringMatching(/state\.json: ahead of the journal/));
  });

  it('finds directories that are not synced', async () => {
    const { ordered } = await tried('no-directory-sync', { cuts: false });
    expect(ordered).toContainEqual(expect.stringMatching(/journal is written before objects\/<digest> is durable/));
    expect(ordered).toContainEqual(expect.stringMatching(/answer is printed before (events\.jsonl|specs) is durable/));
  });

  it('finds a journal that is not synced', async () => {
    const { ordered } = await tried('no-journal-sync', { cuts: false });
    expect(ordered).toContainEqual(expect.stringMatching(/DRAFT\.md changes before the journal is durable/));
    expect(ordered).toContainEqual(expect.stringMatching(/answer is printed before events\.jsonl is durable/));
  });

  it('finds an effect before the commit', async () => {
    const { ordered, cut } = await tried('effect-first');
    expect(ordered).toContainEqual(expect.stringMatching(/DRAFT\.md changes before the commit/));
    expect(cut).toContainEqual(expect.stringMatching(/DRAFT\.md: changed, and no commit says so/));
  });

  it('finds a document that is written in its place', async () => {
    const { cut } = await tried('in-place');
    expect(cut).toContainEqual(
      expect.stringMatching(/inside .*DRAFT\.md\): .*DRAFT\.md: changed, and no commit says so/),
    );
  });

  it('finds a command in which nothing can be cut', async () => {
    const reading = { title: 'list', run: 'none', args: () => ['list'] };
    const { problems } = await sweep({ story: { ...STORY, steps: [reading] }, extent: 'states', only: () => false });
    expect(problems).toEqual(['list: changes nothing, so that nothing of it can be cut']);
  });
});

describe('what is compared', () => {
  it('leaves out what two runs cannot have in common, and nothing else', () => {
    const told = (root: string, at: string, digest: string): string =>
      `${root}/x "at":"${at}" ${digest.repeat(64)} "inode":${root.length} a6 seq 7`;
    const one = normalText(told('/one', '2026-01-31T09:30:00.000Z', 'a'), '/one');
    expect(normalText(told('/other', '2027-02-01T10:31:01Z', 'b'), '/other')).toBe(one);
    expect(normalText('a7', '/one')).not.toBe(normalText('a6', '/one'));
  });
});
