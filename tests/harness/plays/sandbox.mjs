// Codex's default sandbox: only a command line that exactly matches the rule that dev-cli installed for Codex runs
// outside it. Other calls of dev-cli, such as after a cd, run inside, where dev-cli's own git commands must still work.
import assert from 'node:assert/strict';
import { listItems, writeRecipes } from '../recipes.mjs';

export const title = 'in the sandbox of Codex: behind a pipe and a cd, a step that reads the work tree is taken';
export const cannot = { gemini: 'it has no sandbox of its own here' };
export const prompt = 'Begin.';
export const sandbox = 'workspace-write';
export const prepare = writeRecipes;

const FINDINGS = '---\nagent: looker\ntimestamp: 2026-01-01T00:00:00Z\nsummary: Nothing odd.\n---\n\nNothing odd.\n';
const STOPPED = `const { error } = require('child_process').spawnSync('git', ['status']); console.log(error?.code)`;

export async function* play(ctx) {
  const [inside] = yield ctx.sh(`node -e "${STOPPED}"`);
  assert.match(inside.text, /EPERM/, 'this sandbox forbids nothing');
  const [begun] = yield ctx.sh('cd . && dev-cli init look --recipe looking --goal Look | cat');
  const { next } = begun.json;
  yield ctx.write(next.agents[0].output, FINDINGS);
  const [taken] = yield ctx.sh(`cd . && ${next.ack} | cat`);
  assert.equal(taken.json?.next?.outcome, 'completed', taken.text);
  yield 'Done.';
}

export function check(_project, { history }) {
  assert.equal(listItems(history('look'), 'human').length, 0);
}
