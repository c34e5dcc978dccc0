import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freshProjects } from '../../support/fresh.js';
import { countSessions, eventsOf, git, promptOf, runLoop, setUpLoop, subjectsOf } from '../../support/loop.js';

const create = freshProjects();

const goal = (id: string, more = ''): string => `  - id: ${id}\n    title: The ${id}\n    status: active\n${more}`;

describe('goals worked off (loop-core.md, auto)', () => {
  it('puts each on the branch as one commit, keeps what fails with its reason, and says so in goals.yaml and the log', () => {
    const project = create();
    setUpLoop(project, {
      goals: [
        goal('one'),
        goal('bad', '    max_retries: 2 # twice\n'),
        goal('asks'),
        goal('two', '    depends_on: [one]\n'),
      ].join(''),
      sessions: {
        one: [{ write: { 'one.txt': '1\n' } }],
        two: [{ write: { 'two.txt': '2\n' } }],
        bad: [{ write: { broken: 'x' } }],
        asks: [{ handoff: 'blocked', reason: 'Which of the two?' }],
      },
    });
    const { exit, json } = runLoop(project, 'auto', '--recursive', '--parallel', '2');
    expect(exit).toBe(1);
    expect(
      json.goals_processed
        .map(({ id, classification, action_taken: action }) => `${id} ${classification} ${action}`)
        .sort(),
    ).toEqual(['asks blocked block', 'bad failed block', 'one complete advance', 'two complete advance']);
    expect(subjectsOf(project)).toEqual(['feat(two): The two', 'feat(one): The one']);
    expect(git(project, 'log', '-1', '--format=%(trailers:key=Dev-Cli-Attempt,valueonly)')).toBe('two#1');
    expect(readFileSync(join(project.root, '.ai/goals.yaml'), 'utf8')).toBe(
      `goals:\n  - id: one\n    title: The one\n    status: done\n${goal('bad', '    blocked_reason: "exit 1: test ! -e broken"\n    max_retries: 2 # twice\n').replace('active', 'blocked')}${goal('asks', '    blocked_reason: "Which of the two?"\n').replace('active', 'blocked')}${goal('two', '    depends_on: [one]\n').replace('active', 'done')}`,
    );
    expect(git(project, 'for-each-ref', '--format=%(refname:lstrip=3)', 'refs/dev-cli/attempts').split('\n')).toEqual([
      'bad/1',
      'bad/2',
      'one/1',
      'two/1',
    ]);
    expect(promptOf(project, 'bad', 2)).toContain('Attempt 1 ended as failed: exit 1: test ! -e broken');
    expect(promptOf(project, 'bad', 2)).toContain('+x');
    expect(countSessions(project, 'bad')).toBe(2);
    const events = eventsOf(project);
    const types = events.map(({ event_type: type }) => type);
    expect(types.filter((type) => !type.startsWith('queue_'))).toEqual([
      'batch_started',
      ...Array(5).fill('auto_attempt'),
      'batch_ended',
    ]);
    // Each attempt has a separate lease.
    expect(types.filter((type) => type === 'queue_claim_created')).toHaveLength(5);
    expect(types.filter((type) => type === 'queue_claim_released')).toHaveLength(5);
    expect(readdirSync(join(project.root, '.ai/handoffs')).length).toBe(5);
    expect(git(project, 'worktree', 'list').split('\n')).toHaveLength(1);
  });
});
