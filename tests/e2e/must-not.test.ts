import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunEngine } from '../../src/run/engine.js';
import { type Action, StandIn } from '../support/agent.mjs';
import { devCli, journalOf, stateOf, writeProjectFile } from '../support/cli.js';
import { simpleCrew, type Task } from '../support/crew.mjs';
import { project, useProject } from '../support/each-project.js';
import { commitsOf, generatePlan, RUN, reportOf } from '../support/executing.js';
import { bareTodo, smallPlan } from '../support/small.mjs';

/** What follows if a verifier reports a violated must-not; three reports once ended a real run (engine.md, Triage). */

const LONG = { timeout: 240_000 };
const RULE = 'Change the changelog.';
const RULING =
  'The changelog may be changed here: the release notes are part of this work.\n\nNothing else of it moves.';

useProject();

/** todo-2 depends on todo-1, which has a must-not; todo-3 is independent. */
const plan = () => ({
  ...smallPlan(),
  todos: [
    bareTodo('todo-1', { mustNotDo: [RULE], acceptance: [{ id: 'as-1', kind: 'assertion', text: 'It is there.' }] }),
    bareTodo('todo-2', { dependsOn: ['todo-1'], acceptance: [present('todo-2')] }),
    bareTodo('todo-3', { acceptance: [present('todo-3')] }),
  ],
});
const present = (id: string) => ({ id: 'ac-1', kind: 'command' as const, run: ['test', '-f', `made/${id}.txt`] });

/**
 * Returns a crew whose verifier reports todo-1's must-not as violated when `broken` says so. Also returns the prompts
 * that the crew has received, by task.
 */
function crewOf(broken: (task: Task, prompt: string) => boolean) {
  const prompts: Record<string, string> = {};
  const content = simpleCrew();
  const crew = simpleCrew({
    worker(task, root) {
      prompts[`${task.todoId}/worker ${task.attempt}`] = readFileSync(join(root, task.promptFile), 'utf8');
      return content.worker(task, root);
    },
    judge(task, root, prompt) {
      prompts[`${task.todoId}/${task.substep} ${task.attempt}`] = prompt;
      const good = content.judge(task, root, prompt) as { mustNotDoViolations: object[] };
      if (task.todoId !== 'todo-1' || !broken(task, prompt)) return good;
      const violated = { rule: RULE, violated: true, evidence: `CHANGELOG.md:3 has a line of attempt ${task.attempt}` };
      return { ...good, status: 'FAILED', mustNotDoViolations: [violated] };
    },
    review(root, prompt) {
      return content.review(root, prompt);
    },
  });
  return { crew, prompts };
}

function drive(crew: ReturnType<typeof crewOf>['crew'], first?: Action): { agent: StandIn; done: Action } {
  const agent = new StandIn({ project, crew });
  return { agent, done: agent.drive(first ?? agent.execute('--execute --autopilot')) };
}

const todosOf = () => (stateOf(project, RUN) as unknown as { engine: RunEngine }).engine.todos;
/** Returns the path of the file from which a printed command reads its note. */
const fileOf = (command: string) => /--note @(\S+)/.exec(command)?.[1] ?? '';

