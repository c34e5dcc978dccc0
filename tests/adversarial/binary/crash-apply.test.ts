import { expect, it } from 'vitest';
import { readImage, restoreImage } from '../../support/image.js';
import { chosenSeed } from '../../support/seeded.js';
import { APPLY } from './crash/apply.story.js';
import { difference, judgeEnd } from './crash/judge.js';
import { Lane, type Told } from './crash/lane.js';
import { normalAnswer, normalRepeated } from './crash/normal.js';
import { type Extent, pointsOf } from './crash/points.js';
import { entriesOf } from './crash/rebuild.js';
import type { Point } from './crash/trial.js';

// living-plan.md, plan apply; storage.md, Proofs: in every command that changes a plan during its execution, the binary
// is killed before, inside and after each call that changes a file. Then the command is repeated. Documents, state and
// journal must be those of an undisturbed run: no change is half applied or applied twice. DEV_CLI_CRASH=all tries all
// these points, =states one for each state that can remain on the disk; the default is a sample.

const EXTENTS: readonly Extent[] = ['sample', 'states', 'all'];
const extent = EXTENTS.find((each) => each === process.env['DEV_CLI_CRASH']) ?? 'sample';
const seed = chosenSeed();
const SAMPLES = 3;
const CUT = /plan apply|a person says|question|hold|held|release/;

/** Cuts the command, repeats it, and returns the problems that are found then. */
async function tryCut(lane: Lane, point: Point, isAsked: boolean): Promise<string[]> {
  const told = lane.told[point.step] as Told;
  const { root } = lane.project;
  const journal = `specs/${told.step.run}/events.jsonl`;
  restoreImage(root, told.before);
  const cut = await lane.run(told.step, told.pending, { trace: null, cut: point });
  if (cut.signal !== 'SIGKILL') return [`the cut was never reached: exit ${cut.exit}`];
  const count = (image: typeof told.before) => entriesOf(image.get(journal)).length;
  const happened = count(readImage(root)) > count(told.before);
  const asked = isAsked
    ? [normalAnswer(happened ? told.nextAfter : told.nextBefore, root), normalAnswer(await lane.next(told.step), root)]
    : [];
  const again = await lane.run(told.step, told.pending, null);
  const normal = happened ? normalRepeated : normalAnswer;
  const [wanted, found] = [normal(told.call, root), normal(again, root)];
  return [
    ...(asked[0] === asked[1] ? [] : [`next after the cut: ${difference(asked[0] ?? '', asked[1] ?? '')}`]),
    ...(wanted === found
      ? []
      : [`the command again (${happened ? 'done' : 'not done'} before): ${difference(wanted, found)}`]),
    // Leaves out problems with issued actions, because the tasks of an execution have no `issued` entries of their own.
    ...judgeEnd(told, readImage(root), root).filter((problem) => !problem.startsWith('actions are not handed out')),
    ...(await lane.replay()).filter((problem) => problem.startsWith(`replay ${told.step.run} `)),
  ];
}

function pointsOfStory(lane: Lane): Point[] {
  return lane.told.flatMap(({ step: { title }, mutations }, step) => {
    if (!CUT.test(title)) return [];
    const points = pointsOf(mutations, extent);
    const every = extent === 'sample' ? Math.ceil(points.length / SAMPLES) : 1;
    return points.filter((_, index) => (index + seed) % every === 0).map((point) => ({ step, ...point }));
  });
}

it(`a plan that changes, cut at every write, is taken up whole or not at all (${extent})`, {
  timeout: 24 * 3_600_000,
}, async () => {
  const lane = new Lane(APPLY);
  try {
    await lane.tell();
    const points = pointsOfStory(lane);
    const problems: string[] = [];
    for (const [index, point] of points.entries()) {
      const { title } = (lane.told[point.step] as Told).step;
      const found = await tryCut(lane, point, index % 3 === 0);
      problems.push(...found.map((problem) => `${title}, ${point.position} ${point.call}: ${problem}`));
    }
    console.log(`cut changes of a plan: ${points.length} cuts, seed ${seed}`);
    expect(problems, `seed ${seed}`).toEqual([]);
    expect(points.length).toBeGreaterThan(20);
  } finally {
    lane.remove();
  }
});

it('a change that is taken up by halves would be found', { timeout: 600_000 }, async () => {
  const lane = new Lane(APPLY);
  try {
    await lane.tell();
    const told = lane.told.find(({ step }) => step.title === 'a person says yes') as Told;
    const half = new Map(told.after);
    half.set('specs/work/context/plan.json', told.before.get('specs/work/context/plan.json') ?? Buffer.alloc(0));
    expect(judgeEnd(told, half, lane.project.root).join()).toContain('context/plan.json: not as undisturbed');
  } finally {
    lane.remove();
  }
});
