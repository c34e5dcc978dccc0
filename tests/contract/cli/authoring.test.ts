import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { devCli, writeProjectFile, writeRecipe } from '../../support/cli.js';
import { readImage } from '../../support/image.js';
import { BINARY, createProject, type Project } from '../../support/project.mjs';
import { findRealTerminal } from '../../support/terminal.mjs';

let project: Project;
const children: ChildProcess[] = [];
beforeEach(() => {
  project = createProject({ git: false });
  writeRecipe(
    project,
    'tried',
    `name: tried
type: sequential
blocks:
  - { id: part, type: llm, instruction: Which part changes?, choices: [major, { id: none, goto: halt }] }
  - { id: build, type: cli, command: touch built }
  - { id: gate, type: wait-for-user, human: required, message: Go? }
`,
  );
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  project.remove();
});

const TEST = '.dev/recipes/tried.test.yaml';
const GOOD = `recipe: tried
cases:
  - name: good
    steps:
      - expect: { block: part, snapshot: true }
      - until: end
`;

describe('recipe simulate (authoring.md, recipe simulate)', () => {
  it('prints the actions as an agent gets them, counts, and the end; writes and runs nothing, asks nobody to trust', () => {
    const before = readImage(project.root);
    const { code, json } = devCli(project, ['recipe', 'simulate', 'tried', '--json']);
    expect([code, json]).toMatchObject([
      0,
      {
        ok: true,
        recipe: 'tried',
        actions: [
          {
            action: {
              action: 'llm',
              block: 'part',
              actionId: 'a1',
              choices: [{ ack: expect.stringMatching(/^dev-cli step complete rehearsal/) }, {}],
            },
            did: 'done',
          },
          { action: { action: 'running', block: 'build' }, did: 'exit 0' },
          { action: { action: 'wait-for-user', human: 'required' }, did: 'done' },
        ],
        calls: 4,
        answers: { bytes: expect.any(Number), tokens: expect.any(Number) },
        end: { outcome: 'completed' },
        problems: [],
      },
    ]);
    const text = devCli(project, ['recipe', 'simulate', 'tried', '--text']).stdout;
    expect(text).toMatch(/^a1 {2}part {2}llm {2}1\/3\n/);
    expect(text).toMatch(
      /\ncompleted: 3 of 3 steps done\n4 calls; answers: \d+ bytes, about \d+ tokens; prompts of agents: 0 bytes/,
    );
    expect(readImage(project.root)).toEqual(before);
  });

  it('is the same for the same seed, and another for some other', () => {
    const run = (seed: number) =>
      devCli(project, ['recipe', 'simulate', 'tried', '--seed', String(seed), '--json']).stdout;
    expect(run(3)).toBe(run(3));
    expect(new Set([1, 2, 3, 4, 5, 6, 7, 8].map(run)).size).toBeGreaterThan(1);
  });

  it('plays a script, exits 3 where the run goes another way, and names the place', () => {
    writeProjectFile(project, 'halt.yaml', 'steps:\n  - choose: none\nend: { outcome: halted }\n');
    expect(devCli(project, ['recipe', 'simulate', 'tried', '--script', 'halt.yaml', '--json'])).toMatchObject({
      code: 0,
      json: { end: { outcome: 'halted' } },
    });
    writeProjectFile(project, 'wrong.yaml', 'steps:\n  - choose: nobody\n');
    const wrong = devCli(project, ['recipe', 'simulate', 'tried', '--script', 'wrong.yaml', '--text']);
    expect(wrong).toMatchObject({ code: 3, stderr: '' });
    expect(wrong.stdout).toContain('wrong.yaml:2:13: error: part does not offer "nobody"; it offers major, none.');
    writeProjectFile(project, 'torn.yaml', 'steps: [');
    expect(devCli(project, ['recipe', 'simulate', 'tried', '--script', 'torn.yaml', '--text'])).toMatchObject({
      code: 3,
    });
  });

  it.each([
    [['nobody'], 2, 'UNKNOWN_RECIPE'],
    [['tried', '--script', 'nowhere.yaml'], 2, 'DATA_MISSING'],
    [['tried', '--step'], 3, 'TERMINAL_REQUIRED'],
    [['tried', '--seed', '1', '--step'], 2, 'USAGE'],
    [['tried', '--seed', '-1'], 2, 'USAGE'],
  ])('refuses %j', (args, code, error) => {
    expect(devCli(project, ['recipe', 'simulate', ...args, '--json'])).toMatchObject({
      code,
      json: { error: { code: error } },
    });
  });

  it.skipIf(findRealTerminal() === null)('asks at a terminal what happens', () => {
    const { exit, output } = (findRealTerminal() as NonNullable<ReturnType<typeof findRealTerminal>>)(
      'dev-cli recipe simulate tried --step --text',
      { cwd: project.root, env: project.env, answers: ['3'] },
    );
    expect(output).toContain('What happens? A number, Enter for the first, or q to quit:');
    expect(output).toContain('halted: stopped at part: none');
    expect(exit).toBe(0);
  });
});

