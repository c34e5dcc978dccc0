import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { devCli } from '../../support/cli.js';
import { freshProjects } from '../../support/fresh.js';
import type { Project } from '../../support/project.mjs';

// memory.md, Entries; Hooks: the commits that the git hook saw, combined with those that git reports.

interface Commit {
  sha: string;
  at: string;
  subject: string;
  session?: string;
}

const create = freshProjects();
let project: Project;
let seen: string;
beforeEach(() => {
  project = create();
  seen = join(project.root, '.git/dev-cli-commits');
  const { code, stdout } = devCli(project, ['install', '--harness', 'git', '--yes', '--json']);
  expect(code, stdout).toBe(0);
});

const git = (...args: string[]) => gitIn(project.root, '', ...args);
function gitIn(cwd: string, session: string, ...args: string[]): string {
  const env = { ...project.env, ...(session === '' ? {} : { CLAUDE_CODE_SESSION_ID: session }) };
  return execFileSync('git', args, { cwd, env, encoding: 'utf8', stdio: 'pipe' }).trim();
}
/** Makes a commit in a session. @returns its id */
function commit(subject: string, session = '', cwd = project.root): string {
  gitIn(cwd, session, 'commit', '--quiet', '--allow-empty', `--message=${subject}`);
  return gitIn(cwd, '', 'rev-parse', 'HEAD');
}
function show(cwd = project.root) {
  const { code, stdout, json } = devCli(project, ['memory', 'show'], { cwd });
  expect(code, stdout).toBe(0);
  return json as unknown as { commits: Commit[]; elsewhere: Commit[]; warnings: string[] };
}
const sessions = (commits: readonly Commit[]) => commits.map(({ subject, session }) => [subject, session]);
const context = (...args: string[]) => devCli(project, ['context', ...args]).stdout;

describe('commits of a session', () => {
  it('have it, oldest first; those made otherwise have none', () => {
    commit('One', 's1');
    commit('Two', 's2');
    commit('Three');
    expect(show().elsewhere).toEqual([]);
    expect(sessions(show().commits)).toEqual([
      ['The project as it is', undefined],
      ['One', 's1'],
      ['Two', 's2'],
      ['Three', undefined],
    ]);
    expect(show().commits.at(1)).toEqual({
      ...{ sha: git('rev-parse', 'HEAD~2'), at: expect.any(String), subject: 'One', session: 's1' },
    });
    const { commits } = JSON.parse(context('--format', 'json')).extra;
    expect(sessions(commits)[1]).toEqual(['Two', 's2']);
    expect(context('--text')).toMatch(/Committed: [0-9a-f]{12} Two \(session s2\)\n/);
    // Without the hook's record, the commits are still shown, but not their sessions.
    rmSync(seen);
    expect(sessions(show().commits).map(([subject]) => subject)).toContain('Two');
    expect(context('--text')).not.toContain('session s2');
  });

  it('are elsewhere on another branch, amended, rebased away or dropped, until the history of HEAD has them', () => {
    const base = commit('Base', 's1');
    git('checkout', '--quiet', '-b', 'side');
    const side = commit('Side', 's2');
    git('checkout', '--quiet', 'main');
    const amended = commit('Typo', 's1');
    gitIn(project.root, 's1', 'commit', '--quiet', '--amend', '--allow-empty', '--message=No typo');
    git('reset', '--quiet', '--hard', 'HEAD~1');
    const { elsewhere } = show();
    expect(new Map(sessions(elsewhere) as [string, string][])).toEqual(
      new Map([
        ['Side', 's2'],
        ['Typo', 's1'],
        ['No typo', 's1'],
      ]),
    );
    expect(elsewhere.map(({ sha }) => sha)).not.toContain(base);
    const named = `elsewhere (on another branch, amended or rebased away): ${side.slice(0, 12)} Side`;
    expect(context('--text')).toContain(`Committed ${named} (session s2)\n`);
    expect(JSON.parse(context('--format', 'json')).extra.elsewhere).toEqual(elsewhere);
    const path = String(devCli(project, ['handoff', 'write']).json['path']);
    devCli(project, ['transfer', '--handoff']);
    for (const file of [path, 'PROJECT_CONTEXT.md']) {
      const text = readFileSync(join(project.root, file), 'utf8');
      // The commits elsewhere are named in PROJECT_CONTEXT.md, but not in the handoff, which describes only the work in
      // the history of HEAD.
      expect(text.includes(`- ${named}\n`)).toBe(file !== path);
      expect(text.includes(`${amended.slice(0, 12)} Typo`)).toBe(file !== path);
      expect(text).not.toContain('s2');
    }
    commit('Ahead', 's1');
    git('checkout', '--quiet', 'side');
    git('rebase', '--quiet', 'main');
    expect(show().elsewhere.map(({ sha }) => sha)).toContain(side);
    git('reset', '--quiet', '--hard', side);
    git('merge', '--quiet', '--no-edit', 'main');
    expect(show().elsewhere.map(({ subject }) => subject)).not.toContain('Side');
  });

  it('are not elsewhere for being older than what is looked at, nor where git no longer has them', () => {
    commit('Old', 's1');
    git('checkout', '--quiet', '-b', 'colleague');
    for (let n = 0; n < 25; n += 1) git('-c', 'core.hooksPath=/dev/null', 'commit', '-q', '--allow-empty', `-mN ${n}`);
    git('checkout', '--quiet', '-b', 'side', 'main');
    const side = commit('Side', 's2');
    git('checkout', '--quiet', 'colleague');
    appendFileSync(
      seen,
      `${'e'.repeat(64)} 1 s9\n${'f'.repeat(40)} 1700000000 s9\n${git('hash-object', '-w', 'package.json')} 1 s9\n`,
    );
    const { commits, elsewhere } = show();
    expect([commits.length, elsewhere.map(({ sha }) => sha)]).toEqual([20, [side]]);
  });

  it('are told in a linked work tree, and in a project in a sub-directory', () => {
    const tree = join(project.home, 'tree');
    git('worktree', 'add', '-q', '-b', 'linked', tree);
    commit('Linked', 's3', tree);
    expect(show(tree).commits.at(-1)).toMatchObject({ subject: 'Linked', session: 's3' });
    expect(show().elsewhere).toMatchObject([{ subject: 'Linked', session: 's3' }]);
    const sub = join(project.root, 'sub');
    mkdirSync(join(sub, '.dev/memory'), { recursive: true });
    commit('Below', 's4', sub);
    expect(show(sub).commits.at(-1)).toMatchObject({ subject: 'Below', session: 's4' });
  });
});

