import { describe, expect, it } from 'vitest';
import { renderPlanChanges } from '../../../src/plan/changes/render.js';
import type { PlanContent } from '../../../src/plan/model/schema.js';
import { renderPlan } from '../../../src/plan/page/render.js';
import { findLine } from '../../../src/plan/read-back/fault.js';
import { type PlanEdits, readPlanEdits } from '../../../src/plan/read-back/read-edits.js';
import { readTodoSection } from '../../../src/plan/read-back/read-todo-section.js';
import { expectWithin } from '../../support/growth.js';
import { aCommand, aPlan, aTodo } from './fixture.js';

// The edits that people make in PLAN.md (documents.md, Living plan).

const PLAN: PlanContent = aPlan({
  context: {
    interviewSummary: 'Header only',
    researchFindings: ['src/app.js:12', 'src/log.js'],
    assumptions: '- Clients can wait\n',
  },
  requirements: [
    { id: 'r-1', quote: 'Add  JWT auth', from: 'request', text: 'Requests without a token get 401' },
    { id: 'r-2', quote: 'Log nothing', from: 'user', text: 'No log' },
  ],
  decisions: [{ text: 'HS256', reason: 'no keys', by: 'agent', serves: ['r-1'] }],
  todos: [
    aTodo('todo-1', {
      serves: ['r-1'],
      outputs: [{ name: 'path', description: 'where' }],
      steps: ['Write  the test', 'Make it pass'],
      references: ['src/app.js:12'],
      acceptance: [
        { ...aCommand('ac-1'), proves: ['r-1'] } as never,
        { id: 'ac-2', kind: 'assertion', text: 'It reads well' },
        { id: 'ac-3', kind: 'human', text: 'Look' },
      ],
    }),
    aTodo('todo-2', { dependsOn: ['todo-1'], inputs: [{ name: 'path', from: '${todo-1.outputs.path}' }] }),
    aTodo('todo-4'),
  ],
  commits: [{ afterTodo: 'todo-1', message: 'Tokens' }],
  risks: [{ text: 'It breaks', severity: 'high' }],
  externalDependencies: [
    { when: 'post', text: 'tell' },
    { when: 'pre', text: 'keys' },
  ],
});
const SETTING = { name: 'add-auth', uncovered: ['- Remove the old login.'] };
const TEXT = renderPlan(PLAN, { 'todo-1': true }, SETTING);

function edit(...changes: [from: string | RegExp, to: string][]): PlanEdits {
  return readPlanEdits(PLAN, changed(TEXT, changes), TEXT);
}

function changed(text: string, changes: readonly [from: string | RegExp, to: string][]): string {
  return changes.reduce((now, [from, to]) => {
    const next = now.replace(from, () => to);
    expect(next, String(from)).not.toBe(now);
    return next;
  }, text);
}

function planOf(edits: PlanEdits): PlanContent {
  if (edits.kind !== 'changed') expect(edits).toMatchObject({ kind: 'changed', faults: [] });
  return edits.kind === 'changed' ? edits.plan : PLAN;
}

/** Returns the faults, each after the line of the edited text that it is about. */
function faultsOf(text: string): string[] {
  const edits = readPlanEdits(PLAN, text, TEXT);
  expect(edits).toMatchObject({ kind: 'refused' });
  const lines = text.split('\n');
  return edits.kind === 'refused' ? edits.faults.map(({ line, problem }) => `${lines[line - 1]} » ${problem}`) : [];
}

const todo = (plan: PlanContent, id: string) => plan.todos.find((each) => each.id === id);

