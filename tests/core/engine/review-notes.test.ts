import { describe, expect, it } from 'vitest';
import { listNotes, namesTodo } from '../../../src/engine/act/prompts/review-notes.js';

describe('the notes of a review (engine.md, Rulings)', () => {
  it.each([
    [
      'items, each on one line',
      '## Blocking\nNone.\n\n## Notes\n- todo-1: mind\n  the gap\n* and more\n',
      ['todo-1: mind the gap', 'and more'],
    ],
    ['prose', '## Notes (two)\nMind the gap.\nAnd more.\n', ['Mind the gap. And more.']],
    ['numbers, up to the next section', '## notes\n1. one\n2) two\n## Later\n- three\n', ['one', 'two']],
    ['none', '## Notes\n\n- None.\n', []],
    ['no section, or one in code', 'Notes: x\n```\n## Notes\n- x\n```\n', []],
    ['control characters', '## Notes\n- a\u001b[31mb\n', ['ab']],
  ])('are its %s', (_what, body, expected) => {
    expect(listNotes(body)).toEqual(expected);
  });
});

describe('a note', () => {
  it.each([
    ['todo-1: mind the gap', true],
    ['todo-10 and todo-1 share a name', true],
    ['(todo-1)', true],
    ['todo-10 alone, or fix-todo-1', false],
    ['todo-1-d1', false],
  ])('%s: names todo-1: %s', (note, expected) => {
    expect(namesTodo(note, 'todo-1')).toBe(expected);
  });
});
