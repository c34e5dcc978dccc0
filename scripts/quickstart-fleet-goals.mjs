// The 24 goals of `quickstart fleet`, and what the scripted tool does in their sessions.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ASK_FIRST } from './quickstart-stage.mjs';

const TWO_SESSIONS = `name: two-sessions
type: sequential
description: "Work on a goal in two parts."
goal: required
guard: { writes: ["**"], sources: free }
blocks:
  - { id: half, type: llm, instruction: "Do the first half." }
  - { id: rest, type: llm, instruction: "Do the rest." }
`;

const FIRST_LINE = 'A to-do list over HTTP.';
const ROUTES = readFileSync(new URL('../samples/todo-api/src/routes.js', import.meta.url), 'utf8');
const COUNTS =
  "    { method: 'GET', path: '/todos/count', handle: () => ({ status: 200, body: { count: store.list().length } }) },";
const COUNT_TEST = `import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startApi } from './support.js';

it('counts', async (test) => {
  const api = await startApi();
  test.after(() => api.close());
  const response = await api.request('/todos/count');
  assert.deepEqual(await response.json(), { count: 0 });
});
`;

/** The texts that two goals have to add to the same line. */
export const ADDED = { port: 'Its port is 3000.', license: 'Its license is MIT.' };

const PAGES = ['start', 'routes', 'errors', 'store', 'tests', 'deploy'];
/** Goals that each depend on the one before. */
const CHAIN = ['spring', 'summer', 'autumn', 'winter'];
const SINGLE = ['north', 'east', 'south', 'west', 'centre'];

const goal = (id, title, more = '') => `  - { id: ${id}, title: "${title}", status: active${more} }\n`;
const page = (id, sleep = 2) => ({ sleep, write: { [`docs/${id}.md`]: `${id}\n` } });
/** A session that completes one action of the run. */
const step = (id) => ({
  ...page(id, 1),
  handoff: null,
  run: 'dev-cli step complete --action $(dev-cli next | sed \'s/.*"actionId":"\\([^"]*\\)".*/\\1/\') >../done.json',
});
/** Returns a shell line that waits for a condition, at most five minutes. */
const wait = (condition) => `n=0; until ${condition} || [ $n -gt 600 ]; do sleep 0.5; n=$((n+1)); done`;

/**
 * Returns the file that the last session of each project waits for. The night creates it only after all losses, so that
 * there is still work to do whenever a machine is lost.
 */
export const dawnOf = (base) => join(base, 'dawn');

/** @param {string} base the directory of the fleet */
export function listProjects(base) {
  const untilDawn = wait(`[ -e '${dawnOf(base)}' ]`);
  const begun = join(base, 'api/script.json.begun');
  // Each of the two goals waits until the other one's session has begun, so that both start from the same commit.
  const onLine = (id, other) => ({
    sleep: 1,
    run: `${wait(`grep -qx ${other} '${begun}'`)}; sed -i.old 's/${FIRST_LINE}.*/& ${ADDED[id]}/' README.md && rm README.md.old`,
  });
  const api = {
    sample: 'todo-api',
    config: 'test_command: npm test\nbackoff_minutes: [0.02, 0.02, 0.05]\n',
    files: { '.dev/recipes/ask-first.yaml': ASK_FIRST, '.dev/recipes/two-sessions.yaml': TWO_SESSIONS },
    goals: [
      goal('changelog', 'Begin a changelog'),
      goal('count-code', 'Answer GET /todos/count'),
      goal('count-tests', 'Tests for GET /todos/count', ', depends_on: [count-code], type: test'),
      goal('limits', 'Document the body limit', ', allowed_changes: ["docs/**"]'),
      goal('port', 'Say in the README which port is used'),
      goal('license', 'Say in the README which license holds'),
      goal('health', 'Answer /health with the version', ', recipe: ask-first'),
      goal('tour', 'Write a tour', ', recipe: two-sessions'),
      ...PAGES.map((id) => goal(id, `Write the page ${id}`)),
    ].join(''),
    sessions: {
      changelog: [{ sleep: 2, write: { 'CHANGELOG.md': '# Changelog\n' } }],
      'count-tests': [{ write: { 'test/count.test.js': COUNT_TEST }, run: untilDawn }],
      'count-code': [{ sleep: 1, write: { 'src/routes.js': ROUTES.replace('return [\n', `return [\n${COUNTS}\n`) } }],
      limits: [
        { write: { 'docs/limits.md': 'A body may have 10,000 bytes.\n', 'package-lock.json': '{}\n' } },
        page('limits'),
      ],
      port: [onLine('port', 'license')],
      license: [onLine('license', 'port')],
      health: [step('health')],
      tour: [step('tour')],
      ...Object.fromEntries(PAGES.map((id) => [id, [page(id, 3)]])),
    },
  };
  const notes = {
    goals: [
      ...CHAIN.map((id, n) => goal(id, `Write ${id}`, n === 0 ? '' : `, depends_on: [${CHAIN[n - 1]}]`)),
      ...SINGLE.map((id) => goal(id, `Write ${id}`)),
      goal('stray', 'Stay in the notes', ', allowed_changes: ["docs/**"], max_retries: 1'),
    ].join(''),
    sessions: {
      ...Object.fromEntries([...CHAIN, ...SINGLE].map((id) => [id, [page(id, 3)]])),
      winter: [{ ...page('winter'), run: untilDawn }],
      stray: [{ write: { 'elsewhere.md': 'out of scope\n' } }],
    },
  };
  return { api, notes };
}

/** The goals that have to be on the branches in the end. */
export const DONE = {
  api: ['changelog', 'count-tests', 'count-code', 'limits', 'port', 'license', 'health', 'tour', ...PAGES],
  notes: [...CHAIN, ...SINGLE],
};
