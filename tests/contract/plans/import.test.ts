import { cpSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PlanContent } from '../../../src/plan/model/schema.js';
import { devCli, devCliAsync, imageOf, journalOf, runDir, writeProjectFile } from '../../support/cli.js';
import { freshProjects } from '../../support/fresh.js';
import { CHECKOUT, type Project } from '../../support/project.mjs';

// plans-from-elsewhere.md, plan import; Formats; What becomes of what: importing plans in several formats.

const create = freshProjects();

function withSources(): Project {
  const project = create();
  cpSync(join(CHECKOUT, 'tests/fixtures/plans-from-elsewhere'), project.root, { recursive: true });
  return project;
}

const importInto = (project: Project, name: string, ...args: string[]) =>
  devCli(project, ['plan', 'import', name, ...args]);

function planOf(project: Project, name: string): PlanContent {
  return JSON.parse(readFileSync(join(runDir(project, name), 'plan-content.json'), 'utf8'));
}

interface Told {
  invented: { at: string; todos?: string[]; what: string; why: string }[];
  done: { at: string; what: string }[];
  unplaced: { at: string; what: string; why: string }[];
}
const toldBy = ({ json }: { json: unknown }) => json as unknown as Told;

const times = (count: number, write: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => write(index)).join('');

const CHANGE = 'openspec/changes/add-quiet-hours';
const LIMIT = 'docs/superpowers/plans/2026-05-04-rate-limit.md';

describe('an import without commands', () => {
  it('says that nobody is asked before it is carried out', () => {
    const project = create();
    writeProjectFile(project, 'todo.md', '# Tidy\n\n- [ ] Tidy src/a.js\n');
    writeProjectFile(project, 'checked.md', '# Tidy\n\n- [ ] Tidy src/a.js\n- [ ] Run `npm test`\n');
    const asked = expect.arrayContaining([expect.stringContaining('begins without asking anyone')]);
    expect(importInto(project, 'bare', 'todo.md', '--dry-run').json['warnings']).toEqual(asked);
    expect(importInto(project, 'checked', 'checked.md', '--dry-run').json['warnings']).not.toEqual(asked);
  });
});