describe('a must-not that a verifier finds violated', LONG, () => {
  it('fails the attempt; the next one is told why, and the run comes to its end', () => {
    generatePlan(project, plan());
    const { crew, prompts } = crewOf(({ attempt }) => attempt <= 2);
    const { done } = drive(crew);
    expect(done).toMatchObject({ outcome: 'completed', failed: [] });
    expect(todosOf()['todo-1']).toMatchObject({ attempt: 3, retries: 2 });
    expect(prompts['todo-1/worker 2']).toContain(`must not be done: ${RULE}: CHANGELOG.md:3 has a line of attempt 1`);
    expect(prompts['todo-1/worker 3']).toContain('CHANGELOG.md:3 has a line of attempt 2');
    expect(prompts['todo-1/verify 1']).toMatch(
      /## What your words do\n[\s\S]*`violated: true`.*\(3 attempts are left\)/,
    );
    expect(prompts['todo-1/verify 3']).toContain('(one attempt is left)');
    expect(
      commitsOf(project)
        .map(({ todo }) => todo)
        .sort(),
    ).toEqual(['todo-1', 'todo-2', 'todo-3']);
  });

  it('at every attempt: its todo fails, what is independent is committed, and a ruling leads on to the end', () => {
    generatePlan(project, plan());
    const { crew, prompts } = crewOf((_task, prompt) => !prompt.includes(RULING.slice(0, 40)));
    const { agent, done } = drive(crew);
    expect(done).toMatchObject({ outcome: 'halted', failed: [{ id: 'todo-1' }] });
    const todos = todosOf();
    expect(Object.values(todos).map(({ id, status }) => `${id} ${status}`)).toEqual([
      'todo-1 failed',
      'todo-2 pending',
      'todo-3 done',
    ]);
    expect(todos['todo-1']).toMatchObject({ attempt: 4, retries: 3 });
    expect(commitsOf(project).map(({ todo }) => todo)).toEqual(['todo-3']);
    expect(prompts['todo-1/verify 4']).toContain('this attempt fails; it was the last, so the todo fails');

    const report = reportOf(project);
    expect(report).toContain(
      `- todo-1: must not be done: ${RULE}: CHANGELOG.md:3 has a line of attempt 4 (after 3 retries); blocks todo-2`,
    );
    const { resume = '', ruling = '' } = done as Action & { ruling?: string };
    expect(resume).toBe(`dev-cli step invalidate ${RUN} --step todo-1`);
    for (const command of [resume, ruling]) expect(report).toContain(`\`${command}\``);

    // The printed command is refused and changes nothing, because the file with its text does not exist yet.
    const before = stateOf(project, RUN);
    expect(agent.run(ruling).exit).toBe(2);
    expect(stateOf(project, RUN)).toEqual(before);
    writeProjectFile(project, fileOf(ruling), RULING);
    const reopened = agent.run(ruling);
    expect(reopened.exit, reopened.stdout).toBe(0);
    const { done: end } = drive(crew, reopened.answer?.next);
    expect(end).toMatchObject({ outcome: 'completed' });

    for (const prompt of [prompts['todo-1/worker 5'], prompts['todo-1/verify 5']]) {
      expect(prompt).toContain('## A ruling on this todo');
      expect(prompt).toContain(RULING);
    }
    expect(prompts['todo-1/worker 5']).toContain('CHANGELOG.md:3 has a line of attempt 4');
    expect(prompts['todo-2/worker 1']).not.toContain('A ruling on this todo');
    expect(commitsOf(project).map(({ todo }) => todo)).toEqual(['todo-3', 'todo-1', 'todo-2']);
    expect(reportOf(project)).toContain('ruling on todo-1: The changelog may be changed here');
    const entry = journalOf(project, RUN).find(({ type }) => type === 'invalidated');
    expect(entry?.data).toMatchObject({ todoId: 'todo-1', note: RULING });
    expect(devCli(project, ['history', RUN]).stdout).toContain('todo-1 reopened, with the ruling');
  });

  it('a ruling stays for all later attempts of its todo', () => {
    generatePlan(project, plan());
    let ruled = 0;
    const { crew, prompts } = crewOf((_task, prompt) => {
      if (prompt.includes('## A ruling on this todo')) ruled += 1;
      return ruled !== 2;
    });
    const { agent, done } = drive(crew);
    const { ruling = '' } = done as Action & { ruling?: string };
    writeProjectFile(project, fileOf(ruling), RULING);
    expect(drive(crew, agent.run(ruling).answer?.next).done.outcome).toBe('completed');
    expect(prompts['todo-1/worker 6']).toContain(RULING);
    expect(prompts['todo-1/verify 6']).toContain(RULING);
  });

  it('halts its todo at once where the recipe says so, and says so to the verifier', () => {
    const strict = 'name: strict\ntype: engine\nconfig: { policies: { must_not: halt } }\n';
    writeProjectFile(project, '.dev/recipes/strict.yaml', strict);
    generatePlan(project, plan());
    const { crew, prompts } = crewOf(() => true);
    const { done } = drive(crew, new StandIn({ project }).execute('--recipe strict --autopilot'));
    expect(done.outcome).toBe('halted');
    expect(todosOf()['todo-1']).toMatchObject({ status: 'failed', attempt: 1, retries: 0 });
    expect(commitsOf(project).map(({ todo }) => todo)).toEqual(['todo-3']);
    expect(prompts['todo-1/verify 1']).toMatch(/`violated: true`, a side effect .*: this todo fails at once/);
  });
});

describe('must-nots that the code review judges', LONG, () => {
  it('stand once each, those with paths not at all', () => {
    const moved = 'Touch the lock file.';
    const judged = (id: string, more: string[]) =>
      bareTodo(id, {
        mustNotDo: [RULE, moved, ...more],
        acceptance: [present(id), { id: 'as-1', kind: 'assertion', text: 'It is there.' }],
      });
    const { objectives, ...head } = smallPlan() as ReturnType<typeof smallPlan> & { objectives: object };
    generatePlan(project, {
      ...head,
      size: 'middle',
      objectives: { ...objectives, mustNotDo: [RULE, { text: moved, paths: ['package-lock.json'] }] },
      todos: [judged('todo-1', ['Rename it.']), judged('todo-2', [])],
    });
    let asked = '';
    const content = simpleCrew();
    const crew = simpleCrew({
      review(root, prompt) {
        asked = prompt;
        const answer = content.review(root, prompt);
        return {
          ...answer,
          criteria: ['todo-1', 'todo-2'].map((id) => ({ id: `${id}/as-1`, pass: true, evidence: 'x' })),
        };
      },
    });
    expect(drive(crew).done).toMatchObject({ outcome: 'completed' });
    const [, rules = ''] = /^## Must not have been done\n\n([\s\S]*?)\n\n## /m.exec(asked) ?? [];
    expect(rules.split('\n')).toEqual([`- ${RULE}`, '- todo-1: Rename it.']);
  });
});

