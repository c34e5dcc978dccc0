import { type Action, type Scenario, StandIn } from './agent.mjs';
import { generatePlan, RUN } from './executing.js';
import { addRemote, installGh } from './forge.mjs';
import type { Project } from './project.mjs';
import { SMALL_CREW, smallPlan } from './small.mjs';

/** One story for every shipped recipe that carries out a plan, opens a pull request, or both plans and executes. */
export interface Story {
  recipe: string;
  /** Whether a person at a terminal has to answer. */
  person: boolean;
  /** Prepares the project for the story. */
  prepare: (project: Project) => void;
  start: (agent: StandIn) => Action;
}

const forge = (project: Project): void => {
  addRemote(project);
  installGh(project);
};

export const STORIES: Story[] = [
  {
    recipe: 'execute-standard',
    person: true,
    prepare: (project) => generatePlan(project),
    start: (agent) => agent.execute(),
  },
  {
    recipe: 'execute-quick',
    person: false,
    prepare: (project) => generatePlan(project),
    start: (agent) => agent.execute('--execute --quick --autopilot'),
  },
  {
    recipe: 'execute-hardened',
    person: true,
    prepare: (project) => generatePlan(project),
    start: (agent) => agent.execute('--recipe execute-hardened'),
  },
  {
    recipe: 'open-pr',
    person: false,
    prepare: (project) => {
      generatePlan(project);
      forge(project);
    },
    start: (agent) => agent.execute('--recipe open-pr'),
  },
  {
    recipe: 'ultrawork',
    person: true,
    prepare: () => {},
    start: (agent) => agent.start('--workflow ultrawork'),
  },
  {
    recipe: 'ultrawork-autopilot',
    person: false,
    prepare: forge,
    start: (agent) => agent.start('--workflow ultrawork-autopilot'),
  },
];

/**
 * Creates an agent for a story. It knows only its skill, not what has happened in the run so far.
 * @param formerRoot the root in which the run was begun, if the project is a copy
 */
export function agentFor(project: Project, scenario: Scenario = {}, formerRoot = project.root): StandIn {
  return new StandIn({
    project,
    name: RUN,
    crew: SMALL_CREW,
    scenario: { plan: smallPlan(), ...scenario },
    formerRoot,
  });
}
