// A whole small change, planned and carried out by the skills alone: installation, plan, execution, commits.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { CHANGES } from '../../support/changes.mjs';
import { call, drive, readOverlay, worker } from '../player.mjs';

const change = CHANGES.small;
const goal = (line) => `${line} --goal - <<'GOAL'\n${change.goal}\nGOAL`;

export const title = 'a small change, planned and carried out by the skills alone';
export const prompt = `Plan and build this in autopilot: ${change.goal}`;

export async function* play(ctx) {
  yield ctx.skill('specify');
  const planned = yield* drive(ctx, change, yield* call(ctx, goal(`dev-cli init ${change.name} --autopilot`)));
  assert.equal(planned.outcome, 'completed');
  yield ctx.skill('execute');
  const begun = yield* call(ctx, `dev-cli init ${change.name} --execute --autopilot --set approve_commands=auto`);
  const done = yield* drive(ctx, change, begun);
  assert.equal(done.outcome, 'completed');
  yield 'Done.';
}

export const agents = { 'TASK todo-1/worker': worker(readOverlay('fix-todo-id')) };

export function check(project) {
  const log = execFileSync('git', ['log', '--format=%s%n%(trailers:key=Dev-Cli-Task)'], {
    cwd: project.root,
    encoding: 'utf8',
  });
  assert.match(log, /Take an id only as it was handed out\nDev-Cli-Task: /);
  assert.equal(
    execFileSync('git', ['status', '--porcelain', '--', 'src', 'test'], { cwd: project.root, encoding: 'utf8' }),
    '',
  );
}
