import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PlanContent } from '../../../src/plan/model/schema.js';
import { devCli, imageOf, writeProjectFile } from '../../support/cli.js';
import { freshProjects } from '../../support/fresh.js';
import type { Project } from '../../support/project.mjs';

// Plans in the formats of other tools (plans-from-elsewhere.md, What becomes of what).

const create = freshProjects();

interface Looked {
  format: string;
  plan: PlanContent;
  unplaced: { at: string; what: string; why: string }[];
  done: { at: string; what: string }[];
  invented: { at: string; todos?: string[]; what: string; why: string }[];
}

/** Returns the result of a dry run that imports the first of these files. */
function look(files: Record<string, string>, project: Project = create()): Looked {
  for (const [path, text] of Object.entries(files)) writeProjectFile(project, path, text);
  const { json } = devCli(project, ['plan', 'import', 'a', Object.keys(files)[0] ?? '', '--dry-run']);
  expect(json).toMatchObject({ ok: true, status: 'judged' });
  return json as unknown as Looked;
}

const lookAtList = (...lines: string[]): Looked => look({ 'list.md': `# List\n\n${lines.join('\n')}\n` });
const lookAtTask = (...lines: string[]): Looked =>
  look({
    'plan.md': `# X Implementation Plan\n\n### Task 1: Write\n\n**Files:**\n- Modify: \`src/a.ts\`\n\n${lines.join('\n')}\n`,
  });

const proofsOf = ({ plan }: Looked) =>
  plan.todos.flatMap(({ acceptance }) =>
    acceptance.map((proof) => (proof.kind === 'command' ? proof.run.join(' ') : proof.kind)),
  );

const CHANGES = 'a command that changes the repository judges nothing';
const WORKS = 'it is not known to do nothing but check: it stays a statement';
const HOLLOW = 'it succeeds whatever it finds, so it cannot judge anything';

describe('what no plan takes as a check', () => {
  it.each([
    ...[
      'git push origin main',
      '/usr/bin/git reset --hard',
      'env git push',
      'env -u HOME GIT_DIR=x git push',
      'sh -c "git push"',
    ],
    ...[
      "bash -lc 'npm test; git push'",
      'git --no-pager -c a=b push',
      'GIT_TRACE=1 git push',
      'xargs git add',
      'timeout 5 git push',
    ],
    ...[
      'npm test && /usr/bin/git commit -am x',
      'npx --yes git push',
      '(cd a; git push)',
      'npm test || git stash',
      'eval "git push"',
    ],
    ...['echo $(git push)', 'command git push', 'find . -name x -exec git rm {} +', 'git branch -D x', 'git tag v1'],
    ...['python3 -c "import os; os.system(\'git push\')"', '"git" push', 'nice -n 5 nohup git push'],
  ])('git that changes something, as %s', (command) => {
    for (const lines of [
      [`- [ ] Run: \`${command}\``],
      ['- [ ] Verify', '', '  Run:', '', '  ```sh', `  ${command}`, '  ```'],
    ]) {
      const looked = lookAtList(...lines);
      expect(proofsOf(looked)).toEqual(['assertion']);
      expect(looked.unplaced.map(({ why }) => why).some((why) => why === CHANGES || why === WORKS)).toBe(true);
    }
  });

  it.each([
    ...[
      'wrangler d1 execute db --remote --file x.sql',
      'gh pr edit 3 --title x',
      'kubectl delete pod x',
      'npm init -y',
      'mkdir -p src',
    ],
    ...[
      'sudo npm test',
      'npm run dev',
      'uvicorn app:app',
      'python -m http.server 8000',
      'docker compose up -d',
      'openspec init --tools x',
    ],
    ...[
      'scripts/deploy.sh prod',
      'npm --prefix app ci',
      'cargo add serde',
      'terraform apply',
      'vercel --prod',
      'npx prisma migrate dev',
    ],
    ...[
      'curl -X POST https://example.org',
      "sed -i 's/a/b/' src/a.ts",
      'echo x > src/a.ts',
      'node server.js',
      'php artisan migrate',
    ],
    ...['env FOO=1 rm -r dist', 'bash -c "rm -r dist"', "python3 - <<'E'\nopen('a', 'w').write('x')\nE"],
  ])('an order: %s', (command) => {
    const looked = lookAtTask('- [ ] **Step 1: Do it**', '', 'Run:', '', '```bash', command, '```');
    expect(proofsOf(looked)).toEqual(['assertion']);
    expect(looked.unplaced).toContainEqual(expect.objectContaining({ why: WORKS }));
    expect(looked.plan.todos[0]?.steps[0]).toContain('Do it');
  });

  it.each(['/opsx:update', 'g\\it push', '$TOOL push', 'curl -s https://example.org/x | sh', 'bash -s'])(
    'what nobody can tell: %s',
    (command) => {
      expect(proofsOf(lookAtList(`- [ ] Run: \`${command}\``))).toEqual(['assertion']);
    },
  );

  it.each([
    'grep -r foo src || echo CLEAN',
    'npm test || true',
    'git status',
    'npm test; echo done',
    'npm test | wc -l',
    'echo ok',
  ])('what cannot fail: %s', (command) => {
    const looked = lookAtList(`- [ ] Run: \`${command}\``);
    expect(proofsOf(looked)).toEqual(['assertion']);
    expect(looked.unplaced).toContainEqual({ at: 'list.md:3', what: command, why: HOLLOW });
  });

  it.each([
    ...[
      'git diff --exit-code',
      'git log --oneline origin/main..HEAD | grep -q feat',
      'npm run format:check',
      'npx prettier --check .',
    ],
    ...[
      'cargo fmt --check',
      'docker compose config',
      'gh pr view 3 --json state',
      'terraform validate',
      'node --check server.js',
    ],
    ...[
      'bash tests/server.test.sh',
      'grep -rn install docs',
      'npm run build',
      'uv run pytest -q',
      '! grep -rn TODO src',
      'test -f dist/a.js',
    ],
  ])('a check stays one: %s', (command) => {
    expect(proofsOf(lookAtList(`- [ ] Run: \`${command}\``))).toEqual([expect.stringContaining(command)]);
  });

  it('a path, a name of the code, a line of a language', () => {
    const lines = [
      'Test: `tests/test_a.py`',
      'Test: `withRole("x", y)`',
      'Verify: `createStore`',
      'Check: `from a import b`',
    ];
    for (const line of lines) expect(proofsOf(lookAtList(`- [ ] Write it. ${line}`))).toEqual(['assertion']);
  });
});

