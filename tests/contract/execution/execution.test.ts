import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PlanContent } from '../../../src/plan/model/schema.js';
import { aCommand, aPlan, aTodo } from '../../core/plan/fixture.js';
import type { Action } from '../../support/agent.mjs';
import { type Document, devCli, nextOf, runDir, runPrinted, stateOf, writeProjectFile } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';

useProject();

interface Task {
  actionId: string;
  todoId: string | null;
  substep: string;
  attempt: number;
  why?: string;
  promptFile: string;
  output: string;
  ack: string;
}
type Dispatch = Action & { tasks: Task[]; running: Task[] };

/**
 * todo-2 and todo-3 depend on todo-1, whose worker reports a word. The command that judges todo-2 fails unless todo-2
 * wrote that word.
 */
function threeTodos(): PlanContent {
  return aPlan({
    todos: [
      aTodo('todo-1', {
        outputs: [{ name: 'word', description: 'the word' }],
        files: ['notes/one.txt'],
        acceptance: [aCommand('ac-1', ['test', '-f', 'notes/one.txt'])],
      }),
      aTodo('todo-2', {
        dependsOn: ['todo-1'],
        files: ['notes/two.txt'],
        acceptance: [aCommand('ac-1', ['grep', '-qF', '${todo-1.outputs.word}', 'notes/two.txt'])],
      }),
      aTodo('todo-3', {
        dependsOn: ['todo-1'],
        files: ['notes/three.txt'],
        acceptance: [aCommand('ac-1', ['test', '-f', 'notes/three.txt'])],
      }),
    ],
  });
}

function start(plan = threeTodos(), ...flags: string[]): Dispatch {
  writeProjectFile(project, 'plan.json', JSON.stringify(plan));
  expect(devCli(project, ['plan', 'generate', 'work', '--data', '@plan.json']).code).toBe(0);
  rmSync(join(project.root, 'plan.json'));
  const begun = devCli(project, ['init', 'work', '--execute', ...flags]);
  expect(begun.code, begun.stdout).toBe(0);
  return nextOf(begun.json) as Dispatch;
}

function hand(task: Task | undefined, result: object): void {
  if (task === undefined) throw new Error('no such task');
  writeFileSync(join(project.root, task.output), JSON.stringify(result));
}

const worker = (change: object = {}) => ({
  status: 'DONE',
  outputs: {},
  filesChanged: [],
  learnings: [],
  issues: [],
  summary: 'Did it.',
  ...change,
});

const git = (...args: string[]) => execFileSync('git', args, { cwd: project.root, encoding: 'utf8' });
const acknowledged = (action: Dispatch): Document => {
  const result = runPrinted(project, action.ack ?? '');
  expect(result.code, result.stdout).toBe(0);
  return result.json;
};