describe('by hand', () => {
  it('a heading without an id is a new todo, with what nobody said left open', () => {
    const plan = planOf(
      edit([
        '### [ ] todo-4:',
        '### Fix: the `login`\n\n### [ ] todo-9: By id\nverification, risk low, after todo-2\n\n### [ ] todo-4:',
      ]),
    );
    expect(plan.todos.map(({ id }) => id)).toEqual(['todo-1', 'todo-2', 'todo-10', 'todo-9', 'todo-4']);
    expect(todo(plan, 'todo-10')).toMatchObject({
      title: 'Fix: the `login`',
      type: 'work',
      risk: 'medium',
      acceptance: [],
    });
    expect(todo(plan, 'todo-9')).toMatchObject({ title: 'By id', type: 'verification', dependsOn: ['todo-2'] });
    expect(plan.todos[0]).toBe(PLAN.todos[0]);
  });

  it('a new todo has all that is said of it', () => {
    const text = [
      '### Log out',
      'work, risk high, after todo-1, serves r-2',
      '**Files** src/__tests__/a.ts, `b c`',
      '**Inputs**',
      '- `path` from `${todo-1.outputs.path}`',
      '**Outputs**',
      '* word: what it says',
      '**Steps**',
      '1) One',
      '1) Two,\n   which goes on',
      '**Must not do**',
      '- Change routes (`routes/**`)',
      '**References**',
      '- src/app.js:1',
      '- the RFC',
      '**Acceptance**',
      "- `grep -q 'a b' x` exit 0 or 1, prints `ok`, not `not ok`, in `api`, 120 s",
      '- agent: It is short',
      '- x, person: It is nice',
    ].join('\n');
    const made = todo(planOf(edit([/$/, `\n${text}\n`])), 'todo-5');
    expect(made).toEqual({
      id: 'todo-5',
      title: 'Log out',
      type: 'work',
      risk: 'high',
      // Empty, because the dependency follows from the input.
      dependsOn: [],
      serves: ['r-2'],
      inputs: [{ name: 'path', from: '${todo-1.outputs.path}' }],
      outputs: [{ name: 'word', description: 'what it says' }],
      files: ['src/__tests__/a.ts', 'b c'],
      steps: ['One', 'Two, which goes on'],
      mustNotDo: [{ text: 'Change routes', paths: ['routes/**'] }],
      references: ['src/app.js:1', 'the RFC'],
      acceptance: [
        {
          id: 'ac-1',
          kind: 'command',
          run: ['grep', '-q', 'a b', 'x'],
          cwd: 'api',
          timeout: 120,
          expect: { exitCode: [0, 1], stdoutContains: 'ok', stdoutLacks: 'not ok' },
        },
        { id: 'ac-2', kind: 'assertion', text: 'It is short' },
        { id: 'x', kind: 'human', text: 'It is nice' },
      ],
    });
  });

  it('files in backticks are several with and without commas', () => {
    const plan = planOf(edit(['**Files** `src/todo-4/**`', '**Files** `src/todo-4/**` `docs/a b.md`, c.md']));
    expect(todo(plan, 'todo-4')?.files).toEqual(['src/todo-4/**', 'docs/a b.md', 'c.md']);
  });

  it('a new title may begin with brackets or a word with a number', () => {
    for (const title of ['[WIP] Log out', 'Utf8 in titles', '*Fix*: the login', '`a`: b']) {
      const plan = planOf(edit([/$/, `\n### ${title}\n**Acceptance**\n- \`npm test\`\n`]));
      expect(plan.todos.at(-1)?.title).toBe(title);
    }
  });

  it('a missing heading is a withdrawn todo, and order is order', () => {
    const [one, two, four] = [1, 2, 4].map(
      (n) => new RegExp(`### \\[.\\] todo-${n}:(?:.|\\n)*?(?=\\n##)`).exec(TEXT)?.[0] ?? '',
    );
    const without = planOf(edit([four ?? '', '']));
    expect(without.todos).toEqual(PLAN.todos.slice(0, 2));
    const moved = planOf(edit([`${two}\n`, ''], [one ?? '', `${two}\n${one}`]));
    expect(moved.todos.map(({ id }) => id)).toEqual(['todo-2', 'todo-1', 'todo-4']);
    expect(moved.todos[0]).toBe(PLAN.todos[1]);
  });

  it('a todo that others need is not withdrawn in silence', () => {
    const two = /### \[x\] todo-1:[\s\S]*?(?=\n###)/;
    expect(faultsOf(changed(TEXT, [[two, '']]))).toEqual([
      'work, risk low, after todo-1 » there is no todo todo-1: it was removed',
      '## Commits » there is no todo todo-1: it was removed',
    ]);
  });

  it('what still names a todo or a requirement that was taken out says what to write instead', () => {
    const plan = aPlan({
      requirements: ['r-1', 'r-2'].map((id) => ({ id, quote: 'Add', from: 'user' as const, text: `Is ${id}` })),
      decisions: [{ text: 'HS256', by: 'user', serves: ['r-1', 'r-2'] }],
      commits: [{ afterTodo: 'todo-2', message: 'Tokens' }],
      todos: [
        aTodo('todo-1', { serves: ['r-1'] }),
        aTodo('todo-2', { dependsOn: ['todo-1'], serves: ['r-2'] }),
        aTodo('todo-3', { dependsOn: ['todo-2'], serves: ['r-2'] }),
        aTodo('todo-4', { inputs: [{ name: 'path', from: '${todo-2.outputs.path}' }] }),
      ],
    });
    const text = renderPlan(plan);
    const edits = readPlanEdits(
      plan,
      changed(text, [
        [/### \[ \] todo-2:[\s\S]*?(?=\n###)/, ''],
        [/\| r-2 \|.*\n/, ''],
      ]),
      text,
    );
    const instead = edits.kind === 'refused' ? edits.faults.map((fault) => fault.instead) : [];
    expect(new Set(instead)).toEqual(
      new Set([
        'in the line below the heading of todo-3, write "after todo-1" in place of todo-2',
        'in the line below the heading of todo-3, leave r-2 out of "serves"',
        'an input or a command of todo-4 takes a value of todo-2: change that',
        'leave r-2 out of the decision "HS256", or take it out where it concerns nothing else',
        'take out the message "Tokens"',
      ]),
    );
  });

  it('the table of requirements says what proves them', () => {
    const plan = planOf(
      edit(
        ['| todo-1/ac-1 |', '| todo-1/ac-2 (agent), todo-4/ac-1 |'],
        ['| nothing |', '| todo-1/ac-1 |\n|  | Speed | the user: "fast" | todo-2/ac-1 |'],
      ),
    );
    expect(plan.requirements?.map(({ id, quote }) => [id, quote])).toEqual([
      ['r-1', 'Add  JWT auth'],
      ['r-2', 'Log nothing'],
      ['r-3', 'fast'],
    ]);
    expect(plan.todos.map(({ acceptance }) => acceptance.map(({ proves }) => proves))).toEqual([
      [['r-2'], ['r-1'], undefined],
      [['r-3']],
      [['r-1']],
    ]);
  });

  it('a reference in backticks keeps them only where it had them', () => {
    const references = ['`npm`', '__init__.py', 'the RFC'];
    const plan = aPlan({ todos: [aTodo('todo-1', { references })] });
    const text = renderPlan(plan);
    const edits = readPlanEdits(plan, text.replace('- the RFC', '- `yarn`\n- the RFC 1'), text);
    const after = ['`npm`', '__init__.py', '`yarn`', 'the RFC 1'];
    expect(planOf(edits).todos[0]?.references).toEqual(after);
    const places = aPlan({ todos: [aTodo('todo-1', { references: ['src/app.js:12', '__init__.py'] })] });
    const old = renderPlan(places);
    const prose = old.replace('`src/app.js:12`, `__init__.py`', '\n- src/app.js:12\n- `__init__.py`\n- the RFC');
    expect(planOf(readPlanEdits(places, prose, old)).todos[0]?.references).toEqual([
      'src/app.js:12',
      '__init__.py',
      'the RFC',
    ]);
  });

  it('leaves a reference as it was that is code in part, once it stands in a list', () => {
    const references = ['docs/a.md', '#to[a](b)', 'src/app.js:12'];
    const plan = aPlan({ todos: [aTodo('todo-1', { references })] });
    const after = aPlan({ todos: [aTodo('todo-1', { references: ['the RFC', ...references] })] });
    expect(planOf(readPlanEdits(plan, renderPlan(after), renderPlan(plan)))).toEqual(after);
  });

  it('of a line that changed, what was not touched stays to the character', () => {
    const plan = planOf(edit(['the request: "Add JWT', 'the user: "Add JWT']));
    expect(plan.requirements?.[0]).toEqual({ ...PLAN.requirements?.[0], from: 'user' });
  });

  it('lists of the context keep their form', () => {
    const plan = planOf(
      edit(
        ['- Clients can wait', '- Clients can wait\n- Nobody is late'],
        ['  - src/log.js', '  - src/log.js:8\n  - docs/'],
      ),
    );
    expect(plan.context.assumptions).toBe('- Clients can wait\n- Nobody is late\n');
    expect(plan.context.researchFindings).toEqual(['src/app.js:12', 'src/log.js:8', 'docs/']);
  });

  it('what a person has to do keeps its order in plan-content.json', () => {
    const plan = planOf(edit(['- before: keys', '- before: keys, too\n- meanwhile: wait']));
    expect(plan.externalDependencies).toEqual([
      { when: 'post', text: 'tell' },
      { when: 'pre', text: 'keys, too' },
      { when: 'during', text: 'wait' },
    ]);
  });

  it('lines of findings are found', () => {
    const edits = edit(['1. Write the test', '1. Write a test']);
    const lines = edits.kind === 'changed' ? edits.lines : {};
    const line = (pointer: string) => TEXT.split('\n')[(findLine(lines, pointer) ?? 0) - 1];
    expect(line('/todos/0/steps/0')).toBe('1. Write the test');
    expect(line('/todos/0/acceptance/0/run/0')).toBe('- ac-1: `npm test` exit 0');
    expect(line('/todos/1/title')).toBe('### [ ] todo-2: Title of todo-2');
    expect(findLine(lines, '/size/x')).toBe(null);
  });

  it('the difference is shown in the words of PLAN.md', () => {
    const edits = edit(
      ['### [x] todo-1: Title of todo-1', '### [x] todo-1: The title of todo-1'],
      ['work, risk low, serves', 'work, risk high, serves'],
      ['2. Make it pass', '2. Make it pass soon\n3. Rest'],
      ['- ac-1: `npm test` exit 0\n- ac-2', '- ac-1: `npm run test` exit 0\n- ac-2'],
      ['- high: It breaks', '- low: It breaks'],
      [/### \[ \] todo-4[\s\S]*?(?=\n##)/, '### New\n'],
    );
    expect(renderPlanChanges(edits.kind === 'changed' ? edits.changes : [])).toBe(
      [
        'Risks',
        '  ~ [-high:-]{+low:+} It breaks',
        'todo-4 is withdrawn: Title of todo-4',
        'todo-1',
        '  title: ~ [-Title-]{+The title+} of todo-1',
        '  risk: low → high',
        '  Steps',
        '    ~ Make it pass {+soon+}',
        '    + Rest',
        '  Acceptance: ~ ac-1: `npm {+run+} test` exit 0, proves r-1',
        'todo-5 is new, in place 3: New',
        '',
      ].join('\n'),
    );
  });
});

describe('blanks in code', () => {
  const wide = { ...PLAN, todos: [aTodo('todo-1', { steps: ['Print `a  b`  and `c`'] })] };
  const text = renderPlan(wide);

  it('are a part of it, and none of what stands around it', () => {
    expect(readPlanEdits(wide, text.replace('` and', '`  and'), text)).toEqual({ kind: 'same' });
    const edits = readPlanEdits(wide, text.replace('`a  b`', '`a   b`'), text);
    expect(edits).toMatchObject({ kind: 'changed', plan: { todos: [{ steps: ['Print `a   b` and `c`'] }] } });
    const narrowed = readPlanEdits(wide, text.replace('`a  b`', '`a b`'), text);
    expect(renderPlanChanges(narrowed.kind === 'changed' ? narrowed.changes : [])).toBe(
      'todo-1\n  Steps: ~ Print [-`a  b`-]{+`a b`+} and `c`\n',
    );
  });

  it('are shown where an argument differs by them alone', () => {
    const run = (...argv: string[]) => ({
      ...PLAN,
      todos: [aTodo('todo-1', { acceptance: [aCommand('ac-1', argv)] })],
    });
    const [before, after] = [run('echo', 'a  b'), run('echo', 'a b')];
    const edits = readPlanEdits(before, renderPlan(after), renderPlan(before));
    expect(renderPlanChanges(edits.kind === 'changed' ? edits.changes : [])).toBe(
      'todo-1\n  Acceptance: ~ ac-1: `echo [-"a  b"`-]{+"a b"`+} exit 0\n',
    );
  });
});

describe('what cannot be placed is named with its line, and nothing is taken', () => {
  it('every todo broken in another way', () => {
    const text = changed(TEXT, [
      ['- ac-2, agent: It', '- ac-2, agnet: It'],
      ['work, risk low, after todo-1', 'work, risk lwo, after todo-11'],
      ['**Files** `src/todo-4/**`', '**Fils** `src/todo-4/**`'],
      ['- before: keys', '- bfore: keys'],
    ]);
    expect(faultsOf(text)).toEqual([
      expect.stringContaining('- bfore: keys » "bfore: keys": what a person has to do is written before'),
      expect.stringContaining('- ac-2, agnet: It reads well » says neither who judges it nor how; write'),
      'work, risk lwo, after todo-11 » a risk is low, medium or high, not "lwo"',
      expect.stringContaining(
        'work, risk lwo, after todo-11 » todo-2 comes after todo-1 because it takes a value of it',
      ),
      'work, risk lwo, after todo-11 » there is no todo todo-11; did you mean todo-1?',
      '**Fils** `src/todo-4/**` » there is no part **Fils**; did you mean **Files**?',
    ]);
  });

  const REFUSED: [what: string, change: [string | RegExp, string], fault: string][] = [
    ['two todos of one id', ['### [ ] todo-4', '### [ ] todo-2'], 'a second todo todo-2; the first is in line'],
    ['an id behind a box of another kind', ['### [ ] todo-4', '### [-] todo-4'], 'write ### [ ] todo-4: …'],
    ['an id in bold', ['### [ ] todo-4:', '### [ ] **todo-4:**'], 'write ### [ ] todo-4: …'],
    ['an id that is struck out', ['### [ ] todo-4', '### [ ] ~~todo-4'], 'write ### [ ] todo-4: …'],
    ['an id without a colon', ['### [ ] todo-4:', '### [ ] todo-4 –'], 'write ### [ ] todo-4: …'],
    ['a git conflict', ['1. Do it', '<<<<<<< HEAD\n1. Do it'], 'a git conflict'],
    ['the end of a conflict of git', ['1. Do it', '1. Do it\n>>>>>>> main'], 'a git conflict'],
    ['a part that is unknown', ['## Risks', '## Risk'], 'did you mean "Risks"?'],
    ['a part twice', [/$/, '\n## Risks\n- low: x\n'], 'a second part "Risks"'],
    ['a second title', [/$/, '\n# Notes\n'], 'a second title'],
    ['a deeper heading', [/$/, '\n#### Notes\n'], 'the heading "#### Notes" is not allowed'],
    ['a heading under a line', ['---\n', 'Notes\n---\n'], 'a heading is not allowed here'],
    ['a todo as a part', ['### [ ] todo-4', '## [ ] todo-4'], 'the heading of a todo begins with ###'],
    ['a comment', ['**Steps**', '<!-- later -->\n\n**Steps**'], 'a comment is not allowed in a todo'],
    ['a paragraph', ['**Steps**', 'By the way.\n\n**Steps**'], 'this text is not allowed in a todo'],
    ['a list in a list', ['1. Do it', '1. Do it\n   - so'], 'a list in a list is not allowed here'],
    ['a second paragraph', ['1. Do it', '1. Do it\n\n   And so on.'], 'a second paragraph in an entry is not allowed'],
    ['code', ['1. Do it', '1. Do it\n\n```sh\nx\n```\n'], 'a block of code is not allowed in a todo'],
    ['an indented list', ['## Risks\n', '## Risks\n\n    - x\n\n'], 'a line indented by four blanks or more'],
    ['a label twice', [/$/, '\n### New\n**Steps**\n- x\n\n**Steps**\n- y\n'], 'a second **Steps**'],
    [
      'a second objective',
      ['Requests carry a token', 'Requests carry a token\n\nAnd more'],
      'the objective is one paragraph',
    ],
    ['no objective', ['Requests carry a token', ''], 'the objective, one paragraph below the title, is missing'],
    ['another name', ['# Plan: add-auth', '# Plan: other'], 'the title of the plan is "# Plan: add-auth"'],
    [
      'a command without backticks',
      ['- ac-1: `npm test` exit 0', '- ac-1: npm test'],
      'a command must be in backticks',
    ],
    ['a pipe', ['- ac-1: `npm test` exit 0', '- ac-1: `npm test | tee x` exit 0'], '| is a pipe'],
    [
      'a fact of a command',
      ['- ac-1: `npm test` exit 0', '- ac-1: `npm test` exit zero'],
      '"exit zero" says nothing about a command',
    ],
    ['an acceptance twice', ['- ac-2, agent', '- ac-1, agent'], 'ac-1 is already taken by line'],
    [
      'an unknown type',
      ['work, risk low, serves', 'works, risk low, serves'],
      'begins with work or verification, not "works"',
    ],
    ['an unknown fact', ['work, risk low, serves', 'work, risk low, soon, serves'], '"soon" is not one of work'],
    ['an unknown requirement', ['serves r-1', 'serves r-11'], 'there is no requirement r-11; did you mean r-1?'],
    ['an unknown proof', ['| nothing |', '| todo-1/ac-9 |'], 'there is no acceptance todo-1/ac-9'],
    ['a proof in words', ['| nothing |', '| the tests |'], '"the tests" names no acceptance'],
    ['a row with too many cells', ['| nothing |', '| nothing | x |'], 'this row has 5 cells, not 4'],
    [
      'other columns',
      ['| id | requirement |', '| no | requirement |'],
      'the columns of this table are id, requirement',
    ],
    ['nobody to decide', ['| agent | r-1 |', '| me | r-1 |'], 'a decision is by user, agent or assumed, not by "me"'],
    ['words of nobody', ['the user: "Log', 'somebody: "Log'], 'the words are quoted as'],
    ['a risk without measure', ['- high: It', '- huge: It'], 'a risk is written low'],
    ['the overview', ['| todo-4: Title', '| todo-4: Another title'], 'made from the todos below the line'],
    [
      'a row of the overview',
      [/\| todo-4: Title.*\n/, ''],
      'the text removed from "Todos" is made from the todos below the line',
    ],
    ['the diagram', ['t1 --> t2', 't2 --> t1'], 'made from the todos below the line'],
    ['the list of commands', ['exit 0 (todo', 'exit 1 (todo'], 'made from **Acceptance** of the todos'],
    [
      'what a person judges',
      ['- judge todo-1/ac-3: Look', '- judge todo-1/ac-3: Stare'],
      'made from **Acceptance** of the todos',
    ],
    ['words of the request', ['- Remove the old login.', '- Remove it.'], 'made from the request'],
    ['a control character', ['1. Do it', '1. Do\x07 it'], 'the line holds a control character, U+0007'],
    ['text before the title', [/^/, 'Hello\n\n'], 'no text is allowed before the title'],
    ['a commit of nothing', ['- after todo-1: Tokens', '- Tokens'], 'a commit message is written after todo-1'],
    ['other context', ['- interview: Header', '- interviews: Header'], 'the context is written interview'],
    ['no title of a todo', ['### [ ] todo-4: Title of todo-4', '### [ ] todo-4:'], 'this todo has no title'],
    [
      'no line of facts',
      [/(### \[ \] todo-4.*\n)work, risk low\n/, '### [ ] todo-4: Title of todo-4\n'],
      'below the heading is missing',
    ],
  ];

  it.each(REFUSED)('%s', (_what, change, fault) => {
    expect(faultsOf(changed(TEXT, [change])).join('\n')).toContain(fault);
  });

  it.each([
    ['a row', 'the user: "Log', 'somebody: "Log'],
    ['the columns', '| id | requirement |', '| no | requirement |'],
  ])('%s of the requirements that cannot be read leaves no name without its requirement', (_, from, to) => {
    expect(faultsOf(changed(TEXT, [[from, to]]))).toHaveLength(1);
    const serving = changed(TEXT, [
      [from, to],
      ['risk low, serves r-1', 'risk low, serves r-1, r-2'],
    ]);
    expect(faultsOf(serving)).toHaveLength(1);
  });

  it.each([
    ['> '.repeat(50_000), 'a quotation in quotations'],
    ['1. '.repeat(5_000), 'a list in lists'],
  ])('%#: a line of very many levels is named at once', (line) => {
    const read = (text: string) => [faultsOf(`${TEXT}\n${text}x\n`), readTodoSection(`### Title\n${text}x\n`, [])];
    expect(read(line)).toEqual([
      expect.arrayContaining([expect.stringContaining('begins more than 20 levels')]),
      expect.objectContaining({ faults: [expect.objectContaining({ line: 2 })] }),
    ]);
    expectWithin(
      8,
      () => read('x'.repeat(100_000)),
      () => read(line),
    );
  });

  it('words of the request may go', () => {
    expect(edit([/## Words of the request[\s\S]*?\n\n/, ''])).toEqual({ kind: 'same' });
  });

  it('an empty text, one that is something else, and one of 50 MB', () => {
    expect(faultsOf('')).toContain(' » the title, # Plan, is missing');
    expect(faultsOf('{"todos": []}').join()).toContain('the title, # Plan, is missing');
    const read = (size: number) => readPlanEdits(PLAN, `${TEXT}${'x'.repeat(size)}`, TEXT);
    expect(read(50_000_000)).toEqual({
      kind: 'refused',
      faults: [{ line: 1, problem: expect.stringContaining('grew by more than 1000000 characters') }],
    });
    // What is too large is refused unread, so it takes less than reading what is not.
    expectWithin(
      1,
      () => read(10_000),
      () => read(50_000_000),
    );
  });

  it('of very many faults the first ones', () => {
    const edits = readPlanEdits(PLAN, `${TEXT}${'\n## x\n'.repeat(1000)}`, TEXT);
    expect(edits.kind === 'refused' && edits.faults.at(-1)?.problem).toBe('and 800 more');
  });

  it('titles in six scripts, with joined emoji, are taken as they are', () => {
    const title = 'naïve · 添加登录 · добавить вход · إضافة تسجيل · ログイン · प्रवेश क्\u200dष · 👩\u200d💻';
    expect(todo(planOf(edit(['Title of todo-4\nwork', `${title}\nwork`])), 'todo-4')?.title).toBe(title);
  });
});
