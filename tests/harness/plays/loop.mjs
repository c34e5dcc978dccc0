// A night of the outer loop, for a user who has not trusted anything here: `dev-cli auto` starts the harness with the
// exact line that `dev-cli init` writes, once for a plain goal and once for a goal with a recipe.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call } from '../player.mjs';
import { runDevCli } from '../stage.mjs';

export const title = '`dev-cli auto`, by the line that init writes: a plain goal and one with a recipe end as commits';
export const prompt = 'Not asked: each session gets the prompt of its goal.';
export const instead = (project, harness) => {
  const words = ['auto', '--recursive', '--tool', harness];
  const { trust } = JSON.parse(runDevCli(project, [...words, '--dry-run', '--json']));
  return [...words, '--trust', trust.digest, '--explain'];
};
// By default, Codex lets its commands write to temporary directories, and this project is in one.
export const codexConfig = '[sandbox_workspace_write]\nexclude_slash_tmp = true\nexclude_tmpdir_env_var = true';

const GOALS = `goals:
  - { id: plain, title: Begin a changelog, status: active }
  - { id: guided, title: Say what the port is, status: active, recipe: sized }
`;
const RECIPE = `name: sized
type: sequential
description: Size a goal, then work on it.
goal: required
guard: { writes: ["**"], sources: free }
blocks:
  - { id: size, type: llm, schema: size, instruction: Say how large it is. }
  - { id: work, type: llm, instruction: Reach the goal in this directory. }
`;

/** Commits the files that a team shares: its goals, and the files that dev-cli installed. */
export function prepare(project, harness) {
  const put = (path, text) => writeFileSync(join(project.root, path), text);
  const bin = join(project.home, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, harness), '', { mode: 0o755 });
  runDevCli(project, ['init'], { env: { PATH: `${bin}:${project.env.PATH}` } });
  runDevCli(project, ['install', '--harness', harness, '--yes']);
  appendFileSync(
    join(project.root, '.ai/config.yaml'),
    'max_retries: 1\nbackoff_minutes: [0.01]\ntimeout_minutes: 1\n',
  );
  put('.ai/goals.yaml', GOALS);
  mkdirSync(join(project.root, '.dev/recipes'), { recursive: true });
  put('.dev/recipes/sized.yaml', RECIPE);
  const git = (...words) => execFileSync('git', words, { cwd: project.root, env: project.env });
  git('add', '--all');
  git('commit', '--quiet', '--message=Goals for the night');
}

export async function* play() {
  yield 'This is no prompt of a goal.';
}

export const agents = {
  'on one goal: plain:': async function* plain(ctx) {
    yield* work(ctx, 'CHANGELOG.md', '# Changelog\n');
    yield* handIn(ctx, 'plain');
    yield 'Done.';
  },
  'on one goal: guided:': async function* guided(ctx) {
    const [, run] = /dev-cli next ([\w-]+)/.exec(ctx.request().firstUser) ?? [];
    const first = yield* call(ctx, `dev-cli next ${run}`);
    yield* write(ctx, first.data.write, '{"size":"middle"}\n');
    const second = yield* call(ctx, first.ack);
    yield* work(ctx, 'docs/port.md', 'The port is 3000.\n');
    const third = yield* call(ctx, second.next.ack);
    assert.equal(third.next.outcome, 'completed');
    yield* call(ctx, 'dev-cli handoff write --session-summary "The port is said" --status complete --json');
    yield 'Done.';
  },
};

async function* work(ctx, path, text) {
  yield* write(ctx, path, text);
  const [tested] = yield ctx.sh('npm test && echo TESTS-PASSED');
  assert.match(tested.text, /TESTS-PASSED/);
  if (ctx.harness !== 'codex') return;
  const [refused] = yield ctx.sh('touch "$(git rev-parse --git-common-dir)/left-behind"');
  assert.match(refused.text, /Read-only file system/);
}

async function* handIn(ctx, goal) {
  const [, path] = /write how it ended into (\S+);/.exec(ctx.request().firstUser) ?? [];
  const head = `---\ntimestamp: ${new Date().toISOString()}\nstatus: complete\ngoal_id: ${goal}\n---\n`;
  yield* write(ctx, path, `${head}\n## Done\n\n- It.\n\n## Key Decisions\n\n## Changed Files\n\n## Next\n`);
}

async function* write(ctx, path, text) {
  const [made] = yield ctx.write(path, text);
  assert.ok(!made.isError, made.text);
}

export function check(project) {
  const { goals } = JSON.parse(runDevCli(project, ['observe', '--json']));
  const ended = goals.map(({ id, status }) => `${id}: ${status}`);
  const { attempts } = JSON.parse(runDevCli(project, ['attempt', 'list', '--json']));
  const tried = attempts.map(({ id }) => id).sort();
  assert.deepEqual(
    [ended, tried],
    [
      ['plain: done', 'guided: done'],
      ['guided#1', 'plain#1'],
    ],
  );
}
