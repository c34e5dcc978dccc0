import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeEntries, readEntries } from '../../support/entries.js';
import { installGh } from '../../support/forge.mjs';
import { type Image, readTree } from '../../support/image.js';
import { createProject, type Project } from '../../support/project.mjs';
import { chosenSeed } from '../../support/seeded.js';
import { baseOf, goldenMoments, type Moment, storyMoments } from './lost/states.js';
import { agentOf, DAMAGES, filesOf, kindOf, type Trial, tried, type Way } from './lost/trial.js';

// At every moment of the golden runs and of the stories, one file below `actions/` or one document is missing, empty or
// torn. Each answer must then be an action, or a refusal whose fix lets the run continue. Trials are of the same kind
// if the same kind of file is damaged in the same way at the same kind of action. DEV_CLI_LOST=kinds tries one of each
// kind, =all every trial; the default is a sample of kinds.

const EXHAUSTIVE = process.env['DEV_CLI_LOST'] === 'all';
/** One of this many kinds is tried. */
const ONE_IN = process.env['DEV_CLI_LOST'] === 'kinds' ? 1 : 24;
const SEED = chosenSeed() % 1000;

let project: Project;
let fresh: Image;
beforeAll(() => {
  project = createProject({ sample: null, replay: false });
  installGh(project);
  fresh = readTree(baseOf(project));
});
afterAll(() => project.remove());

/** For each moment, yields every way to damage one of its files, with the kind of damage. */
function* trialsOf(moments: Iterable<Moment>): Generator<{ trial: Trial; kind: string }> {
  for (const moment of moments) {
    const pending = agentOf(moment, project).ask(`dev-cli next ${moment.name}`);
    for (const file of filesOf(moment)) {
      for (const damage of DAMAGES) {
        const trial = { moment, file, damage };
        yield { trial, kind: kindOf(trial, pending) };
      }
    }
  }
}

/**
 * Chooses the trials and how far to follow them. With `all`, the first trial of each kind goes to the end of the run,
 * every other one just past its moment; otherwise one trial in four goes to the end.
 */
function* chosenOf(moments: Iterable<Moment>): Generator<[Trial, Way]> {
  const seen = new Set<string>();
  for (const { trial, kind } of trialsOf(moments)) {
    const tx = seen.size + SEED;
    const isNew = !seen.has(kind);
    seen.add(kind);
    if (EXHAUSTIVE) yield [trial, isNew ? 'to the end' : 'past'];
    else if (isNew && tx % ONE_IN === 0) yield [trial, tx % (4 * ONE_IN) === 0 ? 'to the end' : 'past'];
  }
}

function problemOf(trial: Trial, way: Way): string[] {
  try {
    tried(trial, way, project);
    return [];
  } catch (error) {
    const { moment, file, damage } = trial;
    return [`${moment.title}, ${file} ${damage}, ${way}: ${error instanceof Error ? error.message : String(error)}`];
  }
}

function withoutTexts(journal: Buffer): Buffer {
  return encodeEntries(readEntries(journal).map(({ texts, ...entry }) => entry));
}

describe('one file of a run that is missing, empty or torn', () => {
  it.each<[string, () => Iterable<Moment>]>([
    ['a golden run', () => goldenMoments(project, fresh)],
    ['a story', () => storyMoments(project, fresh)],
  ])('never keeps %s from its end', { timeout: 7_200_000 }, (what, moments) => {
    const count = { past: 0, 'to the end': 0 };
    const failed: string[] = [];
    for (const [trial, way] of chosenOf(moments())) {
      count[way] += 1;
      failed.push(...problemOf(trial, way));
    }
    console.info(
      `lost files of ${what}, seed ${SEED}: ${count.past} past the moment, ${count['to the end']} to the end`,
    );
    expect(failed, `seed ${SEED}`).toEqual([]);
    expect(count.past).toBeGreaterThan(10);
  });

  it('is noticed when it does', () => {
    const [moment] = [...goldenMoments(project, fresh)].filter(({ title }) => title.endsWith('.wave-out'));
    if (moment === undefined) throw new Error('no such golden run');
    const image = new Map(moment.image);
    // Spoils the contents from which the store would restore the file.
    for (const [path, content] of image) {
      if (path.includes('/objects/')) image.set(path, Buffer.from('x'));
      if (path.endsWith('/events.jsonl')) image.set(path, withoutTexts(content));
    }
    const trial: Trial = { moment: { ...moment, image }, file: 'recipe.json', damage: 'missing' };
    expect(problemOf(trial, 'past').join()).toContain('STATE_CORRUPT');
  });
});
