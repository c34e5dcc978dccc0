import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Action, StandInError } from '../../../support/agent.mjs';
import { restoreTree } from '../../../support/image.js';
import type { Project } from '../../../support/project.mjs';
import { SMALL_CREW } from '../../../support/small.mjs';
import { PatientAgent } from './agent.js';
import { baseOf, type Moment } from './states.js';

export const DAMAGES = ['missing', 'empty', 'torn'] as const;
type Damage = (typeof DAMAGES)[number];

/** One file at one moment, damaged in one way. */
export interface Trial {
  moment: Moment;
  /** Relative to the run's directory. */
  file: string;
  damage: Damage;
}

/** The store's own files, which other tests cover. */
const NOT_TRIED = /^(state\.json|events\.jsonl|lock|objects\/.*)$/;

/** Lists the files of a moment that can be damaged: everything below `actions/` and all documents. */
export function filesOf({ image, name }: Moment): string[] {
  const run = `project/.dev/specs/${name}/`;
  return [...image.keys()]
    .filter((path) => path.startsWith(run))
    .map((path) => path.slice(run.length))
    .filter((path) => !NOT_TRIED.test(path));
}

/**
 * Returns a trial's kind: the kind of file, the kind of the pending action, and the damage. Files of the pending action
 * differ in kind from files of earlier actions.
 */
export function kindOf({ moment, file, damage }: Trial, pending: Action): string {
  const ids = [
    pending.actionId,
    ...[...(pending.tasks ?? []), ...(pending.running ?? [])].map((task) => task.actionId),
  ];
  const now = ids.some((id) => file.startsWith(`actions/${id}/`)) ? 'now ' : '';
  const kind = file.replace(/\d+/g, '#').replace(/^(findings|analysis|reviews)\/.*/, '$1');
  const source = moment.title.startsWith('0.') ? 'golden' : 'story';
  return `${source} ${pending.action ?? 'done'} ${now}${kind} ${damage}`;
}

/** How far a trial is followed. */
export type Way = 'past' | 'to the end';

/**
 * Damages the file, shows the state, asks for the next action, and continues past the moment or to the end of the run.
 * @throws StandInError if an answer is neither an action nor a refusal whose `fix` helps
 */
export function tried({ moment, file, damage }: Trial, way: Way, project: Project): void {
  restoreTree(baseOf(project), moment.image);
  const agent = agentOf(moment, project);
  // A person must trust a run made elsewhere.
  if (moment.root !== project.root && !moment.ended) agent.run(`dev-cli trust ${moment.name}`, { typed: ['yes'] });
  const path = join(project.root, '.dev/specs', moment.name, file);
  const content = moment.image.get(`project/.dev/specs/${moment.name}/${file}`) as Buffer;
  if (damage === 'missing') rmSync(path);
  else writeFileSync(path, damage === 'empty' ? '' : content.subarray(0, content.length / 2));
  for (const question of ['manifest', 'status']) agent.look(`dev-cli ${question} ${moment.name}`);
  let action = agent.ask(way === 'past' || moment.ended ? `dev-cli next ${moment.name}` : moment.init);
  if (action.done === true && action.resume !== undefined) action = agent.ask(action.resume);
  if (action.done === true) return;
  action = agent.step(action);
  if (way === 'past') return;
  const last = ended(agent, action);
  if (last.outcome !== 'completed') throw new StandInError(`ends as ${last.outcome}: ${last.summary}`);
}

/** Continues to the end of the run; a run that halts is reopened once, as its last action says. */
function ended(agent: PatientAgent, action: Action): Action {
  const done = agent.drive(action);
  return done.resume === undefined ? done : agent.drive(agent.ask(done.resume));
}

export function agentOf(moment: Moment, project: Project): PatientAgent {
  return new PatientAgent({
    project,
    name: moment.name,
    formerRoot: moment.root,
    scenario: moment.plan === undefined ? {} : { plan: moment.plan },
    ...(moment.small ? { crew: SMALL_CREW } : {}),
  });
}
