// A run started on a terminal belongs to no session: a session that begins later is not told to continue the run, and
// may stop.
import assert from 'node:assert/strict';
import { listItems, startRun, writeRecipes } from '../recipes.mjs';

export const title = 'a session beside a run of a terminal is told nothing of it, and let go at once';
export const prompt = 'What is in this project?';

export function prepare(project) {
  writeRecipes(project);
  startRun(project, 'look', 'looking', null);
}

export async function* play(ctx) {
  assert.doesNotMatch(ctx.request().tail, /look: live|exactly as printed/);
  yield 'Not much.';
  assert.fail('it was not let go');
}

export function check(_project, { history, requests }) {
  assert.equal(requests.filter(({ kind, text }) => kind === 'turn' && text !== undefined).length, 1);
  assert.equal(listItems(history('look'), 'nudged').length, 0);
}
