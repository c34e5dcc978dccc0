import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  begin,
  committed,
  type Dispatch,
  doAll,
  document,
  engineOf,
  generate,
  git,
  goOn,
  hand,
  lastCommit,
  making,
  planOf,
  RUN,
  SHORT,
  status,
  taskOf,
  worker,
} from '../../adversarial/binary/executing.js';
import type { Action } from '../../support/agent.mjs';
import { devCli, journalOf, nextOf, runPrinted, writeProjectFile, writeRecipe } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { findTerminal } from '../../support/terminal.mjs';

// engine.md, Commits, tested through the binary.

useProject({ sample: null });

/** Returns a commit's SHA as the report shows it. */
const sha = (revision: string): string => git(project, 'rev-parse', '--short=12', revision).trim();

const COMPLETED = { done: true, outcome: 'completed' };
const ONE = planOf(making('todo-1'));
const TWO = planOf(making('todo-1'), making('todo-2', [['true']], { dependsOn: ['todo-1'] }));
const WIDE = planOf(making('todo-1', [['true']], { files: ['made/**'] }));

const listing = (...filesChanged: string[]): object => worker({ filesChanged });
const ack = (action: Action) => runPrinted(project, action.ack ?? '');
const next = (): Action => devCli(project, ['next', RUN]).json as unknown as Action;
const terminal = findTerminal();

function hook(name: string, text: string): void {
  chmodSync(writeProjectFile(project, `.git/hooks/${name}`, `#!/bin/sh\n${text}\n`), 0o755);
}

/** Lists every path of all commits that carry a todo's trailer. */
function heldBy(todo: string): string[] {
  const shas = git(project, 'log', '--format=%H', `--grep=^Dev-Cli-Task: .*/${todo}$`).split('\n').filter(Boolean);
  return shas.flatMap((sha) =>
    git(project, 'show', '--no-renames', '--name-only', '--format=', sha).trim().split('\n'),
  );
}

