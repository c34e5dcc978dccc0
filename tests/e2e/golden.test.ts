import { describe, expect, it } from 'vitest';
import { type Action, StandIn } from '../support/agent.mjs';
import { type Document, devCli, nextOf } from '../support/cli.js';
import { project, useProject } from '../support/each-project.js';
import { addRemote, installGh } from '../support/forge.mjs';
import { type GoldenRun, goldenRuns, unpack } from '../support/golden.mjs';
import { SPECIFY_RECIPES } from '../support/recipes.mjs';
import { SMALL_CREW, smallPlan } from '../support/small.mjs';
import { STORIES } from '../support/stories.js';
import { findTerminal, NO_TERMINAL } from '../support/terminal.mjs';

// This release resumes every run that an earlier release left, and drives it to its end (storage.md, state.json).

const RUNS = goldenRuns();

const WORKFLOWS = ['ultrawork', 'ultrawork-autopilot'];
/** Recipes whose runs need a remote and `gh` before they are resumed. */
const OPENS_PULL_REQUESTS = new Set(['open-pr', 'ultrawork-autopilot']);

useProject({ sample: null, git: false });

/** Checks that the run is as it was recorded: the same action, nothing to recover, all files as the journal says. */
function checkKept(run: GoldenRun): void {
  const replayed = devCli(project, ['replay', run.name, '--check', '--json']);
  expect(replayed.json['differences']).toEqual([]);
  const status = devCli(project, ['status', run.name, '--json']).json;
  expect(status['recovered']).toEqual([]);
  // `next` may settle an external command, so the answer may differ.
  if (run.next['action'] !== 'running') expect(devCli(project, ['next', run.name]).json).toEqual(run.next);
}

/** Has a person trust the run's commands, which is required because the run comes from elsewhere (protocol.md §4). */
function trust({ name }: GoldenRun): void {
  const { exit, output } = findTerminal()?.(`dev-cli trust ${name}`, {
    cwd: project.root,
    env: project.env,
    answers: ['y'],
  }) ?? { exit: -1, output: NO_TERMINAL };
  expect(exit, output).toBe(0);
}

/** Resumes a run as a new session would: from `manifest` and `next` alone. */
function resume(run: GoldenRun): Action {
  if (OPENS_PULL_REQUESTS.has(run.recipe)) {
    addRemote(project);
    installGh(project);
  }
  const agent = new StandIn({
    project,
    name: run.name,
    formerRoot: run.root,
    crew: SMALL_CREW,
    scenario: WORKFLOWS.includes(run.recipe) ? { plan: smallPlan() } : {},
  });
  const next = run.next as Document & { resume?: string };
  if (next.resume !== undefined) {
    const reopened = agent.run(next.resume);
    expect(reopened.exit, reopened.stdout).toBe(0);
  }
  // An ended run cannot be resumed, so a new run begins under its name.
  if (hasEnded(run)) {
    const first = nextOf(agent.run(run.init).answer ?? {});
    return first.done === true ? first : agent.step(first);
  }
  return agent.drive();
}

const hasEnded = ({ next }: GoldenRun): boolean => next['done'] === true && next['resume'] === undefined;

/** @param last the last action of the resumed run; for an ended run, the action after one step of its successor */
function checkEnd(run: GoldenRun, last: Action): void {
  expect(last.run).toBe(run.name);
  if (!hasEnded(run)) expect(last).toMatchObject({ done: true, outcome: 'completed' });
  expect(devCli(project, ['replay', run.name, '--check', '--json']).json['differences']).toEqual([]);
}

describe('golden runs', () => {
  it('are there for every shipped recipe', () => {
    const titles = RUNS.map(({ title }) => title);
    const planning = SPECIFY_RECIPES.flatMap((recipe) => [
      ...['review-pending', 'completed'].map((moment) => `${recipe}.${moment}`),
      ...(recipe.endsWith('autopilot') ? [] : [`${recipe}.after-revise`]),
    ]);
    const working = STORIES.map(({ recipe }) => `${recipe}.${recipe === 'open-pr' ? 'halted' : 'completed'}`);
    for (const kept of [...planning, ...working]) {
      expect(
        titles.some((title) => title.endsWith(`/${kept}`)),
        kept,
      ).toBe(true);
    }
  });

  const skipped = findTerminal() === null;
  describe.skipIf(skipped).each(RUNS)(`$title${skipped ? ` (skipped: ${NO_TERMINAL})` : ''}`, ({ load }) => {
    it('is as it was kept, and goes on to its end', () => {
      const run = load();
      unpack(project.root, run);
      trust(run);
      checkKept(run);
      checkEnd(run, resume(run));
    });
  });
});

/** Simulates releases that misread another release's files; each must make the checks above fail. */
describe('a golden run that this release would misread is noticed:', () => {
  const file = (name: string, run: GoldenRun): string => `.dev/specs/${run.name}/${name}`;
  const planted: [string, (run: GoldenRun) => void][] = [
    [
      'state.json has a key that the schema does not know',
      (run) => {
        const path = file('state.json', run);
        run.files[path] = (run.files[path] ?? '').replace('{', '{"unknown":1,');
      },
    ],
    [
      'state.json says something else than its journal',
      (run) => {
        const path = file('state.json', run);
        run.files[path] = (run.files[path] ?? '').replace('"stops": {}', '"stops": {"a1":1}');
      },
    ],
    [
      'an entry was patched',
      (run) => {
        const path = file('events.jsonl', run);
        run.files[path] = (run.files[path] ?? '').replace('"value":', '"valve":');
      },
    ],
    [
      'the action reads differently',
      (run) => {
        run.next['instruction'] = 'Do something else.';
      },
    ],
  ];
  it.each(planted)('%s', (_what, plant) => {
    project.replay = false;
    const run = (RUNS.find(({ title }) => title.endsWith('.partial-evidence')) as (typeof RUNS)[number]).load();
    const before = JSON.stringify(run);
    plant(run);
    expect(JSON.stringify(run)).not.toBe(before);
    unpack(project.root, run);
    expect(() => checkKept(run)).toThrow();
  });
});
