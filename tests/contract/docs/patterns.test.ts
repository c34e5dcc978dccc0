import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Action } from '../../support/agent.mjs';
import { type Document, nextOf, spawnDevCli } from '../../support/cli.js';
import { freshProjects } from '../../support/fresh.js';
import type { Project } from '../../support/project.mjs';
import { findRealTerminal, NO_TERMINAL } from '../../support/terminal.mjs';
import { stepsOf, tagged, take } from './walk.js';

// Takes each recipe from docs/recipe-patterns.md, lints it, and runs it with the binary to each of its two ends.

const fresh = freshProjects();
const terminal = findRealTerminal();
const skipped = terminal === null;

/** Writes the files of the page, and has a person trust a recipe. */
function projectWith(recipe: string): Project {
  const project = tagged(fresh());
  for (const step of stepsOf('docs/recipe-patterns.md')) expect(take(step, project)).toBeNull();
  const trusted = terminal?.(`dev-cli trust ${recipe}`, { cwd: project.root, env: project.env, answers: ['y'] });
  expect(trusted?.exit, trusted?.output).toBe(0);
  return project;
}

function call(project: Project, line: string): Document {
  const words = line.match(/'[^']*'|\S+/g) ?? [];
  const result = spawnDevCli(
    project,
    words.slice(1).map((word) => word.replaceAll("'", '')),
  );
  expect(result.code, result.stdout).toBe(0);
  return result.json;
}

const begin = (project: Project, recipe: string) =>
  nextOf(call(project, `dev-cli init run-1 --recipe ${recipe} --goal Improve`));

/** Runs a command that an action prints, and polls while dev-cli itself is working. */
function go(project: Project, line = ''): { answer: Document; next: Action } {
  let answer = call(project, line);
  let next = nextOf(answer);
  while (next.action === 'running') {
    const polled = call(project, next.poll ?? '');
    answer = { ...answer, ...polled };
    next = polled.next ?? (polled as unknown as Action);
  }
  return { answer, next };
}

const chosen = (action: Action, id: string) => action.choices?.find((choice) => choice.id === id)?.ack;
const git = (project: Project, ...args: string[]) =>
  execFileSync('git', args, { cwd: project.root, env: project.env, encoding: 'utf8' });

function write(project: Project, path: string, text: string): void {
  mkdirSync(dirname(join(project.root, path)), { recursive: true });
  writeFileSync(join(project.root, path), text);
}

const readsOf = (project: Project, { read = [] }: Action) =>
  read.map((path) => readFileSync(join(project.root, path), 'utf8')).join('\n');

/** Writes the reviewer's report. */
function judge(project: Project, { agents = [] }: Action, verdict: string): void {
  const head = `agent: code-reviewer\ntimestamp: 2026-11-21T10:00:00Z\nsummary: "Judged."\nverdict: ${verdict}`;
  write(project, agents[0]?.output ?? '', `---\n${head}\n---\n\n- An empty list goes wrong.\n`);
}

const RED = "import { test } from 'node:test';\ntest('is red', () => {\n  throw new Error('not yet');\n});\n";
const makeRed = (project: Project) => write(project, 'test/red.test.js', RED);
const makeGreen = (project: Project) => rmSync(join(project.root, 'test/red.test.js'));

it('the recipes of the page lint without a warning', () => {
  const project = tagged(fresh());
  for (const step of stepsOf('docs/recipe-patterns.md')) expect(take(step, project)).toBeNull();
  const linted = spawnDevCli(project, ['recipe', 'lint']);
  expect(linted.stdout.match(/no problems/g), linted.stdout).toHaveLength(7);
});

it('a list found at run time, and a note: their tests, both ways, and no way goes wrong', () => {
  const project = tagged(fresh());
  for (const step of stepsOf('docs/recipe-patterns.md')) expect(take(step, project)).toBeNull();
  const files = ['choose-cause', 'upgrade-note'].map((name) => `.dev/recipes/${name}.test.yaml`);
  const tested = spawnDevCli(project, ['recipe', 'test', ...files, '--json']);
  expect(tested).toMatchObject({ code: 0, json: { cases: 3, failed: 0 } });
  expect(spawnDevCli(project, ['recipe', 'verify', 'choose-cause', 'upgrade-note'])).toMatchObject({ code: 0 });
});

it('red at the bound: its test covers all, and no agent walks past the person', () => {
  const project = tagged(fresh());
  for (const step of stepsOf('docs/recipe-patterns.md')) expect(take(step, project)).toBeNull();
  const args = ['recipe', 'test', '.dev/recipes/mend-or-stop.test.yaml', '--coverage', '100', '--json'];
  expect(spawnDevCli(project, args)).toMatchObject({ code: 0, json: { cases: 3, failed: 0 } });
  expect(spawnDevCli(project, ['recipe', 'verify', 'mend-or-stop'])).toMatchObject({ code: 0 });
});