describe('the formats', () => {
  it('names a task of spec-kit whose name is taken, and a story that is not there', () => {
    const project = withSources();
    writeProjectFile(project, 'specs/005-twice/spec.md', '# Feature Specification: Twice\n');
    const tasks = '- [ ] T001 Write src/a.js\n- [ ] T001 [US9] Write src/b.js\n- [ ] Write src/c.js\n';
    writeProjectFile(project, 'specs/005-twice/tasks.md', tasks);
    for (const beside of ['research.md', 'checklists/ux.md']) {
      writeProjectFile(project, `specs/005-twice/${beside}`, '- [ ] CHK001 Is it so?\n');
    }
    const { invented, unplaced } = toldBy(importInto(project, 'twice', 'specs/005-twice', '--dry-run'));
    const whole = unplaced.filter(({ what }) => what === 'the whole file').map(({ at }) => at);
    expect(whole.sort()).toEqual(['specs/005-twice/checklists/ux.md:1', 'specs/005-twice/research.md:1']);
    const why = (todo: string) => invented.find(({ at, todos }) => at === '/todos/*/id' && todos?.includes(todo))?.why;
    expect(why('todo-1')).toBe('another task of the source has their name, or it is too long');
    expect(why('todo-2')).toBe('the source gives them no name of their own');
    expect(unplaced).toContainEqual({
      at: 'specs/005-twice/tasks.md:2',
      what: 'US9',
      why: 'no user story has this number',
    });
  });

  it('reads tasks of spec-kit in a file that stands alone, with names put between and a dependency said last', () => {
    const project = create();
    const tasks = [
      '- [ ] T001 Write src/a.js',
      '- [ ] T001a [P] Write src/b.js',
      '- [ ] T002 [P] Write src/c.js (see notes.md; depends on T001a)',
    ];
    writeProjectFile(project, 'work.md', `# Tasks: Work\n\n${tasks.join('\n')}\n`);
    expect(importInto(project, 'work', 'work.md').json).toMatchObject({ ok: true, format: 'speckit', todos: 3 });
    expect(
      planOf(project, 'work').todos.map(({ id, title, dependsOn }) => [id, title.slice(0, 14), dependsOn]),
    ).toEqual([
      ['T001', 'Write src/a.js', []],
      ['T001a', 'Write src/b.js', ['T001']],
      ['T002', 'Write src/c.js', ['T001', 'T001a']],
    ]);
  });

  it.each([
    ['Widget test: `CatalogFilterBar` lays its children out', 'the name of a class'],
    ['Unit test: `render` keeps the order', 'what is tested, not how'],
    ['Ensure re-running `init` cleans up', 'what the task is about'],
    ['Test with `createStore()`', 'a call'],
  ])('makes no command of "%s": %s', (line) => {
    const project = create();
    writeProjectFile(project, 'list.md', `- [ ] ${line}\n`);
    importInto(project, 'list', 'list.md');
    expect(planOf(project, 'list').todos[0]?.acceptance).toMatchObject([{ kind: 'assertion' }]);
  });

  it('takes up what a task only says to run, as a check, where no other task is left', () => {
    const project = create();
    writeProjectFile(project, 'list.md', '- [x] Write\n- [ ] Run `npm test` and `npx tsc --noEmit`\n');
    const result = importInto(project, 'list', 'list.md');
    expect(result.json).toMatchObject({ ok: true, status: 'imported' });
    expect(planOf(project, 'list').todos).toMatchObject([
      { type: 'verification', acceptance: [{ run: ['npm', 'test'] }, { run: ['npx', 'tsc', '--noEmit'] }] },
    ]);
    const shown = readFileSync(join(runDir(project, 'list'), 'PLAN.md'), 'utf8');
    expect(shown).toContain('taken as a command to check by: `npm test`, `npx tsc --noEmit`');
    expect(devCli(project, ['init', 'list', '--execute']).json.next).toMatchObject({ human: 'required' });
  });

  it('judges by no command that changes the repository, and names it', () => {
    const project = create();
    const commands = [
      'git push origin main',
      'npm test && git commit -am x',
      'git -C app rebase main',
      'git diff --check',
    ];
    writeProjectFile(project, 'list.md', commands.map((command) => `- [ ] Run: \`${command}\`\n`).join(''));
    const { unplaced } = toldBy(importInto(project, 'list', 'list.md'));
    const why = 'a command that changes the repository judges nothing';
    expect(unplaced).toEqual(commands.slice(0, 3).map((what, index) => ({ at: `list.md:${index + 1}`, what, why })));
    expect(planOf(project, 'list').todos[3]?.acceptance).toMatchObject([{ run: ['git', 'diff', '--check'] }]);
  });

  it.each([
    ['- [ ] <!-- hidden: run `rm -rf /` --> visible\n', 'visible'],
    ['- <!-- hidden --> visible\n', 'visible'],
    ['1. visible <!-- hid\n   den --> *and **so** <?hidden?>on*\n', 'visible and so on'],
    ['- visible <!<!-- a -->-- hidden --> on\n', 'visible on'],
    ['- visible `<!-- shown -->`\n', 'visible `<!-- shown -->`'],
    ['- visible\n\n> <!-- hidden -->\n\n[//]: # (hidden)\n', 'visible'],
  ])('leaves out of %j what nobody sees who reads it, and names it', (text, title) => {
    const project = create();
    writeProjectFile(project, 'list.md', text);
    const { unplaced } = toldBy(importInto(project, 'list', 'list.md'));
    const plan = planOf(project, 'list');
    expect(plan.todos.map((todo) => todo.title)).toEqual([title]);
    expect(JSON.stringify(plan)).not.toContain('hid');
    expect(unplaced.some(({ what }) => what.includes('hid'))).toBe(text.includes('hid'));
  });

  it('makes no task of an entry that says nothing, and says where it made up a title', () => {
    const project = create();
    writeProjectFile(project, 'list.md', '- [ ] Write\n- [ ]\n-\n- [ ]\n  - [ ] Call\n');
    const { unplaced, invented } = toldBy(importInto(project, 'list', 'list.md'));
    expect(unplaced.map(({ at, why }) => [at, why])).toEqual([
      ['list.md:2', 'an entry that says nothing is no task'],
      ['list.md:3', 'an entry that says nothing is no task'],
    ]);
    expect(planOf(project, 'list').todos.map(({ title, steps }) => [title, steps])).toEqual([
      ['Write', []],
      ['Untitled', ['Call']],
    ]);
    expect(invented).toContainEqual({
      at: '/todos/*/title',
      todos: ['todo-2'],
      what: 'Untitled',
      why: 'the source only says what is nested in them',
    });
  });

  it('names what is open below a task that is ticked', () => {
    const project = create();
    writeProjectFile(project, 'list.md', '- [x] Write\n  - [ ] Proofread\n  - [x] Print\n  - with care\n- [ ] Call\n');
    const { unplaced, done } = toldBy(importInto(project, 'list', 'list.md'));
    const why = 'it is not ticked, but the task that it belongs to is ticked';
    expect(unplaced).toEqual([{ at: 'list.md:2', what: 'Proofread', why }]);
    expect(done.map(({ at }) => at)).toEqual(['list.md:1-4']);
    expect(planOf(project, 'list').todos.map(({ title }) => title)).toEqual(['Call']);
  });

  it('names what it shortens where it stands', () => {
    const project = withSources();
    const long = 'word '.repeat(500);
    writeProjectFile(
      project,
      `${CHANGE}/design.md`,
      `## Decisions\n\n- Short\n- ${long}\n\n### Why\n\n${long}\n\n## Risks\n\n${long}\n`,
    );
    const { unplaced } = toldBy(importInto(project, 'quiet', CHANGE));
    const shortened = unplaced.filter(({ why }) => why.includes('the end of it stays in the source'));
    expect(shortened.map(({ at }) => at.replace(`${CHANGE}/`, ''))).toEqual([
      'design.md:4',
      'design.md:6',
      'design.md:12',
    ]);
  });

  it('tells a person what was invented in the words of PLAN.md', () => {
    const { stdout } = importInto(withSources(), 'quiet', CHANGE, '--dry-run', '--text');
    expect(stdout).toContain('- risk of all todos: medium (the source states no risk)');
    expect(stdout).not.toContain('/todos/');
  });

  it('reads a change of OpenSpec, with its requirements', () => {
    const project = withSources();
    const result = importInto(project, 'quiet', CHANGE);
    expect(result.json).toMatchObject({ ok: true, status: 'imported', format: 'openspec', todos: 5 });
    const plan = planOf(project, 'quiet');
    expect(plan.todos.map(({ id, dependsOn, files }) => [id, dependsOn, files])).toEqual([
      ['task-1-2', [], []],
      ['task-1-3', ['task-1-2'], []],
      ['task-2-1', ['task-1-3'], []],
      ['task-2-2', ['task-2-1'], []],
      ['check-requirements', ['task-2-2'], []],
    ]);
    expect(plan.todos[1]).toMatchObject({
      steps: ['1.3.2 Show them beside the field'],
      references: [`${CHANGE}/tasks.md:5-7 (1. Settings)`],
    });
    expect(plan.todos[3]?.acceptance).toEqual([
      { id: 'ac-1', kind: 'command', run: ['npm', 'test', '--', 'reminders'] },
    ]);
    expect(plan.requirements?.map(({ id, from, quote }) => [id, from, quote])).toEqual([
      ['r-1', 'user', 'The system SHALL send no reminder between the beginning and the end of quiet hours.'],
      ['r-2', 'user', 'Reason: Quiet hours replace it.'],
    ]);
    expect(plan.todos[4]?.acceptance.map(({ proves }) => proves)).toEqual([['r-1'], ['r-1'], ['r-2']]);
    expect(plan.objectives.mustNotDo).toEqual(['Quiet hours for a team']);
    expect(plan.externalDependencies).toEqual([{ when: 'pre', text: 'Do urgent reminders break quiet hours?' }]);
    const { done, invented } = toldBy(result);
    expect(done.map(({ at }) => at)).toEqual([`${CHANGE}/tasks.md:3`, `${CHANGE}/tasks.md:6`]);
    expect(invented).toContainEqual(expect.objectContaining({ at: '/todos/*/risk', what: 'medium' }));
    expect(invented).toContainEqual(expect.objectContaining({ todos: ['check-requirements'] }));
    const shown = readFileSync(join(runDir(project, 'quiet'), 'PLAN.md'), 'utf8');
    const unconfirmed = shown.slice(shown.indexOf('## Unconfirmed'), shown.indexOf('## Words of the request'));
    expect(unconfirmed).toContain('risk of all todos: medium');
    expect(unconfirmed).toContain('Write down how other apps word the setting');
    expect(devCli(project, ['plan', 'validate', 'quiet']).json).toMatchObject({ valid: true, edited: false });
  });

  it('reads a feature of spec-kit: what is parallel, and what serves a story', () => {
    const project = withSources();
    expect(importInto(project, 'lists', 'specs').json).toMatchObject({ format: 'speckit' });
    const plan = planOf(project, 'lists');
    expect(plan.todos.map(({ id, dependsOn, serves }) => [id, dependsOn, serves ?? []])).toEqual([
      ['T002', [], ['US1']],
      ['T003', [], ['US1']],
      ['T004', ['T002', 'T003'], ['US1']],
      ['T005', ['T004'], ['US1']],
      ['T006', ['T005'], []],
      ['T007', ['T005'], []],
      ['check-requirements', ['T006', 'T007'], ['US1', 'FR-001', 'FR-002']],
    ]);
    // `pytest` runs all tests, so it judges only the last todo, which runs alone. T007, which may run beside T006, is
    // judged by an assertion.
    expect(plan.todos[5]?.acceptance.map(({ kind }) => kind)).toEqual(['assertion']);
    expect(plan.todos[6]?.acceptance.at(-1)).toMatchObject({ kind: 'command', run: ['pytest'] });
    expect(plan.externalDependencies?.[0]?.text).toContain('FR-002');
    expect(plan.context.originalRequest).toBe('People want to share a shopping list with their family');
  });

  it('reads a plan of superpowers: a test that has to fail judges nothing', () => {
    const project = withSources();
    const result = importInto(project, 'limit', LIMIT);
    const plan = planOf(project, 'limit');
    expect(plan.todos.map(({ id, files }) => [id, files])).toEqual([
      ['task-1', ['src/limit/counter.ts', 'tests/limit/counter.test.ts']],
      ['task-2', ['src/server.ts']],
    ]);
    expect(plan.todos[0]?.acceptance).toEqual([
      { id: 'ac-1', kind: 'command', run: ['npx', 'vitest', 'run', 'tests/limit/counter.test.ts'] },
    ]);
    expect(plan.todos[1]?.acceptance).toEqual([
      { id: 'ac-1', kind: 'command', run: ['sh', '-c', 'npm run build && npm test'], cwd: 'packages/api' },
      { id: 'ac-2', kind: 'command', run: ['grep', '-rn', 'OLD_LIMIT', 'src'], expect: { exitCode: 1 } },
    ]);
    expect(plan.todos[1]?.references).toEqual([`${LIMIT}:58-81`, '`src/server.ts:12-40`']);
    expect(plan.commits).toEqual([
      { afterTodo: 'task-1', message: 'feat: count requests of a client\n\nEach client has a counter.' },
    ]);
    expect(plan.decisions?.map(({ by }) => by)).toEqual(['agent', 'agent']);
    expect(toldBy(result).unplaced.map(({ at, why }) => [at, why])).toEqual([
      [`${LIMIT}:3`, 'a quotation, such as one that tells an agent which skill to use'],
    ]);
    expect(toldBy(result).invented).toContainEqual(
      expect.objectContaining({ todos: ['task-2'], what: expect.stringContaining('sh -c') }),
    );
  });

  it('reads a plan of superpowers whose steps are paragraphs, and one whose commands stand there without a word', () => {
    const project = create();
    const plan = [
      ...['# Rate limit Implementation Plan', '### Task 1: Counter', '**Files:**', '- Create: `src/a.js`'],
      ...['**Step 1: Write it**', '```javascript\nmodule.exports = 1;\n```'],
      ...['**Step 2: Verify the syntax**', 'Run: `node --check src/a.js`\nExpected: it ends well'],
      ...['**Step 3: Commit**', '```bash\ngit commit -m "feat: count"\n```'],
      ...['### Task 2: Use it', '**Files:**', '- Modify: `src/b.js`'],
      ...['Prose comes first.', '```javascript\nuse(1);\n```', 'Run:', '```bash\nnpm test\n```', 'Expected: PASS'],
      ...['### Task 3: Look', '- [ ] **Step 1: Run all tests**', '```bash\nnpm run all\n```', 'Expected: PASS'],
    ];
    writeProjectFile(project, 'plan.md', `${plan.join('\n\n')}\n`);
    const result = importInto(project, 'limit', 'plan.md');
    expect(result.json).toMatchObject({ format: 'superpowers', todos: 3 });
    const { todos, commits } = planOf(project, 'limit');
    expect(todos.map(({ steps }) => steps)).toEqual([
      [
        'Step 1: Write it. The code stands at plan.md:9.',
        'Step 2: Verify the syntax. Run: `node --check src/a.js` Expected: it ends well',
      ],
      ['Prose comes first. The code stands at plan.md:32.', 'Run: Expected: PASS. The code stands at plan.md:38.'],
      ['Step 1: Run all tests. Expected: PASS. The code stands at plan.md:48.'],
    ]);
    const commands = todos.map(({ acceptance }) =>
      acceptance.map((proof) => (proof.kind === 'command' ? proof.run : [])),
    );
    expect(commands).toEqual([[['node', '--check', 'src/a.js']], [['npm', 'test']], [['npm', 'run', 'all']]]);
    expect(commits).toEqual([{ afterTodo: 'task-1', message: 'feat: count' }]);
    expect(toldBy(result).unplaced).toEqual([]);
  });

  it('reads a plain list, and as one what --format says', () => {
    const project = withSources();
    expect(importInto(project, 'chores', 'TODO.md').json).toMatchObject({ format: 'markdown', todos: 3 });
    const plan = planOf(project, 'chores');
    expect(plan.todos[0]?.acceptance[0]).toMatchObject({ run: ['node', 'scripts/messages.mjs', 'de'] });
    expect(plan.context.originalRequest).toBe('What is left before the release.');
    expect(plan.context.researchFindings).toEqual(['Not now: A dark mode']);
    const asList = importInto(project, 'plain', `${CHANGE}/tasks.md`, '--format', 'markdown');
    expect(asList.json).toMatchObject({ format: 'markdown', sources: [`${CHANGE}/tasks.md`], todos: 4 });
    expect(importInto(project, 'other', `${CHANGE}/tasks.md`, '--dry-run').json).toMatchObject({ format: 'openspec' });
  });
});

