// How a person starts a run: /specify typed into an interactive Gemini CLI, $specify in a prompt of Codex CLI.
import assert from 'node:assert/strict';
import { call } from '../player.mjs';

const GOAL = 'Let to-dos have a colour';

export const title = 'a slash command brings the skill to the model, and its first command starts a run';
export const prompt = `$specify ${GOAL}`;
export const typed = (harness) =>
  harness === 'gemini'
    ? [
        { when: '7 skills', text: `/specify ${GOAL}` },
        { when: 'ALL-SAID', text: '/quit' },
      ]
    : undefined;
export const planted = { codex: /the skill did not reach the model/ };

export async function* play(ctx) {
  const { tail, results } = ctx.request();
  const told = [tail, ...results.map(({ text }) => text)].join('\n');
  assert.match(told, /<(activated_skill name="|skill>\n<name>)specify/, `the skill did not reach the model: ${told}`);
  assert.match(told, /dev-cli init <name> --goal - <<'GOAL'/);
  assert.ok(told.includes(GOAL));
  const { next } = yield* call(ctx, `dev-cli init todo-colour --goal - <<'GOAL'\n${GOAL}\nGOAL`);
  assert.equal(next.run, 'todo-colour');
  yield 'ALL-SAID';
  yield 'ALL-SAID';
}

export function check(_project, { history }) {
  const [run] = history('todo-colour').runs;
  assert.equal(run.goal, GOAL);
  assert.equal(run.by.kind, 'agent');
}
