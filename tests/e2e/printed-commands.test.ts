import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Action, StandIn } from '../support/agent.mjs';
import type { Task } from '../support/crew.mjs';
import { RUN } from '../support/executing.js';
import { freshProjects } from '../support/fresh.js';
import type { Project } from '../support/project.mjs';
import { SPECIFY_RECIPES } from '../support/recipes.mjs';
import { agentFor, STORIES } from '../support/stories.js';
import { findTerminal, NO_TERMINAL } from '../support/terminal.mjs';

const fresh = freshProjects();

let copies = 0;

/** Copies the project in its current state, so that trials in the copy do not affect the original. */
function copyOf(project: Project): Project {
  copies += 1;
  const root = join(dirname(project.root), `copy-${copies}`, 'todo-api');
  mkdirSync(dirname(root));
  cpSync(project.root, root, { recursive: true, verbatimSymlinks: true });
  return { ...project, root, remove: () => {} };
}

/** Has a person trust the run's commands in a copy (protocol.md, Place). */
function trusted(copy: Project): Project {
  const asked = findTerminal()?.(`dev-cli trust ${RUN}`, { cwd: copy.root, env: copy.env, answers: ['y'] });
  if (asked !== undefined) expect(asked.exit, asked.output).toBe(0);
  return copy;
}

/**
 * Lists every command line in an answer, at any depth: under `ack`, `poll`, `fix`, `instead`, `resume`, `ruling`.
 */
function commandsIn(value: unknown, key = ''): { key: string; command: string }[] {
  if (typeof value === 'string') return value.startsWith('dev-cli ') ? [{ key, command: value }] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([member, inner]) => commandsIn(inner, Array.isArray(value) ? key : member));
}

describe.each(SPECIFY_RECIPES)('%s', (recipe) => {
  const skipped = recipe.endsWith('-interactive') && findTerminal() === null;

  it.skipIf(skipped)(
    `every printed command runs as printed, the ways not taken in a copy${skipped ? ` (skipped: ${NO_TERMINAL})` : ''}`,
    { timeout: 240_000 },
    () => {
      const project = fresh();
      const tried = new Set<string>();
      const before = (action: Action): void => {
        for (const { id, ack } of action.choices ?? []) {
          if (['Bug', 'Refactor', 'Architecture', 'Migration', 'Performance'].includes(id)) continue; // the same as Research
          const agent = new StandIn({ project: copyOf(project) });
          tryResume(agent, chosen(agent, action, id, ack));
          tried.add(id);
        }
      };
      const agent = new StandIn({ project, scenario: { before } });
      expect(agent.drive(agent.start(`--recipe ${recipe}`))).toMatchObject({ outcome: 'completed' });
      expect([...tried]).toEqual(expect.arrayContaining(['Feature', 'Research']));
      checkKeys(agent);
    },
  );
});

/** Checks that each command has a key that the skills know, and contains the run's name. */
function checkKeys(agent: StandIn): void {
  for (const call of agent.calls) {
    for (const { key, command } of commandsIn(call.answer)) {
      // The summary quotes commands that dev-cli itself ran.
      if (key === 'summary') continue;
      expect(['ack', 'poll', 'answer', 'fix', 'instead', 'resume', 'ruling'], command).toContain(key);
      expect(command, 'printed commands carry the name').toContain(' add-jwt-auth');
      expect(command).not.toContain('npx');
    }
  }
}

/** Two recipes are left out because they print nothing new: one has fewer handlers, the other the same phases. */
const PRINTING = STORIES.filter(({ recipe }) => recipe !== 'execute-standard' && recipe !== 'ultrawork');

describe.each(PRINTING)('$recipe', ({ recipe, person, prepare, start }) => {
  const skipped = person && findTerminal() === null;

  it.skipIf(skipped)(
    `every printed command runs as printed, the ways not taken in a copy${skipped ? ` (skipped: ${NO_TERMINAL})` : ''}`,
    { timeout: 240_000 },
    () => {
      const project = fresh();
      prepare(project);
      const tried = new Set<string>();
      const before = (action: Action): void => {
        if (!recipe.startsWith('execute-')) return;
        for (const { id, ack } of action.choices ?? []) {
          const agent = agentFor(trusted(copyOf(project)));
          tryResume(agent, chosen(agent, action, id, ack));
          tried.add(id);
        }
        for (const task of action.tasks ?? []) {
          if (tried.has(task.substep)) continue;
          tried.add(task.substep);
          tryTask(project, action, task);
        }
      };
      const agent = agentFor(project, { before });
      expect(agent.drive(start(agent))).toMatchObject({ outcome: 'completed' });
      if (recipe === 'execute-hardened') {
        const all = ['approve', 'stop', 'pass', 'fail', 'reject', 'worker', 'verify', 'securityScan', 'codeReview'];
        expect([...tried].sort()).toEqual(all.sort());
      }
      checkKeys(agent);
    },
  );
});