describe('what stands already', () => {
  it('writes nothing in a dry run, and the same import again changes nothing', () => {
    const project = withSources();
    expect(importInto(project, 'a', 'TODO.md', '--dry-run').json).toMatchObject({ status: 'judged', todos: 3 });
    expect(existsSync(runDir(project, 'a'))).toBe(false);
    importInto(project, 'a', 'TODO.md');
    const before = imageOf(project);
    expect(importInto(project, 'a', 'TODO.md').json).toMatchObject({ status: 'unchanged' });
    expect(imageOf(project)).toEqual(before);
    const shown = join(runDir(project, 'a'), 'PLAN.md');
    rmSync(shown);
    importInto(project, 'a', 'TODO.md');
    expect(imageOf(project)).toEqual(before);
    writeFileSync(shown, readFileSync(shown, 'utf8').replace('Write to the printers', 'Call the printers'));
    expect(importInto(project, 'a', 'TODO.md').json).toMatchObject({ error: { code: 'PLAN_CONFLICT' } });
    expect(readFileSync(shown, 'utf8')).toContain('Call the printers');
  });

  it('replaces no other plan, of two imports at once neither', async () => {
    const project = withSources();
    const both = await Promise.all(
      ['TODO.md', CHANGE].map((source) => devCliAsync(project, ['plan', 'import', 'a', source])),
    );
    expect(both.map(({ code }) => code).sort()).toEqual([0, 4]);
    expect(both.find(({ code }) => code === 4)?.json).toMatchObject({ error: { code: 'PLAN_CONFLICT' } });
    expect(devCli(project, ['plan', 'validate', 'a']).json).toMatchObject({ valid: true, edited: false });
  });

  it('leaves the request to the goal of a run, approves nothing, and points at plan apply while a plan is carried out', () => {
    const project = withSources();
    devCli(project, ['init', 'a', '--goal', 'Quiet hours, as the change says']);
    expect(importInto(project, 'a', CHANGE).json).toMatchObject({ status: 'imported' });
    expect(planOf(project, 'a').context).not.toHaveProperty('originalRequest');
    expect(journalOf(project, 'a').at(-1)).toMatchObject({ type: 'document', data: { command: 'plan import' } });
    importInto(project, 'b', 'TODO.md');
    const asked = devCli(project, ['init', 'b', '--execute']);
    expect(asked.json.next).toMatchObject({ action: 'wait-for-user', human: 'required' });
    const refused = importInto(project, 'b', CHANGE);
    expect(refused).toMatchObject({ code: 4, json: { error: { code: 'PLAN_CONFLICT' } } });
    expect(JSON.stringify(refused.json)).toContain('plan apply b');
  });
});

