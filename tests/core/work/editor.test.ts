import { describe, expect, it } from 'vitest';
import { buildEditorCommand, findEditor } from '../../../src/work/editor.js';

// living-plan.md, plan edit: which editor, and how it is called.

describe("a person's editor", () => {
  it.each([
    [{ VISUAL: 'code --wait', EDITOR: 'ed', TERM: 'xterm' }, 'code --wait'],
    [{ VISUAL: '', EDITOR: 'ed', TERM: 'xterm' }, 'ed'],
    [{ VISUAL: 'vim', EDITOR: 'ed', TERM: 'dumb' }, 'ed'],
    [{ VISUAL: 'vim', EDITOR: 'ed' }, 'ed'],
    [{ TERM: 'xterm' }, 'vi'],
    [{ VISUAL: 'vim', TERM: 'dumb' }, null],
  ])('of %j is %s', (env, editor) => {
    expect(findEditor(env)).toBe(editor);
  });

  it('gets the path as an argument, whatever is in it', () => {
    const path = '/a b/$(touch x); `y`/PLAN.md';
    expect(buildEditorCommand('/usr/bin/vim', path)).toEqual(['/usr/bin/vim', path]);
    expect(buildEditorCommand('code --wait', path)).toEqual(['/bin/sh', '-c', 'code --wait "$@"', 'code --wait', path]);
  });
});