/**
 * Tries the commands of a single task in copies of the project: its ack, which is refused without a result; the check
 * in its prompt; `instead`, which gives the task up; and in another copy its ack again, which accepts the result.
 */
function tryTask(project: Project, action: Action, task: Task): void {
  const copy = trusted(copyOf(project));
  const agent = agentFor(copy, {}, project.root);
  const refused = agent.run(task.ack);
  expect(refused.answer?.error?.code, refused.stdout).toBe('EVIDENCE_MISSING');
  const nothing = agent.run(action.ack ?? '');
  expect(nothing.exit, nothing.stdout).toBe(3);
  const [check] = /dev-cli check [^`]+/.exec(readFileSync(agent.path(task.promptFile), 'utf8')) ?? [];
  if (check !== undefined && task.substep === 'worker') {
    agent.task(task);
    expect([0, 3]).toContain(agent.run(check.replaceAll(project.root, copy.root)).exit);
    rmSync(agent.path(task.output));
  }
  const instead = refused.answer?.error?.instead ?? '';
  writeTexts(agent, instead);
  const other = agentFor(trusted(copyOf(copy)), {}, project.root);
  const givenUp = agent.run(instead);
  expect(givenUp.exit, givenUp.stdout).toBe(0);
  tryResume(agent, givenUp.answer?.next);
  other.task(task);
  const taken = other.run(task.ack);
  expect(taken.exit, taken.stdout).toBe(0);
}

/** Makes a choice with its own ack, or if the gate requires a person, as that person at a terminal. */
function chosen(agent: StandIn, action: Action, id: string, ack: string | undefined): Action | undefined {
  if (action.human === 'required') return agent.decide(action, id);
  writeTexts(agent, ack ?? '');
  const call = agent.run(ack ?? '');
  expect(call.exit, `${action.block}, ${id}: ${ack}\n${call.stdout}`).toBe(0);
  return call.answer?.next;
}

/** Checks that a halted run prints two commands, either of which reopens it: `resume`, and `ruling` with a note. */
function tryResume(agent: StandIn, next: Action | undefined): void {
  if (next?.outcome !== 'halted') return;
  const copy = new StandIn({ project: copyOf(agent.project) });
  writeTexts(copy, next.ruling ?? '');
  const ruled = copy.run(next.ruling ?? '');
  expect(ruled.exit, ruled.stdout).toBe(0);
  expect(ruled.answer?.next?.done).toBeUndefined();
  expect(next.resume, 'a halted run can be reopened').toMatch(/^dev-cli /);
  const resumed = agent.run(next.resume ?? '');
  expect(resumed.exit, resumed.stdout).toBe(0);
  expect(resumed.answer?.next?.done).toBeUndefined();
}

/** Writes the files that a command names after `@`. */
function writeTexts(agent: StandIn, command: string): void {
  for (const [, path = ''] of command.matchAll(/@'?([^\s']+)/g)) agent.write(path, 'Because it is wanted so.\n');
}

describe('what a refusal prints', () => {
  it('instead and fix run as printed', () => {
    const project = fresh();
    const agent = new StandIn({
      project,
      scenario: { before: ({ block }) => (block === 'analyze-lite' ? 'stop' : undefined) },
    });
    const action = agent.drive(agent.start('--recipe specify-quick-autopilot'));
    expect(action.block).toBe('analyze-lite');
    const refused = agent.run(action.ack ?? '');
    expect(refused.exit).toBe(3);
    const instead = refused.answer?.error?.instead ?? '';
    expect(instead).toMatch(/^dev-cli step complete add-jwt-auth --action a\d+ --without tradeoff-analyzer --reason @/);
    writeTexts(agent, instead);
    const given = agent.run(instead);
    expect(given.exit, given.stdout).toBe(0);
    expect(given.answer?.next?.block).toBe('generate-plan');
  });

  it('runs from a subdirectory as printed, too', () => {
    const project = fresh();
    const agent = new StandIn({ project, cwd: join(project.root, 'src') });
    const done = agent.drive(agent.start('--recipe specify-quick-autopilot'));
    expect(done).toMatchObject({ outcome: 'completed' });
  });
});