describe('a must-not with paths', LONG, () => {
  const rule = { text: 'Leave it to todo-1.', paths: ['made/todo-1.txt'] };
  const beside = (first: object) => ({
    ...smallPlan(),
    todos: [
      bareTodo('todo-1', { acceptance: [present('todo-1')], ...first }),
      bareTodo('todo-2', { mustNotDo: [rule], acceptance: [present('todo-2')] }),
    ],
  });
  const content = simpleCrew();

  it('is not broken by what a todo that failed beside it left in the tree', () => {
    generatePlan(project, beside({}));
    const crew = simpleCrew({
      worker(task, root) {
        const work = content.worker(task, root);
        if (task.todoId !== 'todo-1') return work;
        return { ...work, result: { ...work.result, status: 'BLOCKED', reason: 'it cannot be done' } };
      },
    });
    expect(drive(crew).done).toMatchObject({ outcome: 'halted', failed: [{ id: 'todo-1' }] });
    expect(todosOf()['todo-2']).toMatchObject({ status: 'done', attempt: 1 });
  });

  it('nor by one that has another attempt to make', () => {
    const second = { id: 'ac-1', kind: 'command', run: ['grep', '-q', 'attempt 2', 'made/todo-1.txt'] };
    generatePlan(project, beside({ acceptance: [second] }));
    expect(drive(content).done).toMatchObject({ outcome: 'completed' });
    expect(todosOf()).toMatchObject({ 'todo-1': { attempt: 2 }, 'todo-2': { attempt: 1 } });
  });

  it('is broken by what its own worker changes, listed or not', () => {
    generatePlan(project, {
      ...smallPlan(),
      todos: [bareTodo('todo-2', { mustNotDo: [rule], acceptance: [present('todo-2')] })],
    });
    const crew = simpleCrew({
      worker(task, root) {
        const work = content.worker(task, root);
        return task.attempt > 1 ? work : { ...work, files: { ...work.files, 'made/todo-1.txt': 'not mine\n' } };
      },
    });
    expect(drive(crew).done).toMatchObject({ outcome: 'halted', failed: [{ id: 'todo-2' }] });
    expect(todosOf()['todo-2']?.why).toContain('Leave it to todo-1.: changed made/todo-1.txt');
  });
});

describe('what halts a todo', LONG, () => {
  const failing: [what: string, change: object][] = [
    ['a critical side effect', { sideEffects: [{ description: 'drops the table', severity: 'critical' }] }],
    ['an environment error', { status: 'FAILED', environmentError: 'no database' }],
    [
      'a grave adaptation',
      {
        suggestedAdaptation: {
          reason: 'the schema must change',
          category: 'schema',
          todo: {
            title: 'Change it',
            files: ['db/**'],
            steps: ['Do'],
            acceptance: [{ kind: 'assertion', text: 'So.' }],
          },
        },
      },
    ],
  ];

  it.each(failing)('%s: that todo alone, without a retry; the others go on', (_, change) => {
    generatePlan(project, plan());
    const content = simpleCrew();
    const crew = simpleCrew({
      judge: (task, root, prompt) => ({
        ...content.judge(task, root, prompt),
        ...(task.todoId === 'todo-1' ? change : {}),
      }),
    });
    const { done } = drive(crew);
    expect(done).toMatchObject({ outcome: 'halted', failed: [{ id: 'todo-1' }] });
    const todos = todosOf();
    expect(todos['todo-1']).toMatchObject({ status: 'failed', attempt: 1 });
    expect(todos['todo-2']).toMatchObject({ status: 'pending', attempt: 0 });
    expect(commitsOf(project).map(({ todo }) => todo)).toEqual(['todo-3']);
  });

  it('BLOCKED without needs, of two: each is named, and one command takes both up again', () => {
    generatePlan(project, plan());
    let blocked = true;
    const content = simpleCrew();
    const crew = simpleCrew({
      worker(task, root) {
        if (!blocked || task.todoId === 'todo-2') return content.worker(task, root);
        const result = {
          ...content.worker(task, root).result,
          status: 'BLOCKED',
          reason: `no way with ${task.todoId}`,
        };
        return { files: {}, result };
      },
    });
    const { agent, done } = drive(crew);
    expect(done.resume).toBe(`dev-cli step invalidate ${RUN} --step todo-1,todo-3`);
    const report = reportOf(project);
    for (const id of ['todo-1', 'todo-3']) {
      expect(report).toContain(`- ${id}: no way with ${id}`);
      expect(report).toMatch(new RegExp(`\`dev-cli step invalidate ${RUN} --step ${id} --note @\\S+\``));
    }
    expect(report).toContain(`\`${done.resume}\``);
    blocked = false;
    const reopened = agent.run(done.resume ?? '').answer?.next;
    expect(reopened?.tasks?.map(({ todoId }) => todoId)).toEqual(['todo-1', 'todo-3']);
    expect(drive(crew, reopened).done.outcome).toBe('completed');
  });
});
