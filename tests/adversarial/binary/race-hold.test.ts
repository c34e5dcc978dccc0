import { afterEach, beforeEach, expect, it } from 'vitest';
import { judged } from '../../core/protocol/execution.js';
import { devCli, journalOf, writeProjectFile, writeRecipe } from '../../support/cli.js';
import { createProject, type Project } from '../../support/project.mjs';
import { numberFrom } from '../../support/seeded.js';
import { type Dispatch, engineOf, generate, hand, planOf, RUN } from './executing.js';
import { call, replays } from './victims.js';

// control.md, Holding: processes hold and release a run while others collect its results. Each gets an answer as if the
// calls had come one after another: no result is lost, nothing is handed out during a hold, and the run completes.

const RACES = numberFrom('DEV_CLI_TEST_EXECUTION_RACES', 1);

const RECIPE = `name: held
type: engine
skill: execute
config:
  depth: standard
  policies: { verify_enabled: false, code_review_enabled: false, final_verify_enabled: false }
`;

let project: Project;
beforeEach(() => {
  project = createProject({ sample: null });
});
afterEach(() => project.remove());

const types = (): string[] => journalOf(project, RUN).map((entry) => String(entry['type']));

/** Returns the entries that no sequential order of the calls explains. */
function faults(told: readonly string[]): string[] {
  const found: string[] = [];
  let isHeld = false;
  for (const type of told) {
    if (type === 'held' || type === 'released') {
      if ((type === 'held') === isHeld) found.push(`${type} twice in a row`);
      isHeld = type === 'held';
    } else if (isHeld && type === 'dispatched') found.push('handed out under a hold');
  }
  const { todos } = engineOf(project);
  const attempts = Object.values(todos).reduce((sum, { attempt }) => sum + attempt, 0);
  const taken = told.filter((type) => type === 'task-done').length;
  if (taken !== attempts) found.push(`${taken} results of ${attempts} attempts`);
  if (!replays(project, RUN)) found.push('the journal does not replay');
  return found;
}

function begun(): Dispatch {
  writeProjectFile(project, 'README.md', '# held\n');
  writeRecipe(project, 'held', RECIPE);
  generate(
    project,
    planOf(judged('todo-1'), judged('todo-2', { dependsOn: ['todo-1'] }), judged('todo-3', { dependsOn: ['todo-2'] })),
  );
  expect(devCli(project, ['init', RUN, '--recipe', 'held', '--autopilot']).code).toBe(0);
  return devCli(project, ['next', RUN]).json as unknown as Dispatch;
}

it(`results are taken once, whoever holds and releases meanwhile, ${RACES} times (DEV_CLI_TEST_EXECUTION_RACES)`, {
  timeout: 600_000,
}, async () => {
  for (let race = 0; race < RACES; race += 1) {
    if (race > 0) {
      project.remove();
      project = createProject({ sample: null });
    }
    let action = begun();
    for (let wave = 0; wave < 10 && action.done !== true; wave += 1) {
      for (const task of [...(action.tasks ?? []), ...(action.running ?? [])]) hand(project, task);
      const collect = ['step', 'complete', RUN, ...(action.ack ?? '').split(' ').slice(4)];
      const calls = [['hold', RUN], collect, ['release', RUN], ['hold', RUN], collect];
      const codes = await Promise.all(calls.map(async (words) => (await call(project, words)).code));
      // One of the two collecting calls may fail: it finds nothing more to collect, or the run has ended.
      expect(codes[1] === 0 || codes[4] === 0, codes.join()).toBe(true);
      action = devCli(project, ['release', RUN]).json.next as unknown as Dispatch;
      action ??= devCli(project, ['next', RUN]).json as unknown as Dispatch;
    }
    expect(action).toMatchObject({ done: true, outcome: 'completed' });
    expect(faults(types())).toEqual([]);
  }
});

it('what is handed out under a hold would be noticed', () => {
  begun();
  expect(faults(['held', 'dispatched', 'held'])).toEqual(
    expect.arrayContaining(['handed out under a hold', 'held twice in a row']),
  );
});