describe('a file of the hook that is not as the hook writes it', () => {
  it('is read at its end alone, and line by line', () => {
    const before = commit('Before', 's1');
    const good = readFileSync(seen, 'utf8');
    const lines = [
      `${before} 1 s\u0000\u202e\u001b[31m`,
      `${before} 1 two words`,
      `${before} soon s5`,
      `${before.slice(0, 12)} 1 s5`,
      `--output=pwned 1 s5`,
      `${before} 1 ${'x'.repeat(300)}`,
      Buffer.from([0xff, 0xfe]).toString('latin1'),
    ];
    writeFileSync(seen, `${'x'.repeat(5_000_000)}\n${lines.join('\n')}\n${good}${before} 1 cut`);
    expect(sessions(show().commits).at(-1)).toEqual(['Before', 's1']);
    // Only the end of a large file is read.
    writeFileSync(seen, `${good}${'\n'.repeat(1_000_000)}`);
    expect(sessions(show().commits).at(-1)).toEqual(['Before', undefined]);
    const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
    writeFileSync(seen, `${before} 1 <!--/${secret}\n`);
    expect(sessions(show().commits).at(-1)).toEqual(['Before', '<!--/[masked]']);
    expect(context('--text')).toContain('(session &lt;!--/[masked])');
  });

  it('is told where it cannot be read, and keeps nobody from the rest', () => {
    commit('One', 's1');
    rmSync(seen);
    symlinkSync('/etc/passwd', seen);
    expect(show()).toMatchObject({ warnings: [expect.stringContaining('dev-cli-commits')] });
    expect(sessions(show().commits).at(-1)).toEqual(['One', undefined]);
    rmSync(seen);
    mkdirSync(seen);
    expect(show().warnings).toEqual([]);
    rmSync(seen, { recursive: true });
    execFileSync('mkfifo', [seen]);
    expect(sessions(show().commits).at(-1)).toEqual(['One', undefined]);
  });
});
