import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { buildEditorCommand, findEditor, runEditor } from '../../../src/work/editor.js';
import { readStartTime } from '../../../src/work/processes.js';

// living-plan.md, plan edit: which editor is used, and how it is called.

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

  it('ends with the call, also behind a shell', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'editor-'));
    const path = join(directory, 'PLAN.md');
    const call = new AbortController();
    const env = { ...process.env, TERM: 'dumb', EDITOR: `sh -c 'echo $$ > "$0"; exec sleep 60' "$@"; true` };
    const edited = runEditor(path, { env, signal: call.signal });
    await vi.waitFor(() => expect(existsSync(path) && readFileSync(path, 'utf8')).toMatch(/\n/));
    const pid = Number(readFileSync(path, 'utf8'));
    call.abort();
    await expect(edited).rejects.toThrow('by SIGTERM');
    await vi.waitFor(() => expect(readStartTime(pid)).toBe(null));
    rmSync(directory, { recursive: true });
  });
});
