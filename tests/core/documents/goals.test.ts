import { describe, expect, it } from 'vitest';
import { chooseGoal, type Goal, readGoals } from '../../../src/documents/goals.js';

// memory.md, Context: reading `.ai/goals.yaml`.

function read(text: string): Goal[] {
  const check = readGoals(text);
  if (!check.ok) throw new Error(JSON.stringify(check.problems));
  return check.goals;
}

const problemsOf = (text: string) => {
  const check = readGoals(text);
  return check.ok ? [] : check.problems.map(({ pointer, problem, at }) => `${pointer ?? at}: ${problem}`);
};

const TREE = `
goals:
  - id: shop
    title: The shop
    status: active
    owner: ann
    children:
      - {id: cart, title: The cart, status: done}
      - id: pay
        title: Paying
        status: active
        children:
          - {id: card, title: By card, status: active, mode: interactive}
      - {id: mail, title: Mails, status: active}
  - {id: old, title: Old, status: dropped, children: }
`;

describe('goals', () => {
  it('are read with what they are divided into; other keys are let be', () => {
    expect(read(TREE)).toEqual([
      {
        ...{ id: 'shop', title: 'The shop', status: 'active' },
        children: [
          { id: 'cart', title: 'The cart', status: 'done', children: [] },
          {
            ...{ id: 'pay', title: 'Paying', status: 'active' },
            children: [{ id: 'card', title: 'By card', status: 'active', mode: 'interactive', children: [] }],
          },
          { id: 'mail', title: 'Mails', status: 'active', children: [] },
        ],
      },
      { id: 'old', title: 'Old', status: 'dropped', children: [] },
    ]);
    expect(read('goals: []')).toEqual([]);
  });

  it.each([
    [null, 'pay', 'shop'],
    ['mail', 'mail', 'shop'],
    ['shop', 'shop', undefined],
    ['cart', 'pay', 'shop'],
    ['card', 'pay', 'shop'],
    ['gone', 'pay', 'shop'],
  ])('where the newest handoff names %s, the one to work on is %s', (named, id, parent) => {
    const chosen = chooseGoal(read(TREE), named);
    expect([chosen?.goal.id, chosen?.parent?.id]).toEqual([id, parent]);
  });

  it('are none to work on where none is active', () => {
    expect(chooseGoal(read('goals: [{id: a, title: A, status: pending}]'), 'a')).toBeNull();
  });

  it('that are wrong are all named', () => {
    const text = `
goals:
  - {id: a, title: A, status: started}
  - {id: a, title: '', status: done, mode: 1}
  - just a word
  - {title: 7, children: {}}
  - {id: "x\\u202ey", title: X, status: done}
`;
    expect(problemsOf(text)).toEqual([
      '/goals/0/status: is "started", not one of pending, active, done, blocked, dropped',
      '/goals/1/id: is "a", which /goals/0/id already has',
      '/goals/1/title: is empty',
      '/goals/1/mode: is 1, not a text',
      '/goals/2: is "just a word", not an object',
      '/goals/3: "id" is missing',
      '/goals/3/title: is 7, not a text',
      '/goals/3: "status" is missing',
      '/goals/3/children: is {}, not a list',
      expect.stringMatching(/^\/goals\/4\/id: is .*; an id is one line/),
    ]);
  });

  it.each([
    ['', [': is null, not an object with "goals"']],
    ['[]', [': is [], not an object with "goals"']],
    ['goal: []', [': "goals" is missing']],
    ['goals: 3', ['/goals: is 3, not a list']],
    ['goals: [', [expect.stringMatching(/^1:\d+: is not valid YAML: /)]],
    ['goals: []\ngoals: []', [expect.stringMatching(/^2:1: is not valid YAML: Map keys must be unique/)]],
    ['a: &a [x]\ngoals: *a', [expect.stringMatching(/cannot be read as YAML/)]],
    [`goals: ${'['.repeat(20_000)}`, [expect.stringMatching(/YAML/)]],
    ['x'.repeat(300_000), [': is larger than 256 KiB']],
    [`goals:\n${'- 1\n'.repeat(50)}`, expect.arrayContaining([': and 30 more'])],
  ])('text %# is no file of goals', (text, problems) => {
    expect(problemsOf(text)).toEqual(problems);
  });

  it('shows a title without its secrets', () => {
    const [goal] = read(`goals: [{id: a, title: "Use ghp_${'a'.repeat(36)}", status: active}]`);
    expect(goal?.title).toBe('Use [masked]');
  });
});