describe('what is expected', () => {
  it.each([
    ['grep -c TODO src/a.ts', '`0`', { exitCode: 1 }],
    ['grep -rn TODO src', 'no output', { exitCode: 1 }],
    ['node tool.js', 'exit code 2', { exitCode: 2 }],
    ['node tool.js --list', 'prints `three files`', { stdoutContains: 'three files' }],
    ['grep -r foo src || echo CLEAN', '`CLEAN`', { stdoutContains: 'CLEAN' }],
    ['grep -r foo src || echo CLEAN', 'CLEAN', { stdoutContains: 'CLEAN' }],
    ['npm test', 'PASS', undefined],
    ['npm test', 'all 12 tests pass, no errors', undefined],
    ['npx tsc --noEmit', 'no output', undefined],
  ])('%s, expected: %s', (command, said, expected) => {
    const step = ['- [ ] **Step 1: Check**', '', `Run: \`${command}\``, `Expected: ${said}`];
    const entry = [`- [ ] Run: \`${command}\` (expected: ${said})`];
    for (const { plan } of [lookAtTask(...step), lookAtList(...entry)]) {
      const [proof] = plan.todos[0]?.acceptance ?? [];
      expect(proof).toMatchObject({ kind: 'command' });
      expect(proof).toEqual(
        expected === undefined
          ? expect.not.objectContaining({ expect: expect.anything() })
          : expect.objectContaining({ expect: expected }),
      );
    }
  });

  it.each([
    ['npm test', 'FAIL with "x is not defined"'],
    ['npm test', '`ImportError: no x`'],
    ['grep -c TODO src/a.ts', '3'],
    ['gofmt -l .', 'no output'],
    ['find src -name x', 'returns no output'],
  ])('judges by nothing where a plan cannot say it: %s, expected: %s', (command, said) => {
    expect(proofsOf(lookAtTask('- [ ] **Step 1: Check**', '', `Run: \`${command}\``, `Expected: ${said}`))).toEqual([
      'assertion',
    ]);
  });

  it('pairs each command with what is said of it, in a step with several', () => {
    const step = [
      '- [ ] **Step 1: Check**',
      '',
      'Run: `npm run a`',
      'Expected: FAIL',
      '',
      'Run: `npm run b`',
      'Expected: PASS',
    ];
    expect(proofsOf(lookAtTask(...step))).toEqual(['npm run b']);
  });

  it('reads where a command runs, drops the pager at its end, and says so', () => {
    const looked = lookAtList(
      '- [ ] Make sure that `uv run pytest` in backend/ passes',
      '- [ ] Run: `cd packages/api && npm test 2>&1 | tail -20`',
      '- [ ] **Backend**: `npx vitest run a.test.ts`',
    );
    expect(looked.plan.todos.map(({ acceptance }) => acceptance)).toMatchObject([
      [{ run: ['uv', 'run', 'pytest'], cwd: 'backend' }],
      [{ run: ['npm', 'test'], cwd: 'packages/api' }],
      [{ run: ['npx', 'vitest', 'run', 'a.test.ts'] }],
    ]);
    expect(looked.invented).toContainEqual(expect.objectContaining({ what: 'a command without the pager at its end' }));
  });
});