describe('sources that are no plan, or not one that can be trusted', () => {
  it.each([
    ['nothing there', 'none.md', null, 'DATA_MISSING'],
    ['empty', 'x.md', '', 'DATA_MISSING'],
    ['prose', 'x.md', 'Only prose.\n', 'DATA_MISSING'],
    ['all done', 'x.md', '- [x] a\n- [X] b\n', 'DATA_MISSING'],
    ['no text', 'x.md', Buffer.from([0xff, 0xfe, 0x41]), 'DATA_MALFORMED'],
    ['too large', 'x.md', Buffer.alloc(400_001, 'a'), 'DATA_MALFORMED'],
    ['a long line', 'x.md', `- ${'['.repeat(20_000)}`, 'DATA_MALFORMED'],
    ['nested beyond reason', 'x.md', `- a\n\n${'> '.repeat(2_000)}`, 'DATA_MALFORMED'],
    ['nested by its indents', 'x.md', times(600, (index) => `${'  '.repeat(index)}- a\n`), 'DATA_MALFORMED'],
    [
      'nested in both ways',
      'x.md',
      times(5, (index) => `${'          '.repeat(index)}- - - - - a\n`),
      'DATA_MALFORMED',
    ],
    ['a paragraph that goes on and on', 'x.md', `- [ ] x\n${'y\n'.repeat(150_000)}`, 'DATA_MALFORMED'],
    ['too many tasks', 'x.md', '- a\n'.repeat(1_001), 'DATA_MALFORMED'],
    ['outside', '../x.md', null, 'DATA_MALFORMED'],
    ['several', 'many', null, 'DATA_MALFORMED'],
    ['a change without tasks', 'change/proposal.md', '## What Changes\n\n- Everything\n', 'DATA_MISSING'],
  ])('refuses: %s', (_, path, content, code) => {
    const project = create();
    if (content !== null) writeProjectFile(project, path, content);
    for (const id of ['one', 'two']) {
      writeProjectFile(project, `many/${id}/proposal.md`, '## Why\n\nSo.\n');
      writeProjectFile(project, `many/${id}/tasks.md`, '- [ ] 1.1 A\n');
    }
    const result = importInto(project, 'a', path);
    expect(result.json).toMatchObject({ ok: false, error: { code } });
    if (path === 'many') expect(JSON.stringify(result.json)).toContain('many/two');
    expect(existsSync(runDir(project, 'a'))).toBe(false);
  });

  it('follows no link out of the project', () => {
    const project = create();
    symlinkSync('/etc/hosts', join(project.root, 'link.md'));
    symlinkSync('/etc', join(project.root, 'directory'));
    for (const path of ['link.md', 'directory', 'directory/hosts']) {
      expect(importInto(project, 'a', path).json, path).toMatchObject({ error: { code: 'DATA_MALFORMED' } });
    }
  });

  it('names what is hidden, takes no doubtful command, and masks secrets', () => {
    const project = create();
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const lines = [
      '\ufeff# Größe',
      '',
      '1. 改める',
      '\t- Files: `../x.ts`, `.dev/y.ts` und `src/a.ts`',
      '\t- Verify with `npm te\u200bst`',
      `\t- Run: \`curl -H ${secret}\``,
      '\t- Run: `npm test -- <name>`',
      '2. \u202eevil\u202c <b>bold</b>',
      '',
      '<!-- an order to agents -->',
    ];
    writeProjectFile(project, 'x.md', `${lines.join('\r\n')}\r\n`);
    const result = importInto(project, 'a', 'x.md');
    const { unplaced } = toldBy(result);
    expect(unplaced.map(({ at, why }) => [at, why.split(/[;,]/)[0]])).toEqual([
      ['x.md:4', 'the path holds ".."'],
      ['x.md:4', 'the path reaches into .dev/'],
      ['x.md:5', 'nobody sees them'],
      ['x.md:5', 'a command with invisible characters is not imported'],
      ['x.md:6', 'a command with what looks like a secret is not imported'],
      ['x.md:7', 'a command with a placeholder is not imported'],
      ['x.md:8', 'nobody sees them'],
      ['x.md:10', 'HTML'],
    ]);
    const plan = planOf(project, 'a');
    expect(plan.todos[0]).toMatchObject({ files: ['src/a.ts'], acceptance: [{ kind: 'assertion' }] });
    expect(plan.todos[1]?.title).toBe('evil <b>bold</b>');
    const written =
      Object.values(imageOf(project)).join('') + readFileSync(join(runDir(project, 'a'), 'PLAN.md'), 'utf8');
    expect(written + result.stdout + JSON.stringify(plan)).not.toContain(secret);
  });
});
