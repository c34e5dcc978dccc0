import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { callDoor } from '../../support/door.js';
import { freshProjects } from '../../support/fresh.js';
import {
  call,
  countSessions,
  git,
  promptOf,
  readDigest,
  runLoop,
  setUpLoop,
  subjectsOf,
  write,
} from '../../support/loop.js';
import { BINARY, type Project } from '../../support/project.mjs';
import { findTerminal, NO_TERMINAL } from '../../support/terminal.mjs';

const create = freshProjects();

const goal = (id: string, more = ''): string => `  - id: ${id}\n    title: The ${id}\n    status: active\n${more}`;
const itemsOf = (project: Project) =>
  call(project, ['inbox', 'list']).json['items'] as { inbox_id: string; reason_code: string; goal_id: string }[];
const act = (project: Project, action: string, ...more: string[]) =>
  call(project, [
    ...['inbox', 'act', itemsOf(project)[0]?.inbox_id ?? 'none', '--action', action, '--operator', 'anna', ...more],
  ]);

const ASKS = { write: { 'asked.txt': '1\n' }, handoff: 'blocked', reason: 'UTC or local?' } as const;

const GATE = `name: ask-first
type: sequential
description: "Work on a goal; a person looks."
goal: required
guard: { writes: ["**"], sources: free }
blocks:
  - id: work
    type: llm
    instruction: Reach the goal in this directory, and run the tests.
  - id: look
    type: wait-for-user
    human: required
    message: May it be integrated?
    choices:
      - { id: again, label: not yet, goto: work, reason: required }
      - { id: integrate, label: integrate it }
      - { id: drop, label: leave it, goto: halt }
`;

describe('the inbox and the loop (loop-operations.md, Inbox)', () => {
  it('an answer is in the next prompt, on the kept work; a rejected branch is given up, its work kept', () => {
    const project = create();
    const line = `cd ${project.root} && echo theirs > moved.txt`;
    setUpLoop(project, {
      goals: goal('one'),
      sessions: { one: [ASKS, { write: { 'moved.txt': 'ours\n' }, run: line }] },
    });
    expect(runLoop(project, 'auto').exit).toBe(1);
    expect(itemsOf(project)).toMatchObject([{ reason_code: 'action_block', goal_id: 'one' }]);
    expect(act(project, 'approve', '--reason', 'Use UTC').json).toMatchObject({ goal_status: 'active' });
    const argv = ['auto', '--trust', readDigest(project)];
    const { stdout } = callDoor({ argv, cwd: project.root, env: project.env });
    expect(stdout).toContain('1 item waits for a person: dev-cli inbox list');
    expect(promptOf(project, 'one', 2)).toContain('Use UTC');
    expect(itemsOf(project)).toMatchObject([{ reason_code: 'action_escalate' }]);

    // The user's own moved.txt still keeps the branch from being moved, so a new question is asked.
    const [first] = itemsOf(project);
    expect(act(project, 'approve').exit).toBe(0);
    runLoop(project, 'auto');
    const [second] = itemsOf(project);
    expect(second).toMatchObject({ reason_code: 'action_escalate' });
    expect(second?.inbox_id).not.toBe(first?.inbox_id);
    expect(act(project, 'reject', '--reason', 'too late').json).toMatchObject({ goal_status: 'blocked' });
    runLoop(project, 'auto', '--recursive');
    expect(countSessions(project, 'one')).toBe(2);
    expect(call(project, ['observe']).json).toMatchObject({ goals: [{ status: 'blocked' }], attempts: [] });
    expect(subjectsOf(project)).toEqual([]);
    expect(git(project, 'ls-tree', '--name-only', 'refs/dev-cli/attempts/one/2')).toMatch(/asked.txt[\s\S]*moved.txt/);
  });

  it('a batch at work takes an answer up', async () => {
    const project = create();
    // Keeps goal two's session running until the second session of goal one begins, which needs the person's answer.
    const waits =
      'n=0; until [ "$(grep -c "^one$" "$LOOP_SCRIPT.begun")" -ge 2 ] || [ $n -gt 600 ]; do sleep 0.1; n=$((n+1)); done';
    setUpLoop(project, {
      goals: `${goal('one')}${goal('two')}`,
      sessions: { one: [ASKS, { write: { 'one.txt': '1\n' } }], two: [{ write: { 'two.txt': '2\n' }, run: waits }] },
    });
    const digest = readDigest(project);
    const argv = [BINARY, 'auto', '--recursive', '--parallel', '2', '--trust', digest];
    const child = spawn(process.execPath, argv, { cwd: project.root, env: project.env, stdio: 'ignore' });
    const batch = once(child, 'close');
    for (let tries = 0; tries < 300 && itemsOf(project).length === 0; tries += 1) await sleep(100);
    expect(act(project, 'approve', '--reason', 'UTC').exit).toBe(0);
    expect((await batch)[0]).toBe(0);
    expect(countSessions(project, 'one')).toBe(2);
    expect(subjectsOf(project).sort()).toEqual(['feat(one): The one', 'feat(two): The two']);
    expect(existsSync(join(project.root, 'asked.txt'))).toBe(true);
  }, 90_000);

  const terminal = findTerminal();
  it.skipIf(terminal === null)(
    `a gate is asked at a terminal, and the parked run goes on${terminal === null ? ` (skipped: ${NO_TERMINAL})` : ''}`,
    () => {
      const project = create();
      mkdirSync(join(project.root, '.dev/recipes'), { recursive: true });
      write(project, '.dev/recipes/ask-first.yaml', GATE);
      const step = 'dev-cli next >next.json && dev-cli step complete --action a1 >done.json; rm next.json done.json';
      setUpLoop(project, {
        goals: goal('one', '    recipe: ask-first\n'),
        sessions: { one: [{ write: { 'one.txt': '1\n' }, run: step, handoff: null }, { handoff: null }] },
      });
      expect(runLoop(project, 'auto').json.parked).toHaveLength(1);
      const [item] = itemsOf(project);
      expect(item).toMatchObject({ inbox_id: 'inbox-one-1-a2', reason_code: 'gate', goal_id: 'one' });
      expect(act(project, 'approve').json.error?.code).toBe('TERMINAL_REQUIRED');
      rmSync(join(project.root, '.ai/events'), { recursive: true });
      const line = `dev-cli inbox act ${item?.inbox_id} --action approve --operator anna`;
      const at = { cwd: project.root, env: project.env };
      const refused = terminal?.(line, { ...at, answers: ['no'] });
      expect(refused?.output).toContain('UNKNOWN_CHOICE');
      expect(itemsOf(project)).toHaveLength(1);
      const told = terminal?.(line, { ...at, answers: ['yes'] });
      expect(told?.output).toMatch(/May it be integrated\?[\s\S]*Type yes to answer «integrate»/);
      expect(told?.exit).toBe(0);
      expect(itemsOf(project)).toEqual([]);
      expect(runLoop(project, 'auto').exit).toBe(0);
      expect(subjectsOf(project)).toEqual(['feat(one): The one']);
    },
  );
});
