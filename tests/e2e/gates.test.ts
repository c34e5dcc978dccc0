import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Action, type Scenario, StandIn } from '../support/agent.mjs';
import { devCli, imageOf, nextOf, runPrinted, stateOf, writeProjectFile, writeRecipe } from '../support/cli.js';
import { simpleCrew } from '../support/crew.mjs';
import { project, useProject } from '../support/each-project.js';
import { generatePlan } from '../support/executing.js';
import { bareTodo, smallPlan } from '../support/small.mjs';
import { findTerminal, NO_TERMINAL } from '../support/terminal.mjs';
import { PLAIN_BLOCK, PLAN_BLOCK, tiny } from '../support/tiny.js';

/**
 * Tries at every gate everything that a person may do there. What the person may expect:
 *
 * | gate                | no                        | edit first                    | the plan is changed meanwhile           |
 * | ------------------- | ------------------------- | ----------------------------- | --------------------------------------- |
 * | approve the plan    | halted; any execution of  | the planner reads the reason, | the gate shows what changed, and the    |
 * |                     | it asks first             | the gate asks again           | yes is about the changed plan           |
 * | … of an execution   | halted, nothing was run;  | halted, the reason is kept;   | the same                                |
 * |                     | any way to continue asks  | any way to continue asks      |                                         |
 * |                     | first                     | first                         |                                         |
 * | approve commands    | halted, nothing was run;  | stopped, planned anew: the    | the same; a plan that changes later is  |
 * |                     | continuing asks again     | gate shows the other commands | asked about anew                        |
 * | judge a criterion   | another attempt, which    | the corrected work is passed  | asked first; after a no, the answer     |
 * |                     | reads why                 |                               | counts for the plan being executed      |
 * | a worker's question | the todo is given up      | the answer reaches the next   | the same                                |
 * |                     |                           | attempt                       |                                         |
 * | a recipe's own      | another attempt, which    | the corrected work is         | the same                                |
 * |                     | reads why                 | approved                      |                                         |
 * | confirm decisions   | halted                    | back, with the reason         | the answer counts                       |
 * | rounds used up      | halted                    | as many rounds again          | the answer counts                       |
 *
 * At each gate, a person who leaves and returns in another session finds the same question, byte for byte, and can
 * answer it; an answer after the gate is gone changes nothing and says so. An agent cannot answer the first six, which
 * are for people. Each case runs with and without commands in the plan; without commands, nobody is asked about them.
 */

const RUN = 'story';
const RAN = 'made/ran.txt';
const WHY = 'Say who may read it.';

useProject({ sample: null });

type Acceptance = ReturnType<typeof smallPlan>['todos'][number]['acceptance'][number];

const ASSERTION: Acceptance = { id: 'as-1', kind: 'assertion', text: 'It is there.' };
const HUMAN: Acceptance = { id: 'hu-1', kind: 'human', text: 'It reads well.' };
/** A command with an argument that has to be quoted when it is shown. */
const command = (word = 'ran it'): Acceptance => ({
  id: 'ac-1',
  kind: 'command',
  run: ['sh', '-c', `echo ${word} > ${RAN}`],
});

interface Variant {
  commands: boolean;
}

function planOf({ commands }: Variant, more: Acceptance[] = [], title = 'The plan as it was'): object {
  const acceptance = [...(commands ? [command()] : []), ASSERTION, ...more];
  return { ...smallPlan(), todos: [bareTodo('todo-1', { title, files: ['made/**'], acceptance })] };
}

const otherPlan = (variant: Variant): object => planOf(variant, [], 'Another plan');

const CREW = simpleCrew();
const ASKING = simpleCrew({
  worker: (task, root) =>
    task.attempt > 1
      ? CREW.worker(task, root)
      : {
          files: {},
          result: {
            status: 'BLOCKED',
            outputs: {},
            filesChanged: [],
            learnings: [],
            issues: [],
            summary: 'Unclear.',
            reason: 'unclear',
            needs: { question: 'Which port?' },
          },
        },
});

const stopAtGates: Scenario = { before: ({ action }) => (action === 'wait-for-user' ? 'stop' : undefined) };
const agent = (crew = CREW): StandIn => new StandIn({ project, name: RUN, crew, scenario: stopAtGates });

