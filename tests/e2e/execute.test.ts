import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { aCommand, aPlan, aTodo } from '../core/plan/fixture.js';
import { type Action, StandIn } from '../support/agent.mjs';
import { devCli, journalOf, runDir, runPrinted, stateOf } from '../support/cli.js';
import { planContent } from '../support/content.mjs';
import { type Crew, jwtCrew, simpleCrew, type Task } from '../support/crew.mjs';
import { project, useProject } from '../support/each-project.js';
import { commitsOf, generatePlan, git, RUN, reportOf } from '../support/executing.js';
import { SMALL_CREW, smallPlan } from '../support/small.mjs';
import { findTerminal, NO_TERMINAL } from '../support/terminal.mjs';

/** Executions from a plan to its commits, through the binary (engine.md, Shape). */

const withoutTerminal = findTerminal() === null;
const suffix = withoutTerminal ? ` (skipped: ${NO_TERMINAL})` : '';

/** Long enough for a busy machine. */
const LONG = { timeout: 240_000 };

useProject();

interface Story {
  agent: StandIn;
  done: Action;
  /** Each dispatch's tasks, as `todo/substep`. */
  waves: string[][];
  gates: Action[];
}

function drive(flags: string, crew: Crew, before: (action: Action) => void = () => {}): Story {
  const waves: string[][] = [];
  const gates: Action[] = [];
  const note = (action: Action): void => {
    if (action.tasks !== undefined) waves.push(action.tasks.map(named));
    if (action.action === 'wait-for-user') gates.push(action);
    before(action);
  };
  const agent = new StandIn({ project, crew, scenario: { before: note } });
  return { agent, done: agent.drive(agent.execute(flags)), waves, gates };
}

const named = ({ todoId, substep, attempt }: Task): string =>
  `${todoId ?? 'all'}/${substep}${attempt > 1 ? ` ${attempt}` : ''}`;

const untouched = (): string => git(project, 'status', '--short', '--', ':(exclude).dev');

describe('execute-standard', LONG, () => {
  it('the sample plan: real code, real tests, one of them red at first, a commit for each todo', {
    timeout: 120_000,
  }, () => {
    generatePlan(project, planContent(0));
    const { agent, done, waves } = drive('--execute --autopilot', jwtCrew({ red: true }));

    expect(done).toMatchObject({ done: true, outcome: 'completed', failed: [] });
    expect(waves).toEqual([
      ['todo-1/worker'],
      ['todo-1/verify'],
      ['todo-2/worker', 'todo-3/worker', 'todo-4/worker'],
      ['todo-3/verify', 'todo-4/verify'],
      ['todo-2/worker 2'],
      ['todo-2/verify 2'],
      ['todo-5/worker'],
      ['todo-5/verify'],
      ['all/codeReview'],
    ]);
    expect(agent.calls.filter(({ exit }) => exit !== 0)).toEqual([]);
    const log = readFileSync(join(runDir(project, RUN), redLog()), 'utf8');
    expect(log).toContain('an outsider does not learn which paths exist');

    expect(commitsOf(project).map(({ todo }) => todo)).toEqual(['todo-1', 'todo-3', 'todo-4', 'todo-2', 'todo-5']);
    const { todos } = planContent(0) as { todos: { id: string; files: string[] }[] };
    for (const { todo, paths } of commitsOf(project)) {
      const { files = [] } = todos.find(({ id }) => id === todo) ?? {};
      for (const path of paths) expect(files, `${todo} committed ${path}`).toContain(path);
    }
    expect(commitsOf(project)[0]?.subject).toBe('Verify tokens; refuse to start without a secret');
    expect(untouched()).toBe('');
    expect(readFileSync(join(runDir(project, RUN), 'PLAN.md'), 'utf8')).not.toContain('### [ ]');
    const report = reportOf(project);
    for (const told of [
      '1 retry',
      'todo-2 ac-2: node --test test/api.test.js: exit 0',
      'final verification: ',
      'not judged by a person (autopilot)',
    ])
      expect(report).toContain(told);
  });

  it.skipIf(withoutTerminal)(`all goes well: at most 9 calls and 10,000 bytes of answers${suffix}`, () => {
    generatePlan(project, cheapPlan());
    const { agent, done, gates } = drive('--execute --set approve_commands=auto', jwtCrew());
    expect(done.outcome).toBe('completed');
    expect(gates.map(({ todoId }) => todoId)).toEqual(['todo-5']);
    expect(agent.totals().calls).toBeLessThanOrEqual(9);
    expect(agent.totals().answers).toBeLessThanOrEqual(10_000);
  });

  it('a retry, an added todo, a command that outlasts a call, NEEDS_FIXES: at most 15 calls and 15,000 bytes', () => {
    project.env['DEV_CLI_ANSWER_WITHIN'] = '4';
    generatePlan(project, cheapPlan(['sleep', '5']));
    const { agent, done, waves } = drive(
      '--execute --autopilot',
      jwtCrew({ red: true, adapt: true, needsFixes: true }),
    );
    expect(done.outcome).toBe('completed');
    expect(waves.flat()).toEqual(expect.arrayContaining(['todo-2/worker 2', 'todo-4-d1/worker', 'fix-r1-1/worker']));
    expect(waves.filter(([first]) => first?.startsWith('all/codeReview'))).toHaveLength(2);
    const polls = agent.calls.filter(({ command }) => command.includes(' --wait '));
    expect(polls.length).toBeGreaterThanOrEqual(2);
    // Polls are not counted: an idle machine needs two, which makes 15 calls in all, and a busy one may need a third.
    expect(agent.calls.length - polls.length).toBeLessThanOrEqual(13);
    const pollBytes = polls.slice(2).reduce((bytes, { stdout }) => bytes + Buffer.byteLength(stdout), 0);
    expect(agent.totals().answers - pollBytes).toBeLessThanOrEqual(15_000);
  });
});