describe('nothing is lost', () => {
  it('boxes in all their forms: open, ticked, and marked as something else, which is kept as its word', () => {
    const looked = lookAtList(
      '- [] Write',
      '  - [x] Read',
      '    - [ ] Reread',
      '- [~] Half',
      '  - [ ] Rest',
      '- [-] Dropped',
      '- [x] Done',
      '- [ ]* Maybe',
      '- [D] Deferred',
      '- [x ] Ticked in haste',
      '- [ x] Also ticked',
    );
    expect(looked.plan.todos.map(({ title, steps }) => [title, steps])).toEqual([
      ['Write', ['Reread']],
      ['Maybe (optional)', []],
    ]);
    expect(JSON.stringify(looked.plan.context.assumptions)).toContain('though it is open itself: Rest');
    expect(looked.unplaced.map(({ what }) => what)).toEqual(['[~] Half', 'Rest', '[-] Dropped', '[D] Deferred']);
    expect(looked.done.map(({ what }) => what)).toEqual(['Read', 'Done', 'Ticked in haste', 'Also ticked']);
    expect(JSON.stringify(looked.plan.context.assumptions)).toContain('[~] Half, [-] Dropped, [D] Deferred');
  });

  it('work of a superpowers plan outside of its tasks is a todo, and before them is named', () => {
    const plan = [
      ...['# X Implementation Plan', '', '## Setup', '', '- [ ] Ask for the key', '', 'Run: `npm run a`', ''],
      ...[
        '### Task 1: Write',
        '',
        '- [ ] **Step 1: Write it**',
        '',
        '## Final verification',
        '',
        '- [ ] Run `npm test`',
      ],
      ...['', 'Run: `npm run e2e`', 'Expected: PASS', '', '## Handover', '', '- [ ] Tell them', '- [x] Reviewed', ''],
      ...['Run: `npm run b`', ''],
    ];
    const looked = look({ 'plan.md': plan.join('\n') });
    expect(looked.plan.todos.map(({ title, type, steps }) => [title, type, steps[0]])).toEqual([
      ['Write', 'work', 'Step 1: Write it'],
      ['Final verification', 'verification', 'Run `npm test`. Run: `npm run e2e` Expected: PASS'],
      ['Handover', 'work', 'Tell them'],
    ]);
    expect(proofsOf(looked)).toEqual(['assertion', 'npm test', 'npm run e2e', 'npm run b']);
    expect(looked.unplaced).toEqual([
      { at: 'plan.md:5', what: 'Ask for the key', why: 'it stands before the first task' },
      { at: 'plan.md:7', what: 'Run: `npm run a`', why: 'it stands before the first task' },
    ]);
  });

  it('steps behind fences inside of fences, and steps that only mention a commit', () => {
    const looked = lookAtTask(
      ...[
        '- [ ] **Step 1: Write the page**',
        '',
        '```markdown',
        '# Page',
        '```bash',
        'npm test',
        '```',
        'The end',
        '```',
        '',
      ],
      ...[
        '- [ ] **Step 2: Delete and commit**',
        '',
        '```bash',
        'git rm old.ts',
        'git commit -m "chore: drop it"',
        '```',
        '',
      ],
      ...['- [ ] **Step 3: Validate and commit**', '', 'Run: `npm run all`', '', '```bash', 'git add a', '```', ''],
      ...['- [ ] **Step 4: コミット**', '', '```bash', 'git add a && git commit -m "feat: add it"', '```'],
    );
    const [todo] = looked.plan.todos;
    expect(todo?.steps.map((step) => step.slice(0, 28))).toEqual([
      'Step 1: Write the page. The ',
      'Step 2: Delete and commit. T',
      'Step 3: Validate and commit.',
    ]);
    expect(proofsOf(looked)).toEqual(['npm run all']);
    expect(looked.plan.commits).toEqual([{ afterTodo: 'task-1', message: 'feat: add it' }]);
    expect(looked.unplaced.map(({ what, why }) => [what, why])).toContainEqual([
      'chore: drop it',
      'a todo is committed once, with the last message',
    ]);
  });

  it('a step that only commits is none of the todo, and named where it has no message', () => {
    const looked = lookAtTask('- [ ] **Step 1: Write it**', '', '- [ ] **Step 2: Commit**');
    expect(looked.plan.todos[0]?.steps).toEqual(['Step 1: Write it']);
    expect(looked.unplaced).toEqual([
      expect.objectContaining({ what: 'Step 2: Commit', why: 'dev-cli commits each todo itself' }),
    ]);
  });

  it('a fence that never ends leaves those before it mended, and what stands behind it named', () => {
    const plan = [
      ...['# X Implementation Plan', '', '### Task 1: Write', '', '- [ ] **Step 1: Write it**', ''],
      ...['```markdown', '```bash', 'npm test', '```', '```', '', '- [ ] **Step 2: Look**', ''],
      ...['```python', 'x = 1', '', '- [ ] **Step 3: Behind it**'],
    ];
    const looked = look({ 'plan.md': plan.join('\n') });
    expect(looked.plan.todos[0]?.steps.map((step) => step.slice(0, 15))).toEqual([
      'Step 1: Write i',
      'Step 2: Look. T',
    ]);
    expect(looked.unplaced).toEqual([
      expect.objectContaining({ at: 'plan.md:18', what: '- [ ] **Step 3: Behind it**' }),
    ]);
  });

  it('a message in a here-document, boxes in code, headings without a task', () => {
    const looked = lookAtTask(
      ...[
        '- [ ] **Step 1: Commit**',
        '',
        '```bash',
        "git commit -m \"$(cat <<'EOF'",
        'feat: add',
        '',
        'It was asked for.',
        'EOF',
        ')"',
        '```',
        '',
      ],
      ...[
        '- [ ] **Step 2: Write**',
        '',
        '```text',
        '- [ ] a box of the template',
        '```',
        '',
        '## Afterwards',
        '',
        '## Notes',
      ],
    );
    expect(looked.plan.commits?.[0]?.message).toBe('feat: add\n\nIt was asked for.');
    expect(looked.unplaced.map(({ at, what }) => [at, what])).toEqual([
      ['plan.md:22', '- [ ] a box of the template'],
      ['plan.md:25', 'Afterwards'],
      ['plan.md:27', 'Notes'],
    ]);
  });
});