describe.skipIf(skipped)(`the recipes of the page${skipped ? ` (skipped: ${NO_TERMINAL})` : ''}`, () => {
  it('mend until green: at once, or in the round after the red one', () => {
    const green = projectWith('mend-until-green');
    expect(go(green, begin(green, 'mend-until-green').ack).next).toMatchObject({ done: true, outcome: 'completed' });

    const red = projectWith('mend-until-green');
    makeRed(red);
    const { answer, next } = go(red, begin(red, 'mend-until-green').ack);
    expect(answer.ran ?? []).toMatchObject([{ block: 'mend', ok: false }]);
    expect(next).toMatchObject({ block: 'mend', round: 2 });
    expect(readsOf(red, next)).toContain('not yet');
    makeGreen(red);
    expect(go(red, next.ack).next).toMatchObject({ done: true, outcome: 'completed' });
  });

  it('mend or stop: after four red rounds a person is asked, with the log, and goes on', () => {
    const project = projectWith('mend-or-stop');
    makeRed(project);
    let next = begin(project, 'mend-or-stop');
    for (let round = 1; round <= 4; round += 1) next = go(project, next.ack).next;
    expect(next).toMatchObject({ block: 'still-red', human: 'required' });
    expect(readsOf(project, next)).toContain('not yet');
    const approved = terminal?.('dev-cli approve', { cwd: project.root, env: project.env, answers: ['more'] });
    expect(approved?.exit, approved?.output).toBe(0);
    const again = call(project, 'dev-cli next run-1') as unknown as Action;
    expect(again).toMatchObject({ block: 'mend', round: 5 });
    expect(readsOf(project, again)).toContain('not yet');
    makeGreen(project);
    expect(go(project, again.ack).next).toMatchObject({ done: true, outcome: 'completed' });
  });

  it('CI: green goes on, red leads back to the fix and pushes again', () => {
    const project = projectWith('fix-ci');
    const remote = join(project.root, '../remote.git');
    git(project, 'init', '--quiet', '--bare', remote);
    git(project, 'remote', 'add', 'origin', remote);
    const gh = join(project.root, '../bin/gh');
    const script =
      '#!/bin/sh\n[ "$1" = pr ] || exit 0\ngit cat-file -e HEAD:green 2>/dev/null && exit 0\necho "lint failed"\nexit 1\n';
    writeFileSync(gh, script);
    chmodSync(gh, 0o755);
    const { next } = go(project, begin(project, 'fix-ci').ack);
    expect(next).toMatchObject({ block: 'fix' });
    expect(readsOf(project, next)).toBe('lint failed\n');
    write(project, 'green', '');
    git(project, 'add', 'green');
    git(project, 'commit', '--quiet', '--message', 'Fix the lint');
    expect(go(project, next.ack).next).toMatchObject({ done: true, outcome: 'completed' });
    expect(git(project, 'ls-remote', 'origin')).toContain(git(project, 'rev-parse', 'HEAD').trim());
  });

  it('a minor change is tested without a review, a major one is reviewed until it is accepted', () => {
    const minor = projectWith('change-reviewed');
    const first = begin(minor, 'change-reviewed');
    expect(go(minor, chosen(first, 'minor')).next).toMatchObject({ done: true, outcome: 'completed' });

    const major = projectWith('change-reviewed');
    const review = go(major, chosen(begin(major, 'change-reviewed'), 'major')).next;
    expect(review).toMatchObject({ block: 'review', action: 'dispatch-subagents' });
    judge(major, review, 'REJECT');
    const again = go(major, review.ack).next;
    expect(again).toMatchObject({ block: 'change', read: [review.agents?.[0]?.output] });
    const second = go(major, chosen(again, 'major')).next;
    judge(major, second, 'OKAY');
    expect(go(major, second.ack).next).toMatchObject({ done: true, outcome: 'completed' });
  });

  it('the tag is the version that was chosen; a major one is asked about, another one is chosen', () => {
    const project = projectWith('tag-release');
    const first = begin(project, 'tag-release');
    write(project, first.data?.write ?? '', '{ "version": "2.0.0", "kind": "major", "why": "The API has changed." }');
    const gate = go(project, first.ack).next;
    expect(gate).toMatchObject({ block: 'accept', message: 'Is "2.0.0" right? "The API has changed."' });
    write(project, '.dev/specs/run-1/actions/a2/note.md', 'Nothing breaks.\n');
    const again = go(project, chosen(gate, 'other')).next;
    expect(readsOf(project, again)).toContain('Nothing breaks.');
    write(
      project,
      again.data?.write ?? '',
      '{ "version": "1.4.0", "kind": "minor", "why": "--delete is not an option" }',
    );
    expect(go(project, again.ack).next).toMatchObject({ done: true, outcome: 'completed' });
    expect(git(project, 'tag', '--list', '--format=%(refname:short) %(contents)', 'v1.4*').trim()).toBe(
      'v1.4.0 --delete is not an option',
    );
  });

  it('a version that is none is refused before any command sees it', () => {
    const project = projectWith('tag-release');
    const first = begin(project, 'tag-release');
    write(project, first.data?.write ?? '', '{ "version": "-d v1.3.0", "why": "x" }');
    const refused = spawnDevCli(project, (first.ack ?? '').split(' ').slice(1));
    expect(refused.code).toBe(3);
    expect(refused.json.error?.code).toBe('SCHEMA_INVALID');
  });
});
