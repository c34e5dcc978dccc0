// What doctor finds when an agent calls it in its harness's shell.
import assert from 'node:assert/strict';
import { startRun, writeRecipes } from '../recipes.mjs';

export const title = 'doctor, called by the agent: the guard fires, and what the shell of the harness sees';
export const prompt = 'Does dev-cli work here?';

export function prepare(project) {
  writeRecipes(project);
  startRun(project, 'think', 'thinking');
}

export async function* play(ctx) {
  const [{ text }] = yield ctx.sh('dev-cli doctor --json');
  const { findings } = JSON.parse(/\{"ok".*\}/.exec(text)?.[0] ?? '{}');
  const of = (check) => findings.filter((one) => one.check === check).map(({ severity }) => severity);
  assert.deepEqual(of('guard'), ['ok'], text);
  // Gemini CLI does not pass the session id to commands.
  assert.deepEqual(of('session'), [ctx.harness === 'codex' ? 'ok' : 'note'], text);
  assert.deepEqual(of('silence'), [], text);
  yield 'Done.';
}

export function check() {}