describe('files, labels and names', () => {
  it('a path that a task mentions is no permission; files are those that are listed to be changed', () => {
    const looked = lookAtList(
      ...['- [ ] Write an ADR from docs/adr/TEMPLATE.md, per plan.md in backend/', '- [ ] Write `src/a.ts`'],
      ...['- [ ] Write', '  - Modify: `src/b.ts:12-40`', '  - Files: `src/c.ts`, `../x.ts`', '  - Read: `src/d.ts`'],
    );
    expect(looked.plan.todos.map(({ files }) => files)).toEqual([[], [], ['src/b.ts', 'src/c.ts']]);
    expect(looked.plan.todos[2]?.steps).toEqual(['Read: `src/d.ts`']);
    expect(looked.unplaced).toEqual([
      { at: 'list.md:7', what: '../x.ts', why: expect.stringContaining('the path holds') },
    ]);
    expect(looked.invented).toContainEqual(
      expect.objectContaining({
        at: '/todos/*/files',
        todos: ['todo-1', 'todo-2'],
        what: 'none, so that any may change',
      }),
    );
  });

  it('reads [P] behind other labels, and names with a suffix', () => {
    const { plan, format } = look({
      'work.md':
        '- [ ] T001 Write\n- [ ] T002 [API] [P] Call\n- [ ] **T002-TEST** [US1] (P) Test\n- [ ] T003.1: Draw (depends on T002-TEST)\n',
    });
    expect(format).toBe('speckit');
    expect(plan.todos.map(({ id, title, dependsOn }) => [id, title, dependsOn])).toEqual([
      ['T001', 'Write', []],
      ['T002', '[API] Call', ['T001']],
      ['T002-TEST', 'Test', ['T001']],
      ['T003-1', 'Draw (depends on T002-TEST)', ['T002', 'T002-TEST']],
    ]);
  });

  it.each([
    '### Task 1: A',
    '### Task A1: A',
    '## Task 1 — A',
    '#### Task 2.1. A',
    '### Task 3',
    '### タスク 1：A',
    '### [ ] Task 1: A',
  ])('knows a plan of superpowers by %j', (heading) => {
    const text = `# X Implementation Plan\n\n> Use superpowers:executing-plans\n\n${heading}\n\nWrite it.\n`;
    expect(look({ 'p.md': text })).toMatchObject({
      format: 'superpowers',
      plan: { todos: [{ steps: ['Write it.'] }] },
    });
  });
});

