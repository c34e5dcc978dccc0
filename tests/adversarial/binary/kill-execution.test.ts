import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { devCli, runDir } from '../../support/cli.js';
import { createProject, type Project } from '../../support/project.mjs';
import { chosenSeed, numberFrom, type Random, seeded } from '../../support/seeded.js';
import { BEGIN, faultsOfExecution, pending, prepareExecution, workOn } from './executed.js';
import { type Dispatch, git, RUN } from './executing.js';
import { kill, runnersOf, startCall, type Victim } from './victims.js';

// storage.md, Proofs, for executions: dev-cli and the runners of acceptance commands and commits are killed at random
// instants. Afterwards every todo must be done in its first attempt, and its work must be committed once.

const KILLS = numberFrom('DEV_CLI_TEST_EXECUTION_KILLS', 10);
const LANES = 2;
const seed = chosenSeed();

interface Tally {
  cli: number;
  runner: number;
  runs: number;
}

/** Waits for a random instant in the life of the next runner; gives up when the call ends. */
async function runnerInstant(project: Project, { child }: Victim, random: Random): Promise<void> {
  while (child.exitCode === null && runnersOf(project).length === 0) await sleep(5);
  await sleep(random.unit() * 150);
}

/** Runs one execution with many kills; returns the problems at the end. */
async function disturbed(random: Random, tally: Tally): Promise<string[]> {
  const project = createProject({ sample: null });
  try {
    const todos = prepareExecution(project, { todos: 2 });
    const before = tally.runner;
    // A job fails if two launches leave no record (protocol.md §4), so no job's runner is killed twice.
    let spares = false;
    const attempt = async (args: string[]): Promise<Dispatch | null> => {
      const victim = startCall(project, args, { DEV_CLI_ANSWER_WITHIN: '2' });
      const chosen = random.pick(['cli', 'runner', 'none'] as const);
      const target = chosen === 'runner' && spares ? 'none' : chosen;
      const waits = target === 'runner' ? runnerInstant(project, victim, random) : sleep(random.unit() * 900);
      await Promise.race([waits, victim.ended]);
      const killed = target === 'runner' ? runnersOf(project).filter(kill).length : 0;
      tally.runner += killed;
      spares ||= killed > 0;
      if (target === 'cli' && victim.child.exitCode === null && kill(victim.pid)) tally.cli += 1;
      const { json, code, signal, stdout } = await victim.ended;
      if (signal === null && code !== 0) throw new Error(`dev-cli ${args.join(' ')}: exit ${code}: ${stdout}`);
      return json as unknown as Dispatch | null;
    };
    while ((await attempt(BEGIN)) === null) {}
    for (let steps = 0; steps < 200; steps += 1) {
      const action = await attempt(['next', RUN, '--wait', '2']);
      if (action?.done === true) {
        return faultsOfExecution(project, todos, { runners: tally.runner > before });
      }
      if (action?.action !== 'engine-dispatch') continue;
      spares = false;
      workOn(project, action);
      await attempt(action.ack?.split(' ').slice(1) ?? []);
    }
    return ['it does not come to its end'];
  } catch (error) {
    return [String(error)];
  } finally {
    while (runnersOf(project).length > 0) await sleep(20);
    project.remove();
  }
}

it('what is lost or doubled is found', () => {
  const project = createProject({ sample: null, replay: false });
  const todos = prepareExecution(project);
  devCli(project, BEGIN);
  for (let action = pending(project); action.done !== true; action = pending(project)) {
    workOn(project, action);
    devCli(project, action.ack?.split(' ').slice(1) ?? []);
  }
  const faults = () => faultsOfExecution(project, todos, { runners: false }).join('\n');
  expect(faults()).toBe('');
  const journal = join(runDir(project, RUN), 'events.jsonl');
  const kept = readFileSync(journal, 'utf8');
  const settled = kept.split('\n').find((line) => line.includes('"type":"todo-settled"')) ?? '';
  writeFileSync(journal, `${kept}${settled}\n`);
  expect(faults()).toMatch(/^todo-settled twice: todo-1/);
  writeFileSync(journal, kept);
  appendFileSync(join(project.root, '../effects'), 'todo-1\n');
  expect(faults()).toMatch(/^effects: /);
  const message = git(project, 'log', '-1', '--format=%B');
  git(project, 'commit', '--quiet', '--allow-empty', '--message', message, '--only');
  expect(faults()).toMatch(/^commits: todo-1 todo-2 todo-2 instead of todo-1 todo-2\neffects/);
  git(project, 'reset', '--quiet');
  expect(faults()).toMatch(/the tree: \?\? mine\.txt/);
  project.remove();
});

it(`${KILLS} kills lose nothing and double nothing (DEV_CLI_TEST_EXECUTION_KILLS, DEV_CLI_TEST_SEED=${seed})`, {
  timeout: 3_600_000,
}, async () => {
  const tallies = Array.from({ length: LANES }, (): Tally => ({ cli: 0, runner: 0, runs: 0 }));
  const faults = await Promise.all(
    tallies.map(async (tally, lane) => {
      const random = seeded(seed + lane);
      const found: string[] = [];
      while (tally.cli + tally.runner < KILLS / LANES && found.length === 0) {
        found.push(...(await disturbed(random, tally)));
        tally.runs += 1;
      }
      return found;
    }),
  );
  console.log(`kill -9 of executions, seed ${seed}: ${JSON.stringify(tallies)}`);
  expect(faults.flat(), `seed ${seed}`).toEqual([]);
});