describe('recipe test (authoring.md, recipe test)', () => {
  it('finds the tests below .dev at any depth, or runs the files named, and exits 3 when one fails', () => {
    expect(devCli(project, ['recipe', 'test', '--text']).stdout).toContain('This project has no tests of recipes');
    writeProjectFile(project, '.dev/recipes/more/deep/some.test.yml', 'recipe: tried\ncases: [{ name: a }]\n');
    writeProjectFile(
      project,
      '.dev/workflows/other.test.yaml',
      'recipe: tried\ncases: [{ name: b, end: { outcome: halted } }]\n',
    );
    const all = devCli(project, ['recipe', 'test', '--json']);
    expect([all.code, all.json]).toMatchObject([
      3,
      {
        ok: false,
        cases: 2,
        failed: 1,
        files: [
          { file: '.dev/recipes/more/deep/some.test.yml', ok: true, coverage: { percent: expect.any(Number) } },
          {
            file: '.dev/workflows/other.test.yaml',
            ok: false,
            problems: [{ line: 2, pointer: '/cases/0/end/outcome' }],
          },
        ],
      },
    ]);
    expect(devCli(project, ['recipe', 'test', '.dev/recipes/more/deep/some.test.yml', '--text'])).toMatchObject({
      code: 0,
    });
    expect(devCli(project, ['recipe', 'test', 'nowhere.test.yaml', '--text'])).toMatchObject({ code: 3 });
    const named = devCli(project, ['recipe', 'test', 'other', '--json']);
    expect([named.code, named.json]).toMatchObject([3, { files: [{ file: '.dev/workflows/other.test.yaml' }] }]);
    expect(devCli(project, ['recipe', 'test', 'tested-nowhere', '--text']).stdout).toContain(
      '.dev/recipes/tested-nowhere.test.yaml:1:1: error: There is no such file.',
    );
  });

  it('keeps snapshots where asked to, and nothing else', () => {
    writeProjectFile(project, TEST, GOOD);
    const before = readImage(project.root);
    expect(devCli(project, ['recipe', 'test', '--text'])).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('No snapshot'),
    });
    expect(readImage(project.root)).toEqual(before);
    expect(devCli(project, ['recipe', 'test', '--update', '--text'])).toMatchObject({ code: 0 });
    expect(devCli(project, ['recipe', 'test', '--text'])).toMatchObject({ code: 0 });
    const kept = join(project.root, '.dev/recipes/tried.snapshots.json');
    expect(JSON.parse(readFileSync(kept, 'utf8'))).toMatchObject({ good: { 1: { block: 'part' } } });
    const recipe = join(project.root, '.dev/recipes/tried.yaml');
    writeRecipe(project, 'tried', readFileSync(recipe, 'utf8').replace('Which part changes?', 'What changes?'));
    const changed = devCli(project, ['recipe', 'test', '--text']);
    expect(changed.stdout).toContain(
      'differs from its snapshot at /instruction: expected "Which part changes?", got "What changes?"',
    );
    // A test file that cannot be read does not show which snapshots it needs, so all are kept.
    const text = readFileSync(kept, 'utf8');
    writeProjectFile(project, TEST, `${GOOD}  - [`);
    expect(devCli(project, ['recipe', 'test', '--update', '--text'])).toMatchObject({ code: 3 });
    expect(readFileSync(kept, 'utf8')).toBe(text);
  });

  it('demands a coverage, and writes a report for CI', () => {
    writeProjectFile(project, TEST, 'recipe: tried\ncases: [{ name: a }]\n');
    expect(devCli(project, ['recipe', 'test', '--text'])).toMatchObject({ code: 0 });
    const short = devCli(project, ['recipe', 'test', '--coverage', '100', '--junit', 'out/recipes.xml', '--text']);
    expect(short).toMatchObject({ code: 3, stdout: expect.stringContaining('not covered: part: chose none → halted') });
    const xml = readFileSync(join(project.root, 'out/recipes.xml'), 'utf8');
    expect(xml).toContain('<testcase classname=".dev/recipes/tried.test.yaml" name="a"/>');
    expect(xml).toContain('expected 100 %');
    expect(existsSync(join(project.root, 'built'))).toBe(false);
  });

  it('runs them again whenever a file changes', async () => {
    writeProjectFile(project, TEST, 'recipe: tried\ncases: [{ name: a }]\n');
    const child = spawn(process.execPath, [BINARY, 'recipe', 'test', '--watch', '--json'], {
      cwd: project.root,
      env: project.env,
    });
    children.push(child);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async () => JSON.parse((await lines.next()).value ?? '') as object;
    expect(await next()).toMatchObject({ seq: 1, type: 'tested', ok: true });
    writeProjectFile(project, TEST, 'recipe: tried\ncases: [{ name: a, end: { outcome: halted } }]\n');
    expect(await next()).toMatchObject({ seq: 2, type: 'tested', ok: false });
    // A file in a directory that did not exist before is noticed, too.
    writeProjectFile(project, '.dev/workflows/more.test.yaml', 'recipe: tried\ncases: [{ name: more }]\n');
    expect(await next()).toMatchObject({ seq: 3, cases: 2 });
    child.kill('SIGINT');
    expect(await next()).toMatchObject({ error: { code: 'INTERRUPTED' } });
    expect(await new Promise((resolve) => child.on('exit', resolve))).toBe(130);
  });
});
