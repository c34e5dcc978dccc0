import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Action, StandIn } from '../support/agent.mjs';
import { devCli, journalOf, runDir } from '../support/cli.js';
import { generatePlan, RUN } from '../support/executing.js';
import { createProject, type Project } from '../support/project.mjs';
import { SMALL_CREW, smallPlan } from '../support/small.mjs';

/** Documents that no journal entry contains (storage.md, Renderings), after interruptions, losses and forks. */

let project: Project;
let agent: StandIn;
let action: Action;
function begin(git = true): void {
  project = createProject({ git });
  generatePlan(project);
  agent = new StandIn({ project, name: RUN, crew: SMALL_CREW, scenario: { plan: smallPlan() } });
  action = agent.start('--recipe execute-quick');
}
beforeEach(() => begin());
afterEach(() => project.remove());

const RENDERED = ['PLAN.md', 'context/audit.md'];
const inRun = (path: string): string => join(runDir(project, RUN), path);
const read = (): string[] => RENDERED.map((path) => readFileSync(inRun(path), 'utf8'));
const isTicked = (): boolean => readFileSync(inRun('PLAN.md'), 'utf8').includes('[x]');

/** Drives on until an acknowledgement ticks a box; returns the path of a copy of the run from just before it. */
function tick(): string {
  const before = join(project.home, 'before');
  while (!isTicked()) {
    rmSync(before, { recursive: true, force: true });
    mkdirSync(before);
    cpSync(runDir(project, RUN), before, { recursive: true });
    action = agent.step(action);
  }
  return before;
}

describe('a commit that is cut off before its renderings', () => {
  it.each([
    ['all of them', RENDERED, 0],
    ['the plan', ['PLAN.md'], 0],
    ['a part of a line', ['context/audit.md'], 20],
  ])('gets them from the next call, and nothing is told: %s', (_what, lost, bytes) => {
    const before = tick();
    const after = read();
    const state = readFileSync(inRun('state.json'));
    for (const path of ['state.json', ...lost]) {
      const whole = readFileSync(inRun(path));
      try {
        const old = readFileSync(join(before, path));
        writeFileSync(inRun(path), bytes === 0 || path === 'state.json' ? old : whole.subarray(0, old.length + bytes));
      } catch {
        rmSync(inRun(path));
      }
    }
    const entries = journalOf(project, RUN).length;
    expect(devCli(project, ['next', RUN]).json).toEqual(action);
    expect([read(), readFileSync(inRun('state.json')), journalOf(project, RUN).length]).toEqual([
      after,
      state,
      entries,
    ]);
    expect(agent.drive(action)).toMatchObject({ outcome: 'completed' });
  });

  it.each([
    ['an abort', ['abort', RUN, '--reason', 'x']],
    ['a run in its place', ['init', RUN, '--recipe', 'execute-quick', '--force']],
  ])('gets them from %s', (_what, args) => {
    const before = tick();
    const audit = readFileSync(inRun('context/audit.md'), 'utf8');
    for (const path of ['state.json', 'PLAN.md']) cpSync(join(before, path), inRun(path));
    rmSync(inRun('context/audit.md'));
    const called = devCli(project, args);
    expect(called.code, called.stdout).toBe(0);
    expect(readFileSync(inRun('context/audit.md'), 'utf8')).toBe(audit);
    expect(isTicked()).toBe(true);
    expect(devCli(project, ['replay', RUN, '--check', '--json']).json).toMatchObject({ ok: true, notes: [] });
  });

  it('gets them from the first commit of the next run, where it was the last', () => {
    project.remove();
    // Without git there is no commit to make for a todo, so the last box is ticked only when the run ends.
    begin(false);
    const before = join(project.home, 'before');
    while (action.done !== true) {
      rmSync(before, { recursive: true, force: true });
      cpSync(runDir(project, RUN), before, { recursive: true });
      action = agent.step(action);
    }
    const after = read();
    expect(journalOf(project, RUN).at(-1)).toMatchObject({ rendered: ['context/audit.md', 'PLAN.md'] });
    for (const path of ['state.json', ...RENDERED]) cpSync(join(before, path), inRun(path));
    const called = devCli(project, ['init', RUN, '--recipe', 'specify-quick-autopilot', '--goal', 'More']);
    expect(called.code, called.stdout).toBe(0);
    expect(read()).toEqual(after);
  });

  it('leaves one alone that somebody has edited since', () => {
    const before = tick();
    cpSync(join(before, 'state.json'), inRun('state.json'));
    writeFileSync(inRun('context/audit.md'), 'Mine\n');
    expect(devCli(project, ['next', RUN]).json).toEqual(action);
    expect(readFileSync(inRun('context/audit.md'), 'utf8')).toBe('Mine\n');
    project.replay = false;
  });
});

it('a rendering that is gone or cut short comes back, and is named', () => {
  tick();
  const after = read();
  rmSync(inRun('PLAN.md'));
  writeFileSync(inRun('context/audit.md'), after[1]?.slice(0, 12) ?? '');
  const { notes } = devCli(project, ['replay', RUN, '--check', '--json']).json as { notes?: { path: string }[] };
  expect(notes?.map(({ path }) => path).sort()).toEqual(RENDERED);
  expect(devCli(project, ['next', RUN]).json).toEqual(action);
  expect(read()).toEqual(after);
  expect(JSON.stringify(journalOf(project, RUN).at(-1)?.['data'])).toMatch(
    /PLAN\.md, context\/audit\.md were gone or cut short/,
  );
});

it('a fork has them as they were', () => {
  tick();
  const after = read();
  const seq = journalOf(project, RUN).length;
  expect(agent.drive(action)).toMatchObject({ outcome: 'completed' });
  const forked = devCli(project, ['fork', RUN, '--at', String(seq), '--as', 'copy']);
  expect(forked.code, forked.stdout).toBe(0);
  expect(RENDERED.map((path) => readFileSync(join(runDir(project, 'copy'), path), 'utf8'))).toEqual(after);
  const { documents } = devCli(project, ['replay', RUN, '--at', String(seq)]).json as {
    documents?: Record<string, string>;
  };
  expect(Object.keys(documents ?? {})).toEqual(expect.arrayContaining(RENDERED));
  expect(devCli(project, ['replay', 'copy', '--check', '--json']).json).toMatchObject({ ok: true, notes: [] });
});