const pending = (): Action => devCli(project, ['next', RUN]).json as unknown as Action;
const text = (path: string): string => readFileSync(join(project.root, path), 'utf8');

/** Returns the todo's title in the plan being executed. */
function titleAtWork(): string | undefined {
  const { engine } = stateOf(project, RUN) as unknown as {
    engine: { todos: Record<string, { title: string }> } | null;
  };
  return engine?.todos['todo-1']?.title;
}

/** A small planning run whose gate has a different name. */
const SIGN_OFF = `
  - id: sign-off
    type: wait-for-user
    human: required
    artifact: PLAN.md
    message: Shall it be carried out?
    choices:
      - { id: yes-please, label: go on, goto: next }
      - { id: change, label: another one, goto: plan, reason: required }
      - { id: no, label: stop, goto: halt }
`;

function planned(plan: object): Action {
  const recipe = tiny(project, 'planning', [PLAN_BLOCK, SIGN_OFF, PLAIN_BLOCK]);
  const write = nextOf(devCli(project, ['init', RUN, '--recipe', recipe, '--goal', 'Add JWT auth']).json);
  writeProjectFile(project, write.data?.write ?? '', JSON.stringify(plan));
  return nextOf(runPrinted(project, write.ack ?? '').json);
}

/** Checks that even with every flag that skips questions, an execution first asks about its plan, and runs nothing. */
function asksFirst(): void {
  const forced = ['--execute', '--force', '--autopilot', '--set', 'approve_commands=auto'];
  const gate = nextOf(devCli(project, ['init', RUN, ...forced]).json);
  expect(gate).toMatchObject({
    block: 'execution-engine',
    human: 'required',
    artifact: { path: `.dev/specs/${RUN}/PLAN.md` },
  });
  expect(gate.choices?.map(({ id }) => id)).toEqual(['approve', 'revise', 'stop']);
  expect(existsSync(join(project.root, RAN))).toBe(false);
}

/** Continues a halted run with the command that it prints, and checks that this leads back to the gate. */
function leadsBack(done: Action, block: string): void {
  expect(done).toMatchObject({ done: true, outcome: 'halted' });
  const refused = devCli(project, ['init', RUN, '--execute']);
  if (refused.code !== 0) expect(refused.json.error?.code).toBe('RUN_EXISTS');
  expect(pending().done).toBe(true);
  const again = nextOf(runPrinted(project, done.resume ?? '').json);
  expect(again).toMatchObject({ block, action: 'wait-for-user' });
}

/** Answers as the person, and returns what the agent gets next. */
const decide = (gate: Action, choice: string, crew = CREW): Action => agent(crew).decide(gate, choice, WHY);

/** Gives an answer that is refused, and returns the message that the person sees. */
function refusedAt(choice: string): string {
  const { exit, stdout } = agent().run(`dev-cli approve ${RUN}`, { typed: [choice] });
  expect(exit, stdout).not.toBe(0);
  return stdout;
}

function changePlan(plan: object): void {
  generatePlan(project, plan, RUN);
}

interface Gate {
  title: string;
  /** True: tried only with commands in the plan. False: only without. Set where the other variant would not differ. */
  only?: boolean;
  open: (variant: Variant) => Action;
  /** The choice by which the run continues. */
  yes: string;
  cells: Record<'no' | 'edit first' | 'the plan is changed meanwhile', (gate: Action, variant: Variant) => void>;
  crew?: typeof CREW;
}

const execute = (variant: Variant, flags: string, crew = CREW, more: Acceptance[] = []): Action => {
  generatePlan(project, planOf(variant, more), RUN);
  const standIn = agent(crew);
  return standIn.drive(standIn.execute(flags));
};

/** Checks that a second attempt begins, and that its worker's prompt contains `what`. */
function workerReads(next: Action, what: string): void {
  expect(next.tasks).toMatchObject([{ substep: 'worker', attempt: 2 }]);
  expect(text(next.tasks?.[0]?.promptFile ?? '')).toContain(what);
}

function endsWell(next: Action): void {
  expect(next.action).not.toBe('wait-for-user');
  expect(agent().drive(next)).toMatchObject({ outcome: 'completed' });
}

