import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Action, StandIn } from '../../../support/agent.mjs';
import { ANSWERS, planContent } from '../../../support/content.mjs';
import { CHECKOUT, type Project } from '../../../support/project.mjs';
import type { Step, Story } from './story.js';

const RUN = 'add-jwt-auth';
const OTHER = 'sketch';
const GROWN = 'grown';
/** Below `.dev`, because a planning run refuses changes to the sources. */
const NOTES = `.dev/specs/${RUN}/notes.md`;
const OTHER_PLAN = `.dev/specs/${RUN}/other-plan.json`;
const RECIPE = 'specify-standard-interactive';

/** A whole planning run with everything that can happen during one, and a small run that is begun and aborted. */
export const SPECIFY: Story = {
  name: 'specify',
  set: ownRecipe,
  steps: [
    {
      title: 'plan generate (no run yet)',
      run: OTHER,
      prepare: (agent) => agent.write('draft-of-a-plan.json', JSON.stringify(planContent(0))),
      args: () => ['plan', 'generate', OTHER, '--data', '@draft-of-a-plan.json'],
    },
    {
      title: 'init (adopts a directory)',
      run: OTHER,
      args: () => ['init', OTHER, '--recipe', 'specify-quick-autopilot', '--goal', 'A sketch'],
    },
    { title: 'init', run: RUN, args: () => ['init', RUN, '--recipe', RECIPE, '--goal', 'Add JWT auth to the API'] },
    {
      title: 'use, with a session',
      run: OTHER,
      args: () => ['use', OTHER],
      env: { DEV_CLI_SESSION: 'a-session-of-a-harness' },
    },
    { title: 'use', run: RUN, args: () => ['use', RUN] },
    step('choice (classify-intent)', { args: choice('Feature') }),
    command('draft update', ['draft', 'update', RUN, '--section', 'assumptions', '--data', '["Node 20 (assumed)"]']),
    command('draft update --append', [
      ...['draft', 'update', RUN, '--section', 'assumptions', '--append'],
      ...['--data', '["One secret for all (assumed)"]'],
    ]),
    step('subagents, one missing (explore-full)', {
      prepare: delivered({ butFor: 'ux-reviewer' }),
      args: ack,
      exit: 3,
    }),
    step('subagents --without (explore-full)', {
      args: (action) => [...ack(action), '--without', 'ux-reviewer', '--reason', 'no browser here'],
    }),
    command('draft import', ['draft', 'import', RUN]),
    {
      title: 'analysis save',
      run: RUN,
      prepare: (agent) =>
        agent.write(
          NOTES,
          '---\nagent: helper\ntimestamp: 2026-01-31T09:30:00Z\nsummary: Two keys are enough.\n---\n\nSo it is.\n',
        ),
      args: () => ['analysis', 'save', RUN, '--agent', 'helper', '--data', `@${NOTES}`],
    },
    step('loop, a round that does not pass (interview)', { prepare: sections(['purpose', 'decisions']), args: ack }),
    step('loop, a round that passes (interview)', { prepare: sections(['boundaries', 'criteria']), args: ack }),
    step('choice that goes back (decision-confirm)', { args: choice('revise') }),
    step('loop again (interview)', { prepare: sections(['boundaries']), args: ack }),
    step('choice (decision-confirm)', { args: choice('confirm') }),
    step('subagents (analyze-full)', { prepare: delivered(), args: ack }),
    step('step fail (codex-synth)', {
      args: ({ actionId }) => ['step', 'fail', RUN, '--action', actionId, '--reason', 'nobody else is here'],
    }),
    step('file and command (generate-plan)', { prepare: plan(0), args: ack }),
    step('review that rejects', { prepare: delivered({ reject: true }), args: ack }),
    step('file and command, rewritten', { prepare: plan(1), args: ack }),
    step('review that agrees', { prepare: delivered(), args: ack }),
    step('gate: plan rejected (approve-plan)', {
      prepare: reason,
      args: choice('revise'),
    }),
    step('file and command, for the user', { prepare: plan(2), args: ack }),
    {
      title: 'plan generate',
      run: RUN,
      prepare: (agent) => agent.write(OTHER_PLAN, JSON.stringify(planContent(9))),
      args: () => ['plan', 'generate', RUN, '--data', `@${OTHER_PLAN}`],
    },
    command('step invalidate', ['step', 'invalidate', RUN, '--step', 'generate-plan']),
    step('file and command, invalidated', { prepare: plan(3), args: ack }),
    step('review once more', { prepare: delivered(), args: ack }),
    step('gate: approved (summary and cleanup run, the end)', { args: choice('approve') }),
    command('plan generate (nothing new)', ['plan', 'generate', RUN]),
    {
      title: 'draft auto-assume',
      run: OTHER,
      args: () => ['draft', 'auto-assume', OTHER],
    },
    {
      title: 'init --force',
      run: OTHER,
      args: () => ['init', OTHER, '--recipe', 'specify-quick-autopilot', '--goal', 'Another sketch', '--force'],
      repeatable: false,
    },
    { title: 'abort', run: OTHER, args: () => ['abort', OTHER, '--reason', 'it was a sketch'] },
    { title: 'cleanup', run: OTHER, args: () => ['cleanup', OTHER] },
    {
      title: 'init (a new run of the name)',
      run: OTHER,
      args: () => ['init', OTHER, '--recipe', 'specify-quick-autopilot', '--goal', 'A third sketch'],
    },
    grown('init --size', ['init', GROWN, '--recipe', 'sized', '--size', 'small']),
    { ...grown('choice (classify)'), args: choice('Bug') },
    grown('init --size (a live plan grows)', ['init', GROWN, '--size', 'middle']),
    grown('abort (grown)', ['abort', GROWN, '--reason', 'to begin anew']),
    grown('init --size (an ended run, planned anew)', ['init', GROWN, '--size', 'large']),
  ],
};

