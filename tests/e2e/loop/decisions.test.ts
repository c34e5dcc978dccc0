import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callDoor } from '../../support/door.js';
import { freshProjects } from '../../support/fresh.js';
import { call, eventsOf, git, promptOf, readDigest, runLoop, setUpLoop, write } from '../../support/loop.js';
import { BINARY, type Project } from '../../support/project.mjs';

// loop-operations.md, Decisions: alternatives are tried and measured.

const create = freshProjects();

const TICKET = `# which store?
decision_id: cache
goal_id: one
question: Which store does the cache use?   # open
status: proposed # as yet
alternatives:
  - {id: red, approach: "Break it."}
  - {id: large, approach: "Write a store, three lines long."}
  - {id: small, approach: "Use the Map of the language."}
owner: anna
`;
const ACCEPTED = TICKET.replace(
  'status: proposed # as yet\n',
  'status: accepted # as yet\nselected: "small"\nevidence_refs: ["refs/dev-cli/attempts/cache.small/1"]\n',
);
const FILE = '.ai/decisions/cache.yaml';
/** A shell line that writes each alternative's file, and exits with an error for `red`. */
const LINE =
  'case {alternative_id} in red) echo no > red.txt; exit 3;; large) printf "1\\n2\\n3\\n" > large.txt;; small) echo 1 > small.txt;; esac';

function setUp(sessions: Parameters<typeof setUpLoop>[1]['sessions'] = {}, more = ''): Project {
  const project = create();
  mkdirSync(join(project.root, '.ai/decisions'), { recursive: true });
  write(project, FILE, TICKET);
  const goals = `  - id: one\n    title: The one\n    status: active\n    decision_file: ${FILE}\n`;
  setUpLoop(project, { goals, sessions, config: more });
  const config = readFileSync(join(project.root, '.ai/config.yaml'), 'utf8');
  write(project, '.ai/config.yaml', config.replace(/^ai_tool: (.*)$/m, 'ai_tool: $1\nai_tools: {scripted: "$1"}'));
  git(project, 'commit', '-qam', 'tools');
  return project;
}

const read = (project: Project, path: string): string => readFileSync(join(project.root, path), 'utf8');
const spike = (project: Project, ...args: string[]) => call(project, ['decision', 'spike', ...args]);
const treesOf = (project: Project): number => git(project, 'worktree', 'list').split('\n').length;