/** Checks that after a no to the changed plan, the execution keeps its plan and the gate repeats its question. */
function standsForThePlanAtWork(yes: string, crew = CREW): Gate['cells']['no'] {
  return (gate, variant) => {
    changePlan(otherPlan(variant));
    const { exit, stdout } = agent(crew).run(`dev-cli approve ${RUN}`, { typed: ['no', yes, WHY] });
    expect(exit, stdout).toBe(0);
    expect(stdout).toContain('is carrying out its plan, and plan-content.json changes it');
    expect(pending().actionId).not.toBe(gate.actionId);
    expect(titleAtWork()).toBe('The plan as it was');
  };
}

const asksAboutTheOther =
  (yes: string): Gate['cells']['no'] =>
  (gate, variant) => {
    changePlan(otherPlan(variant));
    const { exit, stdout } = agent().run(`dev-cli approve ${RUN}`, { typed: [yes] });
    expect(exit, stdout).toBe(0);
    expect(stdout).toMatch(/What changed since[\s\S]*Another/);
    const next = pending();
    expect(next.actionId).not.toBe(gate.actionId);
    expect(next.action).not.toBe('wait-for-user');
    expect(text(`.dev/specs/${RUN}/PLAN.md`)).toContain('Another plan');
    expect(titleAtWork() ?? 'Another plan').toBe('Another plan');
  };

const GATES: Gate[] = [
  {
    title: 'approve the plan',
    open: (variant) => planned(planOf(variant)),
    yes: 'yes-please',
    cells: {
      no: (gate) => {
        leadsBack(decide(gate, 'no'), 'sign-off');
        asksFirst();
      },
      'edit first': (gate, variant) => {
        const write = decide(gate, 'change');
        expect(write.block).toBe('plan');
        expect(text(write.read?.find((path) => path.endsWith('note.md')) ?? '')).toContain(WHY);
        writeProjectFile(project, write.data?.write ?? '', JSON.stringify(otherPlan(variant)));
        const again = nextOf(runPrinted(project, write.ack ?? '').json);
        expect(again).toMatchObject({ block: 'sign-off', human: 'required' });
        asksFirst();
      },
      'the plan is changed meanwhile': asksAboutTheOther('yes-please'),
    },
  },
  {
    title: 'approve the plan of an execution',
    open: (variant) => {
      planned(planOf(variant));
      return nextOf(devCli(project, ['init', RUN, '--execute', '--force']).json);
    },
    yes: 'approve',
    cells: {
      no: (gate) => {
        const done = decide(gate, 'stop');
        expect(done.instruction).toContain('the plan was not approved');
        leadsBack(done, 'execution-engine');
        asksFirst();
      },
      'edit first': (gate) => {
        const done = decide(gate, 'revise');
        leadsBack(done, 'execution-engine');
        expect(devCli(project, ['history', RUN]).stdout).toContain(WHY);
        asksFirst();
      },
      'the plan is changed meanwhile': asksAboutTheOther('approve'),
    },
  },
  {
    title: 'approve commands',
    only: true,
    open: (variant) => execute(variant, '--execute'),
    yes: 'approve',
    cells: {
      no: (gate) => {
        leadsBack(decide(gate, 'stop'), 'execution-engine');
        expect(existsSync(join(project.root, RAN))).toBe(false);
      },
      'edit first': (gate) => {
        const done = decide(gate, 'stop');
        changePlan({ ...smallPlan(), todos: [bareTodo('todo-1', { acceptance: [command('other words')] })] });
        const again = nextOf(runPrinted(project, done.resume ?? '').json);
        expect(again.message).toContain('"echo other words > made/ran.txt"');
        expect(again.message).not.toContain('ran it');
      },
      'the plan is changed meanwhile': (gate, variant) => {
        asksAboutTheOther('approve')(gate, variant);
        changePlan({
          ...smallPlan(),
          todos: [bareTodo('todo-1', { acceptance: [{ ...command(), timeout: 900 } as Acceptance] })],
        });
        const anew = nextOf(devCli(project, ['init', RUN, '--execute', '--force']).json);
        expect(anew).toMatchObject({ action: 'wait-for-user', human: 'required' });
        expect(anew.message).toContain('(for up to 900 s)');
      },
    },
  },
  {
    title: 'judge a criterion',
    open: (variant) => execute(variant, '--execute --set approve_commands=auto', CREW, [HUMAN]),
    yes: 'pass',
    cells: {
      no: (gate) => workerReads(decide(gate, 'fail'), WHY),
      'edit first': (gate) => {
        writeProjectFile(project, 'made/todo-1.txt', 'put right by hand\n');
        endsWell(decide(gate, 'pass'));
        expect(text(`.dev/specs/${RUN}/report.md`)).toContain('holds, as a person judged');
      },
      'the plan is changed meanwhile': standsForThePlanAtWork('pass'),
    },
  },
  {
    title: "a worker's question",
    open: (variant) => execute(variant, '--execute --set approve_commands=auto', ASKING),
    yes: 'answer',
    crew: ASKING,
    cells: {
      no: (gate) => {
        const done = decide(gate, 'halt');
        expect(done).toMatchObject({ outcome: 'halted', failed: [{ id: 'todo-1' }] });
      },
      'edit first': (gate) => {
        const next = decide(gate, 'answer');
        workerReads(next, WHY);
        endsWell(next);
      },
      'the plan is changed meanwhile': standsForThePlanAtWork('answer', ASKING),
    },
  },
  {
    title: "a recipe's own",
    open: (variant) => {
      const recipe = writeRecipe(
        project,
        'careful',
        'name: careful\ntype: engine\nskill: execute\nconfig: { depth: standard, policies: { max_retries: 1 } }\nhandlers:\n  look_at_it: { actor: human, message: "May it stay?", after: verify }\n',
      );
      return execute(variant, `--recipe ${recipe} --set approve_commands=auto`);
    },
    yes: 'approve',
    cells: {
      no: (gate) => workerReads(decide(gate, 'reject'), WHY),
      'edit first': (gate) => {
        writeProjectFile(project, 'made/todo-1.txt', 'put right by hand\n');
        endsWell(decide(gate, 'approve'));
      },
      'the plan is changed meanwhile': standsForThePlanAtWork('approve'),
    },
  },
];

