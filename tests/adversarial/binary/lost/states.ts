import { dirname } from 'node:path';
import type { Action } from '../../../support/agent.mjs';
import { RUN } from '../../../support/executing.js';
import { addRemote } from '../../../support/forge.mjs';
import { goldenRuns } from '../../../support/golden.mjs';
import { type Image, readTree, restoreTree } from '../../../support/image.js';
import type { Project } from '../../../support/project.mjs';
import { SPECIFY_RECIPES } from '../../../support/recipes.mjs';
import { SMALL_CREW, smallPlan } from '../../../support/small.mjs';
import { STORIES } from '../../../support/stories.js';
import { PatientAgent } from './agent.js';

/** A run at a moment when its agent has an action to do. */
export interface Moment {
  title: string;
  name: string;
  /** The files of the project and its surroundings. */
  image: Image;
  /** The root that the prompt files name. */
  root: string;
  /** The command that began the run. */
  init: string;
  /** Whether the run has ended in a way that cannot be continued. */
  ended: boolean;
  /** The content of the plan to write. */
  plan: object | undefined;
  /** Whether the crew for small todos executes the plan. */
  small: boolean;
}

const WORKFLOWS = ['ultrawork', 'ultrawork-autopilot'];
const OPENS_PULL_REQUESTS = new Set(['open-pr', 'ultrawork-autopilot']);

/** Yields the golden runs. Earlier releases made them, so they lack what this release adds to a run. */
export function* goldenMoments(project: Project, fresh: Image): Generator<Moment> {
  for (const { title, load } of goldenRuns()) {
    const run = load();
    const beside = [...fresh].filter(([path]) => !path.startsWith('project/'));
    restoreTree(
      baseOf(project),
      new Map([...beside, ...bytesOf(run.files, 'utf8'), ...bytesOf(run.repository, 'base64')]),
    );
    if (OPENS_PULL_REQUESTS.has(run.recipe)) addRemote(project);
    const plan = WORKFLOWS.includes(run.recipe) ? smallPlan() : undefined;
    const { name, root, init, next } = run;
    const ended = hasEnded(next as { done?: boolean });
    yield { title, name, ended, image: readTree(baseOf(project)), root, init, plan, small: true };
  }
}

/** Yields every moment of the stories, as this release plays them. */
export function* storyMoments(project: Project, fresh: Image): Generator<Moment> {
  for (const story of STORIES) {
    restoreTree(baseOf(project), fresh);
    story.prepare(project);
    const agent = new PatientAgent({ project, name: RUN, crew: SMALL_CREW, scenario: { plan: smallPlan() } });
    yield* momentsOf(agent, story.start(agent), { title: story.recipe, plan: smallPlan(), small: true });
  }
  for (const recipe of SPECIFY_RECIPES) {
    restoreTree(baseOf(project), fresh);
    const agent = new PatientAgent({ project, scenario: { rejectFirstReview: true, twoRounds: true } });
    yield* momentsOf(agent, agent.start(`--recipe ${recipe}`), { title: recipe, plan: undefined, small: false });
  }
}

function* momentsOf(
  agent: PatientAgent,
  first: Action,
  { title, ...how }: Pick<Moment, 'title' | 'plan' | 'small'>,
): Generator<Moment> {
  const [{ command: init } = { command: '' }] = agent.calls;
  const { project, name } = agent;
  for (let action = first, step = 1; ; step += 1) {
    const image = readTree(baseOf(project));
    const ended = hasEnded(action);
    yield { title: `${title} ${step} ${action.block ?? 'done'}`, name, ended, image, root: project.root, init, ...how };
    restoreTree(baseOf(project), image);
    if (action.done === true) return;
    action = agent.step(action);
  }
}

const hasEnded = ({ done, resume }: { done?: boolean; resume?: unknown }): boolean =>
  done === true && resume === undefined;

/** Returns the directory that holds the project and its surroundings: a remote, and the record of `gh` calls. */
export function baseOf(project: Project): string {
  return dirname(project.root);
}

function bytesOf(files: Record<string, string>, encoding: BufferEncoding): [string, Buffer][] {
  return Object.entries(files).map(([path, text]) => [`project/${path}`, Buffer.from(text, encoding)]);
}