/**
 * Returns the sample plan with fast commands. The one of todo-2 fails as long as the crew's planted mistake is there.
 */
function cheapPlan(slow = ['test', '-f', 'README.md']): object {
  const plan = planContent(0) as {
    todos: { id: string; acceptance: { kind: string; run?: string[]; expect?: object }[] }[];
  };
  const runs: Record<string, string[]> = { 'todo-2': ['grep', '-q', 'isPublic', 'src/app.js'], 'todo-5': slow };
  for (const { id, acceptance } of plan.todos) {
    for (const item of acceptance.filter(({ kind }) => kind === 'command')) {
      item.run = runs[id] ?? ['test', '-f', 'package.json'];
      delete item.expect;
    }
  }
  return plan;
}

/** Returns the path of the failed command's log, relative to the run's directory. */
function redLog(): string {
  const finished = journalOf(project, RUN).filter(({ type }) => type === 'command-finished');
  const red = finished.map(({ data }) => data as { exit: number; log: string }).find(({ exit }) => exit !== 0);
  return red?.log ?? 'no command was red';
}

describe('execute-quick', LONG, () => {
  it('carries out without looking: no verifier, no review, no command is run, and the report says so', () => {
    generatePlan(project);
    const { done, waves, gates } = drive('--execute --quick --autopilot', SMALL_CREW);
    expect(done.outcome).toBe('completed');
    expect(gates).toEqual([]);
    expect(waves).toEqual([['todo-1/worker'], ['todo-2/worker', 'todo-3/worker']]);
    expect(journalOf(project, RUN).filter(({ type }) => type === 'command-started')).toEqual([]);
    expect(reportOf(project)).toContain('todo-2: unverified');
    expect(commitsOf(project).map(({ todo }) => todo)).toEqual(['todo-1', 'todo-2', 'todo-3']);
  });

  it('tries nothing twice: what fails keeps back what builds on it, the rest is done, the run halts and can be reopened', () => {
    const plan = smallPlan();
    const todos = plan.todos.with(2, aTodo('todo-3', { files: ['made/todo-3.txt'] }));
    generatePlan(project, { ...plan, todos });
    const giveUp = {
      status: 'BLOCKED',
      outputs: {},
      filesChanged: [],
      learnings: [],
      issues: [],
      summary: 'No.',
      reason: 'no way',
    };
    const blocked = simpleCrew({
      worker: (task, root) =>
        task.todoId === 'todo-1' ? { files: {}, result: giveUp } : SMALL_CREW.worker(task, root),
    });
    const { agent, done } = drive('--execute --quick --autopilot', blocked);
    expect(done).toMatchObject({ outcome: 'halted' });
    expect(JSON.stringify(done)).toContain('no way');
    expect(commitsOf(project).map(({ todo }) => todo)).toEqual(['todo-3']);
    const willing = new StandIn({ project, crew: SMALL_CREW });
    const resumed = agent.run(done.resume ?? '');
    expect(resumed.exit, resumed.stdout).toBe(0);
    expect(willing.drive()).toMatchObject({ outcome: 'completed' });
    expect(commitsOf(project).map(({ todo }) => todo)).toEqual(['todo-3', 'todo-1', 'todo-2']);
  });
});