const skipped = findTerminal() === null;
const suffix = skipped ? ` (skipped: ${NO_TERMINAL})` : '';

const CASES = GATES.flatMap((gate) =>
  [true, false]
    .filter((commands) => gate.only === undefined || gate.only === commands)
    .map((commands) => ({
      ...gate,
      name: `${gate.title}, ${commands ? 'with' : 'without'} commands`,
      variant: { commands },
    })),
);

describe.skipIf(skipped).each(CASES)(`$name${suffix}`, { timeout: 60_000 }, ({ open, yes, cells, variant, crew }) => {
  it.each(Object.entries(cells))('%s', (_what, cell) => {
    const gate = open(variant);
    expect(gate).toMatchObject({ action: 'wait-for-user', human: 'required', answer: `dev-cli approve ${RUN}` });
    cell(gate, variant);
  });

  it('leave, and come back in another session', () => {
    const gate = open(variant);
    const image = imageOf(project);
    expect(pending()).toEqual(gate);
    for (const { id } of gate.choices ?? []) {
      const taken = devCli(project, [
        'step',
        'complete',
        RUN,
        '--action',
        gate.actionId,
        '--choice',
        id,
        '--note',
        WHY,
      ]);
      expect([taken.code, taken.json.error?.code]).toEqual([3, 'HUMAN_REQUIRED']);
    }
    expect(devCli(project, ['manifest', RUN]).stdout).toContain('only the user answers it');
    expect(imageOf(project)).toEqual(image);
    const answered = agent(crew).run('dev-cli approve', { typed: [yes, WHY] });
    expect(answered.exit, answered.stdout).toBe(0);
    expect(pending().actionId).not.toBe(gate.actionId);
  });

  it('answer late', () => {
    open(variant);
    devCli(project, ['abort', RUN, '--reason', 'no longer wanted']);
    const image = imageOf(project);
    expect(refusedAt(yes)).toContain('DATA_UNEXPECTED');
    expect(imageOf(project)).toEqual(image);
  });
});

it('nobody is asked about commands where there are none', () => {
  const first = execute({ commands: false }, '--execute');
  expect(first).toMatchObject({ done: true, outcome: 'completed' });
  expect(text(`.dev/specs/${RUN}/report.md`)).toMatch(/the plan: by nobody[^\n]*\n- its commands: by nobody/);
});

