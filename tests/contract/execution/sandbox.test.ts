import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunEngine } from '../../../src/run/engine.js';
import { StandIn } from '../../support/agent.mjs';
import { devCli, nextOf, runPrinted, stateOf, writeProjectFile } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { commitsOf, generatePlan, RUN, reportOf } from '../../support/executing.js';
import { bareTodo, smallPlan } from '../../support/small.mjs';

/** If tests fail because the sandbox forbids listening, the failure says nothing about the work (engine.md, Triage). */

useProject();

const LONG = { timeout: 120_000 };
const engineOf = () => (stateOf(project, RUN) as unknown as { engine: RunEngine }).engine;

/** Stands for a test that listens on a port: fails as node does without permission, until `allowed` exists. */
const LISTENS = `import { existsSync } from 'node:fs';
if (!existsSync('allowed')) throw new Error('listen EPERM: operation not permitted 127.0.0.1');
console.log('1 passed');
`;
const command = (...run: string[]) => ({ id: 'ac-1', kind: 'command' as const, run });

function begin(acceptance: ReturnType<typeof command>[], flags = '--execute --autopilot') {
  writeProjectFile(project, 'listens.mjs', LISTENS);
  generatePlan(project, {
    ...smallPlan(),
    todos: [bareTodo('todo-1', { acceptance }), bareTodo('todo-3', { acceptance: [command('true')] })],
  });
  const agent = new StandIn({ project });
  const first = agent.execute(flags);
  return { agent, first };
}

function deliver(action: ReturnType<typeof nextOf>): void {
  for (const task of action.tasks ?? []) {
    const files = [`made/${task.todoId}.txt`];
    for (const file of files) writeProjectFile(project, file, 'work\n');
    const result = { status: 'DONE', outputs: {}, filesChanged: files, learnings: [], issues: [], summary: 'Done.' };
    writeProjectFile(project, task.output, JSON.stringify(result));
  }
}

describe('a command that the sandbox does not let listen', LONG, () => {
  it('is named so, burns no retry, halts its todo alone, and is green when the run is reopened outside', () => {
    const { first } = begin([command('node', 'listens.mjs')]);
    deliver(first);
    const halted = nextOf(runPrinted(project, first.ack ?? '').json);
    expect(halted).toMatchObject({ outcome: 'halted', failed: [{ id: 'todo-1' }] });
    expect(halted.summary).toContain('the sandbox forbids listening on a port');
    expect(halted.summary).toContain('allow the loopback interface, or run the polls of dev-cli outside the sandbox');
    const { todos } = engineOf();
    expect(todos['todo-1']).toMatchObject({ status: 'failed', attempt: 1, retries: 0 });
    expect(todos['todo-1']?.evidence).toMatchObject([{ ok: false, exit: 1, unrunnable: true, forbidden: 'listen' }]);
    expect(commitsOf(project).map(({ todo }) => todo)).toEqual(['todo-3']);
    expect(reportOf(project)).toMatch(
      /todo-1: the environment: the sandbox forbids listening on a port.*listen EPERM: operation not permitted 127\.0\.0\.1/,
    );

    writeFileSync(join(project.root, 'allowed'), '');
    const again = nextOf(runPrinted(project, halted.resume ?? '').json);
    deliver(again);
    expect(nextOf(runPrinted(project, again.ack ?? '').json)).toMatchObject({ tasks: [{ substep: 'codeReview' }] });
    expect(commitsOf(project).map(({ todo }) => todo)).toEqual(['todo-3', 'todo-1']);
  });

  it("is named in the worker's own check", () => {
    const { first } = begin([command('node', 'listens.mjs')]);
    deliver(first);
    const checked = devCli(project, ['check', RUN, '--action', first.tasks?.[0]?.actionId ?? '']);
    expect(checked.code).toBe(3);
    expect(checked.stdout).toMatch(/exit 1; the sandbox forbids listening on a port: .*listen EPERM/);
    expect(readFileSync(join(project.root, first.tasks?.[0]?.promptFile ?? ''), 'utf8')).toContain('forbids listening');
  });

  it('is named when it is green by its exit code and its output lacks what it must hold', () => {
    const quiet = {
      ...command('sh', '-c', 'node listens.mjs || true'),
      expect: { exitCode: 0, stdoutContains: '1 passed' },
    };
    const { first } = begin([quiet]);
    deliver(first);
    runPrinted(project, first.ack ?? '');
    expect(engineOf().todos['todo-1']?.evidence).toMatchObject([{ ok: false, exit: 0, forbidden: 'listen' }]);
    expect(engineOf().todos['todo-1']).toMatchObject({ status: 'failed', attempt: 1 });
  });

  it('is only what is red: the same words of a green command, and a red one about a file, are judged as ever', () => {
    const { first } = begin([
      command('sh', '-c', 'echo "Error: listen EPERM: operation not permitted 127.0.0.1"'),
      { ...command('sh', '-c', 'echo "EACCES: permission denied, open \'x\'"; exit 1'), id: 'ac-2' },
    ]);
    deliver(first);
    const next = nextOf(runPrinted(project, first.ack ?? '').json);
    expect(next.tasks).toMatchObject([{ todoId: 'todo-1', attempt: 2 }]);
    expect(engineOf().todos['todo-1']).toMatchObject({ retries: 1 });
    expect(engineOf().todos['todo-1']?.evidence?.map(({ ok, forbidden }) => [ok, forbidden])).toEqual([
      [true, undefined],
      [false, undefined],
    ]);
  });
});