describe('the execution of a plan (engine.md, Shape; protocol.md §2; protocol.md §3)', () => {
  it('runs its commands, retries what is red, commits each todo once, leaves the rest of the tree alone', () => {
    writeProjectFile(project, 'mine.txt', 'not yours');
    const first = start(threeTodos(), '--autopilot');
    expect(first).toMatchObject({ action: 'engine-dispatch', progress: 'todos 0/3' });
    writeProjectFile(project, 'notes/one.txt', 'one');
    hand(first.tasks[0], worker({ outputs: { word: 'a; touch pwned' }, filesChanged: ['notes/one.txt'] }));
    const wave = nextOf(acknowledged(first)) as Dispatch;
    expect(wave.tasks.map(({ todoId }) => todoId)).toEqual(['todo-2', 'todo-3']);
    writeProjectFile(project, 'notes/two.txt', 'wrong');
    writeProjectFile(project, 'notes/three.txt', 'three');
    for (const [index, name] of ['two', 'three'].entries()) {
      hand(wave.tasks[index], worker({ filesChanged: [`notes/${name}.txt`] }));
    }
    const collected = acknowledged(wave);
    expect(collected.collected).toMatchObject([{ ok: true }, { ok: true }]);
    expect(collected.ran).toMatchObject([{ ok: false, summary: expect.stringMatching(/exit 1; retry 1 of 3$/) }]);
    const again = nextOf(collected) as Dispatch;
    expect(again.tasks).toMatchObject([{ todoId: 'todo-2', attempt: 2 }]);
    const block = again.block;
    const message = expect.stringMatching(/^todo-2: .*exit 1/);
    expect(stateOf(project, 'work').lastError).toMatchObject({ code: 'STEP_FAILED', block, message });
    const prompt = readFileSync(join(project.root, again.tasks[0]?.promptFile ?? ''), 'utf8');
    expect(prompt).toMatch(/ac-1 .*: exit 1/);
    expect(prompt).toContain('command.log');
    expect(prompt).toContain('1. Do it');
    writeProjectFile(project, 'notes/two.txt', 'a; touch pwned');
    hand(again.tasks[0], worker({ filesChanged: ['notes/two.txt'] }));
    const review = nextOf(acknowledged(again)) as Dispatch;
    expect(stateOf(project, 'work').lastError).toBeNull();
    expect(review.tasks).toMatchObject([{ todoId: null, substep: 'codeReview' }]);
    hand(review.tasks[0], { verdict: 'SHIP', issues: [], summary: 'Good.' });
    const done = nextOf(acknowledged(review));
    expect(done).toMatchObject({ action: 'done', outcome: 'completed' });
    expect(existsSync(join(project.root, 'pwned'))).toBe(false);
    const trailers = git('log', '--format=%(trailers:key=Dev-Cli-Task,valueonly,separator=%x2c)')
      .split('\n')
      .filter((line) => line !== '');
    expect(trailers.map((line) => line.split('/')[1]).sort()).toEqual(['todo-1', 'todo-2', 'todo-3']);
    expect(git('status', '--short', '--', ':(exclude).dev').trim()).toBe('?? mine.txt');
    expect(readFileSync(join(runDir(project, 'work'), 'PLAN.md'), 'utf8')).not.toContain('### [ ]');
    const history = devCli(project, ['history', 'work']).stdout;
    expect(history).toContain('todo-2 again, attempt 2');
    expect(history).toContain('todo-2 ac-1: command exit 1');
  });

  it('asks before it runs the commands of a plan, and says the same until it is answered', () => {
    const gate = start() as Action;
    expect(gate).toMatchObject({ action: 'wait-for-user', human: 'required' });
    const asked = devCli(project, ['next', 'work']).stdout;
    expect(devCli(project, ['next', 'work']).stdout).toBe(asked);
    const refused = devCli(project, ['step', 'complete', 'work', '--action', gate.actionId, '--choice', 'approve']);
    expect(refused.json.error?.code).toBe('HUMAN_REQUIRED');
  });

  it('says in a recipe that verifies nothing what the commands are asked about for', () => {
    const asked = start(threeTodos(), '--quick');
    expect(asked.message).toMatch(/^This recipe verifies nothing, but each worker may have dev-cli run its commands/);
    expect(devCli(project, ['abort', 'work', '--reason', 'to begin anew']).code).toBe(0);
    const first = nextOf(devCli(project, ['init', 'work', '--execute', '--quick', '--autopilot']).json) as Dispatch;
    const prompt = readFileSync(join(project.root, first.tasks[0]?.promptFile ?? ''), 'utf8');
    expect(prompt).toContain('nothing is verified after you');
    expect(prompt).not.toMatch(/as the verification will|runs the commands itself afterwards/);
  });

  it('reports what was done when it is aborted, in place of what an earlier end reported', () => {
    const first = start(threeTodos(), '--autopilot');
    hand(first.tasks[0], worker({ status: 'BLOCKED', reason: 'no way' }));
    const halted = nextOf(runPrinted(project, first.ack ?? '').json);
    const report = () => readFileSync(join(runDir(project, 'work'), 'report.md'), 'utf8');
    expect(report()).toMatch(/Outcome: halted[\s\S]*codeReview: the run ended before this stage/);
    const again = nextOf(runPrinted(project, halted.resume ?? '').json) as Dispatch;
    writeProjectFile(project, 'notes/one.txt', 'one');
    hand(again.tasks[0], worker({ outputs: { word: 'one' }, filesChanged: ['notes/one.txt'] }));
    expect(nextOf(runPrinted(project, again.ack ?? '').json)).toMatchObject({ action: 'engine-dispatch' });
    expect(devCli(project, ['abort', 'work', '--reason', 'enough']).code).toBe(0);
    expect(report()).toMatch(
      /Outcome: aborted[\s\S]*- todo-2: not done\n- todo-3: not done[\s\S]*- todo-1: .*self-reported/,
    );
    const { blockIndex, steps, engine } = JSON.parse(readFileSync(join(runDir(project, 'work'), 'state.json'), 'utf8'));
    expect([blockIndex, steps[first.block ?? ''].status, engine.finalize.report.status]).toEqual([0, 'failed', 'done']);
    expect(engine.todos.map(({ status }: { status: string }) => status)).toEqual(['done', 'pending', 'pending']);
    expect(JSON.stringify(engine)).not.toContain('"running"');
    expect(report()).not.toContain('## Failed');
    expect(report()).toMatch(/## On the way\n\n- \S+: halted: todo-1: no way\n- \S+: reopened: todo-1: done again\n/);
  });

  it('tells what was reused once, why a todo failed and which was reopened, and names the todos there are', () => {
    const first = start(threeTodos(), '--autopilot');
    const said = (...command: string[]) => devCli(project, [command[0] ?? '', 'work', ...command.slice(1)]).stdout;
    writeProjectFile(project, 'notes/one.txt', 'one');
    expect(devCli(project, ['check', 'work', '--action', first.tasks[0]?.actionId ?? '']).code).toBe(0);
    hand(first.tasks[0], worker({ outputs: { word: 'one' }, filesChanged: ['notes/one.txt'] }));
    const next = nextOf(runPrinted(project, first.ack ?? '').json) as Dispatch;
    expect(said('status', '--full')).toMatch(/test -f notes\/one.txt: passed before on the same tree, reused\n/);
    for (const task of next.tasks) hand(task, worker({ status: 'BLOCKED', reason: 'no way' }));
    const halted = nextOf(runPrinted(project, next.ack ?? '').json);
    const unknown = devCli(project, ['step', 'invalidate', 'work', '--step', 'everything']).json;
    expect(unknown.error?.message).toContain('its plan has no todo with that id');
    expect(unknown.error?.fix).toBe('Blocks: execution-engine. Todos: todo-1, todo-2, todo-3.');
    expect(runPrinted(project, halted.resume ?? '').code).toBe(0);
    expect(said('history')).toMatch(/todo-2 failed: no way[\s\S]*○ todo-2 reopened/);
  });

  it('refuses a result that leads out of the project, is a directory, or is not there, each in its own words', () => {
    const { tasks } = start(threeTodos(), '--autopilot');
    const [task] = tasks;
    if (task === undefined) throw new Error('no task');
    const path = join(project.root, task.output);
    const absent = runPrinted(project, task.ack);
    expect([absent.code, absent.json.error?.code]).toEqual([3, 'EVIDENCE_MISSING']);
    writeFileSync(`${path}.tmp`, JSON.stringify(worker()));
    expect(runPrinted(project, task.ack).json.error?.code).toBe('EVIDENCE_MISSING');
    writeFileSync(path, '{"status":');
    expect(runPrinted(project, task.ack).json.error?.details?.[0]?.problem).toBe('still being written');
    rmSync(path);
    execFileSync('ln', ['-s', '/etc/hostname', path]);
    const out = runPrinted(project, task.ack);
    expect([out.code, out.json.error?.details?.[0]?.problem]).toEqual([3, 'leads out of the project']);
    rmSync(path);
    execFileSync('mkdir', [path]);
    expect(runPrinted(project, task.ack).json.error?.details?.[0]?.problem).toBe('is a directory');
  });
});
