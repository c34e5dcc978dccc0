// How memory works in a session: the session is told the context, its actions become facts, and it can use the tools of
// `dev-cli mcp`.
import assert from 'node:assert/strict';
import { runDevCli } from '../stage.mjs';

export const title = 'memory: told at the start, captured by hooks, kept by the tools of the server';
export const prompt = 'Make the note.';
export const extras = ['memory'];
const FAILURE = /the model was told nothing at the start/;
export const planted = { codex: FAILURE, gemini: FAILURE };

export function prepare(project) {
  runDevCli(project, ['memory', 'decide', '--text', 'Keep the API small', '--reason', 'It is a sample']);
}

export async function* play(ctx) {
  const { tail } = ctx.request();
  assert.match(tail, /Keep the API small/, 'the model was told nothing at the start');
  // Codex CLI calls the server `dev_cli`.
  const call = (tool, given) => ctx.mcp(ctx.harness === 'codex' ? 'dev_cli' : 'dev-cli', tool, given);
  const [context] = yield call('project_context_get', {});
  assert.match(context.text, /Keep the API small/);
  const [made] = yield ctx.write('note.txt', 'one\n');
  assert.ok(!made.isError, made.text);
  const [decided] = yield call('transfer_set_decision', { text: 'Use SQLite', reason: 'One file' });
  assert.match(decided.text, /"stored": ?"added"/);
  yield 'The note is made.';
}

export function check(project, { harness }) {
  const { decisions, requests, edited, said } = JSON.parse(runDevCli(project, ['memory', 'show', '--json']));
  assert.deepEqual(
    decisions.map(({ text, by }) => [text, by.via, by.harness?.startsWith(harness) ?? false]),
    [
      ['Keep the API small', 'cli', false],
      ['Use SQLite', 'mcp', true],
    ],
  );
  assert.deepEqual([requests, edited.map(({ path }) => path), said], [[prompt], ['note.txt'], 'The note is made.']);
}
