import { describe, expect, it } from 'vitest';
import { renderLintReport } from '../../../src/recipe/lint/report.js';
import { loadDemo } from './library-fixture.js';

describe('the report of lint', () => {
  it('shows place, line, caret and what to do', () => {
    const { problems, texts } = loadDemo(
      'name: demo\ntype: sequential\nblocks:\n  - id: a\n    type: llm\n    instruction: x\n    raed: [DRAFT.md]\n',
    );
    expect(
      renderLintReport(problems, texts),
    ).toBe(`.dev/recipes/demo.yaml:7:5: error: Unknown key \`raed\`; did you mean \`read\`?
   7 |     raed: [DRAFT.md]
     |     ^^^^

1 error, no warnings`);
  });

  it('keeps the caret below its place in long lines, and control characters out', () => {
    const text = `# ${'x'.repeat(300)}\u001b[31m\tend`;
    const problem = { severity: 'warning', message: 'odd\u0007', file: 'f', line: 1, column: 309, length: 3 } as const;
    const lines = renderLintReport([problem], { f: text }).split('\n');
    expect(lines.join('')).not.toMatch(/[\u0000-\u001f]/);
    const [, shown = '', caret = ''] = lines;
    expect(shown.slice(caret.indexOf('^'), caret.indexOf('^') + 3)).toBe('end');
  });

  it('does without an excerpt of a file it does not have', () => {
    const problem = { severity: 'error', message: 'bad', file: 'g', line: 1, column: 1, length: 1 } as const;
    expect(renderLintReport([problem, problem], {})).toContain('2 errors');
  });
});