describe('decision spike', () => {
  it('with a command: ranks what the line made, keeps all of it, and accepts by evidence; then the goal runs', () => {
    const project = setUp({ one: [{ write: { 'one.txt': '1\n' } }] });
    const blocked = runLoop(project, 'auto');
    expect(blocked.json.goals_processed).toMatchObject([{ classification: 'decision-pending', action_taken: 'block' }]);
    expect(read(project, '.ai/goals.yaml')).toContain(`blocked_reason: "the decision in ${FILE} is not accepted"`);
    const { stdout } = callDoor({ argv: ['inbox', 'list'], cwd: project.root, env: project.env });
    expect(stdout).toMatch(
      /Have the alternatives tried: dev-cli decision spike \.ai\/decisions\/cache\.yaml --command LINE --accept; or accept one in \.ai\/decisions\/cache\.yaml, then dev-cli inbox act inbox-evt_\S+ --action approve --operator NAME\n/,
    );
    write(project, FILE, ACCEPTED);
    const accepted = call(project, ['inbox', 'list']).json as unknown as { items: { answer: unknown }[] };
    expect(accepted.items[0]?.answer).toMatch(/^dev-cli inbox act \S+ --action approve --operator NAME$/);
    write(project, FILE, TICKET);
    const before = git(project, 'rev-parse', 'HEAD');
    const { exit, json, stderr } = spike(project, 'cache', '--command', LINE, '--accept', '--explain');
    expect(exit, JSON.stringify(json) + stderr).toBe(0);
    const row = { duration_ms: expect.any(Number), changed_files: 1 };
    const [small, large, red] = ['small', 'large', 'red'].map((id) => `refs/dev-cli/attempts/cache.${id}/1`);
    const result = {
      ...{ winner_id: 'small', winner_reason_code: 'diff_lines', escalated: false },
      alternatives: [
        { ...row, alternative_id: 'small', passed: true, exit_code: 0, diff_lines: 1, comparison_rank: 1, ref: small },
        { ...row, alternative_id: 'large', passed: true, exit_code: 0, diff_lines: 3, comparison_rank: 2, ref: large },
        { ...row, alternative_id: 'red', passed: false, exit_code: 3, diff_lines: 1, comparison_rank: 3, ref: red },
      ],
    };
    const told = { ...result, accept_if_guard_failures: [], accepted: true };
    expect(json).toEqual({ ok: true, summary_path: '.ai/reports/decision-cache.json', ...told });
    expect(JSON.parse(read(project, '.ai/reports/decision-cache.json'))).toEqual({
      ...{ decision_id: 'cache', goal_id: 'one', ...told },
    });
    expect(stderr).toContain('cache.red#1: not passed, 1 line in 1 file: exit 3');
    expect(read(project, FILE)).toBe(ACCEPTED);
    expect([git(project, 'rev-parse', 'HEAD'), treesOf(project)]).toEqual([before, 1]);
    expect(git(project, 'show', '--stat', '--format=', String(red))).toContain('red.txt');
    expect(eventsOf(project).at(-1)).toMatchObject({
      ...{ event_type: 'decision_spike', payload: { decision_id: 'cache', goal_id: 'one', ...result, accepted: true } },
    });
    const shown = call(project, ['attempt', 'show', 'cache.red#1']).json;
    expect(shown).toMatchObject({
      ref: red,
      verdict: { classification: 'failed', checks: [{ exit: 3 }], sessions: 0 },
    });
    expect(call(project, ['attempt', 'list']).json['attempts']).toHaveLength(3);
    expect(spike(project, 'cache', '--command', LINE, '--accept').json.error?.code).toBe('DECISION_REFUSED');
    expect(read(project, '.ai/goals.yaml')).not.toContain('blocked');
    expect(runLoop(project, 'auto').json.goals_processed).toMatchObject([{ id: 'one', success: true }]);
    const prompt = promptOf(project, 'one', 1);
    for (const part of ['Which store does the cache use?', 'Use the Map of the language.', `\`git show ${small}\``])
      expect(prompt).toContain(part);
    expect(prompt).not.toContain('Break it.');
  });

  it('with a tool: sessions make them, the tests judge; one that leaves nothing has not passed', () => {
    const project = setUp({
      'cache.red': [{ write: { broken: '' } }],
      'cache.large': [{ write: { 'a.txt': '1\n2\n', 'b.bin': '\0' } }],
      'cache.small': [{ handoff: 'blocked', reason: 'no Map here' }],
    });
    expect(spike(project, FILE, '--tool', 'scripted').json.error?.code).toBe('CONFIG_UNTRUSTED');
    const args = ['--tool', 'scripted', '--trust', readDigest(project)];
    const { exit, json } = spike(project, 'cache', ...args, '--parallel', '3');
    expect(exit).toBe(0);
    expect(json).toMatchObject({
      ...{ winner_id: 'large', winner_reason_code: 'passed', accepted: false },
      alternatives: [
        { alternative_id: 'large', changed_files: 2, diff_lines: 2 },
        { alternative_id: 'small', passed: false, exit_code: null, ref: null, diff_lines: 0 },
        { alternative_id: 'red', passed: false, exit_code: 1, changed_files: 1 },
      ],
    });
    expect(read(project, FILE)).toBe(TICKET);
    const prompt = promptOf(project, 'cache.large', 1);
    for (const part of ['Which store does the cache use?', 'Write a store, three lines long.', 'The one'])
      expect(prompt).toContain(part);
    expect(call(project, ['attempt', 'show', 'cache.small#1']).json['verdict']).toMatchObject({
      ...{ classification: 'blocked', reason: 'no Map here', ref: null },
    });
  });

  it('with both: the line judges what the session left, adds to it, and only its own three places are filled', () => {
    const write = { 'a.txt': '1\n' };
    const project = setUp({
      'cache.red': [{ write }],
      'cache.large': [{ write }],
      'cache.small': [{ write: { b: '' } }],
    });
    const line = 'test -e a.txt && echo {} {goal_id} {decision_id} {x} > {alternative_id}.out';
    const args = ['--tool', 'scripted', '--trust', readDigest(project), '--command', line];
    const { json } = spike(project, 'cache', ...args);
    expect(json).toMatchObject({ winner_id: 'large', winner_reason_code: 'alternative_id' });
    const ref = 'refs/dev-cli/attempts/cache.large/1';
    expect(git(project, 'show', '--name-only', '--format=', ref)).toBe('a.txt\nlarge.out');
    expect(git(project, 'show', `${ref}:large.out`)).toBe('{} one cache {x}');
  });

  it('does not accept where a guard fails, or none has passed: exit 3, and the ticket as before', () => {
    const project = setUp();
    const accept = (line: string, ...args: string[]) => spike(project, 'cache', '--command', line, '--accept', ...args);
    const reason = ['--accept-if-reason', 'passed', '--accept-if-reason', 'changed_files'];
    const refused = accept(LINE, ...reason, '--accept-max-diff-lines', '0', '--accept-max-changed-files', '1');
    expect(refused.exit).toBe(3);
    expect(refused.json).toMatchObject({
      ...{ ok: false, winner_id: 'small', accepted: false },
      accept_if_guard_failures: ['winner_reason_code: diff_lines', 'diff_lines: 1, more than 0'],
    });
    const none = accept(`rm -rf "$PWD" && ln -s '${project.root}' "$PWD"`);
    expect(none.json).toMatchObject({
      ...{ winner_id: null, winner_reason_code: 'no_passing', escalated: true, accepted: false },
      accept_if_guard_failures: ['no_passing: no alternative has passed'],
      alternatives: [{ alternative_id: 'large', exit_code: 0, passed: false }, {}, {}],
    });
    const trust = ['--trust', readDigest(project)];
    const red = accept('touch broken; touch {alternative_id}', '--accept-require-eligible', ...trust);
    expect([none.exit, red.exit]).toEqual([3, 3]);
    expect(red.json['accept_if_guard_failures']).toEqual(['not_eligible: exit 1: test ! -e broken']);
    expect(read(project, FILE)).toBe(TICKET);
    // An attempt's number is never reused, even if nothing remains of the attempt.
    const { attempts } = call(project, ['attempt', 'list', 'cache.red']).json as unknown as {
      attempts: { id: string }[];
    };
    expect(attempts.map(({ id }) => id)).toEqual(['cache.red#1', 'cache.red#2', 'cache.red#3']);
    expect([treesOf(project), existsSync(join(project.root, '.ai/auto.lock'))]).toEqual([1, false]);
  });

  it('lines that hang, fork, commit, print much', () => {
    const project = setUp({}, 'test_timeout_minutes: 0.05\n');
    const line =
      'case {alternative_id} in red) sleep 300;; large) (sleep 300 &) ; yes | head -c 30000000;; small) echo 1 > a; git checkout -qb x; git add a; git -c user.name=a -c user.email=a@b commit -qm x; rm -rf .git;; esac';
    const { json } = spike(project, 'cache', '--command', line);
    expect(json).toMatchObject({
      alternatives: [
        { alternative_id: 'large', passed: true, diff_lines: 0, ref: null },
        { alternative_id: 'small', passed: true, diff_lines: 1, changed_files: 1 },
        { alternative_id: 'red', passed: false, exit_code: null },
      ],
    });
    expect(call(project, ['attempt', 'show', 'cache.red#1']).json['verdict']).toMatchObject({
      classification: 'timeout',
    });
    expect(treesOf(project)).toBe(1);
  });

  it('cut off, it begins anew, and what it left at work is ended; told to end, it ends that itself', async () => {
    const project = setUp();
    const pids = join(project.root, '../pids');
    const begin = async (signal: NodeJS.Signals, begun: number) => {
      const argv = [BINARY, 'decision', 'spike', 'cache', '--command', `echo $$ >> ${pids}; exec sleep 300`];
      const child = spawn(process.execPath, argv, { cwd: project.root, env: project.env, stdio: 'ignore' });
      const ended = new Promise((resolve) => child.on('close', resolve));
      await until(() => listPids(pids).length === begun);
      child.kill(signal);
      return ended;
    };
    await begin('SIGKILL', 2);
    expect(listPids(pids).map(isAlive)).toEqual([true, true]);
    expect(spike(project, 'cache', '--command', LINE).json).toMatchObject({ winner_id: 'small' });
    expect(listPids(pids).map(isAlive)).toEqual([false, false]);
    expect(await begin('SIGTERM', 4)).toBe(130);
    expect(listPids(pids).map(isAlive)).toEqual([false, false, false, false]);
    expect(treesOf(project)).toBe(1);
    const { attempts } = call(project, ['attempt', 'list', 'cache.small']).json as unknown as { attempts: object[] };
    expect(attempts).toMatchObject([
      { classification: 'interrupted', ref: null },
      { classification: 'complete' },
      { classification: 'interrupted', ref: null },
    ]);
  });
});

const listPids = (path: string): number[] =>
  existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1).map(Number) : [];

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function until(holds: () => boolean): Promise<void> {
  for (let left = 600; !holds(); left -= 1) {
    if (left === 0) throw new Error('it never came');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