describe('what a commit holds', () => {
  it.each<[string, () => void, string[]]>([
    [
      'a directory in the place of a file',
      () => {
        rmSync(join(project.root, 'made/file'));
        writeProjectFile(project, 'made/file/inner', 'new\n');
      },
      ['made/file', 'made/file/inner'],
    ],
    [
      'a link in the place of a directory',
      () => {
        rmSync(join(project.root, 'made/directory'), { recursive: true });
        symlinkSync('like', join(project.root, 'made/directory'));
      },
      ['made/directory', 'made/directory/a'],
    ],
    [
      'a file in the place of a directory',
      () => {
        rmSync(join(project.root, 'made/directory'), { recursive: true });
        writeProjectFile(project, 'made/directory', 'new\n');
      },
      ['made/directory', 'made/directory/a'],
    ],
  ])('is %s, as it is', (_, change, changed) => {
    for (const path of ['made/file', 'made/directory/a', 'made/like/a']) writeProjectFile(project, path, 'old\n');
    git(project, 'add', '.');
    git(project, 'commit', '--quiet', '--message', 'as it was');
    const first = begin(project, WIDE);
    change();
    hand(project, taskOf(first), listing(...changed));
    expect(nextOf(ack(first).json)).toMatchObject(COMPLETED);
    expect(lastCommit(project)).toEqual(changed);
    expect(status(project)).toBe('');
  });

  it('is what the results of all attempts list, inside the files of the todo', () => {
    const judged = making('todo-1', [['grep', '-q', 'right', 'made/todo-1.txt']], { files: ['made/**'] });
    const first = begin(project, planOf(judged));
    writeProjectFile(project, 'made/todo-1.txt', 'wrong');
    writeProjectFile(project, 'made/first.txt', 'by the first attempt');
    writeProjectFile(project, 'made/users.txt', 'of somebody else');
    hand(
      project,
      taskOf(first),
      worker({ filesChanged: ['made/todo-1.txt', 'made/first.txt'], notMine: ['made/users.txt'] }),
    );
    const again = nextOf(ack(first).json) as Dispatch;
    writeProjectFile(project, 'made/todo-1.txt', 'right');
    hand(project, taskOf(again), listing('made/todo-1.txt'));
    expect(nextOf(ack(again).json)).toMatchObject(COMPLETED);
    expect(lastCommit(project)).toEqual(['made/first.txt', 'made/todo-1.txt']);
    expect(status(project)).toBe('?? made/users.txt\0');
    expect(document(project, 'report.md')).not.toContain('users.txt');
  });

  it('takes paths as agents write them: dotted, absolute, a directory, deleted and renamed ones', () => {
    for (const name of ['gone', 'old']) writeProjectFile(project, `made/${name}`, `the content of ${name}\n`);
    git(project, 'add', '.');
    git(project, 'commit', '--quiet', '--message', 'before');
    const first = begin(project, WIDE);
    for (const name of ['dotted', 'absolute', 'below/a', 'below/deep/b'])
      writeProjectFile(project, `made/${name}`, name);
    rmSync(join(project.root, 'made/gone'));
    git(project, 'mv', 'made/old', 'made/new');
    const absolute = join(project.root, 'made/absolute');
    hand(
      project,
      taskOf(first),
      listing('./made/dotted', absolute, 'made/below/', 'made/x/../gone', 'made/old', 'made/new'),
    );
    expect(nextOf(ack(first).json)).toMatchObject(COMPLETED);
    const held = ['absolute', 'below/a', 'below/deep/b', 'dotted', 'gone', 'new', 'old'];
    expect(lastCommit(project)).toEqual(held.map((name) => `made/${name}`));
    expect(status(project)).toBe('');
    expect(document(project, 'report.md')).not.toContain('not committed');
  });

  it('is the state of its own todo where two change one file one after the other', () => {
    const plan = planOf(
      making('todo-1', [['true']], { files: ['made/both.txt'] }),
      making('todo-2', [['true']], { files: ['made/both.txt'], dependsOn: ['todo-1'] }),
    );
    let action = begin(project, plan);
    for (const todo of ['todo-1', 'todo-2']) {
      writeProjectFile(project, 'made/both.txt', `${todo}\n`);
      hand(project, taskOf(action, todo), listing('made/both.txt'));
      action = nextOf(ack(action).json) as Dispatch;
    }
    expect(action).toMatchObject(COMPLETED);
    expect(git(project, 'show', 'HEAD~1:made/both.txt')).toBe('todo-1\n');
    expect(git(project, 'show', 'HEAD:made/both.txt')).toBe('todo-2\n');
  });

  it('lists for a todo without files, which another todo of the run then leaves alone', () => {
    const first = begin(project, planOf(making('todo-1', [['true']], { files: [] })));
    writeProjectFile(project, 'anywhere.txt', '1');
    writeProjectFile(project, 'unlisted.txt', '1');
    hand(project, taskOf(first), listing('anywhere.txt'));
    const refused = ack(first);
    expect(refused.code).toBe(3);
    expect(refused.json.error?.details).toMatchObject([{ problem: expect.stringContaining('"unlisted.txt"') }]);
    expect(nextOf(ack(first).json)).toMatchObject(COMPLETED);
    expect(lastCommit(project)).toEqual(['anywhere.txt']);
  });

  it('names what is listed and in no commit: ignored, outside, never there', () => {
    writeProjectFile(project, '.gitignore', 'made/*.log\n');
    git(project, 'add', '.');
    git(project, 'commit', '--quiet', '--message', 'ignore');
    const first = begin(project, WIDE);
    writeProjectFile(project, 'made/todo-1.txt', '1');
    writeProjectFile(project, 'made/run.log', '1');
    hand(
      project,
      taskOf(first),
      listing('made/todo-1.txt', 'made/run.log', '../../etc/passwd', 'made/typo.txt', 'README.md'),
    );
    const answer = ack(first).json;
    const told = answer.warnings?.join('\n') ?? '';
    expect(told).toContain('made/run.log (listed, but git ignores it)');
    expect(told).toContain('../../etc/passwd (listed, but outside the work tree)');
    expect(told).toContain('made/typo.txt (listed, but nothing is there)');
    expect(told).not.toContain('README.md');
    expect(document(project, 'report.md')).toContain('git ignores it');
    expect((nextOf(answer) as unknown as { results: { openIssues: string } }).results.openIssues).toContain(
      'not committed',
    );
    expect(lastCommit(project)).toEqual(['made/todo-1.txt']);
  });

  it('holds nothing that a foreign Dev-Cli-Task line in a planned message would hide', () => {
    const message = `The first\n\n dev-cli-TASK: x/y\nDev-Cli-Task: RUNID/todo-2`;
    const first = begin(project, { ...TWO, commits: [{ afterTodo: 'todo-1', message }] });
    expect(goOn(project, first)).toMatchObject(COMPLETED);
    expect(committed(project)).toEqual(['todo-2', 'todo-1']);
    expect(git(project, 'log', '-1', '--format=%B', 'HEAD~1').trim()).toMatch(
      /^The first\n\nDev-Cli-Task: [^/]+\/todo-1$/,
    );
  });
});

