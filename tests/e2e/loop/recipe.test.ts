import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { devCli } from '../../support/cli.js';
import { callDoor } from '../../support/door.js';
import { addRemote, installGh } from '../../support/forge.mjs';
import { freshProjects } from '../../support/fresh.js';
import { call, countSessions, git, promptOf, runLoop, setUpLoop, subjectsOf, write } from '../../support/loop.js';

const create = freshProjects();

/** The recipe in docs/loop.md. */
const ASK_FIRST = `name: ask-first
type: sequential
description: "Work on a goal; a person looks before anything is integrated."
goal: required
guard: { writes: ["**"], sources: free }
blocks:
  - id: work
    type: llm
    instruction: Reach the goal in this directory, and run the tests.
  - id: look
    type: wait-for-user
    human: required
    message: The goal is reached. May it be integrated?
    choices:
      - { id: integrate, label: integrate it }
      - { id: again, label: not yet, goto: work, reason: required }
      - { id: drop, label: leave it, goto: halt }
`;

const GOAL = '  - id: one.a\n    title: The one\n    status: active\n    recipe: ask-first\n';

describe('a goal with a recipe (loop-core.md, auto)', () => {
  it('its run works in the tree of the attempt, parks at a gate, and goes on with what a person answers', () => {
    const project = create();
    mkdirSync(join(project.root, '.dev/recipes'), { recursive: true });
    write(project, '.dev/recipes/ask-first.yaml', ASK_FIRST);
    const step = 'dev-cli next >next.json && dev-cli step complete --action a1 >done.json; rm next.json done.json';
    setUpLoop(project, {
      goals: GOAL,
      sessions: { 'one.a': [{ write: { 'one.txt': '1\n' }, run: step, handoff: null }, { handoff: null }] },
    });
    const parked = runLoop(project, 'auto');
    expect(parked.json).toMatchObject({
      goals_processed: [{ classification: 'parked' }],
      parked: [{ goal: 'one.a', run: 'one-a-1' }],
    });
    expect(parked.exit).toBe(1);
    expect(promptOf(project, 'one.a', 1)).toContain('dev-cli next one-a-1');
    expect(devCli(project, ['status', 'one-a-1', '--json']).json).toMatchObject({ status: 'live' });
    expect(call(project, ['observe']).json['waiting']).toMatchObject([{ id: 'one.a#1' }]);
    // Nobody has answered yet, so the next batch leaves the goal alone.
    expect(runLoop(project, 'auto', '--recursive').json.parked).toMatchObject([{ goal: 'one.a' }]);
    expect(countSessions(project, 'one.a')).toBe(1);

    const approve = ['approve', 'one-a-1', '--choice', 'integrate'];
    const typed = callDoor({ argv: approve, cwd: project.root, env: project.env, typed: ['yes'] });
    expect(typed.exit, typed.stderr + typed.stdout).toBe(0);
    const ended = runLoop(project, 'auto', '--recursive');
    expect(ended.json.goals_processed).toMatchObject([{ success: true, classification: 'complete' }]);
    expect(subjectsOf(project)).toEqual(['feat(one.a): The one']);
  });

  it('without a plan of the goal’s name, a recipe that carries one out begins nothing', () => {
    const project = create();
    setUpLoop(project, { goals: GOAL.replace('ask-first', 'execute-standard'), sessions: {} });
    const { exit, json } = runLoop(project, 'auto');
    expect(exit).toBe(3);
    expect(json.error).toMatchObject({
      code: 'PLAN_MISSING',
      details: [{ target: 'one.a', problem: '.dev/specs/one-a: PLAN.md does not exist' }],
      fix: expect.stringContaining('dev-cli init one-a --goal'),
    });
    expect(call(project, ['attempt', 'list']).json['attempts']).toEqual([]);
  });

  it('a shipped workflow is carried out by several sessions, pushes nothing, and its guard hinders nobody in the user’s tree', {
    timeout: 60_000,
  }, () => {
    const project = create();
    addRemote(project);
    installGh(project);
    const tool = fileURLToPath(new URL('../../support/run-tool.mjs', import.meta.url));
    const config = `ai_tools:\n  carry: ${process.execPath} ${tool} {prompt_file} {goal} {run} {root} 6\nlimits: {sessions: 1}`;
    const workflow = 'recipe: ultrawork-autopilot\n    tool: carry\n    max_retries: 1';
    setUpLoop(project, {
      goals: `  - id: made\n    title: Write a file\n    status: active\n    ${workflow}\n`,
      sessions: {},
      config,
    });
    expect(runLoop(project, 'auto').json).toMatchObject({
      goals_processed: [],
      not_run: [{ reason: 'limits.sessions: 1' }],
    });
    const { json, stderr } = runLoop(project, 'auto');
    expect(json, stderr).toMatchObject({ goals_processed: [{ success: true }], changed_files: ['made/todo-1.txt'] });
    expect(subjectsOf(project)).toEqual(['feat(made): Write a file']);
    expect(readdirSync(join(project.root, '.ai/handoffs')).length).toBeGreaterThan(1);
    expect(git(project, 'branch', '--all', '--format=%(refname:short)')).toBe('main\norigin/main');
    const log = readFileSync(join(project.root, '.dev/loop/attempts/made/1/session-1/command.log'), 'utf8');
    expect(log).toMatch(/^guard: refused\nguard: quiet\n/);
  });
});
