import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Action, Call, StandIn } from '../support/agent.mjs';
import { devCli, init, nextOf, runDir, writeProjectFile } from '../support/cli.js';
import { project, useProject } from '../support/each-project.js';
import { commitsOf, RUN } from '../support/executing.js';
import { agentFor } from '../support/stories.js';
import { findTerminal, NO_TERMINAL } from '../support/terminal.mjs';

// A session that begins in a package of a monorepo works to the end (protocol.md, Root): it finds the repository's run,
// and can open the given paths from its directory.

const skipped = findTerminal() === null;
const suffix = skipped ? ` (skipped: ${NO_TERMINAL})` : '';
const LONG = { timeout: 240_000 };

/** Matches a relative path into `.dev`, but not such a path at the end of an absolute one. */
const RELATIVE = /(?<![\w./-])\.dev\/\w/;

let inside: string;
useProject();
beforeEach(() => {
  inside = join(project.root, 'packages', 'an api');
  mkdirSync(join(inside, '.dev', 'specs'), { recursive: true });
});

/** Returns an agent whose session began in the package, and checks that none of its answers has a relative path. */
function agentInside(scenario: ConstructorParameters<typeof StandIn>[0]['scenario'] = {}): StandIn {
  const agent = agentFor(project, scenario);
  agent.cwd = inside;
  agent.onCall = ({ command, stdout }: Call) => expect(stdout, command).not.toMatch(RELATIVE);
  return agent;
}

/** Checks that nothing was written where the session began. */
function checkUntouched(): void {
  expect(readdirSync(join(inside, '.dev/specs'))).toEqual([]);
}

/** Lists all paths in an action that the agent has to open, write or pass on. */
function pathsOf(action: Action): string[] {
  const tasks = [...(action.agents ?? []), ...(action.tasks ?? [])];
  return [
    ...(action.read ?? []),
    ...(action.consult ?? []),
    ...(action.data === undefined ? [] : [action.data.write]),
    ...tasks.flatMap(({ promptFile, output }) => [promptFile, ...(output === undefined ? [] : [output])]),
  ];
}

describe.skipIf(skipped)(`a session begun in a subdirectory${suffix}`, LONG, () => {
  it('plans, with two rounds of questions and a missing output, and carries the plan out', () => {
    const seen = new Set<string>();
    const before = (action: Action): void => {
      for (const path of pathsOf(action)) {
        expect(isAbsolute(path), `${action.block}: ${path}`).toBe(true);
        seen.add(action.action);
      }
    };
    const scenario = { before, twoRounds: true, leaveOut: 'tradeoff-analyzer' };
    const planner = agentInside(scenario);
    expect(planner.drive(planner.start('--recipe specify-quick-interactive'))).toMatchObject({ outcome: 'completed' });
    checkUntouched();
    expect(existsSync(join(runDir(project, RUN), 'PLAN.md'))).toBe(true);

    const worker = agentInside({ before });
    expect(worker.drive(worker.execute())).toMatchObject({ outcome: 'completed' });
    checkUntouched();
    expect(commitsOf(project).map(({ todo }) => todo)).toContain('todo-2');
    expect([...seen].sort()).toEqual([
      'dispatch-subagents',
      'engine-dispatch',
      'llm',
      'llm+cli',
      'llm-loop',
      'wait-for-user',
    ]);
  });

  it('does the whole of ultrawork, and its prompts say where the project is', () => {
    const agent = agentInside({
      before: ({ tasks = [], agents = [] }) => {
        for (const { promptFile } of [...tasks, ...agents]) {
          expect(readFileSync(promptFile, 'utf8')).toContain(`project root: ${project.root}\n`);
        }
      },
    });
    expect(agent.drive(agent.start('--workflow ultrawork --set pull_request=false'))).toMatchObject({
      outcome: 'completed',
    });
    checkUntouched();
  });
});

