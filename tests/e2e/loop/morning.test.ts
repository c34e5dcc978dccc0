import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callDoor } from '../../support/door.js';
import { freshProjects } from '../../support/fresh.js';
import { call, git, runLoop, setUpLoop } from '../../support/loop.js';

const create = freshProjects();

const goal = (id: string, more = ''): string => `  - id: ${id}\n    title: The ${id}\n    status: active\n${more}`;

describe('reading the morning (loop-core.md, Commands)', () => {
  it('observe, attempt list, show and prune say what went on, as text and as JSON; secrets are masked', () => {
    const project = create();
    const says = 'token=ghp_0123456789abcdefghij0123456789abcdef';
    setUpLoop(project, {
      goals: `${goal('one')}${goal('bad', '    max_retries: 1\n')}`,
      sessions: { one: [{ write: { 'one.txt': '1\n' }, says }], bad: [{ write: { broken: '' } }] },
    });
    const text = (...argv: string[]): string => {
      const { stdout, stderr, exit } = callDoor({ argv, cwd: project.root, env: project.env });
      expect(exit, stderr).toBe(0);
      return stdout;
    };
    const plan = text('auto', '--recursive', '--dry-run-full');
    expect(plan).toContain('--- prompt of bad ---\nYou work unattended on one goal: bad: The bad');
    expect(plan).toContain('write how it ended into .ai/handoffs/<YYYY-MM-DD_HHMMSS>.md;');
    expect(existsSync(join(project.root, '.dev/loop'))).toBe(false);
    expect(runLoop(project, 'auto', '--recursive').exit).toBe(1);

    expect(text('observe')).toMatch(/Batch \S+ has ended: .*\n {2}done +one: The one .*\n {2}blocked +bad: The bad/);
    expect(text('attempt', 'list')).toMatch(/^bad#1: failed: exit 1: .*\none#1: complete: /);
    const shown = text('attempt', 'show', 'bad#1');
    const { base, ref } = (
      call(project, ['attempt', 'show', 'bad#1']).json as never as { verdict: { base: string; ref: string } }
    ).verdict;
    expect(shown).toContain(`git diff ${base} ${ref}`);
    expect(git(project, 'diff', '--name-only', base, ref)).toBe('broken');
    git(project, 'cherry-pick', '--no-commit', ref);
    expect(existsSync(join(project.root, 'broken'))).toBe(true);
    const prompt = join(project.root, '.dev/loop/attempts/one/1/prompt.md');
    expect(statSync(prompt).mode & 0o777).toBe(0o600);
    expect(text('attempt', 'show', 'one#1')).not.toContain('ghp_0123');
    for (const path of [
      '.dev/loop/state.json',
      '.dev/loop/events.jsonl',
      '.dev/loop/attempts/one/1/verdict.json',
      '.ai/events/events.jsonl',
    ])
      expect(readFileSync(join(project.root, path), 'utf8')).not.toContain('ghp_0123');

    expect(call(project, ['attempt', 'prune', '--days', '1']).json['removed']).toEqual([]);
    // The blocked goal's attempt is kept.
    expect(call(project, ['attempt', 'prune', '--days', '0']).json['removed']).toEqual(['one#1']);
    expect(git(project, 'for-each-ref', '--format=%(refname:lstrip=3)', 'refs/dev-cli/attempts')).toBe('bad/1');
    expect(call(project, ['attempt', 'show', 'one#1']).json.error?.code).toBe('USAGE');
  });
});
