// An agent's shell tool is not a person's terminal, even if it looks like one: Gemini CLI runs each command of an
// interactive session on a terminal, Codex CLI if the model asks for it.
import assert from 'node:assert/strict';
import { call } from '../player.mjs';
import { listItems, writeRecipes } from '../recipes.mjs';

export const title = 'an agent on a terminal cannot approve';
export const prompt = 'Begin.';
export const typed = (harness) =>
  harness === 'gemini'
    ? [
        { when: '7 skills', text: prompt },
        { when: 'ALL-SAID', text: '/quit' },
      ]
    : undefined;
export const prepare = writeRecipes;

export async function* play(ctx) {
  const onTerminal = (line) =>
    ctx.harness === 'codex' ? ctx.tool('exec_command', { cmd: line, tty: true }) : ctx.sh(line);
  yield* call(ctx, 'dev-cli init ask --recipe asking --goal Ask');
  const [probe] = yield onTerminal('test -t 0 && test -t 1 && echo A-TERMINAL');
  assert.match(probe.text, /A-TERMINAL/);
  for (const line of ['dev-cli approve ask', 'dev-cli guard off ask', 'dev-cli approve ask --json']) {
    const [{ text }] = yield onTerminal(line);
    assert.match(text, /TERMINAL_REQUIRED|A person must do this/, text);
  }
  yield 'ALL-SAID';
  yield 'ALL-SAID';
}

export function check(_project, { history }) {
  assert.equal(listItems(history('ask'), 'human').length, 0);
}
