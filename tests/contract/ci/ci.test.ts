import { appendFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { renderRunSummary } from '../../../src/documents/run-summary.js';
import type { PlanContent } from '../../../src/plan/model/schema.js';
import { renderPlan } from '../../../src/plan/page/render.js';
import { createPlanExtras } from '../../../src/plan/page/setting.js';
import { aPlan, aTodo } from '../../core/plan/fixture.js';
import { devCli, imageOf, type Result, runDir, spawnDevCli, writeProjectFile, writeRecipe } from '../../support/cli.js';
import { git } from '../../support/executing.js';
import { createProject, type Project } from '../../support/project.mjs';
import { PLAIN_BLOCK, startTiny } from '../../support/tiny.js';

// The command `dev-cli ci` (view.md, CI).

interface Found {
  check: string;
  severity: string;
  file: string;
  line?: number;
  message: string;
}
interface Report {
  ok: boolean;
  since: string | null;
  checked: Record<string, number>;
  plans: object[];
  findings: Found[];
  warnings?: string[];
}

let project: Project;
const start = (options: Parameters<typeof createProject>[0] = {}) => {
  project = createProject({ sample: null, git: false, replay: false, ...options });
};
beforeEach(() => start());
afterEach(() => project.remove());

const RUNNER = { GITHUB_ACTIONS: 'true' };
const ci = (args: string[] = [], env: NodeJS.ProcessEnv = {}): Result & { report: Report } => {
  const result = devCli(project, ['ci', '--json', ...args], { env });
  return { ...result, report: result.json as unknown as Report };
};
const printed = (args: string[] = [], env: NodeJS.ProcessEnv = {}) => devCli(project, ['ci', ...args], { env });

const specs = (name: string, file: string) => join(runDir(project, name), file);
function writePlan(name: string, plan: PlanContent = aPlan(), shown: PlanContent | null = plan): void {
  writeProjectFile(project, `.dev/specs/${name}/plan-content.json`, JSON.stringify(plan, null, 2));
  if (shown === null) return;
  writeProjectFile(
    project,
    `.dev/specs/${name}/PLAN.md`,
    renderPlan(shown, { 'todo-1': true }, createPlanExtras(plan, name, null)),
  );
}
const report = (more: object = {}) =>
  renderRunSummary(
    {
      ...{
        goal: 'x',
        outcome: 'halted',
        at: '2026-01-01T00:00:00Z',
        done: [],
        decisions: [],
        changedFiles: [],
        verification: [],
      },
      ...{
        requirements: [{ id: 'r-1', text: 'a', proof: 'todo-1', result: 'met' }],
        failed: ['todo-2: red'],
        openIssues: [],
      },
      ...{ next: [], ...more },
    },
    'Report',
  );
const summary = () => join(project.home, 'summary.md');

describe('an empty project', () => {
  it.each([[false], [true]])('has nothing that could be wrong (git: %s)', (withGit) => {
    project.remove();
    start({ git: withGit });
    const before = imageOf(project);
    const { code, stdout } = spawnDevCli(project, ['ci']);
    expect([code, stdout]).toEqual([0, '✓ nothing found in 0 plans, 0 journals, 0 recipes, 0 cases\n']);
    expect(ci().report).toMatchObject({ ok: true, since: null, plans: [], findings: [] });
    expect(imageOf(project)).toEqual(before);
  });

  it('has no commit to begin with', () => {
    for (const since of ['main', '--all', '-x', '']) {
      const { code, stderr } = printed([`--since=${since}`]);
      expect([since, code, stderr]).toEqual([since, 2, expect.stringContaining('USAGE')]);
    }
  });
});

describe('plans', () => {
  it('that hold up are listed with what their report says', () => {
    writePlan('one');
    writePlan('two');
    writeFileSync(specs('two', 'report.md'), report());
    writeProjectFile(project, '.dev/specs/three/notes.md', 'no plan');
    const { code, report: made } = ci();
    expect([code, made.plans, made.findings]).toEqual([
      0,
      [
        { name: 'one', todos: 3, done: 1 },
        { name: 'two', todos: 3, done: 1, proof: '1 of 1 requirements met', open: ['halted', 'Failed: 1'] },
      ],
      [],
    ]);
  });

  it('that are damaged are told at their place', () => {
    writePlan('bad', { ...aPlan(), todos: [aTodo('todo-1'), aTodo('todo-2', { dependsOn: ['todo-9'] })] }, null);
    writePlan('cut');
    truncateSync(specs('cut', 'plan-content.json'), 100);
    writePlan('half', aPlan(), null);
    writePlan('lone');
    writeFileSync(specs('lone', 'plan-content.json'), '');
    writePlan('old', aPlan(), aPlan({ todos: [aTodo('todo-1')] }));
    writePlan('typed');
    appendFileSync(specs('typed', 'PLAN.md'), '\nMore.\n');
    const { code, report: made } = ci();
    expect(code).toBe(3);
    const at = (name: string) => made.findings.filter(({ file }) => file.includes(`/${name}/`));
    const [bad] = at('bad');
    const line = readFileSync(specs('bad', 'plan-content.json'), 'utf8')
      .split('\n')
      .findIndex((one) => one.includes('todo-9'));
    expect(bad).toMatchObject({
      check: 'plan',
      severity: 'error',
      line: line + 1,
      message: expect.stringContaining('todo-9'),
    });
    expect(at('cut')[0]).toMatchObject({ file: '.dev/specs/cut/plan-content.json', line: expect.any(Number) });
    expect(at('half')).toMatchObject([{ message: 'PLAN.md is missing.' }]);
    expect(at('lone')).toHaveLength(1);
    expect(at('old')).toMatchObject([
      { file: '.dev/specs/old/PLAN.md', message: 'PLAN.md differs from plan-content.json.' },
    ]);
    const typed = readFileSync(specs('typed', 'PLAN.md'), 'utf8').split('\n').indexOf('More.');
    expect(at('typed')).toMatchObject([{ file: '.dev/specs/typed/PLAN.md', line: expect.any(Number) }]);
    expect(Math.abs((at('typed')[0]?.line ?? 0) - typed)).toBeLessThan(3);
  });

  it('may show todos that an execution has added, and no others', () => {
    const added = (id: string) => ({ ...aPlan(), todos: [...aPlan().todos, aTodo(id, { dependsOn: ['todo-1'] })] });
    writePlan('grown', aPlan(), added('todo-1-d1'));
    writePlan('wrong', aPlan(), added('todo-4'));
    expect(ci().report.findings.map(({ file }) => file)).toEqual(['.dev/specs/wrong/PLAN.md']);
  });

  it('are in directories: a file beside them is none', () => {
    writePlan('one');
    writeProjectFile(project, '.dev/specs/notes', 'x\n');
    expect(ci()).toMatchObject({ code: 0, report: { checked: { plan: 1 }, findings: [] } });
  });

  it('that lead out of the project are not read', () => {
    writePlan('out');
    writeFileSync(join(project.home, 'secret.md'), report());
    symlinkSync(join(project.home, 'secret.md'), specs('out', 'report.md'));
    const { code, report: made } = ci();
    expect([code, made.findings]).toMatchObject([
      3,
      [{ message: expect.stringContaining('leads out of the project') }],
    ]);
  });
});

describe('recipes', () => {
  const KIND = '  - { id: kind, type: llm, instruction: Choose., choices: [minor, major] }\n';
  const recipe = (name: string, blocks: string) =>
    writeRecipe(project, name, `name: ${name}\ntype: sequential\nblocks:\n${blocks}`);

  it('are linted, verified and tested', () => {
    recipe('good', KIND);
    recipe(
      'stuck',
      `${KIND}  - { id: talk, type: llm-loop, instruction: Talk., maxRounds: 2, exitWhen: 'blocks["kind"].choice == "major"' }\n`,
    );
    recipe('broken', '  - { id: kind, type: nothing }\n');
    writeProjectFile(
      project,
      '.dev/recipes/good.test.yaml',
      'recipe: good\ncases: [{ name: b, end: { outcome: halted } }]\n',
    );
    const { code, report: made } = ci();
    expect([code, made.checked]).toMatchObject([3, { recipe: 3, case: 1 }]);
    expect(new Set(made.findings.map(({ check, file }) => `${check} ${file}`))).toEqual(
      new Set([
        'recipe .dev/recipes/broken.yaml',
        'recipe .dev/recipes/stuck.yaml',
        'test .dev/recipes/good.test.yaml',
      ]),
    );
    expect(made.findings.every(({ line }) => line !== undefined)).toBe(true);
  });

  it.each([
    ['what is no YAML', 'depth: [', [1]],
    ['what is no mapping', '- deep', [1]],
    ['values that cannot be', 'notify: 3\nagents: many\n', [1, 2]],
    ['a preference of all recipes that it cannot be', 'a: 1\npull_request: maybe\n', [2]],
    ['what says nothing', '# later\n', []],
    ['names that nothing reads', 'nonsense: 1\n', []],
  ])('and preferences that `init` refuses: %s', (_, text, lines) => {
    writeProjectFile(project, '.dev/preferences.yaml', text);
    const { code, report: made } = ci();
    expect(code).toBe(lines.length > 0 ? 3 : 0);
    const places = made.findings.map(({ check, file, line }) => [check, file, line]);
    expect([...new Set(places.map(String))]).toEqual(lines.map((line) => `preferences,.dev/preferences.yaml,${line}`));
  });

  it('start nothing of the repository', () => {
    recipe('shell', `  - { id: run, type: cli, run: [touch, ran.txt] }\n`);
    writePlan(
      'one',
      aPlan({ todos: [aTodo('todo-1', { acceptance: [{ id: 'ac-1', kind: 'command', run: ['touch', 'ran.txt'] }] })] }),
    );
    const before = imageOf(project);
    ci();
    expect(imageOf(project)).toEqual(before);
    expect(existsSync(join(project.root, 'ran.txt'))).toBe(false);
  });
});

describe('journals', () => {
  const journal = () => specs('run-1', 'events.jsonl');
  beforeEach(() => {
    startTiny(project, [PLAIN_BLOCK]);
  });

  it('that are whole say nothing; a clone has none', () => {
    expect(ci().report).toMatchObject({ ok: true, checked: { journal: 1 }, findings: [] });
  });

  it('whose end is torn are a warning, those damaged before it an error', () => {
    appendFileSync(journal(), '{"v":3,"seq":');
    expect(ci()).toMatchObject({
      code: 0,
      report: { findings: [{ check: 'journal', severity: 'warning', message: expect.stringContaining('torn end') }] },
    });
    const text = readFileSync(journal(), 'utf8');
    writeFileSync(journal(), text.replace('"seq":1', '"seq":7'));
    const { code, report: made } = ci();
    expect([code, made.findings]).toMatchObject([
      3,
      [{ check: 'journal', severity: 'error', file: '.dev/specs/run-1/events.jsonl', line: 1 }],
    ]);
  });
});

describe('in a job of GitHub', () => {
  const annotations = (text: string) => text.split('\n').filter((line) => line.startsWith('::'));

  it('findings are annotations, relative to the workspace, and the text has them all', () => {
    for (let at = 0; at < 12; at++) writePlan(`plan-${at}`, aPlan(), null);
    const { code, stdout } = printed([], { ...RUNNER, GITHUB_WORKSPACE: join(project.root, '..') });
    expect([code, annotations(stdout).length]).toEqual([3, 10]);
    expect(annotations(stdout)[0]).toMatch(
      /^::error file=project\/\.dev\/specs\/plan-0\/plan-content\.json,title=dev-cli%3A plan::PLAN\.md/,
    );
    expect(annotations(stdout)[9]).toMatch(/and 2 more errors: the log lists all of them\.$/);
    expect(stdout.match(/: error: /g)).toHaveLength(12);
  });

  it('those of the pull request come first; only its reports are in the summary', () => {
    project.remove();
    start({ git: true });
    const commit = (message: string) => {
      git(project, 'add', '--all', '--force');
      git(project, 'commit', '--quiet', '--message', message);
    };
    writePlan('a');
    writeFileSync(specs('a', 'PLAN.md'), 'old');
    writeFileSync(specs('a', 'report.md'), report());
    commit('base');
    git(project, 'update-ref', 'refs/remotes/origin/trunk', 'HEAD');
    writePlan('b');
    writeFileSync(specs('b', 'PLAN.md'), 'new');
    writeFileSync(specs('b', 'report.md'), report({ failed: ['::error::x <img> ]( x##[debug]'] }));
    commit('change');
    const env = { ...RUNNER, GITHUB_BASE_REF: 'trunk', GITHUB_STEP_SUMMARY: summary() };
    writeFileSync(summary(), 'Earlier.');
    const { stdout } = printed([], env);
    expect(annotations(stdout).map((line) => /specs\/(.)/.exec(line)?.[1])).toEqual(['b', 'a']);
    const made = readFileSync(summary(), 'utf8');
    expect(made).toMatch(/^Earlier\.\n## ✗ 2 errors in 2 plans/);
    expect(made.match(/<summary>.*/g)).toEqual(['<summary>.dev/specs/b/report.md</summary>']);
    expect(made).toContain('> - ::error::x &lt;img> ] ( x##[debug]');
    expect(ci(['--since', 'origin/trunk']).report.since).toMatch(/^[0-9a-f]{40}$/);
    expect(ci([], { GITHUB_BASE_REF: 'gone' }).report.warnings).toEqual([expect.stringContaining('fetch-depth: 0')]);
  });

  it('no text that came from elsewhere is a command, here and in other commands', () => {
    writePlan('one', { ...aPlan(), todos: [aTodo('todo-1', { dependsOn: ['\n::error::x', 'y##[debug]'] })] }, null);
    for (const args of [
      ['ci'],
      ['plan', 'validate', 'one', '--text'],
      ['status', '::error::x'],
      ['list', 'x##[debug]'],
    ]) {
      const { stdout, stderr } = spawnDevCli(project, args, { env: RUNNER });
      const foreign = `${stdout}${stderr}`.split('\n').filter((line) => /^\s*::/.test(line) || line.includes('##['));
      expect(
        foreign.filter((line) => !/^::(error|warning) file=/.test(line)),
        args.join(' '),
      ).toEqual([]);
    }
  });

  it('JSON is what it is elsewhere', () => {
    writePlan('one', aPlan(), null);
    expect(ci([], RUNNER).stdout).toBe(ci().stdout);
  });
});

describe('the file of a summary', () => {
  it('is made where it is missing, and added to where it is there', () => {
    writePlan('one');
    for (let times = 1; times <= 2; times++) {
      expect(printed(['--summary', summary()]).code).toBe(0);
      expect(readFileSync(summary(), 'utf8').match(/^## ✓/gm)).toHaveLength(times);
    }
  });

  it('that is full is not added to, and that is said', () => {
    writeFileSync(summary(), 'x'.repeat(999_000));
    const { code, stdout } = printed(['--summary', summary()]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('has no room left')]);
    expect(readFileSync(summary(), 'utf8')).toHaveLength(999_000);
  });

  it.each(['.', 'gone/away.md'])('that cannot be one is refused where it was named, else told: %s', (file) => {
    mkdirSync(join(project.root, 'sub'));
    expect(printed(['--summary', file])).toMatchObject({ code: 1, stderr: expect.stringMatching(/^IO: /) });
    const { code, stdout } = printed([], { GITHUB_STEP_SUMMARY: file });
    expect([code, stdout]).toEqual([0, expect.stringContaining('! The summary was not written: ')]);
  });

  it('without a name is refused where it was named, as by a variable that is not set; the runner may have none', () => {
    expect(printed(['--summary', ''])).toMatchObject({ code: 1, stderr: expect.stringMatching(/^IO: /) });
    expect(printed([], { GITHUB_STEP_SUMMARY: '' })).toMatchObject({ code: 0, stderr: '' });
  });
});
