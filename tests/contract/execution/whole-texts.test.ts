import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../src/base/limits.js';
import { type Action, StandIn } from '../../support/agent.mjs';
import { devCli, nextOf, runDir, runPrinted, writeProjectFile } from '../../support/cli.js';
import { simpleCrew, type Task } from '../../support/crew.mjs';
import { project, useProject } from '../../support/each-project.js';
import { generatePlan, RUN, reportOf } from '../../support/executing.js';
import { bareTodo, smallPlan } from '../../support/small.mjs';
import { acknowledge, choose, END_BLOCK, GATE_BLOCK, PLAIN_BLOCK, startTiny } from '../../support/tiny.js';

/**
 * No text is cut on its way to the agent or person who acts on it; a text that is too long is refused when it comes in
 * (engine.md, Limits).
 */

useProject();

/** Builds a text of this length that ends with a recognizable mark. */
const long = (characters: number, mark: string) =>
  `${`${'word '.repeat(characters / 5 + 1)}`.slice(0, characters - mark.length - 1)} ${mark}`;
const LONG = { timeout: 120_000 };

/** Builds a plan in which every text has the maximum length. */
function fullPlan() {
  const plan = smallPlan();
  return {
    ...plan,
    context: { ...plan.context, originalRequest: long(LIMITS.freeText, 'END-REQUEST') },
    objectives: { ...plan.objectives, mustNotDo: [long(LIMITS.statement, 'END-PLAN-RULE')] },
    todos: [
      bareTodo('todo-1', {
        title: long(LIMITS.title, 'END-TITLE'),
        outputs: [{ name: 'word', description: long(LIMITS.statement, 'END-OUTPUT') }],
        steps: [long(LIMITS.step, 'END-STEP')],
        mustNotDo: [long(LIMITS.statement, 'END-RULE')],
        references: [long(LIMITS.statement, 'END-REFERENCE')],
        acceptance: [
          { id: 'as-1', kind: 'assertion', text: long(LIMITS.statement, 'END-ASSERTION') },
          { id: 'ac-1', kind: 'command', run: ['sh', '-c', 'true', long(LIMITS.argument, 'END-ARGUMENT')] },
        ],
      }),
    ],
  };
}

const WHOLE = ['REQUEST', 'TITLE', 'STEP', 'RULE', 'PLAN-RULE', 'REFERENCE', 'ASSERTION', 'ARGUMENT', 'OUTPUT'];
const JUDGED = ['REQUEST', 'TITLE', 'RULE', 'PLAN-RULE', 'ASSERTION', 'ARGUMENT'];
const ends = (names: string[]) => names.map((name) => `END-${name}`);

