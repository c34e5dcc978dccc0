// An agent that stops with an unfinished action is asked twice to continue, and may stop the third time. If the user
// has to act, the agent may stop at once.
import assert from 'node:assert/strict';
import { call } from '../player.mjs';
import { listItems, startRun, writeRecipes } from '../recipes.mjs';

export const title = 'the stop hook asks to go on twice, then lets go; at once where the user is asked';
export const prompt = 'Go on.';
const FAILURE = /the session ended after 1 answers/;
export const planted = { codex: FAILURE, gemini: FAILURE };

export function prepare(project) {
  writeRecipes(project);
  startRun(project, 'look', 'looking');
}

export async function* play(ctx) {
  yield 'I stop here.';
  assert.match(ctx.request().tail, /a1 of "look" is not acknowledged yet\. Go on: `dev-cli next look`/);
  const { actionId } = yield* call(ctx, 'dev-cli next look');
  assert.equal(actionId, 'a1');
  yield 'I stop again.';
  assert.match(ctx.request().tail, /a1 of "look" is not acknowledged yet/);
  yield 'I really stop.';
  assert.fail('it was not let go');
}

export function check(_project, { history, requests }) {
  const answers = requests.filter(({ kind, text }) => kind === 'turn' && text !== undefined);
  assert.equal(answers.length, 3, `the session ended after ${answers.length} answers`);
  assert.equal(listItems(history('look'), 'nudged').length, 2);
  assert.equal(listItems(history('look'), 'human').length, 0);
}