describe('called from a subdirectory', () => {
  const QUICK = ['--recipe', 'specify-quick-autopilot', '--goal', 'Add JWT auth'];

  it('the same action is printed for the same directory; from the root relative, as it is kept', () => {
    init(project, 'one', ...QUICK);
    devCli(project, ['step', 'complete', 'one', '--action', 'a1', '--choice', 'Bug']);
    const from = (cwd: string) => devCli(project, ['next', 'one'], { cwd }).stdout;
    const [here, there] = [from(project.root), from(inside)];
    expect(there).toBe(from(inside));
    expect(here).not.toContain(project.root);
    expect(here).not.toBe(there);
    expect(JSON.parse(there.replaceAll(`${project.root}/`, ''))).toEqual(JSON.parse(here));
    for (const command of ['status', 'manifest', 'history']) {
      expect(devCli(project, [command, 'one'], { cwd: inside }).stdout, command).not.toMatch(RELATIVE);
    }
  });

  it('refusals name what is missing, and what to write, so that it can be opened', () => {
    const agent = agentInside({ before: ({ action }) => (action === 'dispatch-subagents' ? 'stop' : undefined) });
    const action = agent.drive(agent.start('--recipe specify-quick-autopilot'));
    const refused = agent.run(action.ack ?? '');
    expect(refused.answer?.error?.code).toBe('EVIDENCE_MISSING');
    for (const { target } of refused.answer?.error?.details ?? []) expect(isAbsolute(target ?? '')).toBe(true);
    const [, reason = ''] = /--reason '?@([^']+)'?$/.exec(refused.answer?.error?.instead ?? '') ?? [];
    expect(refused.answer?.error?.fix).toContain(`write why to ${reason} `);
    agent.write(reason, 'It cannot be had.\n');
    expect(agent.run(refused.answer?.error?.instead ?? '').exit).toBe(0);
    checkUntouched();
  });

  it('data is taken from where the agent is, and below .dev from the root', () => {
    const first = nextOf(init(project, 'one', '--recipe', 'specify-quick-interactive', '--goal', 'Add JWT auth'));
    expect(first.block).toBe('classify-intent');
    writeProjectFile(project, 'packages/an api/here.md', '## purpose\n\nFrom here.\n');
    writeProjectFile(project, '.dev/specs/one/notes.md', '## boundaries\n\nFrom the root.\n');
    writeProjectFile(project, 'packages/an api/.dev/specs/one/notes.md', '## boundaries\n\nA stray.\n');
    for (const file of ['here.md', '.dev/specs/one/notes.md']) {
      const done = devCli(project, ['draft', 'update', 'one', '--data', `@${file}`], { cwd: inside });
      expect(done.code, done.stdout).toBe(0);
    }
    const draft = readFileSync(join(runDir(project, 'one'), 'DRAFT.md'), 'utf8');
    expect(draft).toMatch(/From here\.[\s\S]*From the root\./);
    const checked = devCli(project, ['check', '.dev/specs/one/DRAFT.md'], { cwd: inside });
    expect(checked.json, checked.stdout).toMatchObject({ ok: true, file: '.dev/specs/one/DRAFT.md' });
    rmSync(join(inside, '.dev/specs/one'), { recursive: true });
  });

  it.each([
    ['an empty .dev/specs', '.dev/specs/.keep', false],
    ['what an agent wrote there by mistake', '.dev/specs/one/actions/a1/data.md', false],
    ['a plan of its own', '.dev/specs/one/plan-content.json', true],
    ['a run of its own', '.dev/specs/one/state.json', true],
    ['goals of its own', '.ai/goal.md', true],
    ['a contract of its own', '.nexus/state.json', true],
  ])('the run is at home at the top of the repository, or in the package where that has %s', (_what, file, own) => {
    writeProjectFile(project, `packages/an api/${file}`, '{}\n');
    const begun = devCli(project, ['init', 'two', ...QUICK], { cwd: join(inside) });
    expect(begun.code, begun.stdout).toBe(0);
    expect(existsSync(join(project.root, '.dev/specs/two/state.json'))).toBe(!own);
    expect(existsSync(join(inside, '.dev/specs/two/state.json'))).toBe(own);
    project.replay = false;
  });
});
