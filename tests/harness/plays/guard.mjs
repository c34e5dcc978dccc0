// While a run plans, writing a source file is blocked; during execution, a worker may write its todo's files. In Codex
// CLI, the main agent is still blocked then; Gemini CLI does not tell hooks which of the two is writing.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bareTodo, smallPlan } from '../../support/small.mjs';
import { call, isThere } from '../player.mjs';
import { writeRecipes } from '../recipes.mjs';
import { runDevCli } from '../stage.mjs';

export const title = 'source writes: blocked while planning, a worker’s while executing are not';
export const autopilot = true;
export const prompt = 'Plan, then build.';
const FAILURE = /src\/planned\.js was written/;
export const planted = { codex: FAILURE, gemini: FAILURE };

export function prepare(project) {
  writeRecipes(project);
  const file = join(project.root, '.dev', 'plan.json');
  writeFileSync(
    file,
    JSON.stringify({
      ...smallPlan(),
      todos: [
        bareTodo('todo-1', { acceptance: [{ id: 'ac-1', kind: 'command', run: ['test', '-f', 'made/todo-1.txt'] }] }),
      ],
    }),
  );
  runDevCli(project, ['plan', 'generate', 'build', '--data', '@.dev/plan.json']);
}

export async function* play(ctx) {
  const { next } = yield* call(ctx, 'dev-cli init think --recipe thinking --goal Think');
  yield* refused(ctx.write('src/planned.js', 'export {};\n'), 'src/planned.js', /"think" is planning/);
  yield* refused(ctx.sh('echo x > src/planned-in-shell.js'), 'src/planned-in-shell.js', /"think" is planning/);
  yield* refused(ctx.write('.dev/active-spec', 'other\n'), '.dev/active-spec', /belongs to dev-cli/);
  const ended = yield* call(ctx, next.ack);
  assert.equal(ended.next.outcome, 'completed');

  let answer = yield* call(ctx, 'dev-cli init build --execute --autopilot --set approve_commands=auto');
  while (answer.next.action !== 'engine-dispatch') answer = yield* call(ctx, answer.next.ack);
  const [task] = answer.next.tasks;
  if (ctx.harness === 'codex')
    yield* refused(ctx.write('made/todo-1.txt', 'main\n'), 'made/todo-1.txt', /the agent that drives it does not/);
  const [worked] = yield* ctx.delegate('dev-cli-worker', `TASK ${task.todoId} output=${task.output}`);
  assert.match(worked.text, /delivered/);
  yield 'Done.';
}

/** Tries a write, and checks that it is refused and that the model is told the reason. */
async function* refused(turn, path, why) {
  const [{ isError, text }] = yield turn;
  assert.ok(isError, `${path} was written: ${text}`);
  assert.match(text, why);
}

export const agents = {
  async *'TASK todo-1'(ctx) {
    const [, output = ''] = /output=(\S+)/.exec(ctx.request().firstUser) ?? [];
    yield* refused(ctx.write('src/other.js', 'export {};\n'), 'src/other.js', /is in no todo that is at work/);
    const [made] = yield ctx.write('made/todo-1.txt', 'worker\n');
    assert.ok(!made.isError, made.text);
    const result = {
      status: 'DONE',
      outputs: {},
      filesChanged: ['made/todo-1.txt'],
      learnings: [],
      issues: [],
      summary: 'Made.',
    };
    const [handed] = yield ctx.write(output, `${JSON.stringify(result)}\n`);
    assert.ok(!handed.isError, handed.text);
    yield 'delivered';
  },
};

export function check(project, { history }) {
  for (const path of ['src/planned.js', 'src/planned-in-shell.js', 'src/other.js'])
    assert.ok(!isThere(project, path), path);
  assert.ok(isThere(project, 'made/todo-1.txt'));
  assert.deepEqual(
    history('think').runs[0].items.map(({ kind }) => kind),
    ['action', 'ended'],
  );
  const [build] = history('build').runs;
  assert.equal(build.by.kind, 'agent');
  assert.equal(build.status, 'live');
}
