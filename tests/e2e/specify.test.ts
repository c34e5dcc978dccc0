import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { matches } from '../contract/docs/walk.js';
import { type Action, inShort, StandIn } from '../support/agent.mjs';
import { devCli, imageOf, runDir, stateOf } from '../support/cli.js';
import { CHECKOUT, createProject, type Project } from '../support/project.mjs';
import { PASSED_OVER, SPECIFY_BLOCKS } from '../support/recipes.mjs';
import { findTerminal, NO_TERMINAL } from '../support/terminal.mjs';

/** Blocks that dev-cli carries out itself; an agent never sees them. */
const BY_ITSELF = ['init', 'auto-assume', 'summary', 'cleanup'];

let project: Project;
afterEach(() => project.remove());

describe.each(Object.entries(SPECIFY_BLOCKS))('%s', (recipe, blocks) => {
  const met = blocks.filter((id) => !BY_ITSELF.includes(id) && !PASSED_OVER.includes(id));
  const skipped = recipe.endsWith('-interactive') && findTerminal() === null;

  it.skipIf(skipped)(`goes from init to done${skipped ? ` (skipped: ${NO_TERMINAL})` : ''}`, () => {
    project = createProject();
    const actions: Action[] = [];
    const agent = new StandIn({ project, scenario: { before: (action) => void actions.push(action) } });
    const done = agent.drive(agent.start(`--recipe ${recipe}`));

    expect(actions.map(({ block }) => block)).toEqual(met);
    expect(new Set(actions.map(({ actionId }) => actionId)).size).toBe(met.length);
    expect(agent.calls.every(({ exit }) => exit === 0)).toBe(true);
    expect(done).toMatchObject({ run: 'add-jwt-auth', action: 'done', done: true, outcome: 'completed' });
    expect(done.instruction).toMatch(/summary.*plan.*stop/is);
    expect(done.artifacts).toEqual(
      expect.arrayContaining(['.dev/specs/add-jwt-auth/PLAN.md', '.dev/specs/add-jwt-auth/summary.md']),
    );
    for (const artifact of done.artifacts ?? []) expect(existsSync(join(project.root, artifact)), artifact).toBe(true);
    checkPlan(project);
    checkEnd(project, recipe);
    if (recipe === 'specify-standard-interactive') checkPage(agent, done);
  });
});

/** Compares the run with getting-started.md: call by call, and in figures within 5 %, as these depend on every word. */
function checkPage(agent: StandIn, done: Action): void {
  const page = readFileSync(join(CHECKOUT, 'docs/getting-started.md'), 'utf8');
  const [, told = '', figures = ''] = /^```text\n([\s\S]*?)^Done\. ([\s\S]*?)^```$/m.exec(page) ?? [];
  let made = 0;
  const calls = agent.calls.map(({ command, typed, answer }) => {
    if (typed !== null) return `person $ ${command} types ${typed.join(', ')}`;
    made += 1;
    const { where, details } = inShort(answer?.next ?? done);
    return `${made} agent $ ${command} → ${where} ${details}`;
  });
  const shown = told.replace(/^ *….*$/gm, '…');
  expect(matches(shown, calls.join('\n')), `${shown}\nis not\n${calls.join('\n')}`).toBe(true);
  expect(figures.startsWith(`${done.summary}\n`), `${figures}\nis not\n${done.summary}`).toBe(true);
  const [shownCalls, answers, files, tokens] = [
    ...figures
      .split('\n')
      .slice(1)
      .join()
      .matchAll(/[\d.]+/g),
  ].map(Number);
  const totals = agent.totals();
  expect(shownCalls).toBe(totals.calls);
  expect(made).toBe(totals.calls);
  const real = [totals.answers / 1000, totals.files / 1000, totals.tokens];
  [answers, files, tokens].forEach((figure = 0, index) => {
    expect(figure / (real[index] ?? 0), figures).toBeCloseTo(1, 1);
  });
}

/** Checks the content of PLAN.md (documents.md, PLAN.md). */
function checkPlan(at: Project): void {
  const plan = readFileSync(join(runDir(at, 'add-jwt-auth'), 'PLAN.md'), 'utf8');
  const headings = plan.split('\n').filter((line) => line.startsWith('### ['));
  expect(headings).toEqual([
    '### [ ] todo-1: Token verification and configuration',
    '### [ ] todo-2: Routes closed by default',
    '### [ ] todo-3: The refusal: body, codes and header',
    '### [ ] todo-4: Warn mode and its log',
    '### [ ] todo-5: Whole suite, end to end, and the README tried by a person',
  ]);
  expect(plan).toContain('```mermaid');
  expect(plan).toContain('npm test');
  expect(plan).not.toContain('undefined');
  const validated = devCli(at, ['plan', 'validate', 'add-jwt-auth']);
  expect(validated.code).toBe(0);
}

/** Checks which files an ended run leaves and which it removes. */
function checkEnd(at: Project, recipe: string): void {
  const state = stateOf(at, 'add-jwt-auth');
  expect(state).toMatchObject({ status: 'completed', outcome: 'completed', recipe });
  for (const [block, step] of Object.entries(state.steps)) {
    expect(step.status, block).toBe(PASSED_OVER.includes(block) ? 'skipped' : 'done');
  }
  for (const [agent, { status, outputHash }] of Object.entries(state.agents)) {
    expect([agent, status]).toEqual([agent, 'done']);
    expect(outputHash, agent).toMatch(/[0-9a-f]{64}$/);
  }
  expect(existsSync(join(runDir(at, 'add-jwt-auth'), 'DRAFT.md'))).toBe(false);
  expect(existsSync(join(at.root, '.dev/active-spec'))).toBe(false);
  const guard = join(at.root, '.dev/guard');
  if (existsSync(guard)) expect(readFileSync(guard, 'utf8')).toBe('open\n');
  expect(Object.keys(imageOf(at)).filter((path) => path.includes('.tmp') || path.endsWith('/lock'))).toEqual([]);
  const dirty = execFileSync('git', ['status', '--porcelain', '--untracked-files=all'], {
    cwd: at.root,
    env: at.env,
    encoding: 'utf8',
  });
  expect(dirty.split('\n').filter((line) => line !== '' && !line.slice(3).startsWith('.dev/'))).toEqual([]);
  const tracked = dirty
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.slice(3));
  expect(tracked.sort()).toEqual(
    ['PLAN.md', 'plan-content.json', 'summary.md'].map((file) => `.dev/specs/add-jwt-auth/${file}`).sort(),
  );
  const again = devCli(at, ['next', 'add-jwt-auth']);
  expect(again.code).toBe(0);
  expect(again.json).toMatchObject({ done: true, outcome: 'completed' });
}