/**
 * Copies the shipped recipe, but lets its gate be answered without a terminal, because a call by a person at a terminal
 * cannot be cut and repeated here. To the store, the gate's answer is like any other choice.
 */
function ownRecipe(root: string): void {
  const home = join(root, '.dev/recipes');
  mkdirSync(home, { recursive: true });
  cpSync(join(CHECKOUT, 'recipes/prompts'), join(home, 'prompts'), { recursive: true });
  const shipped = readFileSync(join(CHECKOUT, 'recipes', `${RECIPE}.yaml`), 'utf8');
  const own = shipped.replace(/^ *(human: required|approves: plan)\n/gm, '');
  if (own === shipped) throw new Error(`${RECIPE} has no gate that asks for a person`);
  writeFileSync(join(home, `${RECIPE}.yaml`), own);
  writeFileSync(join(home, 'sized.yaml'), SIZED);
}

/** A recipe that asks for the size of the work. */
const SIZED = `name: sized
type: sequential
skill: sized
blocks:
  - { id: classify, type: llm, instruction: How large is it?, choices: [Feature, Bug], schema: size }
  - { id: explore, type: llm, when: size != "small", instruction: Look around. }
  - { id: last, type: llm, instruction: Do it. }
`;

function grown(title: string, args: string[] = []): Step {
  return { title, run: GROWN, args: () => args };
}

function step(title: string, rest: Omit<Step, 'title' | 'run'>): Step {
  return { title, run: RUN, ...rest };
}

function command(title: string, args: string[]): Step {
  return { title, run: RUN, args: () => args };
}

function ack({ ack: printed }: Action): string[] {
  return words(printed);
}

function choice(id: string): (action: Action) => string[] {
  return ({ choices }) => words(choices?.find((candidate) => candidate.id === id)?.ack);
}

/** Splits a printed command into arguments. Nothing in this story needs quotes. */
function words(printed: string | undefined): string[] {
  if (printed === undefined || /['"\\$]/.test(printed)) throw new Error(`not a plain command: ${printed}`);
  return printed.split(' ').slice(1);
}

function sections(ids: string[]): NonNullable<Step['prepare']> {
  return (agent, { data }) => {
    agent.write(data?.write ?? '', ids.map((id) => `## ${id}\n\n${ANSWERS[id]}\n`).join('\n'));
  };
}

function plan(revision: number): NonNullable<Step['prepare']> {
  return (agent, { data }) => agent.write(data?.write ?? '', `${JSON.stringify(planContent(revision), null, 2)}\n`);
}

function delivered({
  butFor,
  reject = false,
}: {
  butFor?: string;
  reject?: boolean;
} = {}): NonNullable<Step['prepare']> {
  return ({ project }, { agents = [] }) => {
    const subagents = new StandIn({ project: project as Project, scenario: { rejectFirstReview: reject } });
    for (const agent of agents) if (agent.id !== butFor) subagents.subagent(agent);
  };
}

function reason(agent: StandIn, action: Action): void {
  const path = choice('revise')(action).find((word) => word.startsWith('@'));
  agent.write(path?.slice(1) ?? '', 'Say in which header the token comes.\n');
}