it('a plan refused when it was to be carried out: `instead` plans it anew, at its size and with the reason', () => {
  planned({ ...planOf({ commands: true }), size: 'middle' });
  const gate = nextOf(devCli(project, ['init', RUN, '--execute', '--force']).json);
  const done = decide(gate, 'revise') as Action & { instead?: string };
  expect(done.instead).toBe(`dev-cli init ${RUN} --size middle`);
  expect(nextOf(runPrinted(project, done.instead ?? '').json).block).toBe('classify-intent');
  expect(text(`.dev/specs/${RUN}/DRAFT.md`)).toContain(`- At approvePlan: ${WHY} (user)`);
});

/** Gates that the agent answers after asking the user. */
const CONFIRM = `
  - id: decision-confirm
    type: wait-for-user
    message: Are these the decisions?
    choices:
      - { id: confirm, label: yes, goto: next }
      - { id: revise, label: no, goto: think, reason: required }
      - { id: stop, label: stop, goto: halt }
`;
const BOUND = `
  - id: talk
    type: llm-loop
    instruction: Ask the user.
    asks: user
    save: dev-cli draft update {name}
    sections: [boundaries, criteria]
    exitCheck: dev-cli draft validate {name}
    maxRounds: 1
`;

const AGENTS_GATES = [
  {
    title: 'confirm decisions',
    yes: 'confirm',
    back: 'revise',
    to: 'think',
    open: () => {
      const recipe = tiny(project, 'confirming', [PLAIN_BLOCK, CONFIRM, PLAIN_BLOCK.replace('think', 'last')]);
      const think = nextOf(devCli(project, ['init', RUN, '--recipe', recipe, '--goal', 'Add JWT auth']).json);
      return nextOf(runPrinted(project, think.ack ?? '').json);
    },
  },
  {
    title: 'rounds used up',
    yes: 'continue',
    back: 'more',
    to: 'talk',
    open: () => {
      const recipe = tiny(project, 'bounded', [BOUND, PLAIN_BLOCK], 'draft: { required: [boundaries, criteria] }\n');
      let action = nextOf(devCli(project, ['init', RUN, '--recipe', recipe, '--goal', 'Add JWT auth']).json);
      // Only a round that adds nothing to the draft counts, so the same text is handed in twice.
      for (let round = 1; round <= 2; round += 1) {
        writeProjectFile(project, action.data?.write ?? '', '## boundaries\n\n- None.\n');
        action = nextOf(runPrinted(project, action.ack ?? '').json);
      }
      return action;
    },
  },
];

describe.each(AGENTS_GATES)('$title', { timeout: 60_000 }, ({ yes, back, to, open }) => {
  const choose = (gate: Action, id: string) => {
    const ack = gate.choices?.find((choice) => choice.id === id)?.ack ?? '';
    for (const [, path = ''] of ack.matchAll(/@(\S+)/g)) writeProjectFile(project, path, WHY);
    return runPrinted(project, ack);
  };

  it('no', () => {
    const done = nextOf(choose(open(), 'stop').json);
    expect(done).toMatchObject({ done: true, outcome: 'halted' });
    expect(nextOf(runPrinted(project, done.resume ?? '').json).done).toBeUndefined();
  });

  it('edit first', () => {
    const next = nextOf(choose(open(), back).json);
    expect(next.block).toBe(to);
    if (back === 'revise') expect(next.read?.some((path) => text(path).includes(WHY))).toBe(true);
  });

  it('leave, and come back in another session', () => {
    const gate = open();
    expect(pending()).toEqual(gate);
    expect(gate.answer).toBeUndefined();
    expect(choose(gate, yes).code).toBe(0);
  });

  it('answer late', () => {
    const gate = open();
    devCli(project, ['abort', RUN, '--reason', 'no longer wanted']);
    expect(choose(gate, yes).code).toBe(4);
  });

  it('the plan is changed meanwhile', () => {
    const gate = open();
    changePlan(otherPlan({ commands: true }));
    expect(choose(gate, yes).code).toBe(0);
    expect(pending().action).not.toBe('wait-for-user');
  });
});
