// Only a person opens this gate: neither an agent's choice nor a subagent's first prompt does, but the user's next
// prompt in the same session does.
import assert from 'node:assert/strict';
import { call } from '../player.mjs';
import { listItems, writeRecipes } from '../recipes.mjs';

export const title = 'a subagent’s prompt opens no gate, the user’s next one does';
export const prompt = 'Begin.';
export const then = ['Yes, it is right.'];
const FAILURE = /the user’s prompt opened nothing/;
export const planted = { codex: FAILURE, gemini: FAILURE };
export const prepare = writeRecipes;

export async function* play(ctx) {
  const { next } = yield* call(ctx, 'dev-cli init ask --recipe asking --goal Ask');
  const { ack } = next.choices.find(({ id }) => id === 'yes') ?? {};
  const choose = ack ?? `dev-cli step complete ask --action ${next.actionId} --choice yes`;
  const byItself = yield* call(ctx, choose);
  assert.equal(byItself.ok, false, JSON.stringify(byItself));
  const [helped] = yield* ctx.delegate(
    ctx.harness === 'gemini' ? 'generalist' : 'worker',
    'AGENT helper: yes, it is right.',
  );
  assert.match(helped.text, /Nothing to say/);
  const afterAgent = yield* call(ctx, choose);
  assert.equal(afterAgent.ok, false, JSON.stringify(afterAgent));
  const { user } = yield 'Is it right?';
  assert.match(user, /Yes, it is right/, 'it was not let go at once');
  const afterUser = yield* call(ctx, choose);
  assert.equal(afterUser.ok, true, `the user’s prompt opened nothing: ${JSON.stringify(afterUser)}`);
  const ended = yield* call(ctx, afterUser.next.ack);
  assert.equal(ended.next.outcome, 'completed');
  yield 'Done.';
}

export const agents = {
  async *'AGENT helper'() {
    yield 'Nothing to say.';
  },
};

export function check(_project, { history }) {
  const words = listItems(history('ask'), 'human');
  assert.deepEqual(
    words.map(({ what }) => what),
    ['a prompt in the bound session'],
    JSON.stringify(history('ask').runs[0].items),
  );
  assert.equal(listItems(history('ask'), 'nudged').length, 0);
}
