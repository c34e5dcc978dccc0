import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Action, StandIn } from '../support/agent.mjs';
import { type Document, devCli, runPrinted } from '../support/cli.js';
import { simpleCrew } from '../support/crew.mjs';
import { project, useProject } from '../support/each-project.js';
import { generatePlan, RUN, reportOf } from '../support/executing.js';
import {
  addRemote,
  callsOfGh,
  commitsAtRemote,
  installGh,
  refusePushes,
  requestsOf,
  troubleGh,
} from '../support/forge.mjs';
import { bareTodo, smallPlan } from '../support/small.mjs';

// The end of an execution hands the work in: it pushes the commits, then writes the pull request's text, and only then
// marks the pull request ready (issue 8, 17; engine.md, Stages).

const BRANCH = `dev/${RUN}`;
const URL = 'https://forge.invalid/pull/7';
const TITLE = 'Ask for a token on every route but /health';

useProject();
beforeEach(() => {
  addRemote(project);
  installGh(project);
});

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: project.root, env: project.env, encoding: 'utf8', stdio: 'pipe' }).trim();

const crew = (summary = 'Written as asked.') => simpleCrew({}, { summary });

/** Opens a draft pull request with open-pr for a plan of one todo, which has not been executed yet. */
function opened(): void {
  const acceptance = [{ id: 'ac-1', kind: 'command' as const, run: ['test', '-f', 'made/todo-1.txt'] }];
  generatePlan(project, { ...smallPlan(), todos: [bareTodo('todo-1', { title: 'Write one', acceptance })] });
  const agent = new StandIn({ project });
  expect(agent.drive(agent.execute('--recipe open-pr'))).toMatchObject({ outcome: 'completed' });
  expect(requestsOf(project)).toMatchObject([{ url: URL, isDraft: true }]);
}

/** Runs the execution until only the code review remains to be acknowledged. */
function upToReview(agent: StandIn): Action {
  let action = agent.execute('--execute --autopilot');
  for (let left = 20; left > 0 && action.tasks?.[0]?.substep !== 'codeReview'; left -= 1) action = agent.step(action);
  for (const task of action.tasks ?? []) agent.task(task);
  return action;
}

interface End {
  done: Action & { results: Record<string, string>; warnings?: string[] };
  /** The entries under `ran` in all answers. */
  ran: { block: string; ok: boolean; summary: string }[];
}

function handedIn(work = crew(), goal?: string): End {
  const ran: End['ran'] = [];
  const agent = new StandIn({
    project,
    crew: work,
    onCall: ({ answer }) => {
      ran.push(...((answer as Document | null)?.ran ?? []));
    },
  });
  return {
    done: agent.drive(
      agent.execute(`--execute --autopilot${goal === undefined ? '' : ` --goal '${goal}'`}`),
    ) as End['done'],
    ran,
  };
}

const asked = () => callsOfGh(project).map(({ args }) => args.slice(0, 2).join(' '));
/** Lists the calls to gh that followed the execution's first comment on the pull request. */
const atEnd = () => asked().slice(asked().indexOf('pr comment') + 1);

