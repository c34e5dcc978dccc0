import { describe, expect, it } from 'vitest';
import type { ImportFormat } from '../../../src/base/import-formats.js';
import type { PlanTodo } from '../../../src/plan/model/schema.js';
import { type ImportedPlan, importPlan } from '../../../src/wings/plan-import/import-plan.js';

// plans-from-elsewhere.md, What becomes of what: which part of the plan each part of a source becomes

function importFiles(format: ImportFormat, files: Record<string, string>): ImportedPlan {
  const source = { format, name: 'x', files: Object.entries(files).map(([path, text]) => ({ path, text })) };
  const ending = importPlan({ source, goal: null });
  if (ending.kind !== 'plan') throw new Error(ending.at);
  return ending.plan;
}

const importList = (text: string) => importFiles('markdown', { 'list.md': text });

const commandsOf = ({ acceptance }: Pick<PlanTodo, 'acceptance'>) =>
  acceptance.map((proof) => (proof.kind === 'command' ? proof.run.join(' ') : proof.kind));

const whyOf = ({ invented }: ImportedPlan, at: string, todo?: string) =>
  invented
    .filter((entry) => entry.at === at && (todo === undefined || entry.todos?.includes(todo)))
    .map(({ what, why }) => `${what}: ${why}`);

describe('commands that a task orders', () => {
  it.each([
    ['Run `npx vitest run` and `npx tsc --noEmit`', ['npx vitest run', 'npx tsc --noEmit']],
    ['Run `npx tsc --noEmit`', ['npx tsc --noEmit']],
    ['`openspec validate add-has-query --strict`', ['openspec validate add-has-query --strict']],
    ['Execute `make check`, `make lint` and `cargo clippy -q`.', ['make check', 'make lint', 'cargo clippy -q']],
    ['Ensure `npm test` and `npm run lint` pass', ['npm test', 'npm run lint']],
    ['Make sure that `npm run lint` is clean', ['npm run lint']],
    ['Run the full test suite: `npm test`', ['npm test']],
    ['Run the type checker with `npx tsc --noEmit`', ['npx tsc --noEmit']],
    ['Ensure all tests pass (`pytest -q tests`)', ['pytest -q tests']],
    ['Verify with `./gradlew check`', ['./gradlew check']],
    ['Run `pytest`', ['pytest']],
    ['Re-run `scripts/check.sh --all`', ['scripts/check.sh --all']],
    ['Run the checks\n  ```sh\n  npm test\n  npx tsc --noEmit\n  ```', ['npm test', 'npx tsc --noEmit']],
    ['Final check\n  - Run `npm test`\n  - Run `npm run lint`', ['npm test', 'npm run lint']],
  ])('takes them up from "%s", in a todo that changes nothing', (line, commands) => {
    const plan = importList(`# Work\n\n- [ ] Write \`src/a.ts\`\n- [ ] ${line}\n`);
    const [, todo] = plan.plan.todos;
    expect(todo && commandsOf(todo)).toEqual(commands);
    expect(todo).toMatchObject({ type: 'verification', dependsOn: ['todo-1'] });
    expect(whyOf(plan, '/todos/*/files', 'todo-2')).toEqual([]);
  });

  it.each([
    ['Add `hasQuery` to `src/a.ts`; run `npm test -- query`', ['npm test -- query']],
    ['Write `src/a.ts`, and ensure `npm test` passes', ['npm test']],
    ['Run `npm test` and fix any failures', ['npm test']],
  ])('leaves a todo that does more than "%s" orders a piece of work', (line, commands) => {
    const [todo] = importList(`- [ ] ${line}\n`).plan.todos;
    expect(todo && commandsOf(todo)).toEqual(commands);
    expect(todo?.type).toBe('work');
  });

  it('names the commands that it took up among what was invented, those after a label not', () => {
    const plan = importList('- [ ] Run `npx vitest run` and `npx tsc --noEmit`\n- [ ] Check with `npm run lint`\n');
    expect(whyOf(plan, '/todos/*/acceptance')).toEqual([
      'taken as a command to check by: `npx vitest run`, `npx tsc --noEmit`: the source only says to run it',
    ]);
  });

  it.each([
    ['Run `npm test | tee log`', 'it is not known to do nothing but check'],
    ['Run `npm test && npm run lint`', 'only a shell can run it'],
    ['Execute `npm test > log`', 'it is not known to do nothing but check'],
    ['Run `npm install zod`', 'it is not known to do nothing but check'],
    ['Run `npx prisma migrate dev`', 'it is not known to do nothing but check'],
    ['Run `npm run dev`', 'it is not known to do nothing but check'],
    ['Run `rm -r dist`', 'it is not known to do nothing but check'],
    ['Run `npx prettier --write .`', 'it is not known to do nothing but check'],
    ['Run `npx vitest run a.test.ts` and see it fail', 'it must fail'],
    ['Run: `npm test -- a`, and make sure that the test fails', 'it must fail'],
    ['Run `git push origin main`', 'a command that changes the repository'],
  ])('leaves "%s" a statement, and says why', (line, why) => {
    const plan = importList(`- [ ] ${line}\n`);
    expect(plan.plan.todos[0]).toMatchObject({ type: 'work', acceptance: [{ kind: 'assertion' }] });
    expect(plan.unplaced).toEqual([expect.objectContaining({ at: 'list.md:1', why: expect.stringContaining(why) })]);
    expect(whyOf(plan, '/todos/*/acceptance')).toEqual([
      'an agent judges whether it is done as described: none of the commands that the task names was taken up for it',
    ]);
  });

  it.each([
    'Do not run `npm test`',
    "Don't run `npm test` here",
    'Document how to run `npm test`',
    'Add a script, so that people can run `npm run all`',
    'Run `deploy`',
    'Run the migrations of `users table`',
    'Ensure `map key` passes the value on',
    'Replace `npm test` by `npm run all`',
    '`foo bar`',
    'Ensure that `X-Frame-Options: deny` is set',
  ])('makes no command of "%s"', (line) => {
    const plan = importList(`- [ ] ${line}\n`);
    expect(plan.plan.todos[0]).toMatchObject({ type: 'work', acceptance: [{ kind: 'assertion' }] });
    expect(plan.unplaced).toEqual([]);
    expect(whyOf(plan, '/todos/*/acceptance')[0]).toContain('the task names no command to check by');
  });
});