describe('paths that no result lists', () => {
  it('are named by check, refused once, then left and named; no retry, no patience is spent', () => {
    const first = begin(project, WIDE);
    const task = taskOf(first);
    writeProjectFile(project, 'made/todo-1.txt', '1');
    writeProjectFile(project, 'made/forgotten.txt', '1');
    const early = devCli(project, ['check', RUN, '--action', task.actionId]);
    expect(early).toMatchObject({ code: 0, json: { ok: true, unlisted: ['made/forgotten.txt', 'made/todo-1.txt'] } });
    hand(project, task, listing('made/todo-1.txt'));
    expect(devCli(project, ['check', RUN, '--action', task.actionId]).json['unlisted']).toEqual(['made/forgotten.txt']);
    const prompt = readFileSync(join(project.root, task.promptFile), 'utf8');
    expect(prompt).toContain('`notMine`');
    expect(prompt).toMatch(/check work --action a1 [^\n]*` runs these commands[^\n]* names as `unlisted`/);
    const refused = ack(first);
    expect(refused.code).toBe(3);
    expect(refused.json.error).toMatchObject({
      code: 'SCHEMA_INVALID',
      details: [
        { target: task.output, pointer: '/filesChanged', problem: expect.stringContaining('"made/forgotten.txt"') },
      ],
      fix: expect.stringMatching(/notMine/),
    });
    expect(engineOf(project).tasks[task.actionId]).toMatchObject({ malformed: 0, attempt: 1 });
    const answer = ack(first).json;
    expect(nextOf(answer)).toMatchObject(COMPLETED);
    expect(answer.warnings?.join()).toContain('made/forgotten.txt (no result lists it)');
    expect(engineOf(project).todos['todo-1']).toMatchObject({ attempt: 1, retries: 0 });
    expect(document(project, 'report.md')).toContain('made/forgotten.txt (no result lists it)');
    expect(lastCommit(project)).toEqual(['made/todo-1.txt']);
    expect(status(project)).toBe('?? made/forgotten.txt\0');
  });

  it('belong to the commit when the main agent completes the result, and to nobody when it says notMine', () => {
    const first = begin(project, WIDE);
    for (const name of ['a', 'b']) writeProjectFile(project, `made/${name}.txt`, '1');
    hand(project, taskOf(first), listing());
    expect(ack(first).code).toBe(3);
    hand(project, taskOf(first), worker({ filesChanged: ['made/a.txt'], notMine: ['made/b.txt'] }));
    expect(nextOf(ack(first).json)).toMatchObject(COMPLETED);
    expect(lastCommit(project)).toEqual(['made/a.txt']);
    expect(engineOf(project).openIssues).toEqual([]);
  });

  it('are not asked for where they are ignored, were dirty before, or lie inside the files of another todo', () => {
    writeProjectFile(project, '.gitignore', '*.log\n');
    git(project, 'add', '.');
    git(project, 'commit', '--quiet', '--message', 'ignore');
    writeProjectFile(project, 'made/todo-1.users', 'before');
    const first = begin(project, planOf(making('todo-1'), making('todo-2')));
    writeProjectFile(project, 'made/todo-1.users', 'after');
    writeProjectFile(project, 'made/todo-1.log', 'ignored');
    for (const todo of ['todo-1', 'todo-2']) {
      writeProjectFile(project, `made/${todo}.txt`, '1');
      hand(project, taskOf(first, todo), listing(`made/${todo}.txt`));
    }
    expect(ack(first).json.collected).toMatchObject([{ ok: true }, { ok: true }]);
    expect(committed(project).sort()).toEqual(['todo-1', 'todo-2']);
  });

  it('keep back only their own result; what else is there is taken', () => {
    const first = begin(project, planOf(making('todo-1'), making('todo-2')));
    for (const todo of ['todo-1', 'todo-2']) writeProjectFile(project, `made/${todo}.txt`, '1');
    hand(project, taskOf(first, 'todo-1'), listing('made/todo-1.txt'));
    hand(project, taskOf(first, 'todo-2'), listing());
    const answer = ack(first);
    expect(answer).toMatchObject({ code: 0, json: { collected: [{ ok: true }, { ok: false }] } });
    expect(ack(nextOf(answer.json)).json.collected).toMatchObject([{ todoId: 'todo-2', ok: true }]);
    expect(committed(project)).toEqual(['todo-1']);
    expect(status(project)).toBe('?? made/todo-2.txt\0');
  });

  it('are nobody’s where nothing is committed: no repository', () => {
    rmSync(join(project.root, '.git'), { recursive: true });
    const first = begin(project, ONE);
    writeProjectFile(project, 'made/todo-1.txt', '1');
    hand(project, taskOf(first), listing());
    expect(nextOf(ack(first).json)).toMatchObject(COMPLETED);
  });
});

describe('where HEAD is', () => {
  /** Commits the first of two todos on main, so that the second is handed out. */
  function afterOne(): Dispatch {
    const first = begin(project, TWO);
    return nextOf(doAll(project, first).json) as Dispatch;
  }

  it('a new branch from there is followed and named', () => {
    const second = afterOne();
    git(project, 'switch', '--quiet', '--create', 'feature');
    const answer = doAll(project, second).json;
    expect(answer.warnings?.join()).toContain('now on branch feature');
    expect(git(project, 'log', '--format=%s', 'main..feature').trim().split('\n')).toHaveLength(1);
    expect(document(project, 'report.md')).toContain('now on branch feature; the run began on branch main');
  });

  it('an amended last commit is known by its trailer', () => {
    const second = afterOne();
    git(project, 'commit', '--quiet', '--amend', '--no-edit', '--date=2001-01-01T00:00:00Z');
    expect(nextOf(doAll(project, second).json)).toMatchObject(COMPLETED);
    expect(committed(project)).toEqual(['todo-2', 'todo-1']);
  });

  it('so is a rebased one', () => {
    const second = afterOne();
    git(project, 'switch', '--quiet', '--create', 'upstream', 'HEAD~1');
    git(project, 'commit', '--quiet', '--allow-empty', '--message', 'theirs');
    git(project, 'switch', '--quiet', 'main');
    git(project, 'rebase', '--quiet', 'upstream');
    expect(nextOf(doAll(project, second).json)).toMatchObject(COMPLETED);
    expect(committed(project)).toEqual(['todo-2', 'todo-1']);
  });

  it.each([
    [
      'a branch that lacks it',
      () => git(project, 'switch', '--quiet', '--create', 'other', 'HEAD~1'),
      /the branch other lacks the commit/,
    ],
    ['a detached HEAD', () => git(project, 'checkout', '--quiet', '--detach'), /HEAD is detached at/],
  ])(
    '%s defers, says so and why, and the commit is made back on the branch, also after the end',
    (_what, leave, why) => {
      const second = afterOne();
      leave();
      const answer = doAll(project, second).json;
      expect(answer.ran).toMatchObject([
        { block: 'todo-2/commit', ok: false, summary: expect.stringMatching(/^deferred: /) },
      ]);
      expect(answer.ran?.[0]?.summary).toMatch(why);
      const done = nextOf(answer) as Action & { summary: string; poll: string };
      expect(done).toMatchObject({ ...COMPLETED, summary: expect.stringContaining('not made yet') });
      expect(done.summary).toMatch(why);
      expect(done.poll).toMatch(/^dev-cli next work --wait \d+$/);
      expect(devCli(project, ['status', RUN]).stdout).toMatch(why);
      expect(document(project, 'report.md')).toMatch(why);
      expect(next()).toEqual(done);
      git(project, 'switch', '--quiet', 'main');
      const now = runPrinted(project, done.poll).json as unknown as Action & { summary: string; poll?: string };
      expect(now).toMatchObject(COMPLETED);
      expect(now.poll).toBeUndefined();
      expect(now.summary).not.toContain('not made yet');
      expect(heldBy('todo-2')).toEqual(['made/todo-2.txt']);
      expect(document(project, 'report.md')).not.toContain('not made');
      expect(document(project, 'report.md')).toContain(sha('HEAD'));
      expect(devCli(project, ['replay', RUN, '--check', '--json']).json.ok).toBe(true);
    },
  );

  it.each([
    ['bisect', 'BISECT_LOG', 'a bisect is in progress'],
    ['revert', 'REVERT_HEAD', 'a revert is in progress'],
    ['cherry-pick', 'CHERRY_PICK_HEAD', 'a cherry-pick is in progress'],
  ])('a %s at work defers', (_what, file, why) => {
    const first = begin(project, ONE);
    writeProjectFile(project, `.git/${file}`, `${git(project, 'rev-parse', 'HEAD')}`);
    expect(doAll(project, first).json.ran).toMatchObject([{ ok: false, summary: `deferred: ${why}` }]);
    rmSync(join(project.root, '.git', file));
    expect(next()).toMatchObject(COMPLETED);
    expect(committed(project)).toEqual(['todo-1']);
  });

  it('before the first commit it is the one that the run began on', () => {
    const first = begin(project, ONE);
    git(project, 'checkout', '--quiet', '--orphan', 'fresh');
    git(project, 'commit', '--quiet', '--message', 'another beginning');
    expect(doAll(project, first).json.ran?.[0]?.summary).toMatch(/lacks the commit [0-9a-f]{7} that the run began on/);
  });

  it.skipIf(terminal === null)('approve takes that HEAD when a person says yes, and nothing else does', () => {
    const second = afterOne();
    git(project, 'switch', '--quiet', '--create', 'other', 'HEAD~1');
    expect(nextOf(doAll(project, second).json)).toMatchObject(COMPLETED);
    const typed = (answer: string) =>
      terminal?.(`dev-cli approve ${RUN}`, { cwd: project.root, env: project.env, answers: [answer] });
    const no = typed('no');
    expect(no?.exit).not.toBe(0);
    expect(no?.output).toContain('branch other');
    expect(no?.output).toContain(git(project, 'rev-parse', 'main').trim());
    expect(next()).toMatchObject({ poll: expect.any(String) });
    expect(typed('yes')?.exit).toBe(0);
    const done = next();
    expect(done).toMatchObject(COMPLETED);
    expect(done).not.toHaveProperty('poll');
    expect(git(project, 'log', '--format=%s', 'other', '-1')).not.toBe('');
    expect(lastCommit(project)).toEqual(['made/todo-2.txt']);
    expect(journalOf(project, RUN).filter(({ type }) => type === 'human')).toHaveLength(1);
    expect(document(project, 'report.md')).toMatch(
      /a person let commits continue on branch other at [0-9a-f]{7}, which lacks [0-9a-f]{7}/,
    );
  });

  it('a run that began on a detached HEAD commits there, and the report says where', () => {
    git(project, 'checkout', '--quiet', '--detach');
    expect(goOn(project, begin(project, ONE))).toMatchObject(COMPLETED);
    expect(document(project, 'report.md')).toContain('no branch (HEAD is detached)');
  });
});

describe('commits that wait', () => {
  it('the one of all that remains is made by the next call, too', () => {
    const plan = planOf(making('todo-1'), making('todo-2', [['true']], { dependsOn: ['todo-1'] }));
    const first = begin(project, plan);
    const second = nextOf(doAll(project, first).json) as Dispatch;
    // A tool changes a file that todo-1 has committed. No todo that is handed out may change this file, so only the
    // final commit can take it.
    writeProjectFile(project, 'made/todo-1.txt', 'changed by a tool\n');
    hook('post-commit', 'touch .git/BISECT_LOG');
    const done = nextOf(doAll(project, second).json) as Action & { poll?: string };
    expect(done).toMatchObject({ ...COMPLETED, poll: expect.any(String) });
    rmSync(join(project.root, '.git/BISECT_LOG'));
    rmSync(join(project.root, '.git/hooks/post-commit'));
    expect(next()).not.toHaveProperty('poll');
    expect(heldBy('residual')).toEqual(['made/todo-1.txt']);
    expect(status(project)).toBe('');
  });

  it('are given up where somebody else has committed the work meanwhile', () => {
    const first = begin(project, ONE);
    writeProjectFile(project, '.git/index.lock', '');
    doAll(project, first);
    rmSync(join(project.root, '.git/index.lock'));
    git(project, 'add', 'made');
    git(project, 'commit', '--quiet', '--message', 'by hand');
    expect(next()).not.toHaveProperty('poll');
    expect(committed(project)).toEqual([]);
  });
});

describe('the commit that the report names', () => {
  it('is the one of dev-cli where a hook adds another one', () => {
    const first = begin(project, ONE);
    hook(
      'post-commit',
      '[ -e .git/once ] || { touch .git/once; git commit --quiet --allow-empty --message "a hook’s own"; }',
    );
    expect(goOn(project, first)).toMatchObject(COMPLETED);
    const ours = sha('HEAD~1');
    expect(document(project, 'report.md')).toContain(`todo-1: ${ours}`);
    expect(document(project, 'report.md')).not.toContain(sha('HEAD'));
  });

  it('is found by what it holds where a hook takes the trailer away and adds another commit', () => {
    const first = begin(project, ONE);
    hook('commit-msg', 'echo short >"$1"');
    hook(
      'post-commit',
      '[ -e .git/once ] || { touch .git/once; git commit --quiet --allow-empty --message "a hook’s own"; }',
    );
    expect(goOn(project, first)).toMatchObject(COMPLETED);
    expect(document(project, 'report.md')).toContain(`todo-1: ${sha('HEAD~1')}`);
  });

  it('is unknown rather than somebody else’s where it cannot be told', () => {
    const first = begin(project, ONE);
    hook('commit-msg', 'echo short >"$1"');
    const again = 'echo more >>made/todo-1.txt; git add made; git commit --quiet --no-verify --message other';
    hook('post-commit', `[ -e .git/once ] || { touch .git/once; ${again}; }`);
    expect(goOn(project, first)).toMatchObject(COMPLETED);
    const report = document(project, 'report.md');
    expect(report).toContain('todo-1: made, sha unknown');
    for (const one of ['HEAD', 'HEAD~1']) expect(report).not.toContain(sha(one));
  });
});

describe('boxes ticked by hand', () => {
  it('prove nothing: their commands run at the end, and the end says how many were taken as done', () => {
    generate(project, planOf(making('todo-1', [['false']]), making('todo-2')));
    const path = join(project.root, `.dev/specs/${RUN}/PLAN.md`);
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('### [ ]', '### [x]'));
    const recipe = SHORT(0).replace(', final_verify_enabled: false', ', max_fix_rounds: 0');
    const begun = devCli(project, ['init', RUN, '--recipe', writeRecipe(project, 'short', recipe), '--autopilot']);
    expect(begun.code, begun.stdout).toBe(0);
    expect(nextOf(begun.json)).toMatchObject({
      done: true,
      outcome: 'halted',
      summary: expect.stringContaining('red on the final tree'),
    });
    expect(document(project, 'report.md')).toMatch(/taken as done: 2 of 2 todos/);
  });

  it('are counted where all is well', () => {
    generate(project, TWO);
    const path = join(project.root, `.dev/specs/${RUN}/PLAN.md`);
    writeFileSync(path, readFileSync(path, 'utf8').replace('### [ ]', '### [x]'));
    const begun = devCli(project, ['init', RUN, '--recipe', writeRecipe(project, 'short', SHORT(0)), '--autopilot']);
    const end = goOn(project, nextOf(begun.json)) as Action & { summary: string };
    expect(end.summary).toContain('1 of them taken as done');
  });
});

describe('git as the user’s', () => {
  /** The environment variables that Gemini CLI sets. */
  const HARNESS = {
    GEMINI_CLI: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'core.hooksPath',
    GIT_CONFIG_VALUE_0: '',
    GIT_ASKPASS: '',
  };

  it('where a harness’s mark stands its configuration does not reach git: identity and hooks are the user’s', () => {
    for (const key of ['user.name', 'user.email']) git(project, 'config', '--unset', key);
    git(project, 'config', 'user.useConfigOnly', 'true');
    writeFileSync(join(project.home, '.gitconfig'), '[user]\n\tname = The User\n\temail = user@example.invalid\n');
    // Begins the run as a person. If an agent began it, the run would first ask for approval of the plan's commands.
    const first = begin(project, ONE);
    hook('pre-commit', 'env | grep ^GIT_ASKPASS= >.git/askpass; touch .git/hook-ran');
    expect(goOn(project, first, { env: HARNESS })).toMatchObject(COMPLETED);
    expect(existsSync(join(project.root, '.git/hook-ran'))).toBe(true);
    expect(readFileSync(join(project.root, '.git/askpass'), 'utf8')).toBe('');
    expect(git(project, 'log', '-1', '--format=%an')).toBe('The User\n');
  });

  it('without a mark the environment is the user’s own and stays', () => {
    const env = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'core.hooksPath', GIT_CONFIG_VALUE_0: '/nonexistent' };
    const first = begin(project, ONE, { options: { env } });
    hook('pre-commit', 'touch .git/hook-ran');
    expect(goOn(project, first, { env })).toMatchObject(COMPLETED);
    expect(existsSync(join(project.root, '.git/hook-ran'))).toBe(false);
  });

  it('asks for an identity before work begins, and leaves nothing behind', () => {
    for (const key of ['user.name', 'user.email']) git(project, 'config', '--unset', key);
    git(project, 'config', 'user.useConfigOnly', 'true');
    generate(project, ONE);
    const recipe = writeRecipe(project, 'short', SHORT(0));
    const init = () => devCli(project, ['init', RUN, '--recipe', recipe, '--autopilot']);
    const refused = init();
    expect(refused).toMatchObject({
      code: 3,
      json: { error: { code: 'IDENTITY_MISSING', fix: expect.stringContaining('user.email') } },
    });
    expect(existsSync(join(project.root, `.dev/specs/${RUN}/state.json`))).toBe(false);
    git(project, 'config', 'user.name', 'A');
    git(project, 'config', 'user.email', 'a@example.invalid');
    expect(init().code).toBe(0);
  });

  it('is asked for none where nothing will be committed', () => {
    for (const key of ['user.name', 'user.email']) git(project, 'config', '--unset', key);
    git(project, 'config', 'user.useConfigOnly', 'true');
    expect(devCli(project, ['init', 'planning', '--goal', 'A plan', '--quick']).code).toBe(0);
  });
});

describe('a sparse checkout', () => {
  it('that leaves the path out is said to be impossible at once, with the way to mend it', () => {
    writeProjectFile(project, 'kept/a.txt', '1');
    git(project, 'add', '.');
    git(project, 'commit', '--quiet', '--message', 'kept');
    git(project, 'sparse-checkout', 'set', 'kept');
    const answer = doAll(project, begin(project, ONE, { retries: 3 })).json;
    expect(nextOf(answer)).toMatchObject({ done: true, outcome: 'halted' });
    expect(engineOf(project).todos['todo-1']).toMatchObject({ attempt: 1, status: 'failed' });
    expect(JSON.stringify(answer)).toContain('git sparse-checkout add');
    const outcomes = journalOf(project, RUN)
      .filter(({ type }) => type === 'committed')
      .map(({ data }) => data);
    expect(outcomes).toMatchObject([{ outcome: 'impossible' }]);
    expect(status(project)).toBe('?? made/todo-1.txt\0');
    expect(execFileSync('git', ['diff', '--cached', '--name-only'], { cwd: project.root, encoding: 'utf8' })).toBe('');
  });
});

describe('an execution without commits', () => {
  it.each([
    ['policies that switch them off', 'policies: { commit_enabled: false, code_review_enabled: false }'],
    [
      'handlers that do not name them',
      'handlers: { worker: worker, wrap_up: wrap-up }\n  policies: { code_review_enabled: false }',
    ],
  ])('by %s leaves the work as it is, wants no identity, and says so', (_, config) => {
    const recipe = writeRecipe(project, 'bare', `name: bare\ntype: engine\nconfig:\n  ${config}\n`);
    for (const key of ['user.name', 'user.email']) git(project, 'config', '--unset', key);
    const nobody = { ...project.env, GIT_AUTHOR_NAME: '', GIT_CONFIG_GLOBAL: '/dev/null', EMAIL: '' };
    const head = git(project, 'rev-parse', 'HEAD');
    const options = { env: { ...nobody, GIT_COMMITTER_NAME: '' } };
    const end = goOn(project, begin(project, ONE, { recipe, options }), options);
    expect(end).toMatchObject(COMPLETED);
    expect(git(project, 'rev-parse', 'HEAD')).toBe(head);
    expect(status(project)).toContain('made/');
    expect(document(project, 'report.md')).toContain('commits: not part of this recipe');
  });

  it('commits after all where the policy says so', () => {
    const recipe = writeRecipe(
      project,
      'bare',
      'name: bare\ntype: engine\nconfig:\n  handlers: { worker: worker }\n  policies: { commit_enabled: true, code_review_enabled: false }\n',
    );
    expect(goOn(project, begin(project, ONE, { recipe }))).toMatchObject(COMPLETED);
    expect(committed(project)).toContain('todo-1');
  });
});
