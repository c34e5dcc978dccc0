import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createFleet, type Desk, until } from '../../support/fleet.mjs';
import { createDatabase } from '../../support/postgres.js';
import { BINARY } from '../../support/project.mjs';
import { findRealTerminal, NO_TERMINAL } from '../../support/terminal.mjs';

/** A gate is brought to a person, and the attempt continues on another worker (fleet.md, Trust, persons). */

const fleet = createFleet({ url: await createDatabase(), lease: 5 });
afterAll(() => fleet.end());

const ASK_FIRST = `name: ask-first
type: sequential
description: "Work on a goal; a person looks before anything is integrated."
goal: required
guard: { writes: ["**"], sources: free }
blocks:
  - { id: work, type: llm, instruction: "Reach the goal in this directory." }
  - id: look
    type: wait-for-user
    human: required
    message: The goal is reached. May it be integrated?
    choices:
      - { id: integrate, label: integrate it }
      - { id: again, label: not yet, goto: work, reason: required }
`;
const STEP =
  'dev-cli step complete --action "$(dev-cli next | sed \'s/.*"actionId":"\\([^"]*\\)".*/\\1/\')" >/dev/null';

const terminal = findRealTerminal();
const approve = (clone: Desk, choice: string, answers: string[]) =>
  terminal?.(`node ${BINARY} approve one-1 --choice ${choice}`, {
    ...{ cwd: clone.root, env: clone.env, answers, pause: 300 },
  }) ?? { exit: -1, output: NO_TERMINAL };
const suffix = terminal === null ? ` (skipped: ${NO_TERMINAL})` : '';

it.skipIf(terminal === null)(`takes an attempt to a person and back, whoever worked on it${suffix}`, async () => {
  const desk = fleet.addProject('gate', {
    goals: '  - { id: one, title: "Write one", status: active, recipe: ask-first }\n',
    sessions: { one: [{ write: { 'one.txt': 'one\n' }, handoff: null, run: STEP }] },
    files: { '.dev/recipes/ask-first.yaml': ASK_FIRST },
  });
  expect(fleet.call(desk, 'fleet', 'init').exit).toBe(0);
  const [first, second] = [fleet.addMachine('first'), fleet.addMachine('second')];
  const [anna, berta] = [fleet.addClone(desk, 'anna'), fleet.addClone(desk, 'berta')];
  const worker = fleet.start(first, 'fleet', 'worker');
  const auto = await fleet.start(desk, 'auto', '--recursive', '--fleet', '--json').ended;
  expect(JSON.parse(auto.stdout)).toMatchObject({
    goals_processed: [{ id: 'one', action_taken: 'park', reason: 'The goal is reached. May it be integrated?' }],
    parked: [{ goal: 'one', run: 'one-1' }],
  });
  // The machine that worked on the attempt is lost with all its files.
  worker.kill('SIGKILL');
  await worker.ended;
  rmSync(first.state, { recursive: true, force: true });

  const items = fleet.call(berta, 'inbox', 'list', '--json').json.items;
  expect(items).toMatchObject([{ reason_code: 'gate', goal_id: 'one' }]);
  const taken = fleet.call(anna, 'fleet', 'take', 'one', '--json');
  expect({ ...taken, stdout: '' }).toMatchObject({ exit: 0, json: { attempt: 'one#1', run: 'one-1' } });
  expect(existsSync(join(anna.root, '.dev/specs/one-1/events.jsonl'))).toBe(true);
  expect(fleet.call(berta, 'fleet', 'take', 'one', '--json').json.error.code).toBe('CLAIM_REFUSED');
  expect(fleet.call(berta, 'fleet', 'give', 'one', '--json').json.error.code).toBe('USAGE');
  // An attempt that is given back without an answer keeps waiting, and the same person may take it again.
  expect(fleet.call(anna, 'fleet', 'give', 'one', '--json').json).toMatchObject({ state: 'parked' });
  expect(fleet.call(berta, 'fleet', 'take', 'one').exit).toBe(0);
  expect(fleet.call(berta, 'fleet', 'give', 'one').exit).toBe(0);
  expect(fleet.call(anna, 'fleet', 'take', 'one').exit).toBe(0);
  expect(approve(anna, 'integrate', ['yes'])).toMatchObject({ exit: 0 });
  expect(fleet.call(anna, 'fleet', 'give', 'one', '--json').json).toMatchObject({ state: 'judging' });

  const other = fleet.start(second, 'fleet', 'worker');
  await until('it is integrated', () => fleet.listDone(desk).length > 0);
  const { exit } = await fleet.start(desk, 'auto', '--recursive', '--fleet', '--json').ended;
  expect(exit).toBe(0);
  expect(fleet.listDone(desk)).toEqual(['one']);
  const shown = execFileSync('git', ['show', 'main:one.txt'], { cwd: desk.remote, encoding: 'utf8' });
  expect(shown).toBe('one\n');
  expect(fleet.listSessions(desk)).toEqual(['one']);
  other.kill();
  expect((await other.ended).exit).toBe(130);
});

it('brings what a settled attempt kept', async () => {
  const desk = fleet.addProject('kept', {
    goals: '  - { id: two, title: "Write two", status: active, allowed_changes: ["docs/**"], max_retries: 1 }\n',
    sessions: { two: [{ write: { 'two.txt': 'two\n' } }] },
  });
  expect(fleet.call(desk, 'fleet', 'init').exit).toBe(0);
  const worker = fleet.start(fleet.addMachine('third'), 'fleet', 'worker');
  const { exit } = await fleet.start(desk, 'auto', '--recursive', '--fleet', '--json').ended;
  expect(exit).toBe(1);
  const anna = fleet.addClone(desk, 'anna-2');
  const taken = fleet.call(anna, 'fleet', 'take', 'two', '--json');
  expect(taken.json).toMatchObject({ ok: true, ref: 'refs/dev-cli/attempts/two/1' });
  const shown = execFileSync('git', ['show', 'refs/dev-cli/attempts/two/1:two.txt'], {
    cwd: anna.root,
    encoding: 'utf8',
  });
  expect(shown).toBe('two\n');
  expect(fleet.call(anna, 'attempt', 'show', 'two#1').exit).toBe(0);
  expect(fleet.call(anna, 'fleet', 'take', 'three', '--json').json.error.code).toBe('USAGE');
  worker.kill();
  await worker.ended;
});