describe('what somebody has to act on', LONG, () => {
  it('reaches worker, verifier, reviewer, the next attempt and the fix as it was written', () => {
    generatePlan(project, fullPlan());
    const prompts: Record<string, string> = {};
    const content = simpleCrew({}, { outputs: { word: 'said' } });
    const kept = (task: Task, root: string) => {
      const prompt = readFileSync(join(root, task.promptFile), 'utf8');
      prompts[`${task.todoId}/${task.substep} ${task.attempt}`] = prompt;
      return prompt;
    };
    let reviews = 0;
    const crew = simpleCrew({
      worker(task, root) {
        kept(task, root);
        return content.worker(task, root);
      },
      judge(task, root, prompt) {
        kept(task, root);
        const good = content.judge(task, root, prompt) as { criteria: object[] };
        if (task.todoId !== 'todo-1' || task.attempt > 1) return good;
        const seen = long(LIMITS.step, 'END-EVIDENCE');
        return { ...good, status: 'FAILED', criteria: [{ id: 'as-1', pass: false, evidence: seen }] };
      },
      review(root, prompt) {
        reviews += 1;
        const described = long(LIMITS.step, 'END-FINDING');
        const issue = { file: 'made/todo-1.txt', line: 1, severity: 'major', description: described };
        const ship = content.review(root, prompt);
        return reviews === 1 ? { ...ship, verdict: 'NEEDS_FIXES', issues: [issue] } : ship;
      },
    });
    const noteReview = (action: Action) => {
      for (const task of action.tasks ?? []) if (task.todoId === null) kept(task, project.root);
    };
    const agent = new StandIn({ project, crew, scenario: { before: noteReview } });
    expect(agent.drive(agent.execute('--execute --autopilot')).outcome).toBe('completed');

    for (const end of ends(WHOLE)) expect(prompts['todo-1/worker 1']).toContain(end);
    for (const end of [...ends(WHOLE), 'END-EVIDENCE']) expect(prompts['todo-1/worker 2']).toContain(end);
    for (const end of ends(JUDGED)) expect(prompts['todo-1/verify 1']).toContain(end);
    for (const end of ends(['REQUEST', 'PLAN-RULE'])) expect(prompts['null/codeReview 1']).toContain(end);
    expect(prompts['fix-r1-1/worker 1']).toContain('END-FINDING');
    expect(prompts['fix-r1-1/verify 1']).toContain('END-FINDING');
    for (const prompt of Object.values(prompts)) expect(prompt).not.toContain('[cut after');
  });

  it('keeps the blanks of code and of arguments: in PLAN.md, in prompts, in the report', () => {
    const plan = smallPlan();
    const [wide, narrow] = ['`(default 3000)  (env PORT)`', '(default 3000) (env PORT)'];
    generatePlan(project, {
      ...plan,
      objectives: { ...plan.objectives, core: `It prints  ${wide}`, mustNotDo: [`Change ${wide}`] },
      decisions: [{ text: `Print ${wide}`, by: 'user' }],
      todos: [
        bareTodo('todo-1', {
          title: `Print ${wide}`,
          files: ['made/todo-1.txt', 'made/a  b.txt'],
          steps: [`Write ${wide}`],
          acceptance: [
            { id: 'as-1', kind: 'assertion', text: `It prints ${wide}` },
            { id: 'ac-1', kind: 'command', run: ['echo', 'c  d'], expect: { exitCode: 0, stdoutContains: 'c  d' } },
          ],
        }),
      ],
    });
    const texts = [readFileSync(join(runDir(project, RUN), 'PLAN.md'), 'utf8')];
    const before = (action: Action) => {
      for (const { promptFile } of action.tasks ?? []) texts.push(readFileSync(join(project.root, promptFile), 'utf8'));
    };
    const agent = new StandIn({ project, crew: simpleCrew(), scenario: { before } });
    expect(agent.drive(agent.execute('--execute --autopilot')).outcome).toBe('completed');
    texts.push(reportOf(project));
    const [planMd, worker, verifier] = texts;
    for (const text of texts) expect(text).not.toContain(narrow);
    for (const text of texts) expect(text).toContain(wide);
    for (const text of [planMd, worker, verifier]) expect(text).toContain('`made/a  b.txt`');
    for (const text of [planMd, worker]) expect(text).toMatch(/echo "c {2}d".* prints ["`]c {2}d["`]/);
  });

  it('is told whole where the todo fails: reason in the report, the question at the gate and its answer', () => {
    generatePlan(project, {
      ...smallPlan(),
      todos: [bareTodo('todo-1', { acceptance: fullPlan().todos[0]?.acceptance.slice(0, 1) ?? [] })],
    });
    const first = new StandIn({ project }).execute('--execute --autopilot');
    const task = first.tasks?.[0];
    const result = { outputs: {}, filesChanged: [], learnings: [], issues: [], summary: 'None.' };
    const blocked = { ...result, status: 'BLOCKED', reason: long(LIMITS.step, 'END-REASON') };
    writeProjectFile(project, task?.output ?? '', JSON.stringify(blocked));
    const halted = nextOf(runPrinted(project, first.ack ?? '').json);
    expect(halted.outcome).toBe('halted');
    expect(reportOf(project)).toMatch(/## Failed\n\n- todo-1: word .* END-REASON\n/);
    const again = nextOf(runPrinted(project, halted.resume ?? '').json);
    expect(readFileSync(join(project.root, again.tasks?.[0]?.promptFile ?? ''), 'utf8')).toContain('END-REASON');
  });

  it('a value too large for a prompt file is named by its place', () => {
    const from = '${todo-1.outputs.word}';
    generatePlan(project, {
      ...smallPlan(),
      todos: [
        bareTodo('todo-1', {
          outputs: [{ name: 'word', description: 'much' }],
          acceptance: [{ id: 'ac-1', kind: 'command', run: ['true'] }],
        }),
        bareTodo('todo-2', {
          inputs: [{ name: 'much', from }],
          steps: [`Take ${from}`],
          acceptance: [{ id: 'ac-1', kind: 'command', run: ['true'] }],
        }),
      ],
    });
    const value = long(50_000, 'END-VALUE');
    let prompt = '';
    const content = simpleCrew({}, { outputs: { word: value } });
    const crew = simpleCrew({
      worker(task, root) {
        if (task.todoId === 'todo-2') prompt = readFileSync(join(root, task.promptFile), 'utf8');
        return content.worker(task, root);
      },
    });
    const agent = new StandIn({ project, crew });
    expect(agent.drive(agent.execute('--execute --autopilot')).outcome).toBe('completed');
    const outputs = join(runDir(project, RUN), 'context/outputs.json');
    const place = `(50000 characters: \`todo-1\`, \`word\` in ${outputs})`;
    expect(prompt).toContain(`1. Take ${place}`);
    expect(prompt).toContain(`"much": "${place}"`);
    expect(prompt.length).toBeLessThan(20_000);
    expect(JSON.parse(readFileSync(outputs, 'utf8'))).toMatchObject({ 'todo-1': { word: value } });
  });
});

describe('what is too long', LONG, () => {
  const places: [pointer: string, limit: number, put: (plan: ReturnType<typeof fullPlan>, text: string) => void][] = [
    [
      '/context/originalRequest',
      LIMITS.freeText,
      (plan, text) => Object.assign(plan.context, { originalRequest: text }),
    ],
    [
      '/objectives/mustNotDo/0',
      LIMITS.statement,
      (plan, text) => Object.assign(plan.objectives, { mustNotDo: [text] }),
    ],
    ['/todos/0/title', LIMITS.title, (plan, text) => Object.assign(plan.todos[0] ?? {}, { title: text })],
    ['/todos/0/steps/0', LIMITS.step, (plan, text) => Object.assign(plan.todos[0] ?? {}, { steps: [text] })],
    ['/todos/0/files/0', LIMITS.path, (plan, text) => Object.assign(plan.todos[0] ?? {}, { files: [text] })],
    [
      '/todos/0/mustNotDo/0',
      LIMITS.statement,
      (plan, text) => Object.assign(plan.todos[0] ?? {}, { mustNotDo: [text] }),
    ],
    [
      '/todos/0/acceptance/0/text',
      LIMITS.statement,
      (plan, text) => Object.assign(plan.todos[0]?.acceptance[0] ?? {}, { text }),
    ],
    [
      '/todos/0/acceptance/1/run/3',
      LIMITS.argument,
      (plan, text) => Object.assign(plan.todos[0]?.acceptance[1] ?? {}, { run: ['sh', '-c', 'true', text] }),
    ],
  ];

  it('in a plan is refused with every place and its limit, by validate and by generate', () => {
    const plan = fullPlan();
    for (const [, limit, put] of places) put(plan, long(limit + 1, 'END'));
    writeProjectFile(project, 'plan.json', JSON.stringify(plan));
    const validated = devCli(project, ['plan', 'validate', 'work', '--data', '@plan.json', '--json']);
    expect(validated.code).toBe(3);
    const told = places.map(([pointer, limit]) => ({
      pointer,
      problem: `has ${limit + 1} characters; at most ${limit}`,
    }));
    expect((validated.json as { findings?: object[] }).findings).toEqual(
      expect.arrayContaining(told.map((finding) => expect.objectContaining(finding))),
    );
    const generated = devCli(project, ['plan', 'generate', 'work', '--data', '@plan.json']);
    expect([generated.code, generated.json.error?.code]).toEqual([3, 'SCHEMA_INVALID']);
    expect(generated.json.error?.details).toEqual(
      expect.arrayContaining(told.map((finding) => expect.objectContaining(finding))),
    );
    expect(existsSync(join(runDir(project, 'work'), 'PLAN.md'))).toBe(false);
  });

  it('as a goal, reason or ruling is refused and changes nothing; the longest goal reaches the planner whole', () => {
    writeProjectFile(project, 'goal.md', long(LIMITS.freeText + 1, 'END-GOAL'));
    const refused = devCli(project, ['init', 'work', '--goal', '@goal.md']);
    expect([refused.code, refused.json.error?.code]).toEqual([2, 'DATA_MALFORMED']);
    expect(refused.json.error?.message).toBe(
      `--goal has ${LIMITS.freeText + 1} characters; at most ${LIMITS.freeText}.`,
    );
    expect(existsSync(runDir(project, 'work'))).toBe(false);
    writeProjectFile(project, 'goal.md', long(LIMITS.freeText, 'END-GOAL'));
    const begun = devCli(project, ['init', 'work', '--quick', '--autopilot', '--goal', '@goal.md']);
    expect(begun.code, begun.stdout).toBe(0);
    const next = nextOf(choose(project, nextOf(begun.json), 'Feature').json);
    const prompts = (next.agents ?? []).map(({ promptFile }) => readFileSync(join(project.root, promptFile), 'utf8'));
    expect(prompts).not.toEqual([]);
    for (const prompt of prompts) expect(prompt).toContain('END-GOAL');
  });

  it('in a result is refused with the limit, and burns no retry', () => {
    generatePlan(project, fullPlan());
    const first = new StandIn({ project }).execute('--execute --autopilot');
    const task = first.tasks?.[0];
    const lines = (count: number, length: number) => Array.from({ length: count }, () => long(length, 'END'));
    writeProjectFile(
      project,
      task?.output ?? '',
      JSON.stringify({
        status: 'BLOCKED',
        outputs: {},
        filesChanged: [],
        learnings: lines(13, 20),
        issues: lines(1, LIMITS.note + 1),
        summary: long(LIMITS.statement + 1, 'END'),
        reason: long(LIMITS.step + 1, 'END'),
      }),
    );
    const refused = runPrinted(project, task?.ack ?? '');
    expect([refused.code, refused.json.error?.code]).toEqual([3, 'SCHEMA_INVALID']);
    expect(refused.json.error?.details).toEqual(
      expect.arrayContaining(
        [
          { pointer: '/learnings', problem: 'has 13 entries; at most 12' },
          { pointer: '/issues/0', problem: 'has 1001 characters; at most 1000' },
          { pointer: '/summary', problem: 'has 2001 characters; at most 2000' },
          { pointer: '/reason', problem: 'has 4001 characters; at most 4000' },
        ].map((detail) => expect.objectContaining(detail)),
      ),
    );
    expect(nextOf({ next: JSON.parse(devCli(project, ['next', RUN]).stdout) }).tasks?.[0]?.attempt).toBe(1);
  });
});

describe('a ruling on a block', () => {
  it('is a file that its next action says to read; the same call again changes nothing, another ruling does', () => {
    const first = startTiny(project, [PLAIN_BLOCK, GATE_BLOCK, END_BLOCK]);
    const gate = first.action === 'wait-for-user' ? first : nextOf(acknowledge(project, first).json);
    const halted = nextOf(choose(project, gate, 'stop').json) as Action & { ruling?: string };
    const file = /--note @(\S+)/.exec(halted.ruling ?? '')?.[1] ?? '';
    writeProjectFile(project, file, 'Ask about the price, too.\n');
    const reopened = runPrinted(project, halted.ruling ?? '');
    expect(reopened.code, reopened.stdout).toBe(0);
    const [read = ''] = nextOf(reopened.json).read ?? [];
    expect(readFileSync(join(project.root, read), 'utf8')).toBe('Ask about the price, too.');
    expect(runPrinted(project, halted.ruling ?? '').json).toMatchObject({ duplicate: true });
    writeProjectFile(project, file, 'No: ask about nothing.\n');
    const other = runPrinted(project, halted.ruling ?? '').json;
    expect(other.duplicate).toBeUndefined();
    expect(readFileSync(join(project.root, nextOf(other).read?.[0] ?? ''), 'utf8')).toBe('No: ask about nothing.');
  });

  it('takes todos together and a block alone, and says so', () => {
    generatePlan(project);
    new StandIn({ project }).execute('--execute --autopilot');
    const said = (step: string, ...more: string[]) =>
      devCli(project, ['step', 'invalidate', RUN, '--step', step, ...more]).json.error;
    expect(said('todo-1,execution-engine')).toMatchObject({
      code: 'USAGE',
      fix: expect.stringMatching(/^Name one block/),
    });
    expect(said('todo-1,todo-9')?.code).toBe('UNKNOWN_BLOCK');
    expect(said('todo-1,')?.code).toBe('UNKNOWN_BLOCK');
    expect(said('todo-1,todo-2')?.code).toBe('NOT_REACHED');
    expect(said('todo-1', '--note', '')?.code).toBe('DATA_MISSING');
    expect(said('todo-1', '--note', 'x'.repeat(LIMITS.freeText + 1))?.code).toBe('DATA_MALFORMED');
  });

  it('of the whole execution is for every todo of it', () => {
    generatePlan(project);
    new StandIn({ project }).execute('--execute --autopilot');
    const ruled = devCli(project, ['step', 'invalidate', RUN, '--step', 'execution-engine', '--note', 'Hurry.']);
    const prompt = nextOf(ruled.json).tasks?.[0]?.promptFile ?? '';
    expect(readFileSync(join(project.root, prompt), 'utf8')).toMatch(/## A ruling on this todo\n[\s\S]*Hurry\./);
  });
});