describe('execute-hardened', LONG, () => {
  const flags = '--recipe execute-hardened --set approve_commands=auto';

  it.skipIf(withoutTerminal)(
    `a security scan of every todo, and a person's yes before a risky one is committed${suffix}`,
    () => {
      generatePlan(project);
      const { done, waves, gates } = drive(flags, SMALL_CREW, (action) => {
        if (action.todoId === 'todo-3') expect(commitsOf(project).map(({ todo }) => todo)).not.toContain('todo-3');
      });
      expect(done.outcome).toBe('completed');
      expect(waves.flat()).toEqual(
        expect.arrayContaining(['todo-1/securityScan', 'todo-2/securityScan 2', 'todo-3/securityScan']),
      );
      expect(gates.map(({ todoId }) => todoId)).toEqual(['todo-3', 'todo-3']);
      expect(gates.map(({ choices }) => choices?.map(({ id }) => id))).toEqual([
        ['pass', 'fail'],
        ['approve', 'reject'],
      ]);
      expect(gates[1]?.message).toContain('high risk');
      expect(commitsOf(project).map(({ todo }) => todo)).toContain('todo-3');
    },
  );

  it.skipIf(withoutTerminal)(`a no sends the todo back with the reason; the scan looks again${suffix}`, () => {
    const plan = aPlan({
      todos: [
        aTodo('todo-3', {
          risk: 'high',
          files: ['made/todo-3.txt'],
          acceptance: [{ id: 'as-1', kind: 'assertion', text: 'It is there.' }],
        }),
      ],
    });
    generatePlan(project, plan);
    let refused = false;
    const agent = new StandIn({ project, crew: SMALL_CREW });
    const prompts: string[] = [];
    let action = agent.execute(flags);
    for (let left = 20; action.done !== true && left > 0; left -= 1) {
      if (!refused && action.choices?.some(({ id }) => id === 'reject') === true) {
        refused = true;
        action = agent.decide(action, 'reject', 'The file says nothing of who may read it.');
      } else {
        for (const { promptFile, substep } of action.tasks ?? [])
          if (substep === 'worker') prompts.push(readFileSync(join(project.root, promptFile), 'utf8'));
        action = agent.step(action);
      }
    }
    expect(action.outcome).toBe('completed');
    expect(prompts).toHaveLength(2);
    expect(prompts[1]).toContain('nothing of who may read it');
    expect(commitsOf(project)).toHaveLength(1);
    expect(git(project, 'show', 'HEAD:made/todo-3.txt')).toBe('attempt 2');
  });

  it('is YAML alone: standard names for what it adds, nothing else', () => {
    const shown = devCli(project, ['recipe', 'show', 'execute-hardened', '--json']);
    expect(shown.stdout).toContain('securityScan');
    expect(shown.stdout).toContain('approveRisky');
  });
});

describe('abort', LONG, () => {
  it('while a command is at work ends it with everything it started, and leaves the work in the tree', async () => {
    project.env['DEV_CLI_ANSWER_WITHIN'] = '0';
    const run = ['sh', '-c', 'sleep 300 & echo $! > made/pid; wait'];
    generatePlan(
      project,
      aPlan({ todos: [aTodo('todo-1', { files: ['made/**'], acceptance: [aCommand('ac-1', run)] })] }),
    );
    const agent = new StandIn({ project, crew: simpleCrew() });
    const dispatch = agent.execute('--execute --autopilot');
    const running = agent.step(dispatch);
    expect(running).toMatchObject({ action: 'running', commands: [{ todoId: 'todo-1', id: 'ac-1', run }] });
    const pid = await written(join(project.root, 'made/pid'));
    const aborted = devCli(project, ['abort', RUN, '--reason', 'enough']);
    expect(aborted.json).toMatchObject({ status: 'aborted', next: { done: true, outcome: 'aborted' } });
    await gone(pid);
    expect(runPrinted(project, dispatch.ack ?? '').json).toMatchObject({ duplicate: true, next: { done: true } });
    expect(stateOf(project, RUN).status).toBe('aborted');
    expect(commitsOf(project)).toEqual([]);
    expect(existsSync(join(project.root, 'made/todo-1.txt'))).toBe(true);
    const again = new StandIn({ project, crew: simpleCrew() });
    expect(again.execute('--execute --quick --autopilot')).toMatchObject({ action: 'engine-dispatch' });
  });
});

/** Reads the number in a file, once the file exists. */
async function written(path: string): Promise<number> {
  for (let left = 200; left > 0; left -= 1) {
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    if (text.endsWith('\n')) return Number(text);
    await sleep(50);
  }
  throw new Error(`${path} was not written`);
}

async function gone(pid: number): Promise<void> {
  for (let left = 200; left > 0; left -= 1) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await sleep(50);
  }
  throw new Error(`${pid} lives on`);
}
