// Sources that changed without the guard noticing: the acknowledgement is refused until the user accepts the changes in
// the session. The stop hook's message does not count as the user's, although Gemini CLI passes it to the prompt hook.
import assert from 'node:assert/strict';
import { call, isThere } from '../player.mjs';
import { listItems, writeRecipes } from '../recipes.mjs';

export const title = 'sources changed unseen: the user’s prompt lets them be, a nudge does not';
export const prompt = 'Begin.';
export const then = ['Keep it.'];
const FAILURE = /it was not asked to go on/;
export const planted = { codex: FAILURE, gemini: FAILURE };
export const prepare = writeRecipes;

const FINDINGS = '---\nagent: looker\ntimestamp: 2026-01-01T00:00:00Z\nsummary: Nothing odd.\n---\n\nNothing odd.\n';

export async function* play(ctx) {
  const { next } = yield* call(ctx, 'dev-cli init look --recipe looking --goal Look');
  yield ctx.write(next.agents[0].output, FINDINGS);
  yield ctx.sh(`node -e "require('fs').writeFileSync('src/unseen.js', '')"`);
  const refused = yield* call(ctx, next.ack);
  assert.equal(refused.error?.code, 'SOURCES_CHANGED', JSON.stringify(refused));
  yield 'I cannot go on.';
  const { tail } = ctx.request();
  assert.match(tail, /is not acknowledged yet/, 'it was not asked to go on');
  const again = yield* call(ctx, next.ack);
  assert.equal(again.error?.code, 'SOURCES_CHANGED', 'what the stop hook said counted as a person’s word');
  yield 'May it stay?';
  assert.match(ctx.request().tail, /is not acknowledged yet/);
  const { user } = yield 'May it stay?';
  assert.match(user, /Keep it/);
  const taken = yield* call(ctx, next.ack);
  assert.equal(taken.next?.outcome, 'completed', JSON.stringify(taken));
  yield 'Done.';
}

export function check(project, { history }) {
  assert.ok(isThere(project, 'src/unseen.js'));
  assert.equal(listItems(history('look'), 'human').length, 1);
}