describe('the end of an execution with a pull request', () => {
  it('pushes the commits, renews the text from the report, and only then marks it ready', () => {
    opened();
    const { done, ran } = handedIn();
    expect(done).toMatchObject({ outcome: 'completed', results: { pullRequest: `${URL} (ready for review)` } });
    expect(commitsAtRemote(project, BRANCH)).toEqual([TITLE, 'Write one']);
    expect(atEnd()).toEqual(['pr edit', 'pr ready']);
    // The push happened before the text was written.
    const head = git('rev-parse', BRANCH);
    for (const { args, heads } of callsOfGh(project).slice(-2)) expect(heads[BRANCH], args.join()).toBe(head);
    const [request] = requestsOf(project);
    expect(request).toMatchObject({ title: TITLE, isDraft: false });
    expect(request?.body).toContain('- todo-1: Write one');
    expect(request?.body).toContain(`todo-1: ${head.slice(0, 12)} Write one`);
    expect(request?.body).toContain('ac-1: test -f made/todo-1.txt: exit 0');
    expect(ran.find(({ block }) => block === 'stateComplete')).toMatchObject({ ok: true });
    expect(ran.find(({ block }) => block === 'stateComplete')?.summary).toContain(URL);
    expect(devCli(project, ['status', RUN]).stdout).toContain(`pull   ${URL} (ready for review)`);
    expect(reportOf(project)).toContain(`${URL} (ready for review)`);
    expect(git('status', '--porcelain', '--', '.', ':(exclude).dev')).toBe('');
  });

  it('tells the one issue of the repository whose address the goal names, and no other', () => {
    opened();
    const issue = 'https://forge.invalid/issues/3';
    const { done, ran } = handedIn(crew(), `Do what ${issue} says, as in https://other.invalid/issues/9. (${issue})`);
    expect(done).toMatchObject({ outcome: 'completed' });
    expect(done.warnings).toBeUndefined();
    expect(atEnd()).toEqual(['pr edit', 'pr ready', 'issue comment']);
    expect(callsOfGh(project).at(-1)?.args).toEqual([
      'issue',
      'comment',
      issue,
      '--body',
      `Ready for review: ${URL} (${TITLE})`,
    ]);
    expect(ran.find(({ block }) => block === 'stateComplete')?.summary).toContain(`comment added to ${issue}`);
  });

  it('names an issue that could not be told, and is handed in all the same', () => {
    opened();
    troubleGh(project, { 'issue comment': { exit: 1, stderr: 'locked' } });
    const { done } = handedIn(crew(), 'See https://forge.invalid/issues/3');
    expect(done).toMatchObject({ outcome: 'completed', results: { pullRequest: `${URL} (ready for review)` } });
    expect(done.warnings?.join()).toMatch(/no comment was added to \S*issues\/3: gh issue comment: exit 1 locked/);
  });

  it('tells no issue where the goal names several', () => {
    opened();
    handedIn(crew(), 'As https://forge.invalid/issues/3 and https://forge.invalid/issues/4 say');
    expect(atEnd()).toEqual(['pr edit', 'pr ready']);
  });

  it.each([
    ['a push', ['pr comment'], 'git push: exit 1', () => refusePushes(project, 'the door is shut')],
    [
      'an edit',
      ['pr edit'],
      'gh pr edit: exit 1',
      () => troubleGh(project, { 'pr edit': { exit: 1, stderr: 'no such luck' } }),
    ],
    ['gh pr ready', ['pr ready'], 'gh pr ready: exit 1', () => troubleGh(project, { 'pr ready': { exit: 1 } })],
  ])('%s that fails leaves the draft and a warning in done, status and report', (_what, last, words, spoil) => {
    opened();
    spoil();
    const { done } = handedIn();
    expect(done.outcome).toBe('completed');
    expect(asked().slice(-1)).toEqual(last);
    expect(requestsOf(project)).toMatchObject([{ isDraft: true }]);
    for (const text of [done.warnings?.join(), devCli(project, ['status', RUN]).stdout, reportOf(project)]) {
      expect(text).toContain(words);
      expect(text).toContain(`${URL} (draft)`);
    }
  });

  it('never pushes by force, and never what is not the branch', () => {
    opened();
    const other = join(dirname(project.root), 'other');
    execFileSync('git', ['clone', '--quiet', '--branch', BRANCH, join(dirname(project.root), 'remote.git'), other], {
      env: project.env,
    });
    const there = (...args: string[]) => execFileSync('git', args, { cwd: other, env: project.env, stdio: 'pipe' });
    there('-c', 'user.name=B', '-c', 'user.email=b@example.invalid', 'commit', '--allow-empty', '-m', 'Of a reviewer');
    there('push', '--quiet');
    const { done } = handedIn();
    expect(done.warnings?.join()).toMatch(/git push: exit 1 .*(rejected|non-fast-forward|fetch first)/);
    expect(commitsAtRemote(project, BRANCH)).toEqual([TITLE, 'Of a reviewer']);
  });

  it('does not say ready where the work lies on another branch', () => {
    opened();
    git('switch', '--quiet', '--create', 'elsewhere');
    const { done } = handedIn();
    expect(done).toMatchObject({ outcome: 'completed' });
    expect(done.warnings?.join()).toContain(`is not on the branch ${BRANCH}`);
    expect(atEnd()).toEqual([]);
    expect(requestsOf(project)).toMatchObject([{ isDraft: true }]);
  });

  it('foreign words in the text call nobody, close nothing and are no markup', () => {
    opened();
    handedIn(
      crew(
        'Fixes #12, thanks @octocat <img src=x onerror=y> [a](javascript:b) https://evil.invalid `x` \u202e\u001b[31m',
      ),
    );
    const body = requestsOf(project)[0]?.body ?? '';
    expect(body).toContain('octocat');
    expect(body).not.toMatch(/@octocat|#12|<img|\[a\]\(|:\/\/evil|[\u202e\u001b]/);
  });
});

describe('whoever is cut off on the way', () => {
  /** Duration of each step, in seconds. */
  const SLOW = 0.6;

  it.each([0.3, 0.9, 1.5, 2.1])(
    'after %s s: the next call goes on, and nothing is done twice',
    { timeout: 120_000 },
    async (after) => {
      opened();
      const agent = new StandIn({ project, crew: crew() });
      const action = upToReview(agent);
      const bin = join(dirname(project.root), 'bin', 'gh');
      const gh = readFileSync(bin, 'utf8');
      writeFileSync(bin, gh.replace('exec', `sleep ${SLOW}\nexec`));
      const pushes = join(dirname(project.root), 'pushes');
      const hook = join(dirname(project.root), 'remote.git', 'hooks', 'pre-receive');
      execFileSync('mkdir', ['-p', dirname(hook)]);
      writeFileSync(hook, `#!/bin/sh\necho push >> '${pushes}'\nsleep ${SLOW}\n`, { mode: 0o755 });
      const child = spawn('sh', ['-c', `exec ${action.ack}`], { cwd: project.root, env: project.env, stdio: 'ignore' });
      const begun = new Promise((resolve) => child.on('exit', resolve));
      await Promise.race([begun, untilJob()]);
      await new Promise((resolve) => setTimeout(resolve, after * 1000));
      child.kill('SIGKILL');
      await begun;
      let now = runPrinted(project, `dev-cli next ${RUN} --wait 20`).json as unknown as Action;
      for (let left = 20; left > 0 && now.action === 'running'; left -= 1) {
        now = runPrinted(project, now.poll ?? '').json as unknown as Action;
      }
      expect(now, JSON.stringify(now)).toMatchObject({ done: true, outcome: 'completed' });
      expect(readFileSync(pushes, 'utf8')).toBe('push\n');
      expect(atEnd()).toEqual(['pr edit', 'pr ready']);
      expect(requestsOf(project)).toMatchObject([{ isDraft: false }]);
      expect(commitsAtRemote(project, BRANCH)).toEqual([TITLE, 'Write one']);
    },
  );

  it('a slow push is shown as at work, with a log that is there, and polled', () => {
    opened();
    const action = upToReview(new StandIn({ project, crew: crew() }));
    const hook = join(dirname(project.root), 'remote.git', 'hooks', 'pre-receive');
    execFileSync('mkdir', ['-p', dirname(hook)]);
    writeFileSync(hook, '#!/bin/sh\nsleep 4\n', { mode: 0o755 });
    let now = runPrinted(project, action.ack ?? '', { env: { DEV_CLI_ANSWER_WITHIN: '1' } }).json.next as Action;
    for (let left = 9; left > 0 && now.action === 'running' && now.commands?.[0]?.id !== 'stateComplete'; left -= 1) {
      now = runPrinted(project, `dev-cli next ${RUN} --wait 1`).json as unknown as Action;
    }
    expect(now.commands?.[0]).toMatchObject({ id: 'stateComplete' });
    expect(now.commands?.[0]?.log).toMatch(/\/push\/command\.log$/);
    const end = new StandIn({ project, crew: crew() }).drive(now);
    expect(end).toMatchObject({ outcome: 'completed' });
    expect(atEnd()).toEqual(['pr edit', 'pr ready']);
  });
});

/** Waits until the state contains the execution's last job, which hands in the pull request. */
async function untilJob(): Promise<void> {
  for (let left = 200; left > 0; left -= 1) {
    const text = readFileSync(join(project.root, '.dev/specs', RUN, 'state.json'), 'utf8');
    if (text.includes('"kind": "pull-request"') || text.includes('"kind":"pull-request"')) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