describe('what a source of another tool says', () => {
  const TASKS = { 'tasks.md': '- [ ] T001 Write src/a.ts\n' };

  it('takes the input of a specification for the request, also where the lines of its head are one paragraph', () => {
    const head = ['**Feature Branch**: `002`', '**Status**: Draft', '**Input**: User description: "A helper, please"'];
    const { plan, invented } = importFiles('speckit', {
      'spec.md': `# Feature Specification: X\n\n${head.join('\n')}\n`,
      ...TASKS,
    });
    expect(plan.context.originalRequest).toBe('A helper, please');
    expect(invented.map(({ at }) => at)).not.toContain('/context/originalRequest');
  });

  it('puts what is not clarified where nobody confirmed it, not among what was found out', () => {
    const spec = [
      '# X',
      '### User Story 1 - Read (Priority: P1)\n\nOne reads.\n\n1. **Then** it ends [NEEDS CLARIFICATION: when?]',
      '### Edge Cases\n\n- Credentials? [NEEDS CLARIFICATION: keep or drop user:password?]\n- Nothing?',
    ];
    const files = {
      'spec.md': spec.join('\n\n'),
      'plan.md': '## Technical Context\n\n**Storage**: NEEDS CLARIFICATION\n',
      ...TASKS,
    };
    const { context } = importFiles('speckit', files).plan;
    expect(context.researchFindings).toEqual(['Edge Cases: Nothing?']);
    expect([context.assumptions ?? []].flat().slice(0, 3)).toEqual([
      'Not settled: Edge Cases: Credentials? [NEEDS CLARIFICATION: keep or drop user:password?]',
      'Not settled: Technical Context: Storage: NEEDS CLARIFICATION',
      'Not settled: Then it ends [NEEDS CLARIFICATION: when?]',
    ]);
  });

  it('decides nothing by an alternative, and says why where the source does', () => {
    const design = [
      '- Decision: look for `?` first',
      '- Rationale: `/foo?` has no parameter',
      '- Alternatives considered: three regexes; slower',
      '',
      '### Decision: no dependency\n\nIt is small.\n\n### Alternatives considered\n\nA library.',
    ];
    const files = { 'design.md': `## Decisions\n\n${design.join('\n')}\n`, 'tasks.md': '- [ ] 1.1 Write `src/a.ts`\n' };
    const { plan } = importFiles('openspec', files);
    expect(plan.decisions).toEqual([
      { text: 'look for `?` first', reason: '`/foo?` has no parameter', by: 'agent' },
      { text: 'no dependency', reason: 'It is small.', by: 'agent' },
    ]);
    expect(plan.context.researchFindings).toEqual([
      'Decisions: Alternatives considered: three regexes; slower',
      'Alternatives considered: A library.',
    ]);
  });

  it('leaves out what is struck out, and says so', () => {
    const plan = importList(
      '1. Write\n   - ~~with a pen~~\n   - by hand\n2. ~~Drop node 16~~ (done in 1.6)\n3. Use ~~this~~ that\n',
    );
    expect(plan.plan.todos.map(({ title, steps }) => [title, steps])).toEqual([
      ['Write', ['by hand']],
      ['Use ~~this~~ that', []],
    ]);
    expect(plan.done).toEqual([
      { at: 'list.md:2', what: 'with a pen' },
      { at: 'list.md:4', what: 'Drop node 16 (done in 1.6)' },
    ]);
    expect(
      importFiles('openspec', { 'tasks.md': '- [ ] 1.1 ~~A~~\n- [ ] 1.2 B\n' }).plan.todos.map(({ id }) => id),
    ).toEqual(['task-1-2']);
  });

  it('names a comment with all its lines', () => {
    const { unplaced } = importList('- [ ] Write\n\n<!-- one\n- [ ] two\nthree -->\n');
    expect(unplaced.map(({ at }) => at)).toEqual(['list.md:3-5']);
  });

  it('keeps the heading of a list as what the plan is about', () => {
    const { plan } = importList('# Small things\n\nNothing is urgent.\n\n- [ ] Write\n');
    expect(plan.objectives.core).toBe('Small things');
    expect(plan.context.originalRequest).toBe('Nothing is urgent.');
  });
});
