// A session started below the project's root. Gemini CLI reads `.gemini` only in its start directory, so for Gemini CLI
// dev-cli is installed for the user.
import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { call, isThere } from '../player.mjs';
import { listItems, startRun, writeRecipes } from '../recipes.mjs';

export const title =
  'a session begun in a subdirectory: hooks find the root, the skill works (Gemini: where installed for the user)';
export const prompt = '$specify Let to-dos have a colour';
export const subdirectory = 'src';
export const user = { gemini: true };
// Settings that Gemini CLI does not migrate to another form, so that the home directory can be compared at the end.
export const geminiSettings = { general: { enableAutoUpdate: false, enableAutoUpdateNotification: false } };
// The rig trusts only the start directory, which is its argument, but Codex also needs the project to be trusted.
export const codexConfig = `[projects."${dirname(process.argv[3] ?? '')}"]\ntrust_level = "trusted"`;
const FAILURE = /the model was told nothing at the start/;
export const planted = { codex: FAILURE, gemini: FAILURE };

export function prepare(project) {
  writeRecipes(project);
  startRun(project, 'think', 'thinking');
}

export async function* play(ctx) {
  const { tail } = ctx.request();
  assert.match(tail, /run its ack exactly as printed/, 'the model was told nothing at the start');
  if (ctx.harness === 'codex') assert.match(tail, /<skill>\n<name>specify/);
  else {
    const [{ text }] = yield ctx.skill('specify');
    assert.match(text, /dev-cli init <name>/);
  }
  const [{ isError, text }] = yield ctx.write('planned.js', 'export {};\n');
  assert.ok(isError, `src/planned.js was written: ${text}`);
  const next = yield* call(ctx, 'dev-cli next');
  assert.equal(next.run, 'think');
  const ended = yield* call(ctx, next.ack);
  assert.equal(ended.next.outcome, 'completed');
  yield 'Done.';
}

export function check(project, { history }) {
  assert.ok(!isThere(project, 'src/planned.js'));
  assert.ok(!isThere(project, 'src/.dev'));
  assert.equal(listItems(history('think'), 'ended').length, 1);
}
