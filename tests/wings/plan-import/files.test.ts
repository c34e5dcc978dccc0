import { describe, expect, it } from 'vitest';
import { importPlan } from '../../../src/wings/plan-import/import-plan.js';

// plans-from-elsewhere.md, What becomes of what: Files

/** Returns the files that a task may change, and its references except the first, which is where the task itself is. */
function readFiles(...lines: string[]) {
  const text = `# X Implementation Plan\n\n### Task 1: Write\n\n**Files:**\n${lines.join('\n')}\n\n- [ ] **Step 1: Write it**\n`;
  const ending = importPlan({
    source: { format: 'superpowers', name: 'x', files: [{ path: 'plan.md', text }] },
    goal: null,
  });
  if (ending.kind !== 'plan') throw new Error(ending.at);
  const [todo] = ending.plan.plan.todos;
  return { files: todo?.files ?? [], told: (todo?.references ?? []).slice(1) };
}

describe('files that a list says are changed', () => {
  it.each<[string, string[]]>([
    ['- Create: `src/b.ts` based on `src/a.ts`', ['src/b.ts']],
    ['- Modify: `src/d.ts`, `src/e.ts` and src/f.ts', ['src/d.ts', 'src/e.ts', 'src/f.ts']],
    ['- Modify: `src/i.ts:10-20`, following the pattern in `src/p.ts`', ['src/i.ts']],
    ['- Modify: `src/i.py:load`', ['src/i.py']],
    ['- Rename: `src/g.ts` → `src/h.ts`', ['src/g.ts', 'src/h.ts']],
    ['- Move `src/a.ts` to `src/b.ts`', ['src/a.ts', 'src/b.ts']],
    ['- Test: tests/test_a.py', ['tests/test_a.py']],
    ['- `src/a.ts`', ['src/a.ts']],
    ['- src/a.ts', ['src/a.ts']],
    ['- 修改：`src/a.ts`', ['src/a.ts']],
    ['\n| File | Action |\n|---|---|\n| `src/t.ts` | modify |\n| `docs/ref.md` | read only |', ['src/t.ts']],
    ['\n```\nsrc/a.ts\nsrc/b.ts  # new\nsrc/c.ts  # unchanged\n```', ['src/a.ts', 'src/b.ts']],
    ['Modify `src/p.ts` like `src/q.ts` does.', ['src/p.ts']],
  ])('%s', (line, files) => {
    expect(readFiles(line).files).toEqual(files);
  });
});

describe('files that a list only mentions are no permission, and are told', () => {
  it.each([
    'No changes to `src/x.ts`',
    'Not modified: `src/x.ts`',
    'Reads: `config.yaml`',
    'Copy from: `old/x.ts`',
    'Unchanged: `src/x.ts`',
    'Do not touch: `src/x.ts`',
    'Context: `src/x.ts`',
    'No new files — verify existing `tests/test_a.py` covers it',
    'Candidates: `src/x.ts`',
    'none (see docs/y.md)',
  ])('%s', (line) => {
    expect(readFiles(`- ${line}`)).toEqual({ files: [], told: [line] });
  });
});
