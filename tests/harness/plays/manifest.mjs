// What the model is told about a live run when a session begins, and again after a compaction. After a compaction,
// Codex CLI calls the session-start hook again. Gemini CLI does not, but keeps the last prompt and the context that a
// hook added to that prompt.
import assert from 'node:assert/strict';
import { startRun, writeRecipes } from '../recipes.mjs';

export const title = 'the manifest is told at the start of a session and after a compaction';
export const prompt = 'Go on.';
export const typed = (harness) =>
  harness === 'gemini'
    ? [
        { when: '7 skills', text: prompt },
        { when: 'FIRST-SAID', text: 'And on.' },
        { when: 'ALL-SAID', text: '/quit' },
      ]
    : undefined;
export const summary = 'Some work was done, of which nothing is remembered.';
const FAILURE = /the model was told nothing at the start/;
export const planted = { codex: FAILURE };

export function prepare(project) {
  writeRecipes(project);
  startRun(project, 'think', 'thinking');
}

const MUCH = { input_tokens: 990_000 };

export async function* play(ctx) {
  wantManifest(ctx, 'at the start');
  yield ctx.sh('echo one');
  if (ctx.harness === 'codex') yield { calls: [ctx.sh('echo before')], usage: MUCH };
  else yield { text: 'FIRST-SAID', usage: MUCH };
  assert.ok(ctx.request().firstUser.includes(summary), 'nothing was compacted');
  assert.ok(!ctx.request().results.some(({ text }) => text.includes('one')), 'nothing was forgotten');
  wantManifest(ctx, 'after the compaction');
  if (ctx.harness === 'gemini') {
    // A second compaction, in the middle of a turn, keeps that turn's prompt, with the context that was added to it.
    yield { calls: [ctx.sh('echo two')], usage: MUCH };
    assert.match(ctx.request().firstUser, /And on\.\s+<hook_context>think: live/);
  }
  yield 'ALL-SAID';
}

export function check(_project, { harness, requests }) {
  const compactions = requests.filter(({ kind, lastUser }) =>
    harness === 'gemini'
      ? kind === 'side' && /^(?:Generate a new|A previous) <state_snapshot>/.test(lastUser)
      : kind === 'compaction',
  );
  assert.equal(compactions.length, harness === 'gemini' ? 2 : 1);
}

function wantManifest(ctx, when) {
  const { tail } = ctx.request();
  assert.match(tail, /run its ack exactly as printed/, `the model was told nothing ${when}`);
  assert.equal(tail.split('"actionId":"a1"').length, 2, `not once ${when}`);
}