describe('the source and the look at it', () => {
  it('refuses a line that is no text, not the whole feature', () => {
    const project = create();
    writeFileSync(join(project.root, 'list.md'), Buffer.from('- [ ] Write\n- [ ] Gr\xf6\xdfe\n- [ ] Call\n', 'latin1'));
    const { json } = devCli(project, ['plan', 'import', 'a', 'list.md', '--dry-run']);
    const { plan, unplaced } = json as unknown as Looked;
    expect(plan.todos.map(({ title }) => title)).toEqual(['Write', 'Call']);
    expect(unplaced).toEqual([
      { at: 'list.md:2', what: expect.stringContaining('Gr'), why: 'the line is not UTF-8 text' },
    ]);
    writeFileSync(join(project.root, 'bad.md'), Buffer.from(`# List\n${'- [ ] Gr\xf6\xdfe\n'.repeat(21)}`, 'latin1'));
    expect(JSON.stringify(devCli(project, ['plan', 'import', 'a', 'bad.md']).json)).toContain(
      'has 21 lines that are not UTF-8 text; at most 20 are allowed: 2, 3, 4',
    );
  });

  it('says that every box is ticked only where it is so', () => {
    const project = create();
    writeProjectFile(project, 'done.md', '- [x] A\n- [x] B\n');
    writeProjectFile(project, 'half.md', '- [x] A\n  - [ ] B\n- [-] C\n');
    const errorOf = (file: string) => JSON.stringify(devCli(project, ['plan', 'import', 'a', file]).json);
    expect(errorOf('done.md')).toContain('every box is ticked');
    expect(errorOf('done.md')).toContain('Every task is ticked: nothing is left to do.');
    const half = errorOf('half.md');
    expect(half).not.toContain('every box is ticked');
    expect(half).not.toContain('nothing is left');
    expect(half).toContain('DATA_MISSING');
    expect(half).toContain('not ticked: B');
    expect(half).toContain('not ticked: [-] C');
  });

  it('shows the plan in a dry run, and all that it says of it', () => {
    const project = create();
    const many = Array.from({ length: 70 }, (_, index) => `- [x] Done ${index}\n`).join('');
    const looked = look({ 'list.md': `- [ ] Write\n${many}` }, project);
    expect(looked.plan.todos).toMatchObject([{ id: 'todo-1', title: 'Write' }]);
    expect(looked.done).toHaveLength(70);
    const before = imageOf(project);
    const { stdout } = devCli(project, ['plan', 'import', 'a', 'list.md', '--dry-run', '--text']);
    expect(stdout).toContain('# Plan');
    expect(stdout).toContain('Write');
    expect(stdout).toContain('Done 69');
    expect(stdout).toContain('Nothing was written.');
    expect(imageOf(project)).toEqual(before);
    expect(devCli(project, ['plan', 'import', 'a', 'list.md']).json).toMatchObject({ doneMore: 20 });
  });
});
